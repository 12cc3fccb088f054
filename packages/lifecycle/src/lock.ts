import { createServer } from 'node:net';

/**
 * One at a time on this machine. The lock is a name of the kernel's (an abstract socket), so it ends with the process
 * that holds it, however that ends: no file can be left behind. `undefined`: somebody else holds it.
 */
export function lock(name: string): Promise<AsyncDisposable | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => {
      if ('code' in error && error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(`\0muster/${name}`, () => {
      // Held as long as the process lives, without keeping it alive.
      server.unref();
      resolve({ [Symbol.asyncDispose]: () => new Promise((done) => server.close(() => done())) });
    });
  });
}
