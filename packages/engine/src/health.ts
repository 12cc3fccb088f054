import * as z from 'zod/mini';
import type { EngineClient } from './client.ts';
import { parse } from './parse.ts';

const count = z.int();

/** The ten fields of the health document. An unknown status is an error: nothing may be decided on it. */
const healthSchema = z.looseObject({
  cluster_name: z.string(),
  status: z.enum(['green', 'yellow', 'red']),
  number_of_nodes: count,
  number_of_data_nodes: count,
  active_primary_shards: count,
  active_shards: count,
  relocating_shards: count,
  initializing_shards: count,
  unassigned_shards: count,
  active_shards_percent_as_number: z.number(),
});

export type Health = z.infer<typeof healthSchema>;

export const healthPath = '/_cluster/health';

export async function readHealth(client: EngineClient): Promise<Health> {
  return parse(`GET ${healthPath}`, healthSchema, await client.json('GET', healthPath));
}

/** Health after the master has done all that it had to do: what a join sets off is in it. */
export async function readSettledHealth(client: EngineClient): Promise<Health> {
  const query = { wait_for_events: 'languid', timeout: '20s' };
  // A timeout is answered with the document as it is, under status 408.
  return parse(`GET ${healthPath}`, healthSchema, await client.json('GET', healthPath, { query, limitMs: 30_000 }));
}

export interface Assessment {
  readonly verdict: string;
  /** The command that tells more, when there is more to tell. */
  readonly next: string | undefined;
}

/** One line a person can act on, from the health document alone. */
export function assessHealth(health: Health): Assessment {
  const shards = (count: number) => `${count} shard${count === 1 ? '' : 's'}`;
  const moving = health.relocating_shards + health.initializing_shards;
  const nodes = `${health.number_of_nodes} node${health.number_of_nodes === 1 ? '' : 's'}`;
  switch (health.status) {
    case 'green':
      return moving === 0
        ? { verdict: `green: every copy of every shard is active on ${nodes}`, next: undefined }
        : {
            verdict: `green: every copy is active, ${shards(moving)} moving`,
            next: 'cluster-cli cat shards --state relocating,initializing',
          };
    case 'yellow':
      return health.unassigned_shards === 0
        ? {
            verdict: `yellow: replicas are being built (${shards(moving)})`,
            next: 'cluster-cli cat shards --state relocating,initializing',
          }
        : {
            verdict: `yellow: no data missing, but ${shards(health.unassigned_shards)} without a place`,
            next: 'cluster-cli cluster allocation-explain',
          };
    case 'red':
      return {
        verdict: `red: data is missing; ${shards(health.unassigned_shards)} unassigned, among them a primary`,
        next: 'cluster-cli cat shards --unassigned',
      };
  }
}
