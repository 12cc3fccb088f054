import {
  AutoScalingClient,
  CompleteLifecycleActionCommand,
  CreateAutoScalingGroupCommand,
  DescribeAutoScalingGroupsCommand,
  StartInstanceRefreshCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { type AutoScalingServer, startAutoScaling } from '@muster/lab';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Clock } from './clock.ts';
import { type HookAction, type HookEvent, HookSession, readHeartbeatTimeout } from './hook-session.ts';
import { isHeldBeforeEnd, readMembership } from './membership.ts';
import { Metadata } from './metadata.ts';
import { cancelRefresh, findRefresh } from './refresh.ts';
import { observe } from './state.ts';

// The real SDK against the group's model on the wire, in virtual time: hours of holding a hook in milliseconds.

const group = 'nodes';
const heartbeatTimeout = 600;
let lab: AutoScalingServer;
let client: AutoScalingClient;
let underWay = 0;
let instanceId: string;
let action: HookAction;

beforeEach(async () => {
  lab = await startAutoScaling({ virtual: true });
  // The session does its own trying again, in the time that it is given.
  client = new AutoScalingClient({
    endpoint: lab.endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });
  client.middlewareStack.add(
    (next) => async (args) => {
      underWay += 1;
      return next(args).finally(() => {
        underWay -= 1;
      });
    },
    { step: 'initialize' },
  );
  await client.send(
    new CreateAutoScalingGroupCommand({
      AutoScalingGroupName: group,
      MinSize: 0,
      MaxSize: 3,
      DesiredCapacity: 1,
      AvailabilityZones: ['eu-central-1a'],
      LaunchTemplate: { LaunchTemplateId: 'lt-1' },
      LifecycleHookSpecificationList: [
        {
          LifecycleHookName: 'terminating',
          LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING',
          HeartbeatTimeout: heartbeatTimeout,
          DefaultResult: 'ABANDON',
        },
      ],
    }),
  );
  lab.clock.advance(60);
  const { AutoScalingGroups } = await client.send(new DescribeAutoScalingGroupsCommand({}));
  instanceId = AutoScalingGroups?.[0]?.Instances?.[0]?.InstanceId ?? '';
  action = { group, hook: 'terminating', instanceId };
});
afterEach(async () => {
  client.destroy();
  await lab.close();
});

const stateOf = async () => (await readMembership(client, instanceId))?.state;

async function terminate(): Promise<void> {
  const command = { InstanceId: instanceId, ShouldDecrementDesiredCapacity: true };
  await client.send(new TerminateInstanceInAutoScalingGroupCommand(command));
  lab.clock.advance(10);
}

/** The model's time as the session's: `wallStep` is what somebody did to the machine's own clock. */
const wall = { step: 0 };
const clock: Clock = {
  now: () => lab.clock.now() * 1000,
  wall: () => lab.clock.now() * 1000 + wall.step,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      lab.clock.after(ms / 1000, resolve);
      signal?.addEventListener('abort', () => resolve());
    }),
};

/** Lets time pass, second by second, with all that is on the wire settled in between. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    lab.clock.advance(1);
    do await new Promise((resolve) => setImmediate(resolve));
    while (underWay > 0);
  }
}

function hold(random = () => 0.5) {
  wall.step = 0;
  const events: HookEvent[] = [];
  const session = new HookSession({
    client,
    action,
    heartbeatTimeoutMs: heartbeatTimeout * 1000,
    clock,
    random,
    onEvent: (event) => events.push(event),
  });
  session.start();
  return { session, events, beats: () => events.filter(({ kind }) => kind === 'held').length };
}

const throttled = (isOn: boolean) =>
  lab.service.happen({ kind: 'request-rate', rate: isOn ? { burst: 0, perSecond: 0 } : undefined });

test('without a heartbeat the hook ends at its timeout: the fault that everything here guards against', async () => {
  await terminate();
  expect(await stateOf()).toBe('Terminating:Wait');
  await pass(heartbeatTimeout + 60);
  expect(await stateOf()).toBeUndefined();
});

test('a heartbeat goes out at once and then within every third of the timeout', async () => {
  await terminate();
  const { session, beats } = hold();
  await pass(4 * 3_600);
  // At best one in 160 s, at worst one in 200 s.
  expect(beats()).toBeGreaterThanOrEqual((4 * 3_600) / 200);
  expect(beats()).toBeLessThanOrEqual((4 * 3_600) / 160 + 1);
  expect(await stateOf()).toBe('Terminating:Wait');
  await session.stop();
}, 60_000);

test.each([0, 1, 60, 150, 199, 400])(
  'five minutes of throttling from second %i do not lose the hook',
  async (second) => {
    await terminate();
    const { session, events } = hold();
    await pass(second);
    throttled(true);
    await pass(300);
    throttled(false);
    await pass(heartbeatTimeout);
    expect(events.some((event) => event.kind === 'failing' && event.cause.startsWith('Throttling'))).toBe(true);
    expect(await stateOf()).toBe('Terminating:Wait');
    expect(session.isHeld).toBe(true);
    await session.stop();
  },
);

test('a heartbeat that is refused for another reason is tried again just the same', async () => {
  await terminate();
  lab.service.happen({ kind: 'contention', calls: 5 });
  const { session, events } = hold();
  await pass(heartbeatTimeout);
  expect(events).toContainEqual(
    expect.objectContaining({ kind: 'failing', cause: expect.stringContaining('ResourceContention') }),
  );
  expect(await stateOf()).toBe('Terminating:Wait');
  await session.stop();
});

test.each([
  ['forward a day', 86_400_000],
  ['back a day', -86_400_000],
])('a clock that is stepped %s does not lose the hook', async (_, step) => {
  await terminate();
  const { session, beats } = hold();
  await pass(100);
  const before = beats();
  wall.step = step;
  await pass(heartbeatTimeout * 3);
  expect(beats()).toBeGreaterThan(before + 8);
  expect(beats()).toBeLessThan(before + 14);
  expect(await stateOf()).toBe('Terminating:Wait');
  await session.stop();
});

test('a machine that was asleep beats as soon as it is awake', async () => {
  await terminate();
  const { session, beats } = hold();
  await pass(30);
  const before = beats();
  // Its own time stood still for three minutes; the wall clock and the group went on.
  wall.step = 180_000;
  await pass(10);
  expect(beats()).toBe(before + 1);
  await session.stop();
});

test('no run of faults that leaves room for a heartbeat loses the hook', async () => {
  const fault = fc.record({
    after: fc.integer({ min: 30, max: 400 }),
    kind: fc.constantFrom('throttled', 'contention', 'forward', 'back'),
    seconds: fc.integer({ min: 1, max: 300 }),
  });
  await terminate();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fault, { minLength: 1, maxLength: 4 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (faults, luck) => {
        const { session } = hold(() => luck);
        for (const { after, kind, seconds } of faults) {
          await pass(after);
          if (kind === 'forward' || kind === 'back') wall.step += (kind === 'back' ? -1000 : 1000) * seconds;
          if (kind === 'contention') lab.service.happen({ kind, calls: Math.ceil(seconds / 30) });
          if (kind === 'throttled') {
            throttled(true);
            await pass(seconds);
            throttled(false);
          }
        }
        await pass(60);
        expect(session.isHeld).toBe(true);
        expect(await stateOf()).toBe('Terminating:Wait');
        await session.stop();
      },
    ),
    // All of them on one hook: together they must stay below its cap of 100 timeouts.
    { numRuns: 20 },
  );
}, 120_000);

test('a hook that somebody else completed ends the session, and completing it again is fine', async () => {
  await terminate();
  const { session, events } = hold();
  await pass(10);
  await client.send(
    new CompleteLifecycleActionCommand({
      AutoScalingGroupName: group,
      LifecycleHookName: 'terminating',
      InstanceId: instanceId,
      LifecycleActionResult: 'CONTINUE',
    }),
  );
  await pass(300);
  expect(session.isHeld).toBe(false);
  expect(events.at(-1)).toEqual({ kind: 'gone' });
  expect(await session.complete('CONTINUE')).toBe('completed-by-another');
});

test('completing lets the instance go', async () => {
  await terminate();
  const { session } = hold();
  expect(await session.complete('CONTINUE')).toBe('completed');
  await pass(60);
  expect(await stateOf()).toBeUndefined();
});

test('a completion that is throttled goes through in the end, and the hook is held until then', async () => {
  await terminate();
  const { session } = hold();
  await pass(5);
  throttled(true);
  const completing = session.complete('CONTINUE');
  await pass(300);
  throttled(false);
  await pass(60);
  expect(await completing).toBe('completed');
});

test('the timeout is the one that the hook has, and a hook that is not there is named', async () => {
  expect(await readHeartbeatTimeout(client, action)).toBe(heartbeatTimeout * 1000);
  await expect(readHeartbeatTimeout(client, { ...action, hook: 'launching' })).rejects.toThrow(
    'no lifecycle hook named launching',
  );
});

test('an instance that stays is told by its metadata alone: nothing is asked of AWS', async () => {
  const metadata = new Metadata({ endpoint: (await lab.metadataFor(instanceId)).endpoint });
  lab.requests.clear();
  const refuse = () => {
    throw new Error('no AWS call is allowed here');
  };
  expect(await observe(metadata, refuse)).toEqual({ leaving: false, target: 'InService' });
  expect(JSON.parse(JSON.stringify(lab.requests))).toEqual({});
});

test('an instance that leaves is confirmed by its group', async () => {
  const metadata = new Metadata({ endpoint: (await lab.metadataFor(instanceId)).endpoint });
  await terminate();
  const observed = await observe(metadata, () => client);
  expect(observed).toMatchObject({
    leaving: true,
    identity: { instanceId },
    membership: { group, state: 'Terminating:Wait', protectedFromScaleIn: false },
  });
  expect(observed.leaving && observed.membership && isHeldBeforeEnd(observed.membership.state)).toBe(true);
});

test('an instance that no group knows is no member', async () => {
  expect(await readMembership(client, 'i-00000000000000000')).toBeUndefined();
});

test('a refresh is found and cancelled; cancelling twice is fine', async () => {
  expect(await findRefresh(client, group)).toBeUndefined();
  expect(await cancelRefresh(client, group)).toBe('none');
  await client.send(new StartInstanceRefreshCommand({ AutoScalingGroupName: group }));
  expect(await findRefresh(client, group)).toMatchObject({ percentage: 0 });
  expect(await cancelRefresh(client, group)).toBe('cancelled');
  await pass(900);
  expect(await cancelRefresh(client, group)).toBe('none');
  expect(await findRefresh(client, group)).toBeUndefined();
});
