import type { EngineNode, IndexSettings, ShardPlace, Shutdown } from '@muster/engine';
import { expect, test } from 'vitest';
import { guards, judge, type Verdict } from './guards.ts';
import { decideEntry } from './leave.ts';
import type { ClusterView } from './view.ts';

const gigabyte = 1024 ** 3;
const node = (number: number, change: Partial<EngineNode> = {}): EngineNode => ({
  id: `id${number}`,
  name: `n${number}`,
  version: '9.4.3',
  roles: ['master', 'data', 'ingest'],
  zone: ['a', 'b', 'c'][number - 1],
  instanceId: `i-0000000000000000${number}`,
  ...change,
});
const place = (index: string, on: number, change: Partial<ShardPlace> = {}): ShardPlace => ({
  index,
  shard: '0',
  state: 'STARTED',
  primary: true,
  node: `id${on}`,
  relocating_node: null,
  ...change,
});
const index = (change: Partial<IndexSettings> = {}): IndexSettings => ({
  replicas: 1,
  expandsByItself: false,
  totalShardsPerNode: undefined,
  ...change,
});
const leaving = (number: number, type: Shutdown['type'] = 'REMOVE'): Shutdown => ({
  nodeId: `id${number}`,
  type,
  reason: 'test',
  startedAt: 0,
  status: 'IN_PROGRESS',
  shards: { status: 'IN_PROGRESS', remaining: 1, explanation: undefined },
});

/** Three nodes in three zones, an index with two copies, one of them on the node that is to leave. */
const healthy: ClusterView = {
  health: { cluster_name: 'lab', status: 'green', unassigned_shards: 0, relocating_shards: 0, initializing_shards: 0 },
  self: node(1),
  nodes: [node(1), node(2), node(3)],
  voters: ['id1', 'id2', 'id3'],
  shutdowns: [],
  copies: [place('logs', 1), place('logs', 2, { primary: false })],
  indices: new Map([['logs', index()]]),
  bytes: new Map([['logs/0', gigabyte]]),
  disks: new Map([1, 2, 3].map((number) => [`id${number}`, { totalBytes: 100 * gigabyte, freeBytes: 50 * gigabyte }])),
  settings: {
    lowWatermark: { usedShare: 0.85 },
    diskThreshold: true,
    forcedZones: [],
    totalShardsPerNode: undefined,
    recoveryBytesPerSecond: 40 * 1024 ** 2,
  },
  snapshots: new Map(),
};

const verdicts = (view: ClusterView, secondsLeft?: number) =>
  Object.fromEntries(judge(view, { secondsLeft }).map(({ name, verdict }) => [name, verdict]));

test('a healthy cluster of three lets a node go, and says that its zone will be empty', () => {
  const { 'last-of-zone': zone, ...others } = verdicts(healthy);
  expect(zone).toBe('warn');
  expect(new Set(Object.values(others))).toEqual(new Set(['pass']));
});

const settings = (change: Partial<ClusterView['settings']>) => ({ settings: { ...healthy.settings, ...change } });
const dataOnly = (number: number, change: Partial<EngineNode> = {}) => node(number, { roles: ['data'], ...change });

test.each<[string, Verdict, string, Partial<ClusterView>]>([
  ['cluster-green', 'block', 'yellow', { health: { ...healthy.health, status: 'yellow', unassigned_shards: 1 } }],
  ['cluster-green', 'block', 'red', { health: { ...healthy.health, status: 'red' } }],
  ['one-leave-at-a-time', 'block', 'another node leaves', { shutdowns: [leaving(2)] }],
  ['one-leave-at-a-time', 'block', 'another node restarts', { shutdowns: [leaving(2, 'RESTART')] }],
  ['one-leave-at-a-time', 'pass', 'only this one leaves', { shutdowns: [leaving(1)] }],
  ['one-leave-at-a-time', 'pass', 'the record of a node that is gone', { shutdowns: [leaving(9)] }],
  ['master-quorum', 'pass', 'no vote', { voters: ['id2', 'id3', 'id4'] }],
  ['master-quorum', 'block', 'the only voter', { voters: ['id1'] }],
  ['master-quorum', 'block', 'one of two voters', { voters: ['id1', 'id2'] }],
  ['master-quorum', 'block', 'a third voter is away', { nodes: [node(1), node(2)] }],
  ['master-quorum', 'block', 'a third voter is leaving', { shutdowns: [leaving(3)] }],
  ['last-of-role', 'block', 'the only master', { nodes: [node(1), dataOnly(2), dataOnly(3)] }],
  ['last-of-role', 'warn', 'the only one that ingests', { nodes: [node(1), node(2, { roles: ['master', 'data'] })] }],
  [
    'last-of-role',
    'block',
    'the only hot node, with shards',
    {
      self: node(1, { roles: ['data_hot'] }),
      nodes: [node(1, { roles: ['data_hot'] }), node(2, { roles: ['data_warm'] })],
    },
  ],
  [
    'last-of-role',
    'warn',
    'the only hot node, but another holds every tier',
    { self: node(1, { roles: ['data_hot'] }), nodes: [node(1, { roles: ['data_hot'] }), node(2, { roles: ['data'] })] },
  ],
  ['last-of-zone', 'block', 'awareness is forced', settings({ forcedZones: ['a', 'b', 'c'] })],
  ['last-of-zone', 'pass', 'another node of the zone', { nodes: [node(1), node(2, { zone: 'a' }), node(3)] }],
  ['copies-placeable', 'block', 'as many copies as nodes', { indices: new Map([['logs', index({ replicas: 2 })]]) }],
  [
    'copies-placeable',
    'pass',
    'copies that follow the number of nodes',
    { indices: new Map([['logs', index({ replicas: 2, expandsByItself: true })]]) },
  ],
  [
    'copies-placeable',
    'block',
    'only one data node stays',
    { nodes: [node(1), node(2), node(3, { roles: ['master'] })] },
  ],
  [
    'total-shards-per-node',
    'block',
    'an index at its limit',
    {
      indices: new Map([['logs', index({ totalShardsPerNode: 1, replicas: 2 })]]),
      copies: [1, 2, 3].map((on) => place('logs', on, { primary: on === 1 })),
    },
  ],
  [
    'total-shards-per-node',
    'block',
    'a cluster at its limit',
    { ...settings({ totalShardsPerNode: 1 }), copies: [1, 2, 3].map((on) => place('logs', on)) },
  ],
  ['disk-room', 'block', 'more than fits below the watermark', { bytes: new Map([['logs/0', 71 * gigabyte]]) }],
  ['disk-room', 'pass', 'just as much as fits', { bytes: new Map([['logs/0', 70 * gigabyte]]) }],
  ['disk-room', 'block', 'bytes that must stay free', settings({ lowWatermark: { freeBytes: 50 * gigabyte } })],
  [
    'disk-room',
    'pass',
    'the engine does not look',
    { ...settings({ diskThreshold: false }), bytes: new Map([['logs/0', 71 * gigabyte]]) },
  ],
  ['disk-room', 'block', 'a disk that nobody knows has no room', { disks: new Map() }],
  ['no-replica', 'warn', 'one copy only', { indices: new Map([['logs', index({ replicas: 0 })]]) }],
  ['snapshot-running', 'block', 'from this node', { snapshots: new Map([['daily', new Set(['id1'])]]) }],
  ['snapshot-running', 'pass', 'from another node', { snapshots: new Map([['daily', new Set(['id2'])]]) }],
  [
    'version-direction',
    'block',
    'a replica whose primary is on the only newer node',
    {
      nodes: [node(1), node(2, { version: '9.5.0' }), node(3)],
      copies: [place('logs', 2), place('logs', 1, { primary: false })],
    },
  ],
  [
    'version-direction',
    'pass',
    'a second newer node can take it',
    {
      nodes: [node(1), node(2, { version: '9.5.0' }), node(3, { version: '9.5.0' })],
      copies: [place('logs', 2), place('logs', 1, { primary: false })],
    },
  ],
  [
    'version-direction',
    'block',
    'a primary on the newest node',
    { self: node(1, { version: '9.10.0' }), nodes: [node(1, { version: '9.10.0' }), node(2), node(3)] },
  ],
])('%s: %s when %s', (name, verdict, _, change) => {
  expect(verdicts({ ...healthy, ...change })[name]).toBe(verdict);
});

test('time-enough warns when the drain outlasts the hook', () => {
  expect(verdicts(healthy, 3_600)['time-enough']).toBe('pass');
  expect(verdicts({ ...healthy, bytes: new Map([['logs/0', 1000 * gigabyte]]) }, 3_600)['time-enough']).toBe('warn');
});

test('a copy that is on its way to this node counts as being on it', () => {
  const copies = [place('logs', 2, { state: 'RELOCATING', relocating_node: 'id1' })];
  expect(verdicts({ ...healthy, copies, indices: new Map([['logs', index({ replicas: 0 })]]) })['no-replica']).toBe(
    'warn',
  );
});

test('every guard has a name of its own and says why it is there', () => {
  expect(new Set(guards.map(({ name }) => name)).size).toBe(guards.length);
  for (const { why } of guards) expect(why).toMatch(/^[A-Z].*\.$/);
});

test('a guard that blocks refuses; one that warns does not; a record of an earlier run is taken up again', () => {
  const red: ClusterView = { ...healthy, health: { ...healthy.health, status: 'red' } };
  const decide = (view: ClusterView) => decideEntry(view, { secondsLeft: undefined }).action;
  expect(decide(healthy)).toBe('register');
  expect(decide(red)).toBe('refuse');
  expect(decide({ ...red, shutdowns: [leaving(1)] })).toBe('resume');
  expect(decide({ ...healthy, shutdowns: [leaving(1, 'RESTART')] })).toBe('register');
});
