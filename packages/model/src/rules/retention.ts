import assert from 'node:assert/strict';
import { choice, fleet, guide, launching, recorded, rule, type Scene, terminating } from './scene.ts';

const policy = guide('instance-lifecycle-policy');
const configuring = guide('configure-instance-retention');
const managing = guide('manage-retained-instances');

const retain = { InstanceLifecyclePolicy: { RetentionTriggers: { TerminateHookAbandon: 'retain' as const } } };

/** A group that retains, with one instance in Terminating:Wait. */
async function draining(s: Scene, hook = {}): Promise<string> {
  await s.group(retain);
  await s.hook('drain', terminating, hook);
  const id = await s.id();
  await s.terminate(id, true);
  await s.advance(5);
  return id;
}

async function retained(s: Scene): Promise<string> {
  const id = await draining(s);
  await s.complete(id, 'drain', 'ABANDON');
  await s.advance(5);
  return id;
}

export const retentionRules = [
  rule(
    'retain-path',
    managing,
    'Abandoned: Terminating:Wait, Terminating:Proceed, Terminating:Retained.',
    async (s) => {
      const id = await draining(s);
      await s.is(id, 'Terminating:Wait');
      await s.complete(id, 'drain', 'ABANDON');
      await s.is(id, 'Terminating:Proceed');
      await s.advance(5);
      await s.is(id, 'Terminating:Retained');
    },
  ),
  rule('retain-timeout', configuring, 'A heartbeat timeout with default ABANDON retains.', async (s) => {
    const id = await draining(s, { HeartbeatTimeout: 60 });
    await s.advance(65);
    await s.is(id, 'Terminating:Retained');
  }),
  rule('retain-global-timeout', configuring, 'The global timeout with default ABANDON retains.', async (s) => {
    const id = await draining(s, { HeartbeatTimeout: 30 });
    for (let beats = 0; beats < 149; beats++) {
      await s.heartbeat(id, 'drain');
      await s.advance(20);
    }
    await s.is(id, 'Terminating:Wait');
    await s.advance(30);
    await s.is(id, 'Terminating:Retained');
  }),
  rule('retain-continue', configuring, 'CONTINUE terminates; the policy does not apply.', async (s) => {
    const id = await draining(s);
    await s.complete(id, 'drain', 'CONTINUE');
    await s.advance(30);
    await s.is(id, 'gone');
  }),
  rule('retain-timeout-continue', configuring, 'A timeout with default CONTINUE terminates.', async (s) => {
    const id = await draining(s, { HeartbeatTimeout: 60, DefaultResult: 'CONTINUE' });
    await s.advance(90);
    await s.is(id, 'gone');
  }),
  rule('retain-no-policy', policy, 'Without a policy an abandoned instance is terminated.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    const id = await s.id();
    await s.terminate(id);
    await s.advance(5);
    await s.complete(id, 'drain', 'ABANDON');
    await s.advance(30);
    await s.is(id, 'gone');
  }),
  rule('retain-no-hook', configuring, 'Without a termination hook the policy has no effect.', async (s) => {
    await s.group(retain);
    const id = await s.id();
    await s.terminate(id);
    await s.advance(30);
    await s.is(id, 'gone');
  }),
  rule(
    'retain-capacity',
    managing,
    'A retained instance does not count; the group keeps its desired capacity.',
    async (s) => {
      await s.group({ ...retain, DesiredCapacity: 3 });
      await s.hook('drain', terminating);
      const id = await s.id();
      await s.terminate(id);
      await s.advance(60);
      await s.complete(id, 'drain', 'ABANDON');
      await s.advance(60);
      await s.are('InService', 'InService', 'InService', 'Terminating:Retained');
    },
  ),
  rule('retain-stays', policy, 'It stays until somebody terminates it.', async (s) => {
    const id = await retained(s);
    await s.advance(30 * 86_400);
    await s.is(id, 'Terminating:Retained');
  }),
  rule('retain-terminate', policy, 'TerminateInstanceInAutoScalingGroup ends it.', async (s) => {
    const id = await retained(s);
    await s.terminate(id);
    await s.advance(5);
    await s.complete(id, 'drain', 'CONTINUE');
    await s.advance(30);
    await s.is(id, 'gone');
  }),
  rule('retain-terminate-hook', recorded, 'That runs its hooks again, with a new token.', async (s) => {
    const id = await retained(s);
    const { LifecycleActionToken: first } = await s.announced();
    await s.terminate(id);
    await s.advance(5);
    await s.is(id, 'Terminating:Wait');
    assert.notEqual((await s.announced()).LifecycleActionToken, first);
  }),
  rule('retain-terminate-abandon', recorded, 'Abandoned again, it is retained again.', async (s) => {
    const id = await retained(s);
    await s.terminate(id);
    await s.advance(5);
    await s.complete(id, 'drain', 'ABANDON');
    await s.advance(5);
    await s.is(id, 'Terminating:Retained');
  }),
  rule(
    'retain-terminate-decrement',
    recorded,
    'It cannot be terminated with a decrement: it does not count.',
    async (s) => {
      const id = await retained(s);
      await s.desire(2);
      const input = { InstanceId: id, ShouldDecrementDesiredCapacity: true };
      await s.refused('ValidationError', 'TerminateInstanceInAutoScalingGroup', input);
    },
  ),
  rule('retain-detach', recorded, 'It can be detached and runs on.', async (s) => {
    const id = await retained(s);
    await s.call('DetachInstances', { ...fleet, InstanceIds: [id], ShouldDecrementDesiredCapacity: false });
    await s.advance(5);
    await s.is(id, 'gone');
  }),
  rule(
    'retain-detach-decrement',
    guide('ec2-auto-scaling-detach-attach-instances'),
    'Not with a decrement.',
    async (s) => {
      const id = await retained(s);
      await s.desire(1);
      const input = { ...fleet, InstanceIds: [id], ShouldDecrementDesiredCapacity: true };
      await s.refused('ValidationError', 'DetachInstances', input);
    },
  ),
  rule('retain-refused', recorded, 'It can be neither protected nor put on standby.', async (s) => {
    const InstanceIds = [await retained(s)];
    await s.refused('ValidationError', 'SetInstanceProtection', { ...fleet, InstanceIds, ProtectedFromScaleIn: true });
    await s.refused('ValidationError', 'EnterStandby', {
      ...fleet,
      InstanceIds,
      ShouldDecrementDesiredCapacity: false,
    });
  }),
  rule('retain-healthy', recorded, 'It can be called healthy, and stays retained.', async (s) => {
    const id = await retained(s);
    await s.call('SetInstanceHealth', { InstanceId: id, HealthStatus: 'Healthy' });
    await s.advance(60);
    await s.is(id, 'Terminating:Retained');
  }),
  rule('retain-delete', recorded, 'A group whose policy retains cannot be deleted by force.', async (s) => {
    await s.group({ ...retain, DesiredCapacity: 0 });
    await s.refused('ValidationError', 'DeleteAutoScalingGroup', { ...fleet, ForceDelete: true });
  }),
  rule('retain-policy-changed', recorded, 'Changing the policy does not release what is retained.', async (s) => {
    const id = await retained(s);
    const InstanceLifecyclePolicy = { RetentionTriggers: { TerminateHookAbandon: 'terminate' as const } };
    await s.call('UpdateAutoScalingGroup', { ...fleet, InstanceLifecyclePolicy });
    await s.advance(600);
    await s.is(id, 'Terminating:Retained');
  }),
  rule('retain-activity', recorded, 'The activity of its termination is Cancelled.', async (s) => {
    await retained(s);
    const { Activities: [activity] = [] } = await s.call('DescribeScalingActivities', fleet);
    assert.equal(activity?.StatusCode, 'Cancelled');
  }),
  rule('retain-action', choice, 'Its action is closed: it cannot be completed or prolonged.', async (s) => {
    const id = await retained(s);
    const input = { ...fleet, LifecycleHookName: 'drain', InstanceId: id };
    await s.refused('ValidationError', 'RecordLifecycleActionHeartbeat', input);
  }),
  rule('retain-refresh', policy, 'An instance refresh ignores it.', async (s) => {
    const id = await retained(s);
    await s.desire(1);
    await s.advance(60);
    await s.refresh({ MinHealthyPercentage: 0 });
    await s.advance(10);
    for (const { InstanceId: old = '' } of await s.instances('Terminating:Wait'))
      await s.complete(old, 'drain', 'CONTINUE');
    await s.advance(300);
    await s.are('InService', 'Terminating:Retained');
    await s.is(id, 'Terminating:Retained');
  }),
  rule('retain-lifetime', policy, 'The maximum instance lifetime ignores it.', async (s) => {
    const id = await retained(s);
    await s.call('UpdateAutoScalingGroup', { ...fleet, MaxInstanceLifetime: 86_400 });
    await s.advance(3 * 86_400);
    await s.is(id, 'Terminating:Retained');
  }),
  rule('retain-machine', choice, 'A retained instance whose machine dies stays retained.', async (s) => {
    const id = await retained(s);
    await s.happen({ kind: 'instance-stopped', instanceId: id });
    await s.advance(600);
    await s.is(id, 'Terminating:Retained');
  }),
  rule('retain-update', configuring, 'The policy can be set on an existing group.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    await s.call('UpdateAutoScalingGroup', { ...fleet, ...retain });
    const id = await s.id();
    await s.terminate(id);
    await s.advance(5);
    await s.complete(id, 'drain', 'ABANDON');
    await s.advance(5);
    await s.is(id, 'Terminating:Retained');
  }),
  rule('retain-launch', configuring, 'An abandoned launch is not retained.', async (s) => {
    await s.group({ ...retain, DesiredCapacity: 0 });
    await s.hook('join', launching);
    await s.desire(1);
    await s.advance(60);
    const id = await s.id();
    await s.complete(id, 'join', 'ABANDON');
    await s.advance(60);
    await s.is(id, 'gone');
  }),
  rule('retain-two-hooks', choice, 'One abandoned hook of several retains.', async (s) => {
    const id = await draining(s);
    await s.hook('logs', terminating);
    await s.desire(1);
    await s.advance(60);
    const other = (await s.instances('InService'))[0]?.InstanceId ?? '';
    await s.terminate(other);
    await s.advance(5);
    await s.complete(other, 'logs', 'CONTINUE');
    await s.complete(other, 'drain', 'ABANDON');
    await s.advance(5);
    await s.is(other, 'Terminating:Retained');
    await s.is(id, 'Terminating:Wait');
  }),
  rule('retain-pool-return', managing, 'On the way back to the warm pool: Warmed:Pending:Retained.', async (s) => {
    await s.group(retain);
    await s.hook('drain', terminating);
    await s.call('PutWarmPool', {
      ...fleet,
      MaxGroupPreparedCapacity: 1,
      InstanceReusePolicy: { ReuseOnScaleIn: true },
    });
    const id = await s.id();
    await s.desire(0);
    await s.advance(5);
    await s.is(id, 'Warmed:Pending:Wait');
    await s.complete(id, 'drain', 'ABANDON');
    await s.is(id, 'Warmed:Pending:Proceed');
    await s.advance(5);
    await s.is(id, 'Warmed:Pending:Retained');
  }),
  rule('retain-pool-terminate', managing, 'Terminated from the warm pool: Warmed:Terminating:Retained.', async (s) => {
    await s.group({ ...retain, DesiredCapacity: 0 });
    await s.hook('drain', terminating);
    await s.call('PutWarmPool', { ...fleet, MaxGroupPreparedCapacity: 1 });
    await s.advance(60);
    const [{ InstanceId: id = '' } = {}] = await s.pool();
    await s.call('PutWarmPool', { ...fleet, MaxGroupPreparedCapacity: 0 });
    await s.advance(5);
    await s.is(id, 'Warmed:Terminating:Wait');
    await s.complete(id, 'drain', 'ABANDON');
    await s.advance(5);
    await s.is(id, 'Warmed:Terminating:Retained');
  }),
];
