import * as z from 'zod/mini';
import type { EngineClient } from './client.ts';
import { parse } from './parse.ts';

const path = '/_cluster/state/master_node,metadata';
const schema = z.object({
  master_node: z.string(),
  metadata: z.object({ cluster_coordination: z.object({ last_committed_config: z.array(z.string()) }) }),
});

export interface Coordination {
  readonly master: string;
  /** The nodes whose votes count: a majority of exactly these must be there. */
  readonly voters: readonly string[];
}

export async function readCoordination(client: EngineClient): Promise<Coordination> {
  const query = { filter_path: 'master_node,metadata.cluster_coordination.last_committed_config' };
  const answer = parse(`GET ${path}`, schema, await client.json('GET', path, { query }));
  return { master: answer.master_node, voters: answer.metadata.cluster_coordination.last_committed_config };
}
