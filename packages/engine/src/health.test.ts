import { expect, test } from 'vitest';
import { assessHealth, type Health } from './health.ts';

const green: Health = {
  cluster_name: 'lab',
  status: 'green',
  number_of_nodes: 3,
  number_of_data_nodes: 3,
  active_primary_shards: 5,
  active_shards: 10,
  relocating_shards: 0,
  initializing_shards: 0,
  unassigned_shards: 0,
  active_shards_percent_as_number: 100,
};

test.each<[string, Partial<Health>, string, string | undefined]>([
  ['at rest', {}, 'green: every copy of every shard is active on 3 nodes', undefined],
  ['moving', { relocating_shards: 2 }, 'green: every copy is active, 2 shards moving', 'relocating'],
  [
    'building',
    { status: 'yellow', initializing_shards: 1 },
    'yellow: replicas are being built (1 shard)',
    'relocating',
  ],
  [
    'unplaced',
    { status: 'yellow', unassigned_shards: 4 },
    'yellow: no data missing, but 4 shards without a place',
    'explain',
  ],
  ['missing', { status: 'red', unassigned_shards: 2 }, 'red: data is missing; 2 shards unassigned', '--unassigned'],
])('%s: one line and the command that tells more', (_, change, verdict, next) => {
  const assessment = assessHealth({ ...green, ...change });
  expect(assessment.verdict).toContain(verdict);
  if (next === undefined) expect(assessment.next).toBeUndefined();
  else expect(assessment.next).toContain(next);
});
