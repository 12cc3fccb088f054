import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from './command.ts';
import { LabProblem } from './problem.ts';
import type { Report } from './report.ts';

export interface Artifact {
  group: string;
  name: string;
  version: string;
  bytes: number;
  sha256: string;
}

const copyGoal = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';

/** Brings a zip into `downloads` and returns its path. A file under its final name there is whole and verified. */
export async function fetchZip(artifact: Artifact, downloads: string, report: Report): Promise<string> {
  const file = `${artifact.name}-${artifact.version}.zip`;
  const target = join(downloads, file);
  if (await exists(target)) return target;

  // Maven's usual repository, so that its plugins (hundreds of small files) are fetched once for all; but the second
  // copy that it keeps there of a gigabyte nobody else asked for goes.
  const repository = join(homedir(), '.m2', 'repository');
  const landing = join(repository, ...artifact.group.split('.'), artifact.name, artifact.version);
  const wasThere = await exists(landing);
  const partial = join(downloads, 'partial');
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });

  const task = `Downloading ${file}`;
  report.working(task);
  const watch = setInterval(async () => {
    const have = Math.max(await largestFile(landing), await largestFile(partial));
    const detail = have === 0 ? 'Maven makes itself ready' : `${megabytes(have)} of ${megabytes(artifact.bytes)} MB`;
    report.working(task, detail);
  }, 1000);
  try {
    await run('mvn', [
      '--batch-mode',
      '--quiet',
      '-Dstyle.color=never',
      `-Dmaven.repo.local=${repository}`,
      copyGoal,
      `-Dartifact=${artifact.group}:${artifact.name}:${artifact.version}:zip`,
      `-DoutputDirectory=${partial}`,
    ]);
  } finally {
    clearInterval(watch);
    if (!wasThere) await rm(landing, { recursive: true, force: true });
  }
  await assertWhole(join(partial, file), artifact);
  await rename(join(partial, file), target);
  await rm(partial, { recursive: true });
  return target;
}

async function assertWhole(file: string, artifact: Artifact): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  if (hash.digest('hex') === artifact.sha256) return;
  throw new LabProblem(
    'LAB_DOWNLOAD_DAMAGED',
    `${artifact.name} ${artifact.version} arrived with ${(await stat(file)).size} bytes and is not the file that the lab knows.`,
    'Run the command again. If it happens twice, the registry serves another file than the one pinned in lab/src/distribution.ts.',
  );
}

async function largestFile(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = names.map((name) =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return Math.max(0, ...(await Promise.all(sizes)));
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const megabytes = (bytes: number): number => Math.round(bytes / 1e6);
