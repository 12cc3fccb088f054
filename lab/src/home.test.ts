import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { assertOpenToAll, chooseHome, homeAt, lockHome } from './home.ts';
import { silent } from './report.ts';

test.each([
  { environment: { MUSTER_LAB_HOME: '/lab', HOME: '/home/me' }, uid: 0, root: '/lab' },
  { environment: { HOME: '/home/me' }, uid: 0, root: '/var/cache/muster' },
  { environment: { HOME: '/home/me', XDG_CACHE_HOME: '/cache' }, uid: 1000, root: '/cache/muster' },
  { environment: { HOME: '/home/me' }, uid: 1000, root: '/home/me/.cache/muster' },
])('user $uid with $environment keeps the lab in $root', ({ environment, uid, root }) => {
  expect(chooseHome(environment, uid).root).toBe(root);
});

test('a folder that other users cannot reach is refused, and the closed one above it is named', async () => {
  const closed = await mkdtemp(join(tmpdir(), 'muster-home-'));
  onTestFinished(() => rm(closed, { recursive: true }));
  const folder = join(closed, 'lab');
  await mkdir(folder);
  await chmod(closed, 0o700);
  await expect(assertOpenToAll(folder)).rejects.toMatchObject({
    code: 'LAB_HOME_CLOSED',
    message: expect.stringContaining(`through ${closed}.`),
  });
  await chmod(closed, 0o701);
  await expect(assertOpenToAll(folder)).resolves.toBeUndefined();
});

test('a second command waits until the first lets go of the home', async () => {
  const home = homeAt(`/nowhere/${process.pid}`);
  const events: string[] = [];
  const first = await lockHome(home, silent);
  const second = lockHome(home, { ...silent, working: (task) => events.push(task) }).then(async (lock) => {
    events.push('locked');
    await lock[Symbol.asyncDispose]();
  });
  await sleep(50);
  expect(events).toEqual(['Waiting for another lab command to end']);
  await first[Symbol.asyncDispose]();
  await second;
  expect(events.at(-1)).toBe('locked');
});
