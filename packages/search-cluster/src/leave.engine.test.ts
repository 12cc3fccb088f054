import { EngineClient, type EngineNode, readNodes, readRouting, readShutdowns, shardPlaces } from '@muster/engine';
import { engineConnection } from '@muster/lab';
import { realClock } from '@muster/lifecycle';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { join } from './join.ts';
import { type LeaveEvent, leave, withdraw } from './leave.ts';
import { planLeave } from './plan.ts';

// On the real engine: its allocator moves the shards, we decide when the node may go.

const { nodes, username, password } = await engineConnection();
async function* signIn() {
  yield { username, password, source: 'the lab' };
}
const at = (address: string) =>
  new EngineClient({
    address: { protocol: 'http', host: address, port: 9200 },
    credentials: signIn(),
    opaqueId: 'test',
  });
const engine = at(nodes[0]?.address ?? '');
afterAll(() => engine.close());

const call = (method: string, path: string, body?: unknown) =>
  engine.json(method, path, { limitMs: 60_000, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
const nodeNamed = async (name: string): Promise<EngineNode> => {
  const found = (await readNodes(engine)).find((node) => node.name === name);
  if (found === undefined) throw new Error(`no node ${name}`);
  return found;
};
const copiesOn = async ({ id }: EngineNode) =>
  shardPlaces(await readRouting(engine)).filter(({ node }) => node === id).length;

beforeAll(async () => {
  await call('DELETE', '/leave-logs,leave-alone?ignore_unavailable=true');
  await call('PUT', '/leave-logs', { settings: { number_of_shards: 6, number_of_replicas: 1 } });
  await call('PUT', '/leave-alone', { settings: { number_of_shards: 3, number_of_replicas: 0 } });
  const documents = Array.from({ length: 200 }, (_, number) => `{"index":{}}\n{"number":${number}}\n`).join('');
  await engine.request('POST', '/leave-logs/_bulk?refresh=true', { body: documents });
  await engine.request('POST', '/leave-alone/_bulk?refresh=true', { body: documents });
});
afterAll(() => call('DELETE', '/leave-logs,leave-alone?ignore_unavailable=true'));
afterEach(async () => {
  for (const node of await readNodes(engine)) await withdraw(engine, node);
  await call('GET', '/_cluster/health?wait_for_status=green&wait_for_no_relocating_shards=true&timeout=50s');
});

function leaveOf(self: EngineNode, change: Partial<Parameters<typeof leave>[0]> = {}) {
  const events: LeaveEvent[] = [];
  const signal = new AbortController().signal;
  const outcome = leave({
    engine,
    self,
    reason: 'test',
    waitSeconds: 50,
    limits: { secondsLeft: undefined },
    clock: realClock,
    report: (event) => events.push(event),
    signal,
    ...change,
  });
  return { outcome, events };
}

async function documents(index: string): Promise<unknown> {
  const answer = await call('GET', `/${index}/_count`);
  return typeof answer === 'object' && answer !== null && 'count' in answer ? answer.count : undefined;
}

test('the plan says what would move, where it can go, and what each guard thinks', async () => {
  const self = await nodeNamed('n3');
  const plan = await planLeave(engine, self, { secondsLeft: undefined });
  expect(plan.shards).toBe(await copiesOn(self));
  expect(plan.bytes).toBeGreaterThan(0);
  expect(plan.targets.map(({ name, zone }) => `${name} ${zone}`).sort()).toEqual(['n1 a', 'n2 b']);
  expect(
    plan.judgements.filter(({ verdict }) => verdict !== 'pass').map(({ name, verdict }) => `${name} ${verdict}`),
  ).toEqual(['last-of-zone warn', 'no-replica warn']);
  expect(await readShutdowns(engine)).toEqual([]);
});

test('a node leaves empty, nothing is lost, and taken back it is filled again', async () => {
  const self = await nodeNamed('n3');
  expect(await copiesOn(self)).toBeGreaterThan(0);
  const { outcome, events } = leaveOf(self);
  expect(await outcome).toEqual({ kind: 'empty', leftBehind: [] });
  expect(await copiesOn(self)).toBe(0);
  expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['judged', 'registered', 'moving']));
  expect(await documents('leave-logs')).toBe(200);
  expect(await documents('leave-alone')).toBe(200);
}, 90_000);

test('a run that was cut off is resumed: the record stands, and the drain goes on', async () => {
  const self = await nodeNamed('n3');
  const cut = new AbortController();
  const first = leaveOf(self, { signal: cut.signal, report: ({ kind }) => kind === 'registered' && cut.abort() });
  expect((await first.outcome).kind).toBe('interrupted');
  const { outcome, events } = leaveOf(self);
  expect((await outcome).kind).toBe('empty');
  expect(events.map(({ kind }) => kind)).toContain('resumed');
}, 90_000);

test('of two nodes that leave at once at most one goes on', async () => {
  const [second, third] = [await nodeNamed('n2'), await nodeNamed('n3')];
  const outcomes = await Promise.all([leaveOf(second).outcome, leaveOf(third).outcome]);
  const kinds = outcomes.map(({ kind }) => kind).sort();
  expect(kinds.filter((kind) => kind === 'empty').length).toBeLessThanOrEqual(1);
  expect(kinds.some((kind) => kind === 'withdrawn' || kind === 'blocked')).toBe(true);
  expect(await documents('leave-alone')).toBe(200);
}, 90_000);

test('a cluster that is not green lets nobody go, and nothing is changed', async () => {
  await call('PUT', '/leave-wide', { settings: { number_of_shards: 1, number_of_replicas: 3 } });
  try {
    const outcome = await leaveOf(await nodeNamed('n3')).outcome;
    expect(outcome.kind).toBe('blocked');
    expect('judgements' in outcome && outcome.judgements.find(({ verdict }) => verdict === 'block')?.name).toBe(
      'cluster-green',
    );
    expect(await readShutdowns(engine)).toEqual([]);
  } finally {
    await call('DELETE', '/leave-wide');
  }
});

test('an index that must stay here blocks nothing, stalls, and is never given up', async () => {
  const self = await nodeNamed('n3');
  const settings = { number_of_shards: 1, number_of_replicas: 0, 'index.routing.allocation.require._name': 'n3' };
  await call('PUT', '/leave-stuck', { settings });
  await call('GET', '/_cluster/health/leave-stuck?wait_for_status=green&timeout=30s');
  try {
    const { outcome, events } = leaveOf(self, { waitSeconds: 15 });
    expect((await outcome).kind).toBe('out-of-time');
    expect(events.some((event) => event.kind === 'stalling' && event.explanation.includes('leave-stuck'))).toBe(true);
  } finally {
    await call('DELETE', '/leave-stuck');
  }
}, 90_000);

test('a node that is in the cluster and at rest has joined', async () => {
  const outcome = await join({
    engine,
    instanceId: nodes[2]?.instanceId ?? '',
    waitSeconds: 120,
    settleSeconds: 3,
    clock: realClock,
    report: () => {},
    signal: new AbortController().signal,
  });
  expect(outcome).toMatchObject({ kind: 'settled', node: { name: 'n3' } });
}, 150_000);

test('a machine that never joins is told apart from one that does not settle', async () => {
  const outcome = await join({
    engine,
    instanceId: 'i-0fffffffffffffff0',
    waitSeconds: 1,
    settleSeconds: 3,
    clock: realClock,
    report: () => {},
    signal: new AbortController().signal,
  });
  expect(outcome).toEqual({ kind: 'not-joined' });
});
