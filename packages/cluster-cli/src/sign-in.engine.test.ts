import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateSecretCommand, DeleteSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { awsEnvironment, engineConnection } from '@muster/lab';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runCaptured } from './run-captured.ts';

// Real engine and AWS endpoint together: who is asked for the password, and in which order.

const { password } = await engineConnection();
const plain = 'cli-test/plain';
const generated = 'cli-test/generated';
const store = new SecretsManagerClient({
  endpoint: awsEnvironment.AWS_ENDPOINT_URL,
  region: awsEnvironment.AWS_REGION,
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
});

beforeAll(async () => {
  await store.send(new CreateSecretCommand({ Name: plain, SecretString: password }));
  await store.send(
    new CreateSecretCommand({ Name: generated, SecretString: JSON.stringify({ username: 'elastic', password }) }),
  );
  // The SDK reads the process's own environment.
  for (const [name, value] of Object.entries(awsEnvironment)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  for (const SecretId of [plain, generated]) {
    await store.send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true }));
  }
});

function facts(muster: object): string {
  const file = join(mkdtempSync(join(tmpdir(), 'facts-')), 'muster.json');
  writeFileSync(file, JSON.stringify({ muster }));
  return file;
}

const asElastic = ['cat', 'repositories'];

test.each([plain, generated])('[C-03] --password-secret %s reads the password from the store', async (secret) => {
  expect(await runCaptured(['--password-secret', secret, ...asElastic])).toMatchObject({ code: 0, stderr: '' });
});

test('[C-03] a fact that is refused falls through to the store, and says so', async () => {
  const factFiles = [facts({ elastic_password: 'stale', elastic_secret_id: plain })];
  const { code, stderr } = await runCaptured(asElastic, { factFiles });
  expect(code).toBe(0);
  expect(stderr).toBe('warning: the password in the agent facts is refused; reading the secrets store\n');
});

test('[C-03] a fact that is right needs no store: none is contacted', async () => {
  const factFiles = [facts({ elastic_password: password, elastic_secret_id: 'no-such-secret' })];
  expect(await runCaptured(asElastic, { factFiles })).toMatchObject({ code: 0, stderr: '' });
});

test('[C-03] the region of the facts is enough for the store', async () => {
  vi.stubEnv('AWS_REGION', undefined);
  const factFiles = [facts({ elastic_secret_id: generated, aws_region: awsEnvironment.AWS_REGION })];
  expect(await runCaptured(asElastic, { factFiles })).toMatchObject({ code: 0, stderr: '' });
  vi.stubEnv('AWS_REGION', awsEnvironment.AWS_REGION);
});

test('no region is needed unless the store is used, and its absence is explained when it is', async () => {
  vi.stubEnv('AWS_REGION', undefined);
  expect(await runCaptured(asElastic, { env: { CLUSTER_CLI_PASSWORD: password } })).toMatchObject({ code: 0 });
  const { code, stderr } = await runCaptured(['--password-secret', plain, ...asElastic]);
  expect(code).toBe(11);
  expect(stderr).toContain('no AWS region is set');
  vi.stubEnv('AWS_REGION', awsEnvironment.AWS_REGION);
});

test('a secret that does not exist is named', async () => {
  const { code, stderr } = await runCaptured(['--password-secret', 'cli-test/none', ...asElastic]);
  expect(code).toBe(11);
  expect(stderr).toContain('cannot read secret cli-test/none');
  expect(stderr).toContain('elastic_secret_id');
});
