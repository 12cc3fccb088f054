import { join } from 'node:path';

/** Where one node lives: on the network, in its zone and on disk. */
export interface EngineNode {
  name: string;
  zone: string;
  instanceId: string;
  address: string;
  url: string;
  folder: string;
  config: string;
  data: string;
  logs: string;
  temporary: string;
}

export interface EngineLayout {
  clusterName: string;
  folder: string;
  /** Shared by all nodes, for snapshots to a file system. */
  repository: string;
  authority: string;
  passwordFile: string;
  stateFile: string;
  nodes: EngineNode[];
}

export const httpPort = 9200;
export const transportPort = 9300;
const zones = ['a', 'b', 'c'];

/**
 * Every node has an address of its own, 127.0.1.N, and the ports of a real node; so node 1 is where `cluster-cli` looks
 * by default. They must be loopback addresses: on any other the engine enforces limits of the operating system that a
 * developer's machine does not meet.
 */
export function engineLayout(folder: string, nodeCount: number): EngineLayout {
  return {
    clusterName: 'lab',
    folder,
    repository: join(folder, 'repository'),
    authority: join(folder, 'authority'),
    passwordFile: join(folder, 'password'),
    stateFile: join(folder, 'state.json'),
    nodes: Array.from({ length: nodeCount }, (_, index) => engineNode(folder, index)),
  };
}

function engineNode(labFolder: string, index: number): EngineNode {
  const number = index + 1;
  const name = `n${number}`;
  const address = `127.0.1.${number}`;
  const folder = join(labFolder, name);
  return {
    name,
    zone: zones[index % zones.length] ?? '',
    instanceId: `i-${number.toString(16).padStart(17, '0')}`,
    address,
    url: `http://${address}:${httpPort}`,
    folder,
    config: join(folder, 'config'),
    data: join(folder, 'data'),
    logs: join(folder, 'logs'),
    temporary: join(folder, 'temporary'),
  };
}
