import { expect, test } from 'vitest';
import { parseListeners, shorten } from './ports.ts';

test('listeners are read from the table of ss', () => {
  const table = `LISTEN 0      4096   [::ffff:127.0.1.1]:9200 *:* users:(("java",pid=8492,fd=214))
LISTEN 0      128               0.0.0.0:9200       0.0.0.0:*
LISTEN 0      128                     *:9200             *:*    users:(("my server",pid=7,fd=3),("my server",pid=8,fd=3))
`;
  expect(parseListeners(table)).toEqual([
    { address: '127.0.1.1', pid: 8492 },
    { address: '0.0.0.0' },
    { address: '*', pid: 7 },
  ]);
});

test('a long command keeps both its ends', () => {
  expect(shorten('sleep 60')).toBe('sleep 60');
  expect(shorten(`/usr/bin/java ${'-X '.repeat(100)} Main`)).toMatch(/^\/usr\/bin\/java .* … .* Main$/);
});
