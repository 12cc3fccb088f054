import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { User } from './command.ts';
import { LabProblem } from './problem.ts';

/**
 * A process id comes back for another process one day; together with the start time it does not. `mark` is what the lab
 * put into the environment of what it started: children inherit it, so nothing of ours is lost however it forks, and no
 * file of process ids can be wrong about it.
 */
export interface Process {
  pid: number;
  parent: number;
  startTicks: number;
  mark?: string;
}

interface Start {
  mark: string;
  program: string;
  args: string[];
  folder: string;
  environment: Record<string, string>;
  logFile: string;
  user?: User | undefined;
}

const markVariable = 'MUSTER_LAB_PART';

/** Starts a program that outlives us, with its output in a file. It gets the given environment and nothing of ours. */
export async function startDetached(start: Start): Promise<number> {
  await mkdir(dirname(start.logFile), { recursive: true });
  await using log = await open(start.logFile, 'w');
  const child = spawn(start.program, start.args, {
    cwd: start.folder,
    env: { ...start.environment, [markVariable]: start.mark },
    stdio: ['ignore', log.fd, log.fd],
    detached: true,
    ...start.user,
  });
  await once(child, 'spawn');
  child.unref();
  return child.pid ?? 0;
}

/** Field 2 of /proc/<pid>/stat is the program's name and may hold spaces and brackets: count from its last bracket. */
export function parseStat(text: string): Pick<Process, 'pid' | 'parent' | 'startTicks'> & { ended: boolean } {
  const [state, parent, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    pid: Number.parseInt(text, 10),
    parent: Number(parent),
    startTicks: Number(rest[17]),
    // Z: it has ended, and its parent has not yet asked how.
    ended: state === 'Z' || state === 'X',
  };
}

export function parseMark(environ: string): string | undefined {
  const start = `${markVariable}=`;
  const found = environ.split('\0').find((variable) => variable.startsWith(start));
  return found?.slice(start.length);
}

/** A process whose environment we may not read is another user's, so not ours. */
export const markOf = async (pid: number | string): Promise<string | undefined> =>
  parseMark(await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''));

async function allProcesses(): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map(readProcess));
  return found.filter((process) => process !== undefined);
}

async function readProcess(pid: string): Promise<Process | undefined> {
  // Gone meanwhile.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  const { ended, ...identity } = parseStat(stat);
  if (ended) return undefined;
  const mark = await markOf(pid);
  return { ...identity, ...(mark !== undefined && { mark }) };
}

/** The processes with this mark and all their descendants, also those that were given a fresh environment. */
export function family(all: Process[], mark: string): Process[] {
  const members = new Map(all.filter((process) => process.mark === mark).map((process) => [process.pid, process]));
  for (let before = -1; members.size !== before; ) {
    before = members.size;
    for (const process of all) if (members.has(process.parent)) members.set(process.pid, process);
  }
  return [...members.values()];
}

export const processesOf = async (mark: string): Promise<Process[]> => family(await allProcesses(), mark);

/** Every mark in use that lies in this folder. */
export async function marksUnder(folder: string): Promise<string[]> {
  const marks = (await allProcesses()).flatMap(({ mark }) => (mark?.startsWith(`${folder}/`) ? [mark] : []));
  return [...new Set(marks)];
}

/** Asks all processes of a mark to end, insists after a while, and returns when none is left. */
export async function stopAll(mark: string, patienceMs = 30_000): Promise<void> {
  const known = new Map<string, Process>();
  const signalled = new Set<string>();
  const began = Date.now();
  for (;;) {
    const all = await allProcesses();
    for (const process of family(all, mark)) known.set(identity(process), process);
    const alive = all.filter((process) => known.has(identity(process)));
    if (alive.length === 0) return;

    const waited = Date.now() - began;
    if (waited > patienceMs + 10_000) {
      throw new LabProblem(
        'LAB_STILL_RUNNING',
        `Still running after SIGKILL: process ${alive.map(({ pid }) => pid).join(', ')} of ${mark}.`,
        'Such a process waits for the kernel (a disk that does not answer); look at it with: ps -o pid,stat,wchan,args',
      );
    }
    const name = waited > patienceMs ? 'SIGKILL' : 'SIGTERM';
    for (const process of alive) {
      const sent = `${name} ${identity(process)}`;
      if (!signalled.has(sent)) signal(process.pid, name);
      signalled.add(sent);
    }
    await sleep(100);
  }
}

const identity = ({ pid, startTicks }: Process): string => `${pid} ${startTicks}`;

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // Ended between our look and our signal.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
