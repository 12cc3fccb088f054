import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AutoScaling } from '@aws-sdk/client-auto-scaling';
import { CloudWatchLogs } from '@aws-sdk/client-cloudwatch-logs';
import { awsEnvironment, engineConnection } from '@muster/lab';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runCaptured } from './run-captured.ts';

// The whole of it: the real engine, the group's model on the wire with its hooks, metadata and logs, and the command as
// the machine would run it. n3 is the machine.

const { password } = await engineConnection();
const instanceId = 'i-00000000000000003';
const stateFolder = mkdtempSync(join(tmpdir(), 'state-'));
const group = { AutoScalingGroupName: 'search-test' };
const hooks = ['launching', 'terminating'].map((name) => ({
  LifecycleHookName: name,
  LifecycleTransition: `autoscaling:EC2_INSTANCE_${name.toUpperCase()}`,
  HeartbeatTimeout: 600,
  DefaultResult: 'ABANDON',
}));

for (const [name, value] of Object.entries(awsEnvironment)) vi.stubEnv(name, value);
const autoScaling = new AutoScaling({});
const logs = new CloudWatchLogs({});
const lab = (path: string, init: RequestInit = {}) => fetch(`${awsEnvironment.AWS_ENDPOINT_URL}/_lab/${path}`, init);

const env = { CLUSTER_CLI_PASSWORD: password, AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://127.2.0.3:1338' };
const run = (...argv: string[]) => runCaptured(argv, { env, stateFolder });
const scheduled = [
  '--quiet',
  'cluster',
  'decommission-node',
  '--only-if-terminating',
  '--reason',
  'instance_refresh',
  '--complete-lifecycle-action',
  '--wait-until-complete',
  '172800',
];

const stateOf = async () =>
  (await autoScaling.describeAutoScalingInstances({ InstanceIds: [instanceId] })).AutoScalingInstances?.[0]
    ?.LifecycleState;
async function until(state: string | undefined): Promise<void> {
  await vi.waitFor(async () => expect(await stateOf()).toBe(state), { timeout: 30_000, interval: 200 });
}
async function api(method: string, path: string, body?: unknown): Promise<string> {
  const { code, stdout, stderr } = await run(
    'api',
    method,
    path,
    ...(body === undefined ? [] : ['-d', JSON.stringify(body)]),
  );
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

beforeAll(async () => {
  await lab('happen', {
    method: 'POST',
    body: JSON.stringify({ kind: 'next-instances', group: 'search-test', ids: [instanceId] }),
  });
  await logs.createLogGroup({ logGroupName: '/muster/lab/decisions' });
  await autoScaling.createAutoScalingGroup({
    ...group,
    MinSize: 0,
    MaxSize: 2,
    DesiredCapacity: 1,
    AvailabilityZones: ['eu-central-1c'],
    LaunchTemplate: { LaunchTemplateId: 'lt-search' },
    LifecycleHookSpecificationList: hooks,
  });
  await api('PUT', '/machine-logs', { settings: { number_of_shards: 3, number_of_replicas: 1 } });
  await until('Pending:Wait');
}, 60_000);
afterAll(async () => {
  // The machine has ended; the lab's node has not, and is to be used again.
  await run('api', 'DELETE', `/_nodes/${await idOf('n3')}/shutdown`);
  await run('api', 'DELETE', '/machine-logs,machine-wide?ignore_unavailable=true');
  await autoScaling.deleteAutoScalingGroup({ ...group, ForceDelete: true });
  await logs.deleteLogGroup({ logGroupName: '/muster/lab/decisions' });
  vi.unstubAllEnvs();
});

test('[C-08] [S-20] a machine that has joined and settled completes its launch hook', async () => {
  const { code, stderr } = await run('cluster', 'commission-node', '--complete-lifecycle-action', 'launching');
  expect(stderr).toContain('n3 has joined');
  expect(stderr).toContain('hook launching: completed');
  expect(code).toBe(0);
  await until('InService');
}, 120_000);

test('[S-23] on a node that stays, the scheduled command asks neither the engine nor AWS', async () => {
  await lab('requests', { method: 'DELETE' });
  // Nothing listens on port 1: a single call to the engine would fail the command.
  expect(await run('--es-port', '1', ...scheduled)).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(await (await lab('requests')).json()).toEqual({});
});

test('[C-09] --dry-run shows what would move and what each guard says, and changes nothing', async () => {
  const { code, stdout } = await run('cluster', 'decommission-node', '--reason', 'test', '--dry-run');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^n3 would move \d+ shards/);
  expect(stdout).toMatch(/^cluster-green +pass/m);
  expect(stdout).toMatch(/^last-of-zone +warn/m);
  expect(JSON.parse(await api('GET', '/_nodes/shutdown'))).toEqual({ nodes: [] });
});

test('[S-22] a node that ends while the cluster is not green is held, changes nothing, and stops the refresh', async () => {
  await api('PUT', '/machine-wide', { settings: { number_of_shards: 1, number_of_replicas: 3 } });
  await autoScaling.startInstanceRefresh({ ...group, Preferences: { MinHealthyPercentage: 0 } });
  await until('Terminating:Wait');
  const { code, stderr } = await run(...scheduled);
  expect(code).toBe(12);
  expect(stderr).toContain('cluster-green: the cluster is yellow');
  expect(stderr).toContain('instance refresh of search-test: cancelled');
  expect(JSON.parse(await api('GET', '/_nodes/shutdown'))).toEqual({ nodes: [] });
  expect(await stateOf()).toBe('Terminating:Wait');
  await api('DELETE', '/machine-wide');
}, 60_000);

test('[C-09] [S-21] when it is green the node is drained, the decision recorded, and the hook completed', async () => {
  await api('GET', '/_cluster/health?wait_for_status=green&timeout=30s');
  const { code, stderr } = await run(...scheduled.filter((word) => word !== '--quiet'));
  expect(stderr).toContain('n3 is empty');
  expect(stderr).toContain('hook terminating: completed');
  expect(code).toBe(0);
  await until(undefined);
  const rows: unknown = JSON.parse((await run('--format', 'json', 'cat', 'shards', '--node', 'n3')).stdout);
  expect(rows).toEqual([]);
  const { events } = await logs.getLogEvents({ logGroupName: '/muster/lab/decisions', logStreamName: instanceId });
  const decisions = events?.map(({ message }): unknown => JSON.parse(message ?? ''));
  expect(decisions).toMatchObject([
    { decision: 'blocked' },
    { decision: 'empty', seen: { node: 'n3', terminating: true } },
  ]);
  expect(readFileSync(join(stateFolder, 'decisions.jsonl'), 'utf8')).toContain('"decision":"empty"');
}, 120_000);

async function idOf(name: string): Promise<string> {
  const { nodes }: { nodes: Record<string, { name: string }> } = JSON.parse(await api('GET', '/_nodes/_all/_none'));
  return Object.entries(nodes).find(([, node]) => node.name === name)?.[0] ?? '';
}
