import { createHash } from 'node:crypto';
import { appendFile, copyFile, glob, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './command.ts';
import type { EngineVersion } from './distribution.ts';
import type { Report } from './report.ts';

const source = join(import.meta.dirname, '..', 'shutdown-plugin');
const descriptor = 'plugin-descriptor.properties';

/**
 * The published test server knows how to empty a node but leaves out the REST layer that asks for it. This one is
 * compiled against the server's own jars and lives in its `plugins/`, with a note of what it was built from.
 */
export async function installShutdownPlugin(
  tree: string,
  version: EngineVersion,
  jdk: string,
  report: Report,
): Promise<void> {
  const sources = await sourcesFor(version);
  const fingerprint = await fingerprintOf([descriptor, ...sources]);
  const installed = join(tree, 'plugins', 'lab-shutdown');
  if ((await readFile(join(installed, 'built-from'), 'utf8').catch(() => undefined)) === fingerprint) return;

  report.working(`Compiling the shutdown plugin for ${version}`);
  // Outside `plugins/`, where the engine would take a half-made folder for a broken plugin.
  const workbench = join(tree, '.building-plugin');
  const classes = join(workbench, 'classes');
  const made = join(workbench, 'lab-shutdown');
  await rm(workbench, { recursive: true, force: true });
  await mkdir(made, { recursive: true });
  await run(
    join(jdk, 'bin', 'javac'),
    ['--release', '21', '-proc:none', '-nowarn', '-cp', join(tree, 'lib', '*'), '-d', classes, ...sources],
    { folder: source },
  );
  await run(join(jdk, 'bin', 'jar'), ['--create', '--file', join(made, 'lab-shutdown.jar'), '-C', classes, '.']);
  await copyFile(join(source, descriptor), join(made, descriptor));
  await appendFile(join(made, descriptor), `elasticsearch.version=${version}\n`);
  await writeFile(join(made, 'built-from'), fingerprint);

  await rm(installed, { recursive: true, force: true });
  await rename(made, installed);
  await rm(workbench, { recursive: true });
}

/** What both versions share, and the little that is written for one of them. */
async function sourcesFor(version: EngineVersion): Promise<string[]> {
  const major = version.split('.')[0];
  const sources: string[] = [];
  for await (const path of glob(`{any,${major}}/**/*.java`, { cwd: source })) sources.push(path);
  return sources.toSorted();
}

async function fingerprintOf(paths: string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(`${path}\0`).update(await readFile(join(source, path)));
  return hash.digest('hex');
}
