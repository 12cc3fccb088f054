import type { EngineLayout, EngineNode } from './engine-layout.ts';
import { httpPort, transportPort } from './engine-layout.ts';

type Settings = Record<string, string | number | boolean | string[]>;

/** A cluster is born once. `forming` names its first masters; a node that restarts must never be able to found another. */
export type Phase = 'forming' | 'formed';

export function engineSettings(layout: EngineLayout, node: EngineNode, phase: Phase): Settings {
  const names = layout.nodes.map(({ name }) => name);
  return {
    'cluster.name': layout.clusterName,
    'node.name': node.name,
    'node.attr.zone': node.zone,
    'node.attr.instance_id': node.instanceId,
    'cluster.routing.allocation.awareness.attributes': 'zone',
    // The lab shares the developer's disk: a disk 90 % full of other things must not turn the lab's indices read-only.
    'cluster.routing.allocation.disk.threshold_enabled': false,
    'path.data': node.data,
    'path.logs': node.logs,
    'path.repo': layout.repository,
    'network.host': node.address,
    'http.port': httpPort,
    'transport.port': transportPort,
    'discovery.seed_hosts': layout.nodes.map(({ address }) => `${address}:${transportPort}`),
    ...(phase === 'forming' && { 'cluster.initial_master_nodes': names }),
    'xpack.security.enabled': true,
    // Taken under every licence; entries are written only under one that includes auditing.
    'xpack.security.audit.enabled': true,
    'xpack.security.http.ssl.enabled': false,
    'xpack.security.transport.ssl.enabled': true,
    'xpack.security.transport.ssl.verification_mode': 'full',
    'xpack.security.transport.ssl.key': 'tls/node.key',
    'xpack.security.transport.ssl.certificate': 'tls/node.crt',
    'xpack.security.transport.ssl.certificate_authorities': ['tls/ca.crt'],
    'xpack.security.authc.anonymous.username': 'anonymous',
    'xpack.security.authc.anonymous.roles': ['anonymous_monitor'],
    // Who asks for more than monitoring without signing in is told to sign in (401), not that it is forbidden (403).
    'xpack.security.authc.anonymous.authz_exception': false,
  };
}

/** JSON values are YAML values, so a flat file needs no YAML library. */
const yaml = (settings: Settings): string =>
  Object.entries(settings)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('');

const roles = `anonymous_monitor:
  cluster: [monitor]
  indices:
    - names: ['*']
      privileges: [monitor]
`;

// Three to six JVMs share a small machine. Only the quick compiler: a lab node lives minutes, not months. The serial
// collector on untouched pages holds 420 MB a node where the engine's defaults hold 740.
const heapOptions = `-Xms512m
-Xmx512m
-XX:TieredStopAtLevel=1
-XX:-UseG1GC
-XX:+UseSerialGC
-XX:-AlwaysPreTouch
`;

/** The files of a node's configuration folder that the lab writes, by their path in it. */
export const configFiles = (layout: EngineLayout, node: EngineNode, phase: Phase): Record<string, string> => ({
  'elasticsearch.yml': yaml(engineSettings(layout, node, phase)),
  'roles.yml': roles,
  'jvm.options.d/heap.options': heapOptions,
});
