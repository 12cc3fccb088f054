import * as z from 'zod/mini';
import type { EngineClient } from './client.ts';
import { everyNode, parse } from './parse.ts';

const path = '/_nodes/stats/fs';
const schema = z.object({
  _nodes: everyNode,
  nodes: z.record(
    z.string(),
    z.object({ fs: z.object({ total: z.object({ total_in_bytes: z.number(), available_in_bytes: z.number() }) }) }),
  ),
});

export interface Disk {
  readonly totalBytes: number;
  readonly freeBytes: number;
}

/** The disks by node id. */
export async function readDisks(client: EngineClient): Promise<ReadonlyMap<string, Disk>> {
  const query = { filter_path: '_nodes.failed,nodes.*.fs.total.total_in_bytes,nodes.*.fs.total.available_in_bytes' };
  const { nodes } = parse(`GET ${path}`, schema, await client.json('GET', path, { query }));
  return new Map(
    Object.entries(nodes).map(([id, { fs }]) => [
      id,
      { totalBytes: fs.total.total_in_bytes, freeBytes: fs.total.available_in_bytes },
    ]),
  );
}
