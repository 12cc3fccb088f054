import { createServer } from 'node:http';

// Serves a generated routing table of 100,000 shards on loopback; prints its port, then stays until it is ended.

const indices: Record<string, unknown> = {};
const node = (at: number) => `node-id-${String(at % 200).padStart(14, '0')}`;
for (let index = 0; index < 10_000; index++) {
  const shards: Record<string, unknown> = {};
  for (let shard = 0; shard < 5; shard++) {
    const copy = { state: 'STARTED', relocating_node: null };
    shards[shard] = [
      { ...copy, primary: true, node: node(index + shard) },
      { ...copy, primary: false, node: node(index + shard + 1) },
    ];
  }
  indices[`logs-service-${String(index).padStart(6, '0')}`] = { shards };
}
const nodes: Record<string, unknown> = {};
for (let at = 0; at < 200; at++) {
  nodes[node(at)] = { name: `node-${at}`, transport_address: `10.0.${at}.1:9300` };
}
const body = JSON.stringify({ nodes, routing_table: { indices } });

const server = createServer((_, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.stdout.write(`${address.port}\n`);
});
