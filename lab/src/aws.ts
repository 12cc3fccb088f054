import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { run } from './command.ts';
import { type Home, lockHome } from './home.ts';
import { assertFree } from './ports.ts';
import { LabProblem } from './problem.ts';
import { processesOf, startDetached, stopAll } from './processes.ts';
import type { Report } from './report.ts';

export interface AwsStatus {
  endpoint: string;
  version: string;
  pids: number[];
  answers: boolean;
}

const version = '1.5.33';
const address = '127.0.0.1';
const port = 4566;
const endpoint = `http://${address}:${port}`;
const region = 'eu-central-1';
const readyWithinMs = 60_000;
const requirements = fileURLToPath(new URL('../aws-requirements.txt', import.meta.url));

/** What a shell or a test needs so that every AWS SDK talks to the lab and to nothing else. */
export const awsEnvironment = {
  AWS_ENDPOINT_URL: endpoint,
  AWS_REGION: region,
  // The endpoint takes any key; these can open nothing anywhere else.
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
} as const;

/** Starts the endpoint; what it holds lives in memory and ends with it. */
export async function awsUp(home: Home, report: Report): Promise<void> {
  await using _lock = await lockHome(home, report);
  const running = (await processesOf(home.awsRun)).length > 0;
  if (!running) {
    await assertFree(address, port);
    const python = await pythonEnvironment(home, report);
    const temporary = join(home.awsRun, 'temporary');
    await mkdir(temporary, { recursive: true });
    await startDetached({
      mark: home.awsRun,
      program: python,
      args: ['-m', 'ministack'],
      folder: home.awsRun,
      environment: {
        // Functions that are deployed to the endpoint run on the node of this very process.
        PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
        LANG: 'C.UTF-8',
        HOME: home.awsRun,
        TMPDIR: temporary,
        BIND_HOST: address,
        GATEWAY_PORT: String(port),
        MINISTACK_REGION: region,
        S3_DATA_DIR: join(home.awsRun, 's3'),
        STATE_DIR: join(home.awsRun, 'state'),
        // Two listeners of its own that would open further ports.
        SFTP_ENABLED: '0',
        IOT_MTLS_ENABLED: '0',
      },
      logFile: logFile(home),
    });
  }
  try {
    await waitUntilReady(home, report);
  } catch (error) {
    if (!running) await stopAll(home.awsRun);
    throw error;
  }
}

export async function awsDown(home: Home, options: { wipe: boolean }, report: Report): Promise<void> {
  await using _lock = await lockHome(home, report);
  if (await awsIsRunning(home)) report.working('Stopping the AWS endpoint');
  await stopAll(home.awsRun);
  if (options.wipe) await rm(home.awsRun, { recursive: true, force: true });
}

export async function awsStatus(home: Home): Promise<AwsStatus> {
  const pids = (await processesOf(home.awsRun)).map(({ pid }) => pid);
  return { endpoint, version, pids, answers: pids.length > 0 && (await answers()) };
}

export const awsIsRunning = async (home: Home): Promise<boolean> => (await processesOf(home.awsRun)).length > 0;

const logFile = (home: Home): string => join(home.awsRun, 'console.log');

const Health = z.object({
  version: z.literal(version),
  services: z.object({ secretsmanager: z.literal('available') }),
});

async function answers(): Promise<boolean> {
  try {
    const response = await fetch(`${endpoint}/_ministack/health`, { signal: AbortSignal.timeout(5_000) });
    return Health.safeParse(await response.json()).success;
  } catch {
    return false;
  }
}

async function waitUntilReady(home: Home, report: Report): Promise<void> {
  const began = Date.now();
  while (!(await answers())) {
    const ended = !(await awsIsRunning(home));
    if (ended || Date.now() - began > readyWithinMs) {
      const log = await readFile(logFile(home), 'utf8').catch(() => '');
      throw new LabProblem(
        ended ? 'LAB_NODE_ENDED' : 'LAB_NOT_READY',
        `The AWS endpoint ${ended ? 'has ended by itself' : 'does not answer'}. The last it said:\n${log.trim().split('\n').slice(-15).join('\n')}`,
        `Its whole log is ${logFile(home)}`,
      );
    }
    report.working('Waiting for the AWS endpoint');
    await sleep(200);
  }
}

/** A Python environment is bound to its path, so it is built in place; the list inside it is written last: complete. */
async function pythonEnvironment(home: Home, report: Report): Promise<string> {
  const folder = join(home.endpoints, `ministack-${version}`);
  const python = join(folder, 'bin', 'python');
  const wanted = await readFile(requirements, 'utf8');
  const installed = join(folder, 'installed.txt');
  if ((await readFile(installed, 'utf8').catch(() => '')) === wanted) return python;

  report.working(`Installing ministack ${version}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(home.endpoints, { recursive: true });
  await run('/usr/bin/python3', ['-m', 'venv', folder]);
  await run(python, ['-m', 'pip', 'install', '--quiet', '--no-input', '--no-deps', '-r', requirements]);
  await writeFile(installed, wanted);
  return python;
}
