import type { EngineNode, ShardPlace, Shutdown } from '@muster/engine';
import { expect, test } from 'vitest';
import { shardsAtRisk } from './safety.ts';

const nodes: EngineNode[] = [1, 2, 3].map((number) => ({
  id: `id${number}`,
  name: `n${number}`,
  version: '9.4.3',
  roles: ['data'],
  zone: undefined,
  instanceId: undefined,
}));
const copy = (on: number | null, change: Partial<ShardPlace> = {}): ShardPlace => ({
  index: 'logs',
  shard: '0',
  state: 'STARTED',
  primary: false,
  node: on === null ? null : `id${on}`,
  relocating_node: null,
  ...change,
});
const leaving = (number: number, type: Shutdown['type']): Shutdown => ({
  nodeId: `id${number}`,
  type,
  reason: '',
  startedAt: 0,
  status: 'COMPLETE',
  shards: { status: 'COMPLETE', remaining: 0, explanation: undefined },
});

test.each<[string, ShardPlace[], Shutdown[], string[]]>([
  ['a copy elsewhere is enough, also when one is left behind', [copy(1), copy(2)], [], []],
  ['the only copy is on the leaving node', [copy(1)], [], ['logs/0']],
  [
    'the only copy is on its way to another node',
    [copy(1, { state: 'RELOCATING', relocating_node: 'id2' })],
    [],
    ['logs/0'],
  ],
  ['the other copy is still being built', [copy(1), copy(2, { state: 'INITIALIZING' })], [], ['logs/0']],
  [
    'the other copy moves between nodes that stay',
    [copy(1), copy(2, { state: 'RELOCATING', relocating_node: 'id3' })],
    [],
    [],
  ],
  ['the other copy is on a node that leaves too', [copy(1), copy(2)], [leaving(2, 'REMOVE')], ['logs/0']],
  ['the other copy is on a node that only restarts', [copy(1), copy(2)], [leaving(2, 'RESTART')], []],
  ['the other copy is on a node that is gone', [copy(1), copy(9)], [], ['logs/0']],
  ['no copy is anywhere', [copy(null, { state: 'UNASSIGNED' })], [], ['logs/0']],
  ['a shard that was never here', [copy(2)], [], []],
  ['no shard at all', [], [], []],
])('%s', (_, copies, shutdowns, expected) => {
  expect(shardsAtRisk(copies, nodes, shutdowns, 'id1')).toEqual(expected);
});
