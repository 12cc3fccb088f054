import http from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type CallReport, type ClientOptions, type Credentials, EngineClient } from './client.ts';
import { EngineError } from './errors.ts';

const servers: { close: () => unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: http.Server | ReturnType<typeof createServer>): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** A server that answers with these statuses, one after the other, and keeps what it was asked. */
async function answering(...statuses: number[]) {
  const asked: http.IncomingMessage[] = [];
  const port = await listen(
    http.createServer((request, response) => {
      asked.push(request);
      response.writeHead(statuses[asked.length - 1] ?? 200, { 'Content-Type': 'application/json' }).end('{"a":1}');
    }),
  );
  return { asked, port };
}

const pauses: number[] = [];
function clientAt(port: number, options: Partial<ClientOptions> = {}): EngineClient {
  pauses.length = 0;
  const clock = { now: Date.now, sleep: async (ms: number) => void pauses.push(ms) };
  const address = { protocol: 'http', host: '127.0.0.1', port } as const;
  const client = new EngineClient({ address, opaqueId: 'cluster-cli/test', clock, random: () => 0.5, ...options });
  servers.push(client);
  return client;
}

async function failure(call: Promise<unknown>): Promise<EngineError> {
  const error = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error instanceof EngineError) return error;
  throw new Error(`expected an engine error, got ${String(error)}`);
}

async function* inOrder(...passwords: string[]): AsyncGenerator<Credentials> {
  for (const password of passwords) yield { username: 'elastic', password, source: `source of ${password}` };
}

test('every call carries the opaque id, so that an operator finds it in the slow log', async () => {
  const { asked, port } = await answering(200);
  await clientAt(port).request('GET', '/');
  expect(asked[0]?.headers['x-opaque-id']).toBe('cluster-cli/test');
});

test('a read is tried three times, with growing pauses, when the engine sheds load', async () => {
  const { asked, port } = await answering(429, 503, 200);
  await clientAt(port).request('GET', '/');
  expect(asked).toHaveLength(3);
  expect(pauses).toEqual([400, 800]);
});

test('after three tries the last answer counts', async () => {
  const { asked, port } = await answering(503, 503, 429);
  expect((await failure(clientAt(port).request('GET', '/'))).code).toBe('overloaded');
  expect(asked).toHaveLength(3);
});

test.each(['PUT', 'POST', 'DELETE'])(
  'a %s is sent once: the engine may have done what it could not answer',
  async (method) => {
    const { asked, port } = await answering(503);
    expect((await failure(clientAt(port).request(method, '/'))).code).toBe('unavailable');
    expect(asked).toHaveLength(1);
  },
);

test('a lost connection is tried again for a read', async () => {
  let connections = 0;
  const port = await listen(
    createServer((socket: Socket) => {
      connections += 1;
      socket.on('data', () => {
        if (connections === 1) socket.resetAndDestroy();
        else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
      });
    }),
  );
  expect(await clientAt(port).json('GET', '/')).toEqual({});
  expect(connections).toBe(2);
});

test('[C-03] credentials that are refused give way to the next', async () => {
  const { asked, port } = await answering(401, 200, 200);
  const client = clientAt(port, { credentials: inOrder('stale', 'fresh', 'unused') });
  await client.request('GET', '/');
  await client.request('GET', '/');
  const sent = asked.map(({ headers }) => Buffer.from(headers.authorization?.slice(6) ?? '', 'base64').toString());
  expect(sent).toEqual(['elastic:stale', 'elastic:fresh', 'elastic:fresh']);
});

test('when all are refused, the error names the last source', async () => {
  const { port } = await answering(401, 401);
  const error = await failure(clientAt(port, { credentials: inOrder('a', 'b') }).request('GET', '/'));
  expect(error.code).toBe('unauthorized');
  expect(error.message).toContain('source of b');
});

test('no connection at all is unreachable, at once', async () => {
  const { port } = await answering();
  servers.pop()?.close();
  const error = await failure(clientAt(port).request('GET', '/'));
  expect(error.code).toBe('unreachable');
  expect(error.message).toContain('ECONNREFUSED');
  expect(pauses).toEqual([]);
});

test('an engine that says nothing ends at the time limit', async () => {
  const port = await listen(createServer(() => {}));
  const started = Date.now();
  expect((await failure(clientAt(port).request('GET', '/', { limitMs: 200 }))).code).toBe('timeout');
  expect(Date.now() - started).toBeLessThan(2_000);
});

test('an engine that stops in the middle of an answer ends at the time limit too', async () => {
  const port = await listen(
    createServer((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"half":')),
  );
  expect((await failure(clientAt(port).json('GET', '/', { limitMs: 200 }))).code).toBe('timeout');
});

test.each([
  ['no HTTP', 'garbage\r\n\r\n'],
  ['a page of a proxy', 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>'],
  ['an empty answer', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
])('%s is malformed, never an empty answer', async (_, bytes) => {
  const port = await listen(createServer((socket) => socket.on('data', () => socket.end(bytes))));
  expect((await failure(clientAt(port).json('GET', '/'))).code).toBe('malformed');
});

test('reports tell call, outcome and time, and never a header', async () => {
  const { port } = await answering(200);
  const reports: CallReport[] = [];
  await clientAt(port, { credentials: inOrder('geheim'), report: (report) => reports.push(report) }).request(
    'GET',
    '/',
    {
      query: { h: 'a b', absent: undefined },
    },
  );
  expect(reports).toMatchObject([{ call: 'GET /?h=a%20b', outcome: '200, 7 bytes' }]);
  expect(JSON.stringify(reports)).not.toContain('geheim');
});
