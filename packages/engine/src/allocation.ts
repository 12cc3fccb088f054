import * as z from 'zod/mini';
import type { EngineClient } from './client.ts';
import { EngineError } from './errors.ts';
import { parse } from './parse.ts';

export const explainPath = '/_cluster/allocation/explain';

export interface ShardCopy {
  readonly index: string;
  readonly shard: number;
  readonly primary: boolean;
}

const decisionSchema = z.looseObject({
  node_name: z.string(),
  node_decision: z.string(),
  deciders: z.optional(z.array(z.looseObject({ decider: z.string(), decision: z.string(), explanation: z.string() }))),
});

const explanationSchema = z.looseObject({
  index: z.string(),
  shard: z.int(),
  primary: z.boolean(),
  current_state: z.string(),
  current_node: z.optional(z.looseObject({ name: z.string() })),
  unassigned_info: z.optional(
    z.looseObject({ reason: z.string(), at: z.optional(z.string()), details: z.optional(z.string()) }),
  ),
  can_allocate: z.optional(z.string()),
  allocate_explanation: z.optional(z.string()),
  can_remain_on_current_node: z.optional(z.string()),
  can_rebalance_cluster: z.optional(z.string()),
  rebalance_explanation: z.optional(z.string()),
  explanation: z.optional(z.string()),
  node_allocation_decisions: z.optional(z.array(decisionSchema)),
});

export type Explanation = z.infer<typeof explanationSchema>;

export const explainBody = ({ index, shard, primary }: ShardCopy): string => JSON.stringify({ index, shard, primary });

/**
 * Why a copy is where it is, or nowhere. Without a copy the engine takes the first unassigned one; `undefined` when
 * there is none.
 */
export async function explainAllocation(
  client: EngineClient,
  copy: ShardCopy | undefined,
): Promise<Explanation | undefined> {
  try {
    const answer = await client.json('POST', explainPath, copy === undefined ? {} : { body: explainBody(copy) });
    return parse(`POST ${explainPath}`, explanationSchema, answer);
  } catch (error) {
    if (copy === undefined && isNothingUnassigned(error)) return undefined;
    throw error;
  }
}

/** The engine answers 400 when there is nothing to explain, 8.19 and 9.4 each in its own words. For us it is an answer. */
function isNothingUnassigned(error: unknown): boolean {
  return (
    error instanceof EngineError && error.code === 'rejected' && /there are no unassigned shards/i.test(error.message)
  );
}
