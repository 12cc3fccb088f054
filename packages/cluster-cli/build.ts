import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'rolldown';
import * as z from 'zod/mini';

const manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** What is needed to ask the engine something. What prints the answer is loaded while the engine is at work. */
const asks =
  /engine\/src\/(client|errors|routing-request)|cluster-cli\/src\/(connection|credentials|failure|commands\/cat\/shards)|lifecycle\/src\/failure/;
/** What the reading commands share besides. */
const prints =
  /engine\/src|cluster-cli\/src\/(output|table|commands\/(api|cat|cluster\/(health|allocation)))|\/zod\/|string-trunc/;

// CommonJS, because Node starts it faster than modules. `--version` and `--help` load the first file alone; a command
// adds `ask` and `print`; the AWS SDK comes only when the secrets store is asked, completion only at a TAB.
const { output } = await build({
  input: { 'cluster-cli': 'src/main.ts' },
  platform: 'node',
  // The oldest Node that the package promises to run on.
  transform: { target: 'node22' },
  preserveEntrySignatures: false,
  plugins: [
    {
      // Commander wants it for subcommands that are programs of their own. We have none, and loading it takes a
      // fifth of Node's own start.
      name: 'commander-without-child-process',
      resolveId: (id, importer) =>
        id === 'node:child_process' && importer?.includes('/commander/') ? '\0no-child-process' : undefined,
      load: (id) => (id === '\0no-child-process' ? 'export default {}' : undefined),
    },
  ],
  output: {
    dir: 'dist',
    format: 'cjs',
    minify: true,
    cleanDir: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    codeSplitting: {
      groups: [
        { name: 'ask', test: asks, priority: 2, includeDependenciesRecursively: false },
        { name: 'print', test: prints, priority: 1, includeDependenciesRecursively: false },
      ],
    },
  },
});
writeFileSync(
  'dist/THIRD-PARTY-LICENSES.txt',
  licences(output.flatMap((file) => ('moduleIds' in file ? file.moduleIds : []))),
);

/** Name, licence and, where it comes with one, licence text of every package that is part of the bundle. */
function licences(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
  const notices = [...folders].sort().map((folder) => {
    const { name, version, license } = z.parse(manifest, JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')));
    const [file] = globSync(`${folder}/{LICENSE,LICENCE,license}*`);
    const text = file === undefined ? '' : `\n${readFileSync(file, 'utf8').trim()}\n`;
    return `${name} ${version}, ${license}\n${text}`;
  });
  return notices.join(`\n${'-'.repeat(80)}\n\n`);
}
