import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type EngineConnection, engineConnection, startNode, stopNode } from './engine.ts';
import { labHome } from './home.ts';
import { silent } from './report.ts';

const home = labHome();
let lab: EngineConnection;
/** Ids of the engine by names of the lab. They outlive a restart. */
let ids: Map<string, string>;
beforeAll(async () => {
  lab = await engineConnection(home);
  const nodes = await read(
    '/_cat/nodes?format=json&full_id&h=name,id',
    z.array(z.object({ name: z.string(), id: z.string() })),
  );
  ids = new Map(nodes.map(({ name, id }) => [name, id]));
});

interface Options {
  body?: unknown;
  /** The node that is asked; the elected master must not matter. */
  at?: string;
  as?: 'anonymous';
}

async function request(method: string, path: string, { body, at = 'n1', as }: Options = {}) {
  const url = lab.nodes.find(({ name }) => name === at)?.url;
  const secret = Buffer.from(`${lab.username}:${lab.password}`).toString('base64');
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(as !== 'anonymous' && { authorization: `Basic ${secret}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  return { status: response.status, answer };
}

async function read<T>(path: string, schema: z.ZodType<T>, options?: Options): Promise<T> {
  const { status, answer } = await request('GET', path, options);
  expect({ path, status }).toEqual({ path, status: 200 });
  return schema.parse(answer);
}

const Status = z.enum(['NOT_STARTED', 'IN_PROGRESS', 'STALLED', 'COMPLETE']);
const Shutdown = z.object({
  node_id: z.string(),
  type: z.enum(['RESTART', 'REMOVE', 'REPLACE']),
  reason: z.string(),
  allocation_delay: z.string().optional(),
  target_node_name: z.string().optional(),
  status: Status,
  shard_migration: z.object({
    status: Status,
    shard_migrations_remaining: z.int(),
    explanation: z.string().optional(),
    node_allocation_decision: z.unknown().optional(),
  }),
  persistent_tasks: z.object({ status: Status }),
  plugins: z.object({ status: Status }),
});
type Shutdown = z.infer<typeof Shutdown>;
const Shutdowns = z.object({ nodes: z.array(Shutdown) });

const idOf = (name: string): string => ids.get(name) ?? name;
const pathOf = (name: string): string => `/_nodes/${idOf(name)}/shutdown`;

const put = (name: string, body: object, at?: string) =>
  request('PUT', pathOf(name), { body: { reason: 'test', ...body }, ...(at && { at }) });

async function shutdownOf(name: string, at?: string): Promise<Shutdown> {
  const { nodes } = await read(pathOf(name), Shutdowns, at ? { at } : {});
  const [shutdown] = nodes;
  if (!shutdown) throw new Error(`no record of ${name}`);
  return shutdown;
}

/** Asks until the answer is yes; gives up before the test is cut off, so that nothing goes on asking behind it. */
async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`still not so after 30 s: ${isSo}`);
    await sleep(50);
  }
}

/** Every status on the way to the one that is awaited, which is the last. */
async function follow(name: string, until: Shutdown['status']): Promise<Shutdown[]> {
  const seen: Shutdown[] = [];
  await eventually(async () => {
    seen.push(await shutdownOf(name));
    return seen.at(-1)?.status === until;
  });
  return seen;
}

const arrival = async (name: string, until: Shutdown['status']) => (await follow(name, until)).at(-1);

const Shards = z.array(z.object({ index: z.string(), prirep: z.enum(['p', 'r']), node: z.string().nullable() }));

/** A shard on the move is told as `n3 -> 127.0.1.1 … n1`. */
const shardsOn = async (name: string) =>
  (await read('/_cat/shards?format=json', Shards)).filter(({ node }) => node?.split(' ')[0] === name);

async function createIndex(name: string, settings: object) {
  const created = await request('PUT', `/${name}?wait_for_active_shards=all`, { body: { settings } });
  expect(created).toMatchObject({ status: 200, answer: { shards_acknowledged: true } });
}

async function settled() {
  const path = '/_cluster/health?wait_for_status=green&wait_for_nodes=3&wait_for_no_relocating_shards=true&timeout=50s';
  await read(path, z.object({ timed_out: z.literal(false) }));
}

afterEach(async () => {
  const { nodes } = await read('/_nodes/shutdown', Shutdowns);
  for (const { node_id } of nodes) await request('DELETE', `/_nodes/${node_id}/shutdown`);
  const indices = await read('/_cat/indices/drain-*?format=json', z.array(z.object({ index: z.string() })));
  for (const { index } of indices) await request('DELETE', `/${index}`);
  await settled();
});

const acknowledged = { status: 200, answer: { acknowledged: true } };

describe('remove', () => {
  test('a node with shards is drained, any node tells the progress, and after DELETE shards come back', async () => {
    await createIndex('drain-me', { number_of_shards: 9, number_of_replicas: 1 });
    expect((await shardsOn('n3')).length).toBeGreaterThan(0);

    expect(await put('n3', { type: 'remove' }, 'n2')).toEqual(acknowledged);
    const way = await follow('n3', 'COMPLETE');
    expect(way.at(0)).toMatchObject({ node_id: idOf('n3'), type: 'REMOVE', reason: 'test', status: 'IN_PROGRESS' });
    const left = way.map(({ shard_migration }) => shard_migration.shard_migrations_remaining);
    expect(left).toEqual(left.toSorted((one, other) => other - one));
    expect(left.at(-1)).toBe(0);
    expect(await shardsOn('n3')).toEqual([]);

    const answers = await Promise.all(['n1', 'n2', 'n3'].map((at) => request('GET', '/_nodes/shutdown', { at })));
    for (const answer of answers) expect(answer).toEqual(answers[0]);

    expect(await request('DELETE', pathOf('n3'), { at: 'n3' })).toEqual(acknowledged);
    await eventually(async () => (await shardsOn('n3')).length > 0);
  });

  test('the same again keeps the record; another reason makes it anew', async () => {
    const Started = z.object({ nodes: z.array(z.record(z.string(), z.unknown())) });
    const started = async () => {
      const { nodes } = await read(`${pathOf('n3')}?filter_path=nodes.shutdown_started*`, Started);
      return nodes;
    };
    expect(await put('n3', { type: 'remove' })).toEqual(acknowledged);
    const first = await started();
    // The published example and 8.19.8 spell it without the second underscore, 9.3 and later with it.
    expect(first.map((fields) => Object.keys(fields))).toEqual([
      [lab.version === '8.19.8' ? 'shutdown_startedmillis' : 'shutdown_started_millis'],
    ]);
    await sleep(5);
    expect(await put('n3', { type: 'remove' }, 'n2')).toEqual(acknowledged);
    expect(await started()).toEqual(first);
    expect(await put('n3', { type: 'remove', reason: 'another' })).toEqual(acknowledged);
    expect(await started()).not.toEqual(first);
    expect(await shutdownOf('n3')).toMatchObject({ reason: 'another' });
  });

  test('a shard that may be nowhere else stalls it, with the shard named, until it may', async () => {
    await createIndex('drain-pinned', { number_of_replicas: 0, 'index.routing.allocation.require._name': 'n3' });
    await put('n3', { type: 'remove' });
    expect(await arrival('n3', 'STALLED')).toMatchObject({
      shard_migration: {
        status: 'STALLED',
        shard_migrations_remaining: 1,
        explanation:
          'shard [0] [primary] of index [drain-pinned] cannot move, see [node_allocation_decision] for details or use the cluster allocation explain API',
        node_allocation_decision: { can_remain_on_current_node: 'no' },
      },
    });
    const free = { 'index.routing.allocation.require._name': null };
    expect((await request('PUT', '/drain-pinned/_settings', { body: free })).status).toBe(200);
    await follow('n3', 'COMPLETE');
    expect(await shardsOn('n3')).toEqual([]);
  });

  test('a copy on every node: COMPLETE with nothing remaining, although the copy stays where it is', async () => {
    await createIndex('drain-everywhere', { number_of_replicas: 2 });
    await put('n3', { type: 'remove' });
    expect(await arrival('n3', 'COMPLETE')).toMatchObject({
      shard_migration: {
        status: 'COMPLETE',
        shard_migrations_remaining: 0,
        explanation:
          '[1] shards cannot be moved away from this node but have at least one copy on another node in the cluster',
      },
    });
    expect(await shardsOn('n3')).toMatchObject([{ index: 'drain-everywhere' }]);
  });

  test('an index expanded to all nodes shrinks after the record is made: COMPLETE may come too early', async () => {
    await createIndex('drain-expanded', { auto_expand_replicas: '0-all' });
    await put('n3', { type: 'remove' });
    const first = await shutdownOf('n3');
    // Until the next plan of the allocator there is a copy on every node, and this one need not go.
    if (first.status === 'COMPLETE') expect(first.shard_migration.explanation).toContain('[1] shards cannot be moved');
    await eventually(async () => (await shardsOn('n3')).length === 0);
    expect(await arrival('n3', 'COMPLETE')).not.toHaveProperty('shard_migration.explanation');
    await read(
      '/_cluster/health/drain-expanded',
      z.object({ status: z.literal('green'), active_shards: z.literal(2) }),
    );
  });

  test('copies on two nodes that both leave: one that only they hold stalls both', async () => {
    await createIndex('drain-pair', { number_of_replicas: 1, 'index.routing.allocation.include._name': 'n2,n3' });
    await put('n2', { type: 'remove' });
    expect(await arrival('n2', 'COMPLETE')).toMatchObject({
      shard_migration: { explanation: expect.stringContaining('[1] shards cannot be moved away') },
    });
    await put('n3', { type: 'remove' });
    for (const name of ['n2', 'n3']) {
      expect(await arrival(name, 'STALLED')).toMatchObject({
        shard_migration: { explanation: expect.stringContaining('of index [drain-pair] cannot move') },
      });
    }
  });
});

test('restart: no shard moves, and the delay is told', async () => {
  await createIndex('drain-not', { number_of_shards: 3, number_of_replicas: 1 });
  const before = await shardsOn('n3');
  expect(await put('n3', { type: 'restart', allocation_delay: '10m' })).toEqual(acknowledged);
  expect(await shutdownOf('n3')).toMatchObject({
    type: 'RESTART',
    allocation_delay: '10m',
    shard_migration: {
      status: 'COMPLETE',
      shard_migrations_remaining: 0,
      explanation: 'no shard relocation is necessary for a node restart',
    },
  });
  await follow('n3', 'COMPLETE');
  expect(await shardsOn('n3')).toEqual(before);
});

test('replace: all shards go to the one node that is named', async () => {
  const settings = { number_of_shards: 6, number_of_replicas: 0, 'index.routing.rebalance.enable': 'none' };
  await createIndex('drain-over', settings);
  const held = async () => {
    const count = async (name: string) => (await shardsOn(name)).filter(({ index }) => index === 'drain-over').length;
    return { n1: await count('n1'), n2: await count('n2'), n3: await count('n3') };
  };
  const { n1, n2, n3 } = await held();
  expect(n3).toBeGreaterThan(0);
  expect(await put('n3', { type: 'replace', target_node_name: 'n1' })).toEqual(acknowledged);
  const way = await follow('n3', 'COMPLETE');
  expect(way.at(0)).toMatchObject({ type: 'REPLACE', target_node_name: 'n1', status: 'IN_PROGRESS' });
  expect(await held()).toEqual({ n1: n1 + n3, n2, n3: 0 });
});

describe('a node that is not there', () => {
  async function leave(name: string) {
    await stopNode(home, name, silent);
    await eventually(async () => (await read('/_cat/nodes?format=json', z.array(z.unknown()))).length === 2);
  }
  afterEach(() => startNode(home, 'n3', silent));

  test('one that never was may be marked, and is NOT_STARTED', async () => {
    expect(await put('never-seen', { type: 'remove' })).toEqual(acknowledged);
    expect(await shutdownOf('never-seen')).toMatchObject({
      node_id: 'never-seen',
      status: 'NOT_STARTED',
      shard_migration: {
        status: 'NOT_STARTED',
        shard_migrations_remaining: 0,
        explanation: 'node is not currently part of the cluster',
      },
    });
  });

  test('one that leaves drained stays COMPLETE; its record stays too, and holds when it comes back', async () => {
    await put('n3', { type: 'remove' });
    await follow('n3', 'COMPLETE');
    await leave('n3');
    expect(await shutdownOf('n3')).toMatchObject({ status: 'COMPLETE' });

    await startNode(home, 'n3', silent);
    await createIndex('drain-away', { number_of_shards: 6, number_of_replicas: 1 });
    expect(await shutdownOf('n3')).toMatchObject({ status: 'COMPLETE' });
    expect(await shardsOn('n3')).toEqual([]);
  });

  test('one that takes a last copy along is STALLED; marked only then, it is NOT_STARTED until it comes back', async () => {
    await createIndex('drain-only', { number_of_replicas: 0, 'index.routing.allocation.require._name': 'n3' });
    await put('n3', { type: 'remove' });
    await leave('n3');
    expect(await arrival('n3', 'STALLED')).toMatchObject({
      shard_migration: {
        shard_migrations_remaining: 1,
        explanation: expect.stringContaining('shard [0] [primary] of index [drain-only] is unassigned'),
      },
    });
    await request('DELETE', pathOf('n3'));
    await put('n3', { type: 'remove' });
    expect(await shutdownOf('n3')).toMatchObject({ status: 'NOT_STARTED' });

    await startNode(home, 'n3', silent);
    const back = await arrival('n3', 'STALLED');
    expect(back?.shard_migration.explanation).toContain('of index [drain-only]');
  });
});

describe('refusals', () => {
  test.each([
    [{ type: 'remove', reason: undefined }, 'Required [reason]'],
    [{ type: undefined }, 'Required [type]'],
    [{ type: 'vanish' }, 'Failed to build [put_node_shutdown_request] after last required field arrived'],
    [{ type: 'remove', colour: 'red' }, expect.stringContaining('unknown field [colour]')],
    [
      { type: 'remove', allocation_delay: '5m' },
      'Validation Failed: 1: allocation_delay is only allowed for RESTART-type shutdown requests;',
    ],
    [{ type: 'replace' }, 'Validation Failed: 1: target node name is required for REPLACE type shutdowns;'],
    [
      { type: 'remove', target_node_name: 'n1' },
      'Validation Failed: 1: target node name is only valid for REPLACE type shutdowns, but was given type [REMOVE] and target node name [n1];',
    ],
  ])('PUT %j', async (body, reason) => {
    expect(await put('n3', body, 'n2')).toMatchObject({ status: 400, answer: { status: 400, error: { reason } } });
    expect(await request('GET', '/_nodes/shutdown')).toEqual({ status: 200, answer: { nodes: [] } });
  });

  test('DELETE of what is not there is 404, at the elected master and elsewhere', async () => {
    for (const { name } of lab.nodes) {
      expect(await request('DELETE', pathOf('n3'), { at: name })).toMatchObject({
        status: 404,
        answer: {
          error: {
            type: 'resource_not_found_exception',
            reason: `node [${idOf('n3')}] is not currently shutting down`,
          },
        },
      });
    }
  });

  test('GET of what is not there is an empty list', async () => {
    expect(await request('GET', pathOf('n3'))).toEqual({ status: 200, answer: { nodes: [] } });
  });

  test.each([
    ['GET', '/_nodes/shutdown'],
    ['GET', '/_nodes/n3/shutdown'],
    ['PUT', '/_nodes/n3/shutdown', { type: 'remove', reason: 'anybody' }],
    ['DELETE', '/_nodes/n3/shutdown'],
  ])('without signing in: %s %s', async (method, path, body?: unknown) => {
    expect((await request(method, path, { as: 'anonymous', body })).status).toBe(401);
  });
});
