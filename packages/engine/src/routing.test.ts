import { expect, test } from 'vitest';
import { EngineError } from './errors.ts';
import { type Routing, shardRows } from './routing.ts';

const started = { state: 'STARTED', primary: true, node: 'id1', relocating_node: null };
const routing = (...copies: unknown[]): Routing => ({
  nodes: {
    id1: { name: 'n1', transport_address: '127.0.1.1:9300' },
    id2: { name: 'n2', transport_address: '127.0.1.2:9300' },
  },
  routing_table: { indices: { logs: { shards: { 0: copies } } } },
});

test('a started copy is on a node by its name', () => {
  expect([...shardRows(routing(started))]).toEqual([
    { index: 'logs', shard: '0', prirep: 'p', state: 'STARTED', node: 'n1', 'unassigned.reason': null },
  ]);
});

test('a copy that moves is written as the engine writes it', () => {
  const copy = { ...started, state: 'RELOCATING', relocating_node: 'id2' };
  expect([...shardRows(routing(copy))].map((row) => row.node)).toEqual(['n1 -> 127.0.1.2 id2 n2']);
});

test('an unassigned copy is nowhere, for a reason', () => {
  const copy = { ...started, state: 'UNASSIGNED', node: null, unassigned_info: { reason: 'NODE_LEFT' } };
  expect([...shardRows(routing(copy))]).toMatchObject([{ node: null, 'unassigned.reason': 'NODE_LEFT' }]);
});

test('a node that has just gone is shown by its id', () => {
  expect([...shardRows(routing({ ...started, node: 'id9' }))].map((row) => row.node)).toEqual(['id9']);
});

test('indices come in the order of their names, and no index is no row', () => {
  const shards = { 0: [started] };
  const indices = { b: { shards }, a: { shards } };
  expect([...shardRows({ routing_table: { indices } })].map((row) => row.index)).toEqual(['a', 'b']);
  expect([...shardRows({})]).toEqual([]);
});

test.each([
  ['an unknown state', { ...started, state: 'ASLEEP' }, 'ASLEEP'],
  ['a missing field', { state: 'STARTED' }, 'STARTED'],
  ['no object', 7, '7'],
  ['a reason that is no text', { ...started, unassigned_info: { reason: 1 } }, 'reason'],
])('%s is an error that names it, never a row', (_, copy, named) => {
  const read = () => [...shardRows(routing(copy))];
  expect(read).toThrow(EngineError);
  expect(read).toThrow(named);
});
