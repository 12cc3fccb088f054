import * as z from 'zod/mini';
import type { EngineClient } from './client.ts';
import { parse } from './parse.ts';

const path = '/_snapshot/_status';
const shard = z.object({ stage: z.string(), node: z.optional(z.string()) });
const schema = z.object({
  snapshots: z.optional(
    z.array(
      z.object({
        snapshot: z.string(),
        indices: z.optional(z.record(z.string(), z.object({ shards: z.optional(z.record(z.string(), shard)) }))),
      }),
    ),
  ),
});

/** Snapshots under way, each with the nodes that are writing a shard of it. */
export async function readRunningSnapshots(client: EngineClient): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const copy = 'snapshots.indices.*.shards.*';
  const query = { filter_path: `snapshots.snapshot,${copy}.stage,${copy}.node` };
  const answer = parse(`GET ${path}`, schema, await client.json('GET', path, { query }));
  const running = new Map<string, Set<string>>();
  for (const { snapshot, indices } of answer.snapshots ?? []) {
    const shards = Object.values(indices ?? {}).flatMap(({ shards }) => Object.values(shards ?? {}));
    const writing = shards.filter(({ stage }) => stage !== 'DONE' && stage !== 'FAILURE');
    running.set(snapshot, new Set(writing.flatMap(({ node }) => node ?? [])));
  }
  return running;
}
