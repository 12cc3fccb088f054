import * as z from 'zod/mini';
import type { EngineClient } from './client.ts';
import { EngineError, malformed } from './errors.ts';
import { parse } from './parse.ts';

/** As the engine sends them. Its published types say lower case: who trusts them waits for ever. */
const statuses = ['NOT_STARTED', 'IN_PROGRESS', 'STALLED', 'COMPLETE'] as const;
export type ShutdownStatus = (typeof statuses)[number];

const shutdownsSchema = z.object({
  nodes: z.array(
    z.object({
      node_id: z.string(),
      type: z.enum(['REMOVE', 'RESTART', 'REPLACE', 'SIGTERM']),
      reason: z.string(),
      // Its name has changed between versions: the first is 8.19's, the second 9.4's.
      shutdown_startedmillis: z.optional(z.number()),
      shutdown_started_millis: z.optional(z.number()),
      status: z.enum(statuses),
      shard_migration: z.object({
        status: z.enum(statuses),
        shard_migrations_remaining: z.optional(z.int()),
        explanation: z.optional(z.string()),
      }),
    }),
  ),
});

/** One record of a node that is to leave, and how far its shards are. */
export interface Shutdown {
  readonly nodeId: string;
  readonly type: 'REMOVE' | 'RESTART' | 'REPLACE' | 'SIGTERM';
  readonly reason: string;
  readonly startedAt: number;
  readonly status: ShutdownStatus;
  readonly shards: {
    readonly status: ShutdownStatus;
    readonly remaining: number;
    readonly explanation: string | undefined;
  };
}

const allPath = '/_nodes/shutdown';
const pathOf = (nodeId: string) => `/_nodes/${encodeURIComponent(nodeId)}/shutdown`;

/**
 * All records of the cluster. An engine without the shutdown API takes the path for node information and answers 200
 * with that: it is recognised by its shape, and refused.
 */
export async function readShutdowns(client: EngineClient): Promise<Shutdown[]> {
  const { nodes } = parse(`GET ${allPath}`, shutdownsSchema, await client.json('GET', allPath));
  return nodes.map((node) => ({
    nodeId: node.node_id,
    type: node.type,
    reason: node.reason,
    startedAt: startOf(node),
    status: node.status,
    shards: {
      status: node.shard_migration.status,
      remaining: node.shard_migration.shard_migrations_remaining ?? 0,
      explanation: node.shard_migration.explanation,
    },
  }));
}

function startOf(node: { shutdown_startedmillis?: number | undefined; shutdown_started_millis?: number | undefined }) {
  const started = node.shutdown_startedmillis ?? node.shutdown_started_millis;
  // Who is first in line is decided on it, so there is no default.
  if (started === undefined) throw malformed(`GET ${allPath}`, '`shutdown_started_millis` is missing');
  return started;
}

export async function putShutdown(
  client: EngineClient,
  nodeId: string,
  record: { readonly type: 'remove' | 'restart'; readonly reason: string; readonly allocation_delay?: string },
): Promise<void> {
  await client.json('PUT', pathOf(nodeId), { body: JSON.stringify(record) });
}

/** `false` when there was none: somebody else has removed it, which is as good. */
export async function deleteShutdown(client: EngineClient, nodeId: string): Promise<boolean> {
  try {
    await client.json('DELETE', pathOf(nodeId));
    return true;
  } catch (error) {
    if (error instanceof EngineError && error.code === 'not-found') return false;
    throw error;
  }
}
