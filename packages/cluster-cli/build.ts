import { chmodSync } from 'node:fs';
import { build } from 'rolldown';

// CommonJS, because Node starts it faster than modules. `--version` and `--help` load the first file alone; a command
// adds `run`; the AWS SDK comes only when the secrets store is asked, completion only at a TAB.
await build({
  input: { 'cluster-cli': 'src/main.ts' },
  platform: 'node',
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
    banner: (chunk) => (chunk.isEntry ? '#!/usr/bin/env node' : ''),
    codeSplitting: {
      groups: [
        {
          name: 'run',
          test: /src\/(commands|connection|credentials|agent-facts|failure|output|table)|packages\/engine|\/zod\/|string-trunc/,
          includeDependenciesRecursively: false,
        },
      ],
    },
  },
});
chmodSync('dist/cluster-cli.cjs', 0o755);
