import assert from 'node:assert/strict';
import { api, choice, fleet, guide, launching, recorded, rule, template, terminating } from './scene.ts';

const pools = guide('ec2-auto-scaling-warm-pools');
const hooks = guide('warm-pool-instance-lifecycle');
const events = guide('warm-pools-eventbridge-events');
const put = api('PutWarmPool');
const deletion = api('DeleteWarmPool');

const stopped = (count: number) => Array.from({ length: count }, () => 'Warmed:Stopped');

export const warmPoolRules = [
  rule('pool-size', pools, 'Its size is maximum capacity less desired capacity: 10 less 6 is 4.', async (s) => {
    await s.group({ DesiredCapacity: 6 });
    await s.call('PutWarmPool', fleet);
    await s.advance(60);
    await s.pooled(...stopped(4));
  }),
  rule('pool-prepared', pools, 'With a maximum prepared capacity of 8 and 6 desired its size is 2.', async (s) => {
    await s.group({ DesiredCapacity: 6 });
    await s.call('PutWarmPool', { ...fleet, MaxGroupPreparedCapacity: 8 });
    await s.advance(60);
    await s.pooled(...stopped(2));
  }),
  rule('pool-prepared-less', put, 'Prepared capacity below desired capacity makes an empty pool.', async (s) => {
    await s.group({ DesiredCapacity: 6 });
    await s.call('PutWarmPool', { ...fleet, MaxGroupPreparedCapacity: 5 });
    await s.advance(60);
    await s.pooled();
  }),
  rule('pool-min', put, 'MinSize instances are kept all the same.', async (s) => {
    await s.group({ DesiredCapacity: 6 });
    await s.call('PutWarmPool', { ...fleet, MaxGroupPreparedCapacity: 5, MinSize: 2 });
    await s.advance(60);
    await s.pooled(...stopped(2));
  }),
  rule('pool-prepared-unset', put, 'A prepared capacity of -1 removes a value set before.', async (s) => {
    await s.group({ DesiredCapacity: 6 });
    await s.call('PutWarmPool', { ...fleet, MaxGroupPreparedCapacity: 7 });
    await s.call('PutWarmPool', { ...fleet, MaxGroupPreparedCapacity: -1 });
    await s.advance(60);
    await s.pooled(...stopped(4));
  }),
  rule('pool-follows', put, 'The size is dynamic: it follows desired capacity.', async (s) => {
    await s.group({ DesiredCapacity: 6 });
    await s.call('PutWarmPool', fleet);
    await s.advance(60);
    await s.desire(9);
    await s.advance(120);
    await s.pooled(...stopped(1));
    assert.equal((await s.instances('InService')).length, 9);
  }),
  rule('pool-running', hooks, 'In a pool that runs an instance becomes Warmed:Running.', async (s) => {
    await s.group({ MaxSize: 2 });
    await s.call('PutWarmPool', { ...fleet, PoolState: 'Running' });
    await s.advance(60);
    await s.pooled('Warmed:Running');
  }),
  rule('pool-hibernated', api('PutWarmPool'), 'In a pool that hibernates it becomes Warmed:Hibernated.', async (s) => {
    await s.group({ MaxSize: 2 });
    await s.call('PutWarmPool', { ...fleet, PoolState: 'Hibernated' });
    await s.advance(60);
    await s.pooled('Warmed:Hibernated');
  }),
  rule('pool-pending', hooks, 'An instance enters the pool through Warmed:Pending.', async (s) => {
    await s.group({ MaxSize: 2 });
    await s.call('PutWarmPool', fleet);
    await s.advance(5);
    await s.pooled('Warmed:Pending');
  }),
  rule('pool-enter-hook', hooks, 'A launch hook holds it in Warmed:Pending:Wait.', async (s) => {
    await s.group({ MaxSize: 2 });
    await s.hook('join', launching);
    await s.call('PutWarmPool', fleet);
    await s.advance(60);
    await s.pooled('Warmed:Pending:Wait');
    const [{ InstanceId: id = '' } = {}] = await s.pool();
    await s.complete(id, 'join', 'CONTINUE');
    await s.pooled('Warmed:Pending:Proceed');
    await s.advance(15);
    await s.pooled('Warmed:Stopped');
  }),
  rule('pool-enter-event', events, 'A new instance for the pool comes from EC2 and goes to WarmPool.', async (s) => {
    await s.group({ MaxSize: 2 });
    await s.hook('join', launching);
    await s.call('PutWarmPool', fleet);
    await s.advance(60);
    const { Origin, Destination, LifecycleTransition } = await s.announced();
    assert.deepEqual([Origin, Destination, LifecycleTransition], ['EC2', 'WarmPool', launching]);
  }),
  rule(
    'pool-enter-abandon',
    choice,
    'Abandoned on the way into the pool, it is terminated and replaced.',
    async (s) => {
      await s.group({ MaxSize: 2 });
      await s.hook('join', launching);
      await s.call('PutWarmPool', fleet);
      await s.advance(60);
      const [{ InstanceId: id = '' } = {}] = await s.pool();
      await s.complete(id, 'join', 'ABANDON');
      await s.is(id, 'Warmed:Terminating');
      await s.advance(60);
      await s.is(id, 'gone');
      await s.pooled('Warmed:Pending:Wait');
    },
  ),
  rule('pool-draw', hooks, 'When the group scales out, instances of the pool come into service.', async (s) => {
    await s.group({ MaxSize: 2 });
    await s.call('PutWarmPool', fleet);
    await s.advance(60);
    const [{ InstanceId: id = '' } = {}] = await s.pool();
    await s.desire(2);
    await s.advance(1);
    await s.is(id, 'Pending');
    await s.advance(60);
    await s.is(id, 'InService');
  }),
  rule('pool-draw-hook', hooks, 'On its way into service a launch hook holds it in Pending:Wait.', async (s) => {
    await s.group({ MaxSize: 2 });
    await s.call('PutWarmPool', fleet);
    await s.advance(60);
    await s.hook('join', launching);
    await s.desire(2);
    await s.advance(15);
    await s.are('InService', 'Pending:Wait');
    const { Origin, Destination } = await s.announced();
    assert.deepEqual([Origin, Destination], ['WarmPool', 'AutoScalingGroup']);
  }),
  rule('pool-depleted', pools, 'If the pool is depleted, instances launch directly into the group.', async (s) => {
    await s.group({ MaxSize: 4 });
    await s.call('PutWarmPool', { ...fleet, MaxGroupPreparedCapacity: 2 });
    await s.advance(60);
    await s.hook('join', launching);
    await s.desire(4);
    await s.advance(60);
    await s.are('InService', 'Pending:Wait', 'Pending:Wait', 'Pending:Wait');
    const { Origin, Destination } = await s.announced();
    assert.deepEqual([Origin, Destination], ['EC2', 'AutoScalingGroup']);
  }),
  rule('pool-replaced', pools, 'An instance of the pool that dies is replaced.', async (s) => {
    await s.group({ MaxSize: 2 });
    await s.call('PutWarmPool', fleet);
    await s.advance(60);
    const [{ InstanceId: id = '' } = {}] = await s.pool();
    await s.happen({ kind: 'instance-stopped', instanceId: id });
    await s.advance(120);
    await s.is(id, 'gone');
    await s.pooled('Warmed:Stopped');
  }),
  rule('pool-scale-in', put, 'By default a scale-in terminates instances.', async (s) => {
    await s.group({ MaxSize: 2 });
    await s.call('PutWarmPool', { ...fleet, MaxGroupPreparedCapacity: 1 });
    const id = await s.id();
    await s.desire(0);
    await s.advance(5);
    await s.is(id, 'Terminating');
  }),
  rule('pool-reuse', api('InstanceReusePolicy'), 'With reuse a scale-in returns instances to the pool.', async (s) => {
    await s.group({ MaxSize: 2 });
    await s.call('PutWarmPool', {
      ...fleet,
      MaxGroupPreparedCapacity: 1,
      InstanceReusePolicy: { ReuseOnScaleIn: true },
    });
    const id = await s.id();
    await s.desire(0);
    await s.advance(1);
    await s.is(id, 'Warmed:Pending');
    await s.advance(30);
    await s.is(id, 'Warmed:Stopped');
  }),
  rule(
    'pool-reuse-hook',
    events,
    'A termination hook holds what returns: from AutoScalingGroup to WarmPool.',
    async (s) => {
      await s.group({ MaxSize: 2 });
      await s.hook('drain', terminating);
      await s.call('PutWarmPool', {
        ...fleet,
        MaxGroupPreparedCapacity: 1,
        InstanceReusePolicy: { ReuseOnScaleIn: true },
      });
      const id = await s.id();
      await s.desire(0);
      await s.advance(10);
      await s.is(id, 'Warmed:Pending:Wait');
      const { Origin, Destination, LifecycleTransition } = await s.announced();
      assert.deepEqual([Origin, Destination, LifecycleTransition], ['AutoScalingGroup', 'WarmPool', terminating]);
    },
  ),
  rule('pool-reuse-abandon', recorded, 'Abandoned on its way back, an instance returns all the same.', async (s) => {
    await s.group({ MaxSize: 2 });
    await s.hook('drain', terminating);
    await s.call('PutWarmPool', {
      ...fleet,
      MaxGroupPreparedCapacity: 1,
      InstanceReusePolicy: { ReuseOnScaleIn: true },
    });
    const id = await s.id();
    await s.desire(0);
    await s.advance(10);
    await s.complete(id, 'drain', 'ABANDON');
    await s.advance(15);
    await s.is(id, 'Warmed:Stopped');
  }),
  rule(
    'pool-state-changed',
    recorded,
    'An instance keeps the state it was sent to when the pool changes.',
    async (s) => {
      await s.group({ MaxSize: 2 });
      await s.call('PutWarmPool', fleet);
      await s.advance(5);
      await s.call('PutWarmPool', { ...fleet, PoolState: 'Running' });
      await s.advance(60);
      await s.pooled('Warmed:Stopped');
    },
  ),
  rule('pool-suspended', recorded, 'While Launch is suspended the pool keeps what the group lacks.', async (s) => {
    await s.group({ MaxSize: 3 });
    await s.call('PutWarmPool', fleet);
    await s.advance(60);
    await s.suspend('Launch');
    await s.desire(3);
    await s.advance(600);
    await s.pooled('Warmed:Stopped', 'Warmed:Stopped');
  }),
  rule(
    'pool-discard-hook',
    guide('manage-retained-instances'),
    'Leaving the pool for good: Warmed:Terminating:Wait.',
    async (s) => {
      await s.group({ MaxSize: 2 });
      await s.hook('drain', terminating);
      await s.call('PutWarmPool', fleet);
      await s.advance(60);
      const [{ InstanceId: id = '' } = {}] = await s.pool();
      await s.call('UpdateAutoScalingGroup', { ...fleet, MaxSize: 1 });
      await s.advance(1);
      await s.is(id, 'Warmed:Terminating');
      await s.advance(5);
      await s.is(id, 'Warmed:Terminating:Wait');
      await s.complete(id, 'drain', 'CONTINUE');
      await s.is(id, 'Warmed:Terminating:Proceed');
    },
  ),
  rule('pool-discard-event', choice, 'Leaving the pool for good is announced from WarmPool to EC2.', async (s) => {
    await s.group({ MaxSize: 2 });
    await s.hook('drain', terminating);
    await s.call('PutWarmPool', fleet);
    await s.advance(60);
    await s.call('UpdateAutoScalingGroup', { ...fleet, MaxSize: 1 });
    await s.advance(5);
    const { Origin, Destination } = await s.announced();
    assert.deepEqual([Origin, Destination], ['WarmPool', 'EC2']);
  }),
  rule(
    'pool-apart',
    api('DescribeWarmPool'),
    'Its instances are described by DescribeWarmPool, not with the group.',
    async (s) => {
      await s.group({ MaxSize: 3 });
      await s.call('PutWarmPool', fleet);
      await s.advance(60);
      await s.are('InService');
      assert.equal((await s.description()).WarmPoolSize, 2);
    },
  ),
  rule(
    'pool-protection',
    guide('ec2-auto-scaling-instance-protection'),
    'From the pool it inherits protection.',
    async (s) => {
      await s.group({ MaxSize: 2, NewInstancesProtectedFromScaleIn: true });
      await s.call('PutWarmPool', fleet);
      await s.advance(60);
      assert.equal((await s.pool())[0]?.ProtectedFromScaleIn, false);
      await s.desire(2);
      await s.advance(60);
      assert.deepEqual(
        (await s.instances()).map((one) => one.ProtectedFromScaleIn),
        [true, true],
      );
    },
  ),
  rule('pool-terminate', api('TerminateInstanceInAutoScalingGroup'), 'It cannot be called on the pool.', async (s) => {
    await s.group({ MaxSize: 2 });
    await s.call('PutWarmPool', fleet);
    await s.advance(60);
    const input = { InstanceId: (await s.pool())[0]?.InstanceId, ShouldDecrementDesiredCapacity: false };
    await s.refused('ValidationError', 'TerminateInstanceInAutoScalingGroup', input, /warm pool/);
  }),
  rule('pool-set-protection', api('SetInstanceProtection'), 'It cannot be called on the pool.', async (s) => {
    await s.group({ MaxSize: 2 });
    await s.call('PutWarmPool', fleet);
    await s.advance(60);
    const InstanceIds = [(await s.pool())[0]?.InstanceId ?? ''];
    await s.refused('ValidationError', 'SetInstanceProtection', { ...fleet, InstanceIds, ProtectedFromScaleIn: true });
  }),
  rule('pool-mixed', pools, 'A group with a mixed instances policy cannot have a pool.', async (s) => {
    await s.call('CreateAutoScalingGroup', {
      ...fleet,
      MinSize: 0,
      MaxSize: 1,
      AvailabilityZones: ['us-east-1a'],
      MixedInstancesPolicy: { LaunchTemplate: { LaunchTemplateSpecification: template('1') } },
    });
    await s.refused('ValidationError', 'PutWarmPool', fleet, /mixed instances policy/);
  }),
  rule('pool-while-refreshing', put, 'A pool cannot be put during an instance refresh.', async (s) => {
    await s.group({ DesiredCapacity: 2 });
    await s.refresh();
    await s.refused('InstanceRefreshInProgress', 'PutWarmPool', fleet);
  }),
  rule('pool-delete', deletion, 'A deleted pool is PendingDelete until its instances are terminated.', async (s) => {
    await s.group({ MaxSize: 2 });
    await s.call('PutWarmPool', fleet);
    await s.advance(60);
    await s.call('DeleteWarmPool', fleet);
    await s.pooled('Warmed:Terminating');
    assert.equal((await s.description()).WarmPoolConfiguration?.Status, 'PendingDelete');
    await s.advance(60);
    await s.pooled();
    assert.equal((await s.description()).WarmPoolConfiguration, undefined);
  }),
  rule('pool-delete-force', deletion, 'Force does not wait, and deletes outstanding lifecycle actions.', async (s) => {
    await s.group({ MaxSize: 2 });
    await s.hook('join', launching);
    await s.hook('drain', terminating);
    await s.call('PutWarmPool', fleet);
    await s.advance(60);
    await s.pooled('Warmed:Pending:Wait');
    await s.call('DeleteWarmPool', { ...fleet, ForceDelete: true });
    assert.equal((await s.description()).WarmPoolConfiguration, undefined);
    await s.advance(60);
    await s.pooled();
  }),
  rule('pool-delete-busy', deletion, 'Scaling activities in progress refuse a deletion without force.', async (s) => {
    await s.group({ MaxSize: 2 });
    await s.call('PutWarmPool', fleet);
    await s.advance(5);
    await s.refused('ScalingActivityInProgress', 'DeleteWarmPool', fleet);
  }),
  rule('pool-delete-none', choice, 'A pool that does not exist cannot be deleted.', async (s) => {
    await s.group();
    await s.refused('ValidationError', 'DeleteWarmPool', fleet);
  }),
];
