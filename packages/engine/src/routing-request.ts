import type { EngineClient } from './client.ts';

export const routingPath = '/_cluster/state/nodes,routing_table';

/**
 * Asks where every copy of every shard is, by the master's own table. `_cat/shards` would ask every node for the
 * statistics of all its shards, which has brought coordinators down at 100,000 shards. Apart from the reading of the
 * answer, so that a command can ask first and load the rest while the engine is at work.
 */
export function requestRouting(client: EngineClient): Promise<unknown> {
  const fields = ['state', 'primary', 'node', 'relocating_node', 'unassigned_info.reason'];
  const copies = fields.map((field) => `routing_table.indices.*.shards.*.${field}`);
  const query = { filter_path: ['nodes.*.name', 'nodes.*.transport_address', ...copies].join() };
  return client.json('GET', routingPath, { query });
}
