import * as z from 'zod/mini';
import type { EngineClient } from './client.ts';
import { everyNode, parse } from './parse.ts';

const nodesPath = '/_nodes/_all/_none';

const nodesSchema = z.object({
  _nodes: everyNode,
  nodes: z.record(
    z.string(),
    z.object({
      name: z.string(),
      version: z.string(),
      roles: z.array(z.string()),
      attributes: z.optional(z.record(z.string(), z.string())),
    }),
  ),
});

/** A node as the cluster knows it. `instanceId` is what ties it to a machine. */
export interface EngineNode {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly roles: readonly string[];
  readonly zone: string | undefined;
  readonly instanceId: string | undefined;
}

/** Identity, roles and attributes of every node, without any statistics. */
export async function readNodes(client: EngineClient): Promise<EngineNode[]> {
  const { nodes } = parse(`GET ${nodesPath}`, nodesSchema, await client.json('GET', nodesPath));
  return Object.entries(nodes).map(([id, { name, version, roles, attributes }]) => ({
    id,
    name,
    version,
    roles,
    zone: attributes?.zone,
    instanceId: attributes?.instance_id,
  }));
}
