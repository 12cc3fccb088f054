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

/** Without a copy the engine takes the first unassigned one. */
export function explainBody(copy: ShardCopy | undefined): string | undefined {
  return copy === undefined ? undefined : JSON.stringify(copy);
}

/** Why a copy is where it is, or nowhere; `undefined` when no copy was named and none is unassigned. */
export async function explainAllocation(
  client: EngineClient,
  copy: ShardCopy | undefined,
): Promise<Explanation | undefined> {
  const body = explainBody(copy);
  try {
    const answer = await client.json('POST', explainPath, body === undefined ? {} : { body });
    return parse(`POST ${explainPath}`, explanationSchema, answer);
  } catch (error) {
    if (copy === undefined && isNothingUnassigned(error)) return undefined;
    throw error;
  }
}

/** The engine answers 400 when there is nothing to explain: for us that is an answer, not an error. */
export function isNothingUnassigned(error: unknown): boolean {
  return (
    error instanceof EngineError && error.code === 'rejected' && error.message.includes('unable to find any unassigned')
  );
}
