import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CloudWatchLogsClient,
  CreateLogGroupCommand,
  DeleteLogGroupCommand,
  GetLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { awsEnvironment } from '@muster/lab';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Evidence, EvidenceLog } from './evidence.ts';

const logGroup = '/muster/lifecycle-test/decisions';
const stream = 'i-00000000000000001';
const options = { region: awsEnvironment.AWS_REGION, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
const client = new CloudWatchLogsClient({ ...options, endpoint: awsEnvironment.AWS_ENDPOINT_URL });
const file = join(mkdtempSync(join(tmpdir(), 'evidence-')), 'decisions.jsonl');

const evidence: Evidence = {
  module: 'search-cluster 0.1.0',
  operation: 'leave',
  instanceId: stream,
  decision: 'wait',
  reasons: ['cluster-not-green: the cluster is yellow'],
  seen: { status: 'yellow', unassigned: 1 },
};

beforeAll(() => client.send(new CreateLogGroupCommand({ logGroupName: logGroup })));
afterAll(() => client.send(new DeleteLogGroupCommand({ logGroupName: logGroup })));

test('a decision is acknowledged by the log group, in a stream that is made when it is missing', async () => {
  const log = new EvidenceLog({ client, logGroup, stream, file });
  expect(await log.record(evidence)).toEqual({ acknowledged: true });
  expect(await log.record({ ...evidence, decision: 'leave' })).toEqual({ acknowledged: true });
  const { events } = await client.send(
    new GetLogEventsCommand({ logGroupName: logGroup, logStreamName: stream, startFromHead: true }),
  );
  const records = events?.map(({ message }): unknown => JSON.parse(message ?? ''));
  expect(records).toMatchObject([{ decision: 'wait', seen: { unassigned: 1 } }, { decision: 'leave' }]);
});

test('[F-28] every record carries the version of the module', () => {
  const [first] = readFileSync(file, 'utf8').split('\n');
  expect(JSON.parse(first ?? '')).toMatchObject({ module: 'search-cluster 0.1.0', operation: 'leave' });
});

test('the copy on the machine is for its owner alone', () => {
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a log service that does not answer costs ten seconds at most, and the copy is there', async () => {
  const nowhere = new CloudWatchLogsClient({ ...options, endpoint: 'http://127.0.0.1:9', maxAttempts: 1 });
  const log = new EvidenceLog({ client: nowhere, logGroup, stream, file });
  const started = Date.now();
  expect(await log.record({ ...evidence, decision: 'alone' })).toMatchObject({ acknowledged: false });
  expect(Date.now() - started).toBeLessThan(11_000);
  expect(readFileSync(file, 'utf8')).toContain('"alone"');
});
