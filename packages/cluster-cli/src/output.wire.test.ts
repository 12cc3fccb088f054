import http from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exitCodes } from './exit-codes.ts';
import { runCaptured } from './run-captured.ts';

const password = 'correct-horse-battery';
const basic = Buffer.from(`elastic:${password}`).toString('base64');

interface MadeUpAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

let next: MadeUpAnswer = { status: 200, type: 'application/json', body: '{}' };
const server = http.createServer((_, response) => {
  response.writeHead(next.status, { 'Content-Type': next.type }).end(next.body);
});
let port = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address !== null && typeof address === 'object') port = String(address.port);
});
afterAll(() => server.close());

const run = (...argv: string[]) =>
  runCaptured(['--es-host', '127.0.0.1', '--es-port', port, ...argv], { env: { CLUSTER_CLI_PASSWORD: password } });

const health = {
  cluster_name: 'lab',
  status: 'green',
  number_of_nodes: 3,
  number_of_data_nodes: 3,
  active_primary_shards: 1,
  active_shards: 2,
  relocating_shards: 0,
  initializing_shards: 0,
  unassigned_shards: 0,
  active_shards_percent_as_number: 100,
};
const copy = { state: 'STARTED', primary: true, node: 'x', relocating_node: null };
const routing = {
  nodes: { x: { name: 'n1', transport_address: '127.0.1.1:9300' } },
  routing_table: { indices: { logs: { shards: { 0: [copy] } } } },
};
const explanation = {
  index: 'logs',
  shard: 0,
  primary: true,
  current_state: 'unassigned',
  node_allocation_decisions: [{ node_name: 'n1', node_decision: 'no' }],
};
const rows = [{ name: 'n1', index: 'logs', state: 'STARTED', 'store.size': '1' }];
const documents: readonly unknown[] = [
  health,
  routing,
  explanation,
  rows,
  { error: { type: 'x', reason: `you sent ${basic} ${password}` }, status: 401 },
];

/** A good document with one place replaced: far more telling than noise, which fails at the first field. */
const damaged = fc
  .tuple(
    fc.constantFrom(...documents),
    fc.nat(40),
    fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.constant(password)),
  )
  .map(([document, place, instead]) => {
    let at = 0;
    return JSON.stringify(document, (_, value: unknown) => (at++ === place ? instead : value)) ?? '';
  });
const cut = fc.tuple(damaged, fc.nat(200)).map(([text, length]) => text.slice(0, length));
const answer: fc.Arbitrary<MadeUpAnswer> = fc.record({
  // 429, 502 and 503 are retried with real pauses; the client's own tests cover them.
  status: fc.oneof(
    { weight: 3, arbitrary: fc.constant(200) },
    fc.constantFrom(201, 204, 302, 400, 401, 403, 404, 409, 500),
  ),
  type: fc.constantFrom('application/json', 'text/html', 'text/plain', 'application/yaml', ''),
  body: fc.oneof(
    { weight: 4, arbitrary: damaged },
    cut,
    fc.json(),
    fc.string(),
    fc.constant(`<html>${basic} ${password}</html>`),
  ),
});
const commands = [
  ['cat', 'shards'],
  ['cat', 'shards', '--stats'],
  ['cat', 'nodes'],
  ['cluster', 'health'],
  ['cluster', 'allocation-explain'],
  ['cluster', 'allocation-explain', '--index', 'logs', '--shard', '0'],
];

test('10,000 malformed answers: each ends as data or as a named error, and none shows the password', async () => {
  const exits = new Set<number>(Object.values(exitCodes).map(([code]) => code));
  exits.delete(exitCodes.unexpected[0]);
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(
      answer,
      fc.constantFrom(...commands),
      fc.constantFrom('text', 'json', 'yaml'),
      async (made, words, format) => {
        next = made;
        const { code, stdout, stderr } = await run('--format', format, '--debug', ...words);
        expect(exits, stderr).toContain(code);
        expect(stderr).not.toContain(password);
        expect(stderr).not.toContain(basic);
        // A well-formed answer may name an index like the password; nobody but the engine's data can put it there.
        if (code !== 0) expect(stdout).toBe('');
        seen.set(code, (seen.get(code) ?? 0) + 1);
      },
    ),
    { numRuns: 10_000 },
  );
  expect([...seen.keys()].sort()).toEqual(expect.arrayContaining([0, 4, 5, 6, 7, 10]));
}, 300_000);

test('[C-13] a raw call shows what the engine said even when it refuses, without the password in it', async () => {
  next = { status: 400, type: 'application/json', body: JSON.stringify({ error: { reason: `bad ${password}` } }) };
  const { code, stdout, stderr } = await run('api', 'GET', '/x');
  expect(code).toBe(6);
  expect(JSON.parse(stdout)).toEqual({ error: { reason: 'bad ***' } });
  expect(stderr).toContain('bad ***');
});
