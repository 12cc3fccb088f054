import {
  CreateSecretCommand,
  DeleteSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { expect, test } from 'vitest';
import { awsEnvironment, awsStatus, awsUp } from './aws.ts';
import { homeAt, labHome } from './home.ts';
import { silent } from './report.ts';

const secrets = new SecretsManagerClient({
  endpoint: awsEnvironment.AWS_ENDPOINT_URL,
  region: awsEnvironment.AWS_REGION,
  credentials: {
    accessKeyId: awsEnvironment.AWS_ACCESS_KEY_ID,
    secretAccessKey: awsEnvironment.AWS_SECRET_ACCESS_KEY,
  },
});

test('a secret that is stored, changed and deleted', async () => {
  const name = `lab/${crypto.randomUUID()}`;
  await secrets.send(new CreateSecretCommand({ Name: name, SecretString: 'one' }));
  await secrets.send(new PutSecretValueCommand({ SecretId: name, SecretString: 'two' }));
  expect(await secrets.send(new GetSecretValueCommand({ SecretId: name }))).toMatchObject({ SecretString: 'two' });
  const before = new GetSecretValueCommand({ SecretId: name, VersionStage: 'AWSPREVIOUS' });
  expect(await secrets.send(before)).toMatchObject({ SecretString: 'one' });

  await secrets.send(new DeleteSecretCommand({ SecretId: name, ForceDeleteWithoutRecovery: true }));
  await expect(secrets.send(new GetSecretValueCommand({ SecretId: name }))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

test('`up` a second time changes nothing', async () => {
  const before = await awsStatus(labHome());
  await awsUp(labHome(), silent);
  expect(await awsStatus(labHome())).toEqual(before);
});

test('a port in use is explained with the process that holds it', async () => {
  const { pids } = await awsStatus(labHome());
  const problem = await awsUp(homeAt('/nowhere'), silent).catch((error: unknown) => error);
  expect(problem).toMatchObject({
    code: 'LAB_PORT_IN_USE',
    message: expect.stringMatching(new RegExp(`process (${pids.join('|')}) \\(`)),
  });
});
