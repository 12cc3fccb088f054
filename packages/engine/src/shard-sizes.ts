import * as z from 'zod/mini';
import type { EngineClient } from './client.ts';
import { everyNode, parse } from './parse.ts';

const store = z.object({ store: z.object({ size_in_bytes: z.number() }) });
const schema = z.object({
  _nodes: everyNode,
  nodes: z.record(
    z.string(),
    z.object({
      indices: z.optional(z.object({ shards: z.optional(z.record(z.string(), z.array(z.record(z.string(), store)))) })),
    }),
  ),
});

/** Bytes of every copy on one node, by `index/shard`. Only that node is asked. */
export async function readShardSizes(client: EngineClient, nodeId: string): Promise<ReadonlyMap<string, number>> {
  const path = `/_nodes/${encodeURIComponent(nodeId)}/stats/indices/store`;
  const query = {
    level: 'shards',
    filter_path: '_nodes.failed,nodes.*.indices.shards.*.*.store.size_in_bytes,nodes.*.name',
  };
  const { nodes } = parse(`GET ${path}`, schema, await client.json('GET', path, { query }));
  const sizes = new Map<string, number>();
  for (const [index, shards] of Object.entries(nodes[nodeId]?.indices?.shards ?? {})) {
    for (const shard of shards) {
      for (const [number, { store }] of Object.entries(shard)) sizes.set(`${index}/${number}`, store.size_in_bytes);
    }
  }
  return sizes;
}
