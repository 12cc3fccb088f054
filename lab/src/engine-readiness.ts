import { z } from 'zod';
import type { EngineLayout } from './engine-layout.ts';

const Health = z.object({ status: z.enum(['green', 'yellow', 'red']), number_of_nodes: z.int() });
export type Health = z.infer<typeof Health>;
const Identity = z.object({ roles: z.array(z.string()) });
const Root = z.object({ cluster_uuid: z.string() });

/** Ready, or what is still missing in the words of a progress line. */
export type Readiness = { state: 'ready'; clusterUuid: string } | { state: 'starting' | 'refused'; missing: string };

/** The answer if the server gives one that fits; a node that is starting or stopping gives none. */
async function ask<T>(url: string, schema: z.ZodType<T>, password?: string): Promise<T | 'refused' | undefined> {
  const authorization = password && `Basic ${Buffer.from(`elastic:${password}`).toString('base64')}`;
  try {
    const response = await fetch(url, {
      headers: authorization ? { authorization } : {},
      signal: AbortSignal.timeout(5_000),
    });
    if (response.status === 401) return 'refused';
    return schema.safeParse(await response.json()).data;
  } catch {
    return undefined;
  }
}

/** The cluster as this node sees it; only a node that has joined a cluster can say. */
export async function healthSeenBy(node: { url: string }, index = ''): Promise<Health | undefined> {
  const health = await ask(`${node.url}/_cluster/health${index}?timeout=1s&master_timeout=1s`, Health);
  return health === 'refused' ? undefined : health;
}

/** Ready means: every node has joined and says so itself, all shards are in place, role and password work. */
export async function readiness(layout: EngineLayout, password: string): Promise<Readiness> {
  const wanted = layout.nodes.length;
  const seen = (await Promise.all(layout.nodes.map((node) => healthSeenBy(node)))).filter(
    (health) => health !== undefined,
  );
  if (seen.length < wanted) return { state: 'starting', missing: `${seen.length} of ${wanted} nodes have joined` };
  const short = seen.find((health) => health.number_of_nodes < wanted || health.status !== 'green');
  if (short) {
    return { state: 'starting', missing: `${short.number_of_nodes} of ${wanted} nodes, status ${short.status}` };
  }
  let clusterUuid: string | undefined;
  for (const { url, name } of layout.nodes) {
    // The engine makes this index by itself seconds after a cluster has formed, green and empty. Meanwhile the status
    // falls back to yellow and roles cannot be looked up.
    const security = await healthSeenBy({ url }, '/.security-7');
    if (security?.status !== 'green') return { state: 'starting', missing: 'the security index is not there yet' };
    const anonymous = await ask(`${url}/_security/_authenticate`, Identity);
    if (anonymous === undefined || anonymous === 'refused' || !anonymous.roles.includes('anonymous_monitor')) {
      return { state: 'starting', missing: `${name} does not know the role anonymous_monitor yet` };
    }
    const root = await ask(url, Root, password);
    if (root === 'refused') return { state: 'refused', missing: `${name} refuses the password` };
    if (root === undefined) return { state: 'starting', missing: `${name} does not answer` };
    clusterUuid = root.cluster_uuid;
  }
  return clusterUuid === undefined ? { state: 'starting', missing: 'no nodes' } : { state: 'ready', clusterUuid };
}
