import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { run } from './command.ts';
import { LabProblem } from './problem.ts';
import { markOf } from './processes.ts';

export interface Listener {
  address: string;
  pid?: number;
}

/** Asks the kernel by binding, which is what the server will do; `ss` is only asked for an explanation. */
export async function assertFree(address: string, port: number): Promise<void> {
  if (await isFree(address, port)) return;
  throw new LabProblem(
    'LAB_PORT_IN_USE',
    `The lab needs ${address}:${port}, and ${await holder(address, port)} already listens there.`,
    'End that program. A lab in another folder ends with: MUSTER_LAB_HOME=<that folder> npm run lab -- down',
  );
}

async function isFree(address: string, port: number): Promise<boolean> {
  const server = createServer().listen(port, address);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}

async function holder(address: string, port: number): Promise<string> {
  const table = await run('ss', ['-H', '-l', '-t', '-n', '-p', `sport = :${port}`]).catch(() => '');
  const listener = parseListeners(table).find((candidate) => covers(candidate.address, address));
  if (listener?.pid === undefined) return 'a program of another user';
  const mark = await markOf(listener.pid);
  if (mark !== undefined) return `process ${listener.pid} (part of the lab in ${mark})`;
  const command = await readFile(`/proc/${listener.pid}/cmdline`, 'utf8').catch(() => '');
  return `process ${listener.pid} (${shorten(command.replaceAll('\0', ' ').trim())})`;
}

/** Lines such as `LISTEN 0 4096 [::ffff:127.0.1.1]:9200 *:* users:(("java",pid=8492,fd=214))`. */
export function parseListeners(table: string): Listener[] {
  return table.split('\n').flatMap((line) => {
    const local = line.trim().split(/\s+/)[3];
    if (local === undefined) return [];
    const address = local
      .slice(0, local.lastIndexOf(':'))
      .replace(/^\[|\]$/g, '')
      .replace(/^::ffff:/, '');
    const pid = /\bpid=(\d+)/.exec(line)?.[1];
    return [{ address, ...(pid !== undefined && { pid: Number(pid) }) }];
  });
}

const covers = (listening: string, address: string): boolean => [address, '*', '::', '0.0.0.0'].includes(listening);

/** A Java command line is thousands of characters, and what tells programs apart stands at both ends. */
export const shorten = (command: string): string =>
  command.length <= 120 ? command : `${command.slice(0, 50)} … ${command.slice(-60)}`;

/** The port that a server was given when it asked for any. */
export function boundPort(server: Server): number {
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : 0;
}
