import {
  AutoScalingClient,
  CreateAutoScalingGroupCommand,
  DescribeAutoScalingGroupsCommand,
} from '@aws-sdk/client-auto-scaling';
import { type AutoScalingServer, startAutoScaling } from '@muster/lab';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Clock, realClock } from './clock.ts';
import { Metadata } from './metadata.ts';

let lab: AutoScalingServer;
let instanceId: string;
let service: Awaited<ReturnType<AutoScalingServer['metadataFor']>>;

beforeEach(async () => {
  lab = await startAutoScaling({ virtual: true });
  const client = new AutoScalingClient({
    endpoint: lab.endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  await client.send(
    new CreateAutoScalingGroupCommand({
      AutoScalingGroupName: 'nodes',
      MinSize: 1,
      MaxSize: 1,
      AvailabilityZones: ['eu-central-1a'],
      LaunchTemplate: { LaunchTemplateId: 'lt-1' },
      Tags: [{ Key: 'cluster', Value: 'search', PropagateAtLaunch: true }],
    }),
  );
  lab.clock.advance(60);
  const { AutoScalingGroups } = await client.send(new DescribeAutoScalingGroupsCommand({}));
  instanceId = AutoScalingGroups?.[0]?.Instances?.[0]?.InstanceId ?? '';
  service = await lab.metadataFor(instanceId);
});
afterEach(() => lab.close());

const metadata = (clock: Clock = realClock, limitMs = 15_000) =>
  new Metadata({ endpoint: service.endpoint, clock, limitMs });

/** Real waiting, seen through a clock that can be moved by hand. */
function movable() {
  let moved = 0;
  const clock: Clock = { ...realClock, now: () => realClock.now() + moved };
  return { clock, move: (ms: number) => (moved += ms) };
}

test('tells who the machine is, its tags, and where it goes', async () => {
  expect(await metadata().identity()).toEqual({
    instanceId,
    region: 'eu-central-1',
    availabilityZone: 'eu-central-1a',
    accountId: '000000000000',
  });
  expect(await metadata().tag('cluster')).toBe('search');
  expect(await metadata().tag('none')).toBeUndefined();
  expect(await metadata().targetState()).toBe('InService');
});

test('a machine that is in no group has no target state', async () => {
  service.faults.withoutTarget = true;
  expect(await metadata().targetState()).toBeUndefined();
});

test('a service that was restarted has forgotten the token: a new one is fetched', async () => {
  const client = metadata();
  await client.targetState();
  service.restart();
  expect(await client.targetState()).toBe('InService');
});

test('a token that has ended by the service alone is renewed', async () => {
  const client = metadata();
  await client.targetState();
  lab.clock.advance(21_601);
  expect(await client.targetState()).toBe('InService');
});

test('a token is not used beyond its time by our own clock either', async () => {
  const { clock, move } = movable();
  const client = metadata(clock);
  await client.targetState();
  move(21_600_000);
  expect(await client.targetState()).toBe('InService');
});

test('a slow service is waited for, a hanging call is not', async () => {
  service.faults.delayMs = 5_000;
  setTimeout(() => {
    service.faults.delayMs = 0;
  }, 1_000);
  const started = Date.now();
  expect(await metadata().targetState()).toBe('InService');
  expect(Date.now() - started).toBeLessThan(5_000);
});

test('a service that comes back within the limit is enough', async () => {
  service.faults.down = true;
  setTimeout(() => {
    service.faults.down = false;
  }, 1_500);
  expect(await metadata().targetState()).toBe('InService');
});

test('one that does not is an error with a next step, never an answer', async () => {
  service.faults.down = true;
  await expect(metadata(realClock, 500).targetState()).rejects.toMatchObject({ code: 'metadata-unreachable' });
});
