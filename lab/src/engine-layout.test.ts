import { expect, test } from 'vitest';
import { engineLayout } from './engine-layout.ts';

const { nodes } = engineLayout('/lab/engine', 6);

test('node 1 is where cluster-cli looks by default', () => {
  expect(nodes[0]).toMatchObject({ name: 'n1', address: '127.0.1.1', url: 'http://127.0.1.1:9200' });
});

test('six nodes are spread evenly over three zones', () => {
  expect(nodes.map(({ zone }) => zone)).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
});

test('every node has an address, an instance id and folders of its own', () => {
  for (const key of ['name', 'address', 'instanceId', 'folder', 'config', 'data', 'logs', 'temporary'] as const) {
    expect(new Set(nodes.map((node) => node[key])).size).toBe(6);
  }
});

test('instance ids look like those of EC2', () => {
  for (const { instanceId } of nodes) expect(instanceId).toMatch(/^i-[0-9a-f]{17}$/);
});
