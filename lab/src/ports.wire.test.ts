import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { assertFree } from './ports.ts';

test('a port in use is explained with the process that holds it', async () => {
  const server = createServer().listen(0, '127.0.1.9');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  await expect(assertFree('127.0.1.9', address.port)).rejects.toMatchObject({
    code: 'LAB_PORT_IN_USE',
    message: expect.stringContaining(`127.0.1.9:${address.port}, and process ${process.pid} (`),
  });
  await expect(assertFree('127.0.1.8', address.port)).resolves.toBeUndefined();
});
