import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { AutoScalingClient, DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { awsFront } from './aws-front.ts';
import { boundPort } from './ports.ts';

const seen: string[] = [];
const behind = createServer(async (request, response) => {
  const body = await buffer(request);
  seen.push(`${request.method} ${request.url} ${body.length}`);
  response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.1', 'X-Seen': request.headers.host });
  response.end(request.url === '/big' ? body : JSON.stringify({ SecretString: 'from behind' }));
});
let front: ReturnType<typeof awsFront>;
let endpoint: string;
const settings = () => ({
  endpoint,
  region: 'eu-central-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  maxAttempts: 1,
});

beforeAll(async () => {
  await once(behind.listen(0, '127.0.0.1'), 'listening');
  front = awsFront({
    region: 'eu-central-1',
    behind: { host: '127.0.0.1', port: boundPort(behind) },
    place: () => ({ address: '127.0.0.1', port: 0 }),
  });
  await once(front.server.listen(0, '127.0.0.1'), 'listening');
  endpoint = `http://127.0.0.1:${boundPort(front.server)}`;
});

afterAll(() => {
  front.server.close();
  front.server.closeAllConnections();
  behind.close();
});

test('Auto Scaling is answered here', async () => {
  await new AutoScalingClient(settings()).send(new DescribeAutoScalingGroupsCommand());
  expect(seen).toEqual([]);
});

test('another service is answered from behind, and both are counted', async () => {
  const secret = await new SecretsManagerClient(settings()).send(new GetSecretValueCommand({ SecretId: 'a' }));
  expect(secret.SecretString).toBe('from behind');
  const Authorization = 'AWS4-HMAC-SHA256 Credential=test/20260101/eu-central-1/sts/aws4_request, Signature=0';
  const body = new URLSearchParams({ Action: 'GetCallerIdentity' });
  await fetch(endpoint, { method: 'POST', headers: { Authorization }, body });
  expect(front.lab.requests.toJSON()).toEqual({
    autoscaling: { DescribeAutoScalingGroups: 1 },
    secretsmanager: { GetSecretValue: 1 },
    sts: { GetCallerIdentity: 1 },
  });
});

test('a large body passes in both directions, with the name by which the front was asked', async () => {
  const body = Buffer.alloc(20_000_000, 'x');
  const response = await fetch(`${endpoint}/big`, { method: 'PUT', body });
  expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
  expect(response.headers.get('x-seen')).toBe(new URL(endpoint).host);
});

test('who asks while nothing is behind is told so', async () => {
  const { server } = awsFront({ region: 'eu-central-1', behind: { host: '127.0.0.1', port: 1 } });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const response = await fetch(`http://127.0.0.1:${boundPort(server)}/bucket`);
  expect([response.status, await response.text()]).toEqual([502, expect.stringContaining('ECONNREFUSED')]);
  server.close();
});
