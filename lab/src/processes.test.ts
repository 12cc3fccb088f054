import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  family,
  marksUnder,
  type Process,
  parseMark,
  parseStat,
  processesOf,
  startDetached,
  stopAll,
} from './processes.ts';

test('parent and start time are read whatever the program is called', () => {
  const rest = '8204 8204 8204 0 -1 4194304 180188 0 5 0 1504 132 0 0 20 0 48 0 71030 3082637312 188639';
  expect(parseStat(`8492 (java) S ${rest}`)).toEqual({ pid: 8492, parent: 8204, startTicks: 71030, ended: false });
  expect(parseStat(`8492 (a) Z (b) Z ${rest}`)).toEqual({ pid: 8492, parent: 8204, startTicks: 71030, ended: true });
});

test('the mark is read from the environment', () => {
  expect(parseMark('PATH=/bin\0MUSTER_LAB_PART=/lab/n1\0LANG=C\0')).toBe('/lab/n1');
  expect(parseMark('PATH=/bin\0NOT_MUSTER_LAB_PART=/lab/n1\0')).toBeUndefined();
});

test('the family is what carries the mark, and every descendant of it', () => {
  const make = (pid: number, parent: number, mark?: string): Process => ({
    pid,
    parent,
    startTicks: pid,
    ...(mark !== undefined && { mark }),
  });
  const all = [make(1, 0), make(14, 13), make(10, 1, '/lab/n1'), make(13, 10), make(20, 1, '/lab/n10'), make(21, 20)];
  expect(family(all, '/lab/n1').map(({ pid }) => pid)).toEqual([10, 13, 14]);
});

describe('with real processes', () => {
  async function start(script: string) {
    const folder = await mkdtemp(join(tmpdir(), 'muster-processes-'));
    const mark = join(folder, 'n1');
    onTestFinished(async () => {
      await stopAll(mark, 0);
      await rm(folder, { recursive: true });
    });
    const pid = await startDetached({
      mark,
      program: '/bin/sh',
      args: ['-c', script],
      folder,
      environment: { PATH: '/usr/bin:/bin' },
      logFile: join(folder, 'console.log'),
    });
    return { folder, mark, pid };
  }
  const hasEnded = (pid: number) =>
    readFile(`/proc/${pid}/stat`, 'utf8').then(
      (text) => parseStat(text).ended,
      () => true,
    );
  const said = (folder: string, text: string) =>
    vi.waitFor(async () => expect(await readFile(join(folder, 'console.log'), 'utf8')).toContain(text));

  test('nothing is left, neither a child in a session of its own nor one with a fresh environment', async () => {
    const { folder, mark, pid } = await start('setsid sleep 300 & env -i /bin/sleep 300 & echo started; wait');
    await said(folder, 'started');
    expect(await marksUnder(folder)).toEqual([mark]);
    await vi.waitFor(async () => expect(await processesOf(mark)).toHaveLength(3));
    const members = await processesOf(mark);
    expect(members.map((member) => member.pid)).toContain(pid);

    await stopAll(mark);
    expect(await processesOf(mark)).toEqual([]);
    for (const member of members) expect(await hasEnded(member.pid)).toBe(true);
  });

  test('a process that does not listen is ended all the same', async () => {
    const { folder, mark } = await start("trap '' TERM; echo deaf; while :; do sleep 0.1; done");
    await said(folder, 'deaf');
    await stopAll(mark, 300);
    expect(await processesOf(mark)).toEqual([]);
  });

  test('a process with another mark is left alone, also when its name begins with ours', async () => {
    const { mark } = await start('exec sleep 300');
    await stopAll(mark.slice(0, -1));
    expect(await processesOf(mark)).toHaveLength(1);
  });

  test('it gets no environment of ours', async () => {
    const { folder } = await start('env; echo all');
    await said(folder, 'all');
    const names = (await readFile(join(folder, 'console.log'), 'utf8')).split('\n').map((line) => line.split('=')[0]);
    expect(names.filter((name) => name !== '' && name !== '_').toSorted()).toEqual([
      'MUSTER_LAB_PART',
      'PATH',
      'PWD',
      'all',
    ]);
  });
});
