import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { connect as connectPlain, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { certificateAuthority, nodeCertificate } from './certificates.ts';
import { run } from './command.ts';
import { type EngineConnection, engineConnection, engineStatus, engineUp, startNode, stopNode } from './engine.ts';
import { engineLayout, transportPort } from './engine-layout.ts';
import { homeAt, labHome } from './home.ts';
import { parseListeners } from './ports.ts';
import { processesOf } from './processes.ts';
import { silent } from './report.ts';

const home = labHome();
let lab: EngineConnection;
beforeAll(async () => {
  lab = await engineConnection(home);
});

const first = () => nodeNamed('n1');

function nodeNamed(name: string) {
  const node = lab.nodes.find((candidate) => candidate.name === name);
  if (!node) throw new Error(`no node ${name}`);
  return node;
}

async function request(method: string, path: string, options: { body?: unknown; as?: 'anonymous' } = {}) {
  const secret = Buffer.from(`${lab.username}:${lab.password}`).toString('base64');
  const response = await fetch(`${first().url}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(options.as !== 'anonymous' && { authorization: `Basic ${secret}` }),
    },
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
  });
  return { status: response.status, body: await response.text() };
}

async function read<T>(path: string, schema: z.ZodType<T>): Promise<T> {
  const { status, body } = await request('GET', path);
  expect({ path, status }).toEqual({ path, status: 200 });
  return schema.parse(JSON.parse(body));
}

async function createIndex(name: string, settings: object) {
  expect((await request('PUT', `/${name}?wait_for_active_shards=all`, { body: { settings } })).status).toBe(200);
}

const deleteIndex = async (name: string) => void (await request('DELETE', `/${name}`));

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-lab-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('nodes carry their zone, and the copies of a shard land in different zones', async () => {
  const Nodes = z.object({
    nodes: z.record(z.string(), z.object({ name: z.string(), attributes: z.record(z.string(), z.string()) })),
  });
  const { nodes } = await read('/_nodes/_all/os', Nodes);
  const seen = Object.values(nodes).map(({ name, attributes }) => [name, attributes.zone, attributes.instance_id]);
  expect(seen.toSorted()).toEqual(lab.nodes.map(({ name, zone, instanceId }) => [name, zone, instanceId]));

  onTestFinished(() => deleteIndex('zones'));
  await createIndex('zones', { number_of_shards: 6, number_of_replicas: 1 });
  const Shards = z.array(z.object({ shard: z.string(), node: z.string() }));
  const shards = await read('/_cat/shards/zones?format=json', Shards);
  for (const copies of Map.groupBy(shards, ({ shard }) => shard).values()) {
    expect(new Set(copies.map(({ node }) => nodeNamed(node).zone)).size).toBe(2);
  }
});

describe('without signing in', () => {
  beforeAll(() => createIndex('guarded', { number_of_replicas: 1 }));
  afterAll(() => deleteIndex('guarded'));

  test.each([
    '/',
    '/_cluster/health',
    '/_cluster/stats',
    '/_cluster/settings',
    '/_nodes/stats',
    '/_health_report',
    '/_cat/nodes',
    '/_cat/indices',
    '/_cat/shards',
    '/_cat/allocation',
    '/guarded/_stats',
  ])('monitoring is open: GET %s', async (path) => {
    expect((await request('GET', path, { as: 'anonymous' })).status).toBe(200);
  });

  test.each([
    ['GET', '/guarded/_search'],
    ['GET', '/guarded/_doc/1'],
    ['GET', '/guarded/_mapping'],
    ['GET', '/_search'],
    ['POST', '/guarded/_doc', { a: 1 }],
    ['PUT', '/other'],
    ['DELETE', '/guarded'],
    ['POST', '/guarded/_close'],
    ['PUT', '/guarded/_settings', { number_of_replicas: 1 }],
    ['PUT', '/_cluster/settings', { persistent: { 'cluster.routing.allocation.enable': 'none' } }],
    ['POST', '/_cluster/reroute'],
    ['POST', '/_cluster/voting_config_exclusions?node_names=n1'],
    ['POST', '/_tasks/_cancel'],
    ['GET', '/_snapshot'],
    ['PUT', '/_snapshot/backups', { type: 'fs', settings: { location: 'x' } }],
    ['GET', '/_security/user'],
    ['PUT', '/_security/user/elastic/_password', { password: 'guessed-it' }],
    ['POST', '/_security/api_key', { name: 'mine' }],
    ['PUT', '/_ingest/pipeline/mine', { processors: [] }],
    ['POST', '/_license/start_trial?acknowledge=true'],
  ])('anything else is refused: %s %s', async (method, path, body?: unknown) => {
    expect((await request(method, path, { as: 'anonymous', body })).status).toBe(401);
  });

  test('the security index is hidden', async () => {
    const { body } = await request('GET', '/_cat/indices?expand_wildcards=all', { as: 'anonymous' });
    expect(body).not.toContain('.security');
  });
});

describe('transport', () => {
  const { authority } = engineLayout(home.engineRun, 1);

  /** How a node takes a connection: it keeps it, closes it, or says by an alert of TLS why not. */
  const reception = (socket: Socket) =>
    new Promise<string>((resolve) => {
      socket.setTimeout(2_000, () => resolve('kept'));
      socket.on('error', (error) => resolve('code' in error ? String(error.code) : error.message));
      socket.on('close', () => resolve('closed'));
      onTestFinished(() => void socket.destroy());
    });

  /** The address in the node's own certificate is checked here too. */
  const overTls = async (pair?: { key: string; certificate: string }) =>
    connectTls({
      host: first().address,
      port: transportPort,
      ca: await readFile(join(authority, 'ca.crt')),
      ...(pair && { key: await readFile(pair.key), cert: await readFile(pair.certificate) }),
    });

  test('plain text is refused', async () => {
    const socket = connectPlain(transportPort, first().address);
    // A ping of the transport protocol: its marker, and the length -1.
    socket.write(Buffer.from([0x45, 0x53, 0xff, 0xff, 0xff, 0xff]));
    expect(await reception(socket)).toBe('closed');
  });

  test('TLS without a certificate is refused', async () => {
    expect(await reception(await overTls())).toBe('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED');
  });

  test("a certificate under a node's name, signed by a stranger, is refused", async () => {
    const folder = await temporaryFolder();
    const stranger = await nodeCertificate(await certificateAuthority(folder), folder, first());
    expect(await reception(await overTls(stranger))).toBe('ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_UNKNOWN');
  });

  test("a certificate of the lab's own authority is welcome", async () => {
    const socket = await overTls({ key: join(authority, 'n2.key'), certificate: join(authority, 'n2.crt') });
    expect(await reception(socket)).toBe('kept');
    expect(socket.authorized).toBe(true);
  });
});

test('it listens on loopback addresses only', async () => {
  const table = await run('ss', ['-H', '-l', '-t', '-n', '-p']);
  const pids = (await engineStatus(home))?.nodes.flatMap((node) => node.pids) ?? [];
  const own = parseListeners(table).filter(({ pid }) => pid !== undefined && pids.includes(pid));
  expect(own).toHaveLength(2 * lab.nodes.length);
  for (const { address } of own) expect(address).toMatch(/^127\.0\.1\./);
});

test('the password is in no argument list, no environment and no file that others can read', async () => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    expect(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).not.toContain(lab.password);
  }
  for (const pid of (await engineStatus(home))?.nodes.flatMap((node) => node.pids) ?? []) {
    expect(await readFile(`/proc/${pid}/environ`, 'utf8')).not.toContain(lab.password);
  }
  const layout = engineLayout(home.engineRun, 1);
  for (const file of [layout.passwordFile, join(first().config, 'elasticsearch.keystore')]) {
    expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600');
  }
});

test('`up` a second time changes nothing', async () => {
  const before = await engineStatus(home);
  const again = await engineUp(home, {}, silent);
  expect(again).toEqual(lab);
  const after = await engineStatus(home);
  expect(after?.nodes.map(({ pids }) => pids)).toEqual(before?.nodes.map(({ pids }) => pids));
});

test('a port in use is explained with the process that holds it, before anything is downloaded or made', async () => {
  const folder = await temporaryFolder();
  const holders = (await processesOf(first().folder)).map(({ pid }) => pid);
  const problem = await engineUp(homeAt(folder), {}, silent).catch((error: unknown) => error);
  expect(problem).toMatchObject({ code: 'LAB_PORT_IN_USE' });
  const pid = Number(/127\.0\.1\.1:9200, and process (\d+) \(part of the lab in .*\/n1\)/.exec(String(problem))?.[1]);
  expect(holders).toContain(pid);
  expect(await readdir(folder)).toEqual([]);
});

test('another version on the same data is refused', async () => {
  const other = lab.version === '9.4.3' ? '8.19.8' : '9.4.3';
  await expect(engineUp(home, { version: other }, silent)).rejects.toMatchObject({ code: 'LAB_VERSION_DIFFERS' });
});

test('a stopped node leaves no process and no port behind, and joins the same cluster when it starts again', async () => {
  const Root = z.object({ cluster_uuid: z.string() });
  const { cluster_uuid: before } = await read('/', Root);
  const { name, folder, address, config } = nodeNamed('n3');

  await stopNode(home, name, silent);
  expect(await processesOf(folder)).toEqual([]);
  const table = await run('ss', ['-H', '-l', '-t', '-n', '-p']);
  expect(parseListeners(table).map((listener) => listener.address)).not.toContain(address);

  await startNode(home, name, silent);
  expect(await readFile(join(config, 'elasticsearch.yml'), 'utf8')).not.toContain('initial_master_nodes');
  await engineUp(home, {}, silent);
  expect(await read('/', Root)).toEqual({ cluster_uuid: before });
}, 180_000);
