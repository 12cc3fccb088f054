import { expect, test } from 'vitest';
import { configFiles, engineSettings } from './engine-config.ts';
import { type EngineNode, engineLayout } from './engine-layout.ts';

const layout = engineLayout('/lab/engine', 3);
const [, node]: (EngineNode | undefined)[] = layout.nodes;
if (!node) throw new Error('no second node');

test('the settings of a node in a cluster that has formed', () => {
  expect(engineSettings(layout, node, 'formed')).toEqual({
    'cluster.name': 'lab',
    'node.name': 'n2',
    'node.attr.zone': 'b',
    'node.attr.instance_id': 'i-00000000000000002',
    'cluster.routing.allocation.awareness.attributes': 'zone',
    'cluster.routing.allocation.disk.threshold_enabled': false,
    'path.data': '/lab/engine/n2/data',
    'path.logs': '/lab/engine/n2/logs',
    'path.repo': '/lab/engine/repository',
    'network.host': '127.0.1.2',
    'http.port': 9200,
    'transport.port': 9300,
    'discovery.seed_hosts': ['127.0.1.1:9300', '127.0.1.2:9300', '127.0.1.3:9300'],
    'xpack.security.enabled': true,
    'xpack.security.audit.enabled': true,
    'xpack.security.http.ssl.enabled': false,
    'xpack.security.transport.ssl.enabled': true,
    'xpack.security.transport.ssl.verification_mode': 'full',
    'xpack.security.transport.ssl.key': 'tls/node.key',
    'xpack.security.transport.ssl.certificate': 'tls/node.crt',
    'xpack.security.transport.ssl.certificate_authorities': ['tls/ca.crt'],
    'xpack.security.authc.anonymous.username': 'anonymous',
    'xpack.security.authc.anonymous.roles': ['anonymous_monitor'],
    'xpack.security.authc.anonymous.authz_exception': false,
  });
});

test('the first masters are named while the cluster forms, and only then', () => {
  const forming = engineSettings(layout, node, 'forming');
  const { 'cluster.initial_master_nodes': first, ...rest } = forming;
  expect(first).toEqual(['n1', 'n2', 'n3']);
  expect(rest).toEqual(engineSettings(layout, node, 'formed'));
});

test('the files of a configuration folder', () => {
  const files = configFiles(layout, node, 'forming');
  expect(files['elasticsearch.yml']).toContain('node.name: "n2"\nnode.attr.zone: "b"\n');
  expect(files['elasticsearch.yml']).toContain('cluster.initial_master_nodes: ["n1","n2","n3"]\n');
  expect(files['roles.yml']).toBe(
    "anonymous_monitor:\n  cluster: [monitor]\n  indices:\n    - names: ['*']\n      privileges: [monitor]\n",
  );
  expect(files['jvm.options.d/heap.options']).toMatch(/^-Xms512m\n-Xmx512m\n-XX:TieredStopAtLevel=1\n/);
});
