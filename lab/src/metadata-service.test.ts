import { expect, test } from 'vitest';
import { engineLayout } from './engine-layout.ts';
import { ownAddress } from './metadata-service.ts';

test('every machine has an address of its own, and none of the engine', () => {
  expect(ownAddress('i-00000000000000003', 17)).toEqual({ address: '127.2.0.3', port: 1338 });
  const ids = Array.from({ length: 1000 }, (_, index) => `i-0${(0xabc_0000_0000_0000 + index).toString(16)}`);
  const nodes = engineLayout('/lab', 9).nodes;
  const addresses = [...nodes.map(({ instanceId }) => instanceId), ...ids].map(
    (id, index) => ownAddress(id, index).address,
  );
  expect(new Set(addresses).size).toBe(1009);
  expect(addresses.filter((address) => nodes.some((node) => node.address === address))).toEqual([]);
});
