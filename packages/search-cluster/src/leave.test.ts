import type { EngineNode, Shutdown } from '@muster/engine';
import { expect, test } from 'vitest';
import { decideStep, firstInLine } from './leave.ts';

const record = (change: Partial<Shutdown> = {}): Shutdown => ({
  nodeId: 'id1',
  type: 'REMOVE',
  reason: 'test',
  startedAt: 100,
  status: 'IN_PROGRESS',
  shards: { status: 'IN_PROGRESS', remaining: 1, explanation: undefined },
  ...change,
});
const nodes: EngineNode[] = ['id1', 'id2'].map((id) => ({
  id,
  name: id,
  version: '9.4.3',
  roles: ['data'],
  zone: undefined,
  instanceId: undefined,
}));

test.each<[string, Shutdown | undefined, number, string]>([
  ['under way', record(), 0, 'wait'],
  ['not yet begun', record({ status: 'NOT_STARTED' }), 0, 'wait'],
  ['stalled a moment ago: it can pass', record({ status: 'STALLED' }), 299, 'stalling'],
  ['stalled beyond the grace period', record({ status: 'STALLED' }), 300, 'stalled'],
  ['complete: believed only after a look', record({ status: 'COMPLETE' }), 0, 'verify'],
  [
    'shards done, but not the rest',
    record({ shards: { status: 'COMPLETE', remaining: 0, explanation: undefined } }),
    0,
    'wait',
  ],
  ['the record is gone: somebody took it back', undefined, 0, 'record-removed'],
])('%s', (_, found, stalledFor, step) => {
  expect(decideStep(found, stalledFor)).toBe(step);
});

test.each<[string, Shutdown[], string | undefined]>([
  ['the earlier record is first', [record({ startedAt: 200 }), record({ nodeId: 'id2', startedAt: 100 })], 'id2'],
  ['at the same moment the id decides, for both alike', [record({ nodeId: 'id2' }), record()], 'id1'],
  ['the record of a node that is gone does not count', [record({ nodeId: 'id9', startedAt: 1 }), record()], 'id1'],
  ['nobody', [], undefined],
])('%s', (_, shutdowns, first) => {
  expect(firstInLine(shutdowns, nodes)?.nodeId).toBe(first);
  expect(firstInLine([...shutdowns].reverse(), nodes)?.nodeId).toBe(first);
});
