import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LabProblem } from './problem.ts';
import type { Report } from './report.ts';

/** Where the lab keeps what it downloads, what it builds from that, and what a running lab writes. Never in the checkout. */
export interface Home {
  root: string;
  downloads: string;
  /** Assembled engines, one folder a version. */
  engines: string;
  /** Python environments of the AWS endpoint, one folder a version. */
  endpoints: string;
  engineRun: string;
  awsRun: string;
}

export function homeAt(root: string): Home {
  return {
    root,
    downloads: join(root, 'downloads'),
    engines: join(root, 'engines'),
    endpoints: join(root, 'endpoints'),
    engineRun: join(root, 'run', 'engine'),
    awsRun: join(root, 'run', 'aws'),
  };
}

/** Root's own folders are closed to the unprivileged user that the engine needs, hence /var/cache for root. */
export function chooseHome(environment: NodeJS.ProcessEnv, uid: number | undefined): Home {
  if (environment.MUSTER_LAB_HOME) return homeAt(environment.MUSTER_LAB_HOME);
  if (uid === 0) return homeAt('/var/cache/muster');
  return homeAt(join(environment.XDG_CACHE_HOME || join(environment.HOME || homedir(), '.cache'), 'muster'));
}

export const labHome = (): Home => chooseHome(process.env, process.getuid?.());

/** The engine runs as another user when we are root; each folder above its files must let that user through. */
export async function assertOpenToAll(path: string): Promise<void> {
  for (let folder = path; ; folder = dirname(folder)) {
    const { mode } = await stat(folder);
    if ((mode & 0o001) === 0) {
      throw new LabProblem(
        'LAB_HOME_CLOSED',
        `The engine does not run as root, and other users cannot pass through ${folder}.`,
        `Set MUSTER_LAB_HOME to a folder that all users can reach, or run: chmod o+x ${folder}`,
      );
    }
    if (folder === dirname(folder)) return;
  }
}

/**
 * One command at a time changes a home. The lock is a socket name in the kernel, not a file: it goes away with its
 * holder however that ends, so no stale lock is ever left.
 */
export async function lockHome(home: Home, report: Report): Promise<AsyncDisposable> {
  const name = `\0muster-lab-${createHash('sha256').update(home.root).digest('hex').slice(0, 16)}`;
  for (;;) {
    const server = createServer((socket) => socket.destroy());
    server.listen(name);
    try {
      await once(server, 'listening');
      server.unref();
      return { [Symbol.asyncDispose]: async () => void server.close() };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    }
    report.working('Waiting for another lab command to end');
    await sleep(500);
  }
}
