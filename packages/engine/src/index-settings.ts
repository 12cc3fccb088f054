import * as z from 'zod/mini';
import type { EngineClient } from './client.ts';
import { parse } from './parse.ts';

const names = ['number_of_replicas', 'auto_expand_replicas', 'routing.allocation.total_shards_per_node'];
const path = `/_all/_settings/${names.map((name) => `index.${name}`).join()}`;
const settingsSchema = z.record(z.string(), z.object({ settings: z.record(z.string(), z.unknown()) }));

/** What an index asks of the nodes that carry it. */
export interface IndexSettings {
  readonly replicas: number;
  /** The engine changes the number of copies with the number of nodes: it never lacks a place. */
  readonly expandsByItself: boolean;
  readonly totalShardsPerNode: number | undefined;
}

export async function readIndexSettings(client: EngineClient): Promise<ReadonlyMap<string, IndexSettings>> {
  const query = { flat_settings: 'true', expand_wildcards: 'all' };
  const answer = parse(`GET ${path}`, settingsSchema, await client.json('GET', path, { query }));
  return new Map(
    Object.entries(answer).map(([index, { settings }]) => {
      const total = Number(settings['index.routing.allocation.total_shards_per_node'] ?? -1);
      const expands = settings['index.auto_expand_replicas'];
      return [
        index,
        {
          replicas: Number(settings['index.number_of_replicas'] ?? 0),
          expandsByItself: expands !== undefined && expands !== 'false',
          totalShardsPerNode: total > 0 ? total : undefined,
        },
      ];
    }),
  );
}
