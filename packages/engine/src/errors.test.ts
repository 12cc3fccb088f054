import { expect, test } from 'vitest';
import { errorOfStatus } from './errors.ts';

const answer = (status: number, body: unknown = {}) => ({
  status,
  contentType: 'application/json',
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});
const elastic = { username: 'elastic', source: 'CLUSTER_CLI_PASSWORD' };

test.each([
  [400, 'rejected'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not-found'],
  [408, 'timeout'],
  [409, 'rejected'],
  [429, 'overloaded'],
  [500, 'unavailable'],
  [502, 'unavailable'],
  [503, 'unavailable'],
  [504, 'timeout'],
])('status %i is %s, with a next step', (status, code) => {
  const error = errorOfStatus('GET /x', answer(status), elastic);
  expect(error.code).toBe(code);
  expect(error.next).not.toBe('');
});

test('a refused password names the user and where the password came from', () => {
  expect(errorOfStatus('GET /x', answer(401), elastic).message).toBe(
    'the engine refused the password of user elastic (from CLUSTER_CLI_PASSWORD)',
  );
});

test('without credentials the next step is to give some', () => {
  expect(errorOfStatus('GET /x', answer(401), undefined).next).toContain('--password-secret');
  expect(errorOfStatus('GET /x', answer(403), undefined).next).toContain('Anonymous');
});

test("the engine's own sentence is part of the message, on one line and bounded", () => {
  const reason = `no such index\n${'x'.repeat(500)}`;
  expect(errorOfStatus('GET /x', answer(404, { error: { reason } }), elastic).message).toBe(
    'GET /x: not found (404: no such index)',
  );
  expect(errorOfStatus('GET /x', answer(404, { error: 'y'.repeat(500) }), elastic).message.length).toBeLessThan(350);
});

test('an error page that is no JSON still gives its status', () => {
  expect(errorOfStatus('GET /x', answer(503, '<html>'), elastic).message).toContain('status 503');
});
