import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { lock } from './lock.ts';

test('one holder at a time, and the next one after it', async () => {
  const held = await lock('test-a');
  expect(held).toBeDefined();
  expect(await lock('test-a')).toBeUndefined();
  expect(await lock('test-b')).toBeDefined();
  await held?.[Symbol.asyncDispose]();
  expect(await lock('test-a')).toBeDefined();
});

test('a holder that is killed leaves nothing behind', async () => {
  const url = new URL('./lock.ts', import.meta.url).href;
  const script = `import { lock } from '${url}'; await lock('test-c'); process.kill(process.pid, 'SIGKILL');`;
  expect(spawnSync(process.execPath, ['--input-type=module', '--eval', script]).signal).toBe('SIGKILL');
  expect(await lock('test-c')).toBeDefined();
});
