import { stripVTControlCharacters } from 'node:util';
import { engineConnection, startNode, stopNode } from '@muster/lab';
import { decode as decodeCbor } from 'cborg';
import { parse as decodeSmile } from 'smile-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse as decodeYaml } from 'yaml';
import { runCaptured, type Surroundings } from './run-captured.ts';

const connection = await engineConnection();
const signedIn: Surroundings = { env: { CLUSTER_CLI_PASSWORD: connection.password } };
const run = (...argv: string[]) => runCaptured(argv, signedIn);
const anonymous = (...argv: string[]) => runCaptured(argv);

async function api(method: string, path: string, body?: unknown): Promise<unknown> {
  const data = body === undefined ? [] : ['-d', JSON.stringify(body)];
  const { code, stdout, stderr } = await run('--format', 'json', 'api', method, path, ...data);
  if (code !== 0) throw new Error(`${method} ${path}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Two copies of everything on three zones; `lonely` asks for a copy more than there are nodes. */
beforeAll(async () => {
  await removeIndices();
  await api('PUT', '/cli-logs', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
  await api('PUT', '/cli-lonely', { settings: { number_of_shards: 1, number_of_replicas: 3 } });
  await api('POST', '/cli-logs/_doc?refresh=true', { message: 'hello' });
  await api('GET', '/_cluster/health/cli-logs?wait_for_status=green&timeout=30s');
  await api('GET', '/_cluster/health/cli-lonely?wait_for_active_shards=3&timeout=30s');
});
afterAll(removeIndices);

async function removeIndices(): Promise<void> {
  await api('DELETE', '/cli-logs?ignore_unavailable=true');
  await api('DELETE', '/cli-lonely?ignore_unavailable=true');
}

const decoders: Record<string, (bytes: Buffer) => unknown> = {
  json: (bytes) => JSON.parse(bytes.toString()),
  yaml: (bytes) => decodeYaml(bytes.toString()),
  cbor: (bytes) => decodeCbor(bytes),
  smile: (bytes) => decodeSmile(bytes),
};

async function inFormat(format: string, argv: readonly string[]): Promise<unknown> {
  const { bytes, stderr } = await run('--format', format, ...argv);
  const decode = decoders[format];
  if (decode === undefined || bytes.length === 0) throw new Error(`nothing to decode in ${format}: ${stderr}`);
  return decode(bytes);
}

describe('[C-04] every command in every format decodes to the same data', () => {
  const commands = [
    { argv: ['cluster', 'health'], volatile: ['task_max_waiting_in_queue_millis', 'number_of_pending_tasks'] },
    { argv: ['cat', 'shards'], volatile: [] },
    { argv: ['cat', 'shards', '--stats'], volatile: ['store'] },
    { argv: ['cat', 'nodes'], volatile: ['heap.percent', 'cpu', 'load_1m', 'disk.used_percent', 'uptime'] },
    { argv: ['cat', 'indices'], volatile: ['store.size'] },
    { argv: ['cat', 'repositories'], volatile: [] },
    { argv: ['cat', 'snapshots'], volatile: [] },
    { argv: ['cluster', 'allocation-explain', '--index', 'cli-logs', '--shard', '0'], volatile: [] },
    { argv: ['api', 'GET', '/_cluster/settings'], volatile: [] },
  ];
  /** Numbers that move from one call to the next are not compared. */
  const still = (data: unknown, volatile: readonly string[]): unknown =>
    JSON.parse(JSON.stringify(data, (key, value: unknown) => (volatile.includes(key) ? undefined : value)));
  const byText = (data: unknown) => (Array.isArray(data) ? data.map((row) => JSON.stringify(row)).sort() : data);

  for (const { argv, volatile } of commands) {
    test.each(['yaml', 'cbor', 'smile'])(`[C-04] ${argv.join(' ')}: %s as json`, async (format) => {
      const ours = still(await inFormat('json', argv), volatile);
      const theirs = still(await inFormat(format, argv), volatile);
      expect(byText(theirs)).toEqual(byText(ours));
    });
  }
});

describe('cat', () => {
  test('[C-05] cat shards lists every copy with its node, as the engine does', async () => {
    const rows = await inFormat('json', ['cat', 'shards']);
    const engine = await api('GET', '/_cat/shards?h=index,shard,prirep,state,node,unassigned.reason');
    const sorted = (list: unknown) => (Array.isArray(list) ? list.map((row) => JSON.stringify(row)).sort() : list);
    expect(sorted(rows)).toEqual(sorted(engine));
    expect(rows).toEqual(
      expect.arrayContaining([expect.objectContaining({ index: 'cli-logs', shard: '0', prirep: 'p' })]),
    );
  });

  test('[C-05] rows can be chosen by index, node and state, and sorted', async () => {
    expect(await inFormat('json', ['cat', 'shards', '--index', 'cli-l*gs'])).toHaveLength(4);
    const onFirst = await inFormat('json', ['cat', 'shards', '--index', 'cli-lonely', '--node', 'n1']);
    expect(onFirst).toMatchObject([{ index: 'cli-lonely', node: 'n1' }]);
    expect(await inFormat('json', ['cat', 'shards', '--index', 'cli-*', '--unassigned'])).toEqual([
      expect.objectContaining({
        index: 'cli-lonely',
        state: 'UNASSIGNED',
        node: null,
        'unassigned.reason': 'INDEX_CREATED',
      }),
    ]);
    const worstFirst = await run('cat', 'shards', '--index', 'cli-*', '--sort', 'state');
    expect(worstFirst.stdout.split('\n')[1]).toContain('UNASSIGNED');
  });

  test('[C-05] statistics only when asked for', async () => {
    const [row] = [await inFormat('json', ['cat', 'shards', '--index', 'cli-logs', '--stats'])].flat();
    expect(row).toHaveProperty('docs');
    expect(row).toHaveProperty('store');
  });

  test.each([
    ['nodes', 'n1'],
    ['indices', 'cli-logs'],
    ['repositories', 'type'],
    ['snapshots', 'start_epoch'],
  ])('[C-05] cat %s prints a table', async (name, word) => {
    const { code, stdout, stderr } = await run('cat', name);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(word);
  });

  test.each([
    ['nodes', 80],
    ['indices', 60],
    ['snapshots', 80],
    ['shards', 60],
  ])('cat %s fits a terminal of %i columns, and says what it left out', async (name, columns) => {
    const { stdout } = await runCaptured(['cat', name], { ...signedIn, columns });
    const lines = stripVTControlCharacters(stdout).trimEnd().split('\n');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    expect(stdout).toContain('\u001b[');
  });
});

describe('cluster', () => {
  test('[C-06] health prints all ten fields, a verdict, the next command, and ends with the code of the status', async () => {
    const { code, stdout, stderr } = await run('cluster', 'health');
    expect(stdout).toMatch(/^lab is yellow: no data missing, but 1 shard without a place\n/);
    for (const field of [
      'cluster_name',
      'status',
      'number_of_nodes',
      'number_of_data_nodes',
      'active_primary_shards',
      'active_shards',
      'relocating_shards',
      'initializing_shards',
      'unassigned_shards',
      'active_shards_percent_as_number',
    ]) {
      expect(stdout).toMatch(new RegExp(`^${field} +\\S+$`, 'm'));
    }
    expect(stderr).toBe('next: cluster-cli cluster allocation-explain\n');
    expect(code).toBe(8);
    expect((await run('cluster-health')).stdout).toBe(stdout);
  });

  test('[C-02] --quiet keeps the data and drops the message', async () => {
    const { stdout, stderr } = await run('--quiet', 'cluster', 'health');
    expect(stdout).toContain('number_of_nodes');
    expect(stderr).toBe('');
  });

  test('[C-07] without options the first unassigned shard is explained, node by node', async () => {
    const { code, stdout } = await run('cluster', 'allocation-explain');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^replica of \[cli-lonely\]\[0\] is unassigned\n/);
    expect(stdout).toContain('same_shard');
    for (const node of ['n1', 'n2', 'n3']) expect(stdout).toContain(node);
  });

  test('[C-07] shard 0 is explained when it is named', async () => {
    const { stdout } = await run('cluster', 'allocation-explain', '--index', 'cli-logs', '--shard', '0', '--replica');
    expect(stdout).toMatch(/^replica of \[cli-logs\]\[0\] is started on n\d\n/);
  });

  test('[C-07] a shard that does not exist is an error', async () => {
    const { code, stdout, stderr } = await run('cluster', 'allocation-explain', '--index', 'cli-logs', '--shard', '9');
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain('next:');
  });

  test('[C-07] nothing unassigned is an answer, not an error', async () => {
    await api('PUT', '/cli-lonely/_settings', { number_of_replicas: 2 });
    await api('GET', '/_cluster/health?wait_for_status=green&timeout=30s');
    try {
      expect(await run('cluster', 'allocation-explain')).toMatchObject({
        code: 0,
        stdout: '',
        stderr: 'no shard is unassigned: nothing to explain\n',
      });
      expect((await run('--format', 'json', 'cluster', 'allocation-explain')).stdout).toBe('null\n');
      expect((await run('--format', 'cbor', 'cluster', 'allocation-explain')).code).toBe(0);
      expect((await run('cluster', 'health')).code).toBe(0);
    } finally {
      await api('PUT', '/cli-lonely/_settings', { number_of_replicas: 3 });
    }
  });
});

describe('api', () => {
  test('[C-15] the four calls of the specification are reachable', async () => {
    expect((await run('api', 'GET', '/_cluster/health?pretty')).stdout).toContain('"cluster_name": "lab"');
    expect((await run('api', 'GET', '/_cat/nodes?v')).stdout).toMatch(/^ip +heap\.percent/);
    const enable = (value: string | null) => ({ persistent: { 'cluster.routing.allocation.enable': value } });
    expect(await api('PUT', '/_cluster/settings', enable('primaries'))).toMatchObject({ acknowledged: true });
    expect(await api('GET', '/_cluster/settings?flat_settings=true')).toMatchObject(enable('primaries'));
    await api('PUT', '/_cluster/settings', enable(null));
  });

  test.each([
    [['GET', '/no-such-index'], 5],
    [['POST', '/_search', '-d', '{"query": {"nonsense": {}}}'], 6],
    [['GET', '/_no_such_endpoint'], 6],
  ])('[C-13] %j: an HTTP error ends with its own code, and shows what the engine said', async (argv, expected) => {
    const { code, stdout, stderr } = await run('api', ...argv);
    expect(code).toBe(expected);
    expect(JSON.parse(stdout)).toHaveProperty('error');
    expect(stderr).toMatch(/^error: /);
  });

  test.each([
    ['no method', ['FETCH', '/']],
    ['a blank in the path', ['GET', '/a b']],
    ['a body that is no JSON', ['PUT', '/x', '-d', '{']],
  ])('[C-13] %s is refused before anything is sent', async (_, argv) => {
    expect(await run('api', ...argv)).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('signing in', () => {
  test('a wrong password is named, with where it came from, and not shown', async () => {
    const { code, stdout, stderr } = await runCaptured(['cat', 'nodes'], {
      env: { CLUSTER_CLI_PASSWORD: 'wrong-one' },
    });
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain('the engine refused the password of user elastic (from CLUSTER_CLI_PASSWORD)');
    expect(stderr).not.toContain('wrong-one');
  });

  test('[C-01] --username and --password are used, with a warning that others can read it', async () => {
    const { code, stderr } = await anonymous(
      '--username',
      'elastic',
      '--password',
      connection.password,
      'cat',
      'repositories',
    );
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: a password on the command line/);
    expect(stderr).not.toContain(connection.password);
  });

  test('anonymous users read monitoring data', async () => {
    expect(await anonymous('--quiet', 'cat', 'shards')).toMatchObject({ code: 0, stderr: '' });
    expect((await anonymous('cat', 'nodes')).stdout).toContain('n1');
    expect((await anonymous('--quiet', 'cluster', 'health')).stdout).toContain('number_of_nodes');
  });

  test.each([
    ['read a document', ['api', 'GET', '/cli-logs/_search']],
    ['write a document', ['api', 'POST', '/cli-logs/_doc', '-d', '{}']],
    ['delete an index', ['api', 'DELETE', '/cli-logs']],
    [
      'change a setting',
      ['api', 'PUT', '/_cluster/settings', '-d', '{"persistent": {"cluster.routing.allocation.enable": "all"}}'],
    ],
    ['read the users', ['api', 'GET', '/_security/user']],
  ])('anonymous users may not %s', async (_, argv) => {
    const { code, stderr } = await anonymous(...argv);
    expect(code).toBe(4);
    expect(stderr).toContain('--password-secret');
  });
});

describe('[C-14] from elsewhere', () => {
  test('[C-14] any node answers for the whole cluster', async () => {
    const { code, stdout } = await run(
      '--es-protocol',
      'http',
      '--es-host',
      '127.0.1.2',
      '--es-port',
      '9200',
      'cat',
      'nodes',
    );
    expect(code).toBe(0);
    expect(stdout).toContain('n3');
  });

  test('a dead node is named, quickly; another one still answers', async () => {
    await stopNode('n3');
    try {
      const started = Date.now();
      const { code, stderr } = await run('--es-host', '127.0.1.3', 'cluster', 'health');
      expect(Date.now() - started).toBeLessThan(2_000);
      expect(code).toBe(3);
      expect(stderr).toContain('cannot reach the engine at http://127.0.1.3:9200 (ECONNREFUSED)');
      expect(stderr).toContain('next: ');
      await api('GET', '/_cluster/health?wait_for_nodes=2&timeout=30s');
      const { stdout } = await run('cat', 'shards', '--index', 'cli-*', '--unassigned');
      expect(stdout).toContain('NODE_LEFT');
    } finally {
      await startNode('n3');
      await api('GET', '/_cluster/health/cli-logs?wait_for_status=green&timeout=60s');
    }
  }, 180_000);
});
