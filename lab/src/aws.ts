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
/** Behind the front, on the same port: the addresses that ministack gives out carry its port and lead to the front. */
const innerAddress = '127.0.0.2';
const endpoint = `http://${address}:${port}`;
const region = 'eu-central-1';
const readyWithinMs = 60_000;
const requirements = fileURLToPath(new URL('../aws-requirements.txt', import.meta.url));
const ministackProgram = fileURLToPath(new URL('../aws-behind.py', import.meta.url));
const frontProgram = fileURLToPath(new URL('./aws-front-main.ts', import.meta.url));

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
  // A part that was ended by somebody else takes the rest along: half an AWS would only confuse.
  if ((await awsIsRunning(home)) && !(await answers())) await stopAll(home.awsRun);
  if (await awsIsRunning(home)) return;
  await assertFree(address, port);
  await assertFree(innerAddress, port);
  const python = await pythonEnvironment(home, report);
  try {
    await startMinistack(home, python);
    await startDetached({
      mark: home.awsRun,
      program: process.execPath,
      args: [frontProgram, address, String(port), innerAddress, String(port), region],
      folder: home.awsRun,
      environment: { LANG: 'C.UTF-8', HOME: home.awsRun },
      logFile: frontLog(home),
    });
    await waitUntilReady(home, report);
  } catch (error) {
    await stopAll(home.awsRun);
    throw error;
  }
}

async function startMinistack(home: Home, python: string): Promise<void> {
  const temporary = join(home.awsRun, 'temporary');
  await mkdir(temporary, { recursive: true });
  await startDetached({
    mark: home.awsRun,
    program: python,
    args: [ministackProgram],
    folder: home.awsRun,
    environment: {
      // Functions that are deployed to the endpoint run on the node of this very process, and see the front.
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      AWS_ENDPOINT_URL: endpoint,
      LANG: 'C.UTF-8',
      HOME: home.awsRun,
      TMPDIR: temporary,
      BIND_HOST: innerAddress,
      GATEWAY_PORT: String(port),
      MINISTACK_REGION: region,
      S3_DATA_DIR: join(home.awsRun, 's3'),
      STATE_DIR: join(home.awsRun, 'state'),
      // Two listeners of its own that would open further ports.
      SFTP_ENABLED: '0',
      IOT_MTLS_ENABLED: '0',
      // The lab's own folder stays free of compiled files.
      PYTHONDONTWRITEBYTECODE: '1',
    },
    logFile: logFile(home),
  });
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
const frontLog = (home: Home): string => join(home.awsRun, 'front.log');

const Health = z.object({
  version: z.literal(version),
  services: z.object({ secretsmanager: z.literal('available') }),
});

/** The front, and through it ministack. */
async function answers(): Promise<boolean> {
  try {
    const own = await fetch(`${endpoint}/_lab/health`, { signal: AbortSignal.timeout(5_000) });
    const response = await fetch(`${endpoint}/_ministack/health`, { signal: AbortSignal.timeout(5_000) });
    return own.ok && Health.safeParse(await response.json()).success;
  } catch {
    return false;
  }
}

async function waitUntilReady(home: Home, report: Report): Promise<void> {
  const began = Date.now();
  while (!(await answers())) {
    const ended = (await processesOf(home.awsRun)).length < 2;
    if (ended || Date.now() - began > readyWithinMs) {
      const logs = await Promise.all(
        [logFile(home), frontLog(home)].map((file) => readFile(file, 'utf8').catch(() => '')),
      );
      const last = logs.flatMap((log) => log.trim().split('\n').slice(-15)).join('\n');
      throw new LabProblem(
        ended ? 'LAB_NODE_ENDED' : 'LAB_NOT_READY',
        `The AWS endpoint ${ended ? 'has ended by itself' : 'does not answer'}. The last it said:\n${last}`,
        `Its whole logs are ${logFile(home)} and ${frontLog(home)}`,
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
