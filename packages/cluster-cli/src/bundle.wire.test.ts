import { execFile, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import http from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

// The file that ships, as a process of its own.

const folder = fileURLToPath(new URL('..', import.meta.url));
const bundle = `${folder}bin/cluster-cli.cjs`;
const run = promisify(execFile);

const row = { state: 'STARTED', primary: true, node: null, relocating_node: null };
const indices = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`logs-${at}`, { shards: { 0: [row] } }]));
const routing = JSON.stringify({ routing_table: { indices } });
const server = http.createServer((request, response) => {
  if (request.url?.startsWith('/never')) return;
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(routing);
});
let address: string[] = [];

beforeAll(async () => {
  await run(process.execPath, ['build.ts'], { cwd: folder });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  if (bound !== null && typeof bound === 'object')
    address = ['--es-host', '127.0.0.1', '--es-port', String(bound.port)];
}, 60_000);
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('[C-01] the bundle starts by itself and prints its version', async () => {
  expect((await run(bundle, ['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('every file of the bundle loads by itself: none waits for another that waits for it', async () => {
  for (const file of readdirSync(`${folder}dist`).filter(
    (name) => name.endsWith('.cjs') && name !== 'cluster-cli.cjs',
  )) {
    const { stderr } = await run(process.execPath, ['--eval', `require(${JSON.stringify(`${folder}dist/${file}`)})`]);
    expect(stderr, file).toBe('');
  }
});

test('a reader that has seen enough is no error', async () => {
  const { stdout, stderr } = await run('bash', [
    '-c',
    `set -o pipefail; "$0" "$@" | head -2`,
    bundle,
    ...address,
    'cat',
    'shards',
  ]);
  expect(stdout.split('\n')).toHaveLength(3);
  expect(stderr).toBe('');
});

test('off a terminal there is no colour and no animation', async () => {
  const { stdout, stderr } = await run(bundle, [...address, 'cat', 'shards'], { maxBuffer: 10_000_000 });
  expect(stdout + stderr).not.toContain('\u001b');
});

test('Ctrl-C ends it at once', async () => {
  const child = spawn(bundle, [...address, 'api', 'GET', '/never'], { stdio: 'ignore' });
  await new Promise((resolve) => server.once('request', resolve));
  const started = Date.now();
  child.kill('SIGINT');
  const signal = await new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
  expect(signal).toBe('SIGINT');
  expect(Date.now() - started).toBeLessThan(500);
});

test.each(['bash', 'zsh', 'fish'])('completion for %s is a script that names the command', async (shell) => {
  expect((await run(bundle, ['completion', shell])).stdout).toContain('cluster-cli');
});

test('a TAB offers the words that fit', async () => {
  expect((await run(bundle, ['complete', '--', 'cat', 'sh'])).stdout).toMatch(/^shards\t/);
  expect((await run(bundle, ['complete', '--', '--format', ''])).stdout).toContain('smile');
});
