import assert from 'node:assert/strict';
import { api, choice, fleet, guide, launching, rule, template, terminating } from './scene.ts';

const lifecycle = guide('ec2-auto-scaling-lifecycle');
const standby = guide('as-enter-exit-standby');
const detaching = guide('ec2-auto-scaling-detach-attach-instances');
const suspension = guide('as-suspend-resume-processes');
const creation = api('CreateAutoScalingGroup');
const update = api('UpdateAutoScalingGroup');
const deletion = api('DeleteAutoScalingGroup');
const termination = api('TerminateInstanceInAutoScalingGroup');

const create = {
  ...fleet,
  MinSize: 1,
  MaxSize: 3,
  AvailabilityZones: ['us-east-1a'],
  LaunchTemplate: template('1'),
};

export const lifecycleRules = [
  rule('launch-pending', lifecycle, 'Launched instances start in the Pending state.', async (s) => {
    await s.group();
    await s.desire(2);
    await s.advance(1);
    await s.are('InService', 'Pending');
  }),
  rule('launch-in-service', lifecycle, 'A configured instance enters InService and counts as capacity.', async (s) => {
    await s.group({ DesiredCapacity: 3 });
    await s.are('InService', 'InService', 'InService');
  }),
  rule('terminate-terminating', lifecycle, 'Instances that terminate enter the Terminating state.', async (s) => {
    await s.group();
    const id = await s.id();
    await s.terminate(id);
    await s.is(id, 'Terminating');
  }),
  rule('terminate-final', lifecycle, 'A terminating instance cannot be put back into service.', async (s) => {
    await s.group();
    const id = await s.id();
    await s.terminate(id);
    await s.refused('ValidationError', 'ExitStandby', { ...fleet, InstanceIds: [id] });
  }),
  rule('terminated-gone', choice, 'A terminated instance is no longer described.', async (s) => {
    await s.group();
    const id = await s.id();
    await s.terminate(id);
    await s.advance(30);
    await s.is(id, 'gone');
  }),
  rule('terminate-replace', termination, 'Without decrement a terminated instance is replaced.', async (s) => {
    await s.group();
    const id = await s.id();
    await s.terminate(id);
    await s.advance(60);
    await s.are('InService');
    assert.notEqual(await s.id(), id);
    await s.desired(1);
  }),
  rule('terminate-decrement', termination, 'With decrement the group becomes smaller.', async (s) => {
    await s.group({ DesiredCapacity: 2 });
    await s.terminate(await s.id(), true);
    await s.advance(60);
    await s.are('InService');
    await s.desired(1);
  }),
  rule('terminate-min', choice, 'A decrement below the minimum size is refused.', async (s) => {
    await s.group({ MinSize: 1 });
    const input = { InstanceId: await s.id(), ShouldDecrementDesiredCapacity: true };
    await s.refused('ValidationError', 'TerminateInstanceInAutoScalingGroup', input, /min size/);
  }),
  rule('terminate-unknown', choice, 'An instance of no group cannot be terminated.', async (s) => {
    await s.group();
    const input = { InstanceId: 'i-0123', ShouldDecrementDesiredCapacity: false };
    await s.refused('ValidationError', 'TerminateInstanceInAutoScalingGroup', input, /No managed instance found/);
  }),
  rule('terminate-many', termination, 'Several instances are answered with Activities.', async (s) => {
    await s.group({ DesiredCapacity: 3 });
    const ids = [await s.id(0), await s.id(1)];
    const input = { ...fleet, InstanceIds: ids, ShouldDecrementDesiredCapacity: true };
    const answer = await s.call('TerminateInstanceInAutoScalingGroup', input);
    assert.equal(answer.Activities?.length, 2);
    assert.equal(answer.Activity, undefined);
    await s.desired(1);
  }),
  rule('terminate-many-group', termination, 'InstanceIds require AutoScalingGroupName.', async (s) => {
    await s.group();
    const input = { InstanceIds: [await s.id()], ShouldDecrementDesiredCapacity: false };
    await s.refused('ValidationError', 'TerminateInstanceInAutoScalingGroup', input);
  }),
  rule('terminate-many-limit', termination, 'Up to 100 instances can be named.', async (s) => {
    await s.group();
    const ids = Array.from({ length: 101 }, () => 'i-0123');
    const input = { ...fleet, InstanceIds: ids, ShouldDecrementDesiredCapacity: false };
    await s.refused('ValidationError', 'TerminateInstanceInAutoScalingGroup', input, /exceed 100/);
  }),
  rule('terminate-twice', choice, 'An instance that already terminates is refused as in progress.', async (s) => {
    await s.group();
    const id = await s.id();
    await s.terminate(id);
    const input = { InstanceId: id, ShouldDecrementDesiredCapacity: false };
    await s.refused('ScalingActivityInProgress', 'TerminateInstanceInAutoScalingGroup', input);
  }),
  rule(
    'terminate-activity',
    termination,
    'The call makes a request and answers with its scaling activity.',
    async (s) => {
      await s.group();
      const id = await s.id();
      const { Activity: activity } = await s.terminate(id);
      assert.equal(activity?.StatusCode, 'InProgress');
      assert.match(activity?.Description ?? '', new RegExp(id));
    },
  ),

  rule('create-desired', creation, 'Without a desired capacity the minimum size is used.', async (s) => {
    await s.call('CreateAutoScalingGroup', { ...create, MinSize: 2 });
    await s.desired(2);
  }),
  rule('create-above-max', creation, 'Desired capacity must not exceed the maximum size.', async (s) => {
    await s.refused('ValidationError', 'CreateAutoScalingGroup', { ...create, DesiredCapacity: 4 });
  }),
  rule('create-below-min', creation, 'Desired capacity must not be below the minimum size.', async (s) => {
    await s.refused('ValidationError', 'CreateAutoScalingGroup', { ...create, DesiredCapacity: 0 });
  }),
  rule('create-twice', creation, 'A name that is taken is refused.', async (s) => {
    await s.group();
    await s.refused('AlreadyExists', 'CreateAutoScalingGroup', create);
  }),
  rule('create-colon', creation, 'A colon is not allowed in the name.', async (s) => {
    await s.refused('ValidationError', 'CreateAutoScalingGroup', { ...create, AutoScalingGroupName: 'a:b' });
  }),
  rule('create-template', creation, 'A launch template, or what stands for one, must be given.', async (s) => {
    const { LaunchTemplate: _, ...rest } = create;
    await s.refused('ValidationError', 'CreateAutoScalingGroup', rest);
  }),
  rule('create-zone', choice, 'A zone or a subnet must be given.', async (s) => {
    await s.refused('ValidationError', 'CreateAutoScalingGroup', { ...create, AvailabilityZones: [] });
  }),
  rule('create-subnets', creation, 'Subnets decide the zones of the group.', async (s) => {
    const { AvailabilityZones: _, ...rest } = create;
    await s.call('CreateAutoScalingGroup', { ...rest, VPCZoneIdentifier: 'subnet-1,subnet-2' });
    assert.equal((await s.description()).AvailabilityZones?.length, 2);
  }),
  rule('create-hooks', creation, 'Hooks of the creation are added before instances are launched.', async (s) => {
    await s.group({
      LifecycleHookSpecificationList: [{ LifecycleHookName: 'join', LifecycleTransition: launching }],
    });
    await s.are('Pending:Wait');
  }),
  rule('create-limit', guide('ec2-auto-scaling-quotas'), 'A Region has at most 500 groups.', async (s) => {
    for (let made = 0; made < 500; made++) {
      await s.call('CreateAutoScalingGroup', { ...create, MinSize: 0, AutoScalingGroupName: `group-${made}` });
    }
    await s.refused('LimitExceeded', 'CreateAutoScalingGroup', create);
  }),

  rule(
    'scale-out',
    guide('ec2-auto-scaling-scaling-manually'),
    'A larger desired capacity launches instances.',
    async (s) => {
      await s.group();
      await s.desire(4);
      await s.advance(60);
      await s.are('InService', 'InService', 'InService', 'InService');
    },
  ),
  rule(
    'scale-in',
    guide('ec2-auto-scaling-scaling-manually'),
    'A smaller desired capacity terminates instances.',
    async (s) => {
      await s.group({ DesiredCapacity: 4 });
      await s.desire(1);
      await s.advance(60);
      await s.are('InService');
    },
  ),
  rule('scale-above-max', creation, 'SetDesiredCapacity above the maximum is refused.', async (s) => {
    await s.group({ MaxSize: 3 });
    await s.refused('ValidationError', 'SetDesiredCapacity', { ...fleet, DesiredCapacity: 4 }, /above max value 3/);
  }),
  rule('scale-below-min', creation, 'SetDesiredCapacity below the minimum is refused.', async (s) => {
    await s.group({ MinSize: 1 });
    await s.refused('ValidationError', 'SetDesiredCapacity', { ...fleet, DesiredCapacity: 0 }, /below min value 1/);
  }),
  rule('unknown-group', choice, 'A call that names an unknown group is refused.', async (s) => {
    await s.refused('ValidationError', 'SetDesiredCapacity', { ...fleet, DesiredCapacity: 0 }, /not found/);
  }),

  rule('update-min', update, 'A minimum above the size raises desired capacity to it.', async (s) => {
    await s.group();
    await s.call('UpdateAutoScalingGroup', { ...fleet, MinSize: 3 });
    await s.desired(3);
  }),
  rule('update-max', update, 'A maximum below the size lowers desired capacity to it.', async (s) => {
    await s.group({ DesiredCapacity: 4 });
    await s.call('UpdateAutoScalingGroup', { ...fleet, MaxSize: 2 });
    await s.desired(2);
  }),
  rule('update-bounds', choice, 'A minimum above the maximum is refused, and nothing changes.', async (s) => {
    await s.group();
    const input = { ...fleet, MinSize: 5, MaxSize: 4, HealthCheckGracePeriod: 99 };
    await s.refused('ValidationError', 'UpdateAutoScalingGroup', input);
    assert.equal((await s.description()).HealthCheckGracePeriod, 0);
  }),
  rule('update-rest', update, 'What is not specified is not changed.', async (s) => {
    await s.group({ NewInstancesProtectedFromScaleIn: true, DefaultInstanceWarmup: 7 });
    await s.call('UpdateAutoScalingGroup', { ...fleet, HealthCheckGracePeriod: 9 });
    const group = await s.description();
    assert.deepEqual([group.NewInstancesProtectedFromScaleIn, group.DefaultInstanceWarmup], [true, 7]);
  }),
  rule('update-template', update, 'Existing instances keep the template they were launched with.', async (s) => {
    await s.group();
    await s.call('UpdateAutoScalingGroup', { ...fleet, LaunchTemplate: template('2'), DesiredCapacity: 2 });
    await s.advance(60);
    await s.versions('1', '2');
  }),
  rule('template-latest', api('LaunchTemplateSpecification'), '$Latest is the latest version at launch.', async (s) => {
    await s.happen({ kind: 'template-version', template: 'lt-fleet', latest: 4 });
    await s.group({ LaunchTemplate: template('$Latest') });
    await s.happen({ kind: 'template-version', template: 'lt-fleet', latest: 5 });
    await s.desire(2);
    await s.advance(60);
    await s.versions('4', '5');
  }),

  rule('delete-in-use', deletion, 'A group with instances needs the option to force.', async (s) => {
    await s.group();
    await s.refused('ResourceInUse', 'DeleteAutoScalingGroup', fleet);
  }),
  rule('delete-in-progress', deletion, 'A group with scaling activities needs the option to force.', async (s) => {
    await s.group();
    await s.desire(0);
    await s.advance(5);
    await s.refused('ScalingActivityInProgress', 'DeleteAutoScalingGroup', fleet);
  }),
  rule('delete-empty', deletion, 'An empty group is deleted.', async (s) => {
    await s.group({ DesiredCapacity: 0 });
    await s.call('DeleteAutoScalingGroup', fleet);
    await s.advance(1);
    await s.refused('ValidationError', 'SetDesiredCapacity', { ...fleet, DesiredCapacity: 1 });
  }),
  rule('delete-force', deletion, 'Force terminates instances and deletes outstanding lifecycle actions.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    const id = await s.id();
    await s.terminate(id);
    await s.advance(60);
    await s.is(id, 'Terminating:Wait');
    await s.call('DeleteAutoScalingGroup', { ...fleet, ForceDelete: true });
    await s.advance(60);
    await s.is(id, 'gone');
    await s.group();
  }),
  rule(
    'delete-protected',
    guide('resource-deletion-protection'),
    'Deletion protection refuses a deletion.',
    async (s) => {
      await s.group({ DeletionProtection: 'prevent-force-deletion' });
      await s.refused('ValidationError', 'DeleteAutoScalingGroup', { ...fleet, ForceDelete: true });
    },
  ),

  rule('page-groups', api('DescribeAutoScalingGroups'), 'NextToken leads to the items that are left.', async (s) => {
    for (const AutoScalingGroupName of ['a', 'b', 'c']) {
      await s.call('CreateAutoScalingGroup', { ...create, AutoScalingGroupName });
    }
    const first = await s.call('DescribeAutoScalingGroups', { MaxRecords: 2 });
    const second = await s.call('DescribeAutoScalingGroups', { MaxRecords: 2, NextToken: first.NextToken });
    assert.deepEqual([first.AutoScalingGroups?.length, second.AutoScalingGroups?.length], [2, 1]);
    assert.equal(second.NextToken, undefined);
  }),
  rule('page-token', api('DescribeAutoScalingGroups'), 'A NextToken that is not valid is refused.', async (s) => {
    await s.refused('InvalidNextToken', 'DescribeAutoScalingGroups', { NextToken: 'nonsense' });
  }),
  rule(
    'describe-ids',
    api('DescribeAutoScalingInstances'),
    'An instance ID that does not exist is ignored.',
    async (s) => {
      await s.group();
      const input = { InstanceIds: ['i-0123', await s.id()] };
      assert.equal((await s.call('DescribeAutoScalingInstances', input)).AutoScalingInstances?.length, 1);
    },
  ),
  rule(
    'describe-ids-limit',
    api('DescribeAutoScalingInstances'),
    'At most 50 instance IDs can be named.',
    async (s) => {
      const input = { InstanceIds: Array.from({ length: 51 }, () => 'i-0123') };
      await s.refused('ValidationError', 'DescribeAutoScalingInstances', input);
    },
  ),
  rule('describe-tags', guide('ec2-auto-scaling-tagging'), 'Groups can be found by their tags.', async (s) => {
    await s.group({ Tags: [{ Key: 'cluster', Value: 'blue' }] });
    const found = async (value: string) => {
      const filter = { Name: 'tag:cluster', Values: [value] };
      return (await s.call('DescribeAutoScalingGroups', { Filters: [filter] })).AutoScalingGroups?.length;
    };
    assert.deepEqual([await found('blue'), await found('green')], [1, 0]);
  }),
  rule('activities', api('DescribeScalingActivities'), 'Scaling activities are described, newest first.', async (s) => {
    await s.group();
    await s.terminate(await s.id());
    const { Activities: [newest, ...rest] = [] } = await s.call('DescribeScalingActivities', fleet);
    assert.equal(newest?.StatusCode, 'InProgress');
    assert.equal(rest.at(-1)?.StatusCode, 'Successful');
  }),

  rule('standby-enter', standby, 'An instance passes EnteringStandby on its way to Standby.', async (s) => {
    await s.group();
    const id = await s.id();
    await s.call('EnterStandby', { ...fleet, InstanceIds: [id], ShouldDecrementDesiredCapacity: true });
    await s.is(id, 'EnteringStandby');
    await s.advance(5);
    await s.is(id, 'Standby');
  }),
  rule('standby-decrement', standby, 'With decrement no instance is launched for the one on standby.', async (s) => {
    await s.group({ DesiredCapacity: 2 });
    const input = { ...fleet, InstanceIds: [await s.id()], ShouldDecrementDesiredCapacity: true };
    await s.call('EnterStandby', input);
    await s.advance(60);
    await s.are('InService', 'Standby');
    await s.desired(1);
  }),
  rule(
    'standby-replace',
    api('EnterStandby'),
    'Without decrement the group replaces an instance on standby.',
    async (s) => {
      await s.group();
      await s.call('EnterStandby', { ...fleet, InstanceIds: [await s.id()], ShouldDecrementDesiredCapacity: false });
      await s.advance(60);
      await s.are('InService', 'Standby');
      await s.desired(1);
    },
  ),
  rule('standby-min', api('EnterStandby'), 'Desired capacity must stay at or above the minimum.', async (s) => {
    await s.group({ MinSize: 1 });
    const input = { ...fleet, InstanceIds: [await s.id()], ShouldDecrementDesiredCapacity: true };
    await s.refused('ValidationError', 'EnterStandby', input);
  }),
  rule('standby-in-service', standby, 'Only an instance in service can be put on standby.', async (s) => {
    await s.group();
    await s.terminate(await s.id());
    const input = { ...fleet, InstanceIds: [await s.id()], ShouldDecrementDesiredCapacity: false };
    await s.refused('ValidationError', 'EnterStandby', input);
  }),
  rule('standby-limit', guide('ec2-auto-scaling-quotas'), 'EnterStandby takes up to 20 instance IDs.', async (s) => {
    await s.group();
    const InstanceIds = Array.from({ length: 21 }, () => 'i-0123');
    const input = { ...fleet, InstanceIds, ShouldDecrementDesiredCapacity: false };
    await s.refused('ValidationError', 'EnterStandby', input, /exceed 20/);
  }),
  rule('standby-exit', api('ExitStandby'), 'Back in service, desired capacity is incremented.', async (s) => {
    await s.group({ DesiredCapacity: 2 });
    const id = await s.id();
    await s.call('EnterStandby', { ...fleet, InstanceIds: [id], ShouldDecrementDesiredCapacity: true });
    await s.advance(60);
    await s.call('ExitStandby', { ...fleet, InstanceIds: [id] });
    await s.is(id, 'Pending');
    await s.desired(2);
    await s.advance(60);
    await s.are('InService', 'InService');
  }),
  rule('standby-exit-max', choice, 'An exit that would exceed the maximum size is refused.', async (s) => {
    await s.group({ MaxSize: 1 });
    const id = await s.id();
    await s.call('EnterStandby', { ...fleet, InstanceIds: [id], ShouldDecrementDesiredCapacity: false });
    await s.advance(60);
    await s.refused('ValidationError', 'ExitStandby', { ...fleet, InstanceIds: [id] }, /max-size=1/);
  }),
  rule('standby-exit-launch', suspension, 'While Launch is suspended nothing returns from Standby.', async (s) => {
    await s.group();
    const id = await s.id();
    await s.call('EnterStandby', { ...fleet, InstanceIds: [id], ShouldDecrementDesiredCapacity: true });
    await s.advance(5);
    await s.suspend('Launch');
    await s.refused('ValidationError', 'ExitStandby', { ...fleet, InstanceIds: [id] });
  }),
  rule('standby-exit-hooks', guide('lifecycle-hooks'), 'Coming back from Standby runs no launch hook.', async (s) => {
    await s.group();
    const id = await s.id();
    await s.hook('join', launching);
    await s.call('EnterStandby', { ...fleet, InstanceIds: [id], ShouldDecrementDesiredCapacity: true });
    await s.advance(5);
    await s.call('ExitStandby', { ...fleet, InstanceIds: [id] });
    await s.advance(5);
    await s.is(id, 'InService');
  }),
  rule('standby-health', standby, 'No health checks are performed on Standby.', async (s) => {
    await s.group();
    const id = await s.id();
    await s.call('EnterStandby', { ...fleet, InstanceIds: [id], ShouldDecrementDesiredCapacity: true });
    await s.advance(5);
    await s.happen({ kind: 'instance-stopped', instanceId: id });
    await s.advance(600);
    await s.is(id, 'Standby');
    assert.equal((await s.instances())[0]?.HealthStatus, 'Healthy');
  }),
  rule('standby-health-exit', standby, 'A machine that died on standby is replaced once it returns.', async (s) => {
    await s.group();
    const id = await s.id();
    await s.call('EnterStandby', { ...fleet, InstanceIds: [id], ShouldDecrementDesiredCapacity: true });
    await s.advance(5);
    await s.happen({ kind: 'instance-stopped', instanceId: id });
    await s.call('ExitStandby', { ...fleet, InstanceIds: [id] });
    await s.advance(120);
    await s.is(id, 'gone');
    await s.are('InService');
  }),

  rule('detach', detaching, 'A detached instance is no longer managed by the group.', async (s) => {
    await s.group({ DesiredCapacity: 2 });
    const id = await s.id();
    await s.call('DetachInstances', { ...fleet, InstanceIds: [id], ShouldDecrementDesiredCapacity: true });
    await s.is(id, 'Detaching');
    await s.advance(60);
    await s.is(id, 'gone');
    await s.are('InService');
  }),
  rule('detach-replace', detaching, 'Without decrement a detached instance is replaced.', async (s) => {
    await s.group();
    await s.call('DetachInstances', { ...fleet, InstanceIds: [await s.id()], ShouldDecrementDesiredCapacity: false });
    await s.advance(60);
    await s.are('InService');
    await s.desired(1);
  }),
  rule('detach-min', detaching, 'Below the minimum capacity, that must be lowered first.', async (s) => {
    await s.group({ MinSize: 1 });
    const input = { ...fleet, InstanceIds: [await s.id()], ShouldDecrementDesiredCapacity: true };
    await s.refused('ValidationError', 'DetachInstances', input);
  }),
  rule('detach-stranger', choice, 'An instance that is not of the group cannot be detached.', async (s) => {
    await s.group();
    const input = { ...fleet, InstanceIds: ['i-0123'], ShouldDecrementDesiredCapacity: true };
    await s.refused('ValidationError', 'DetachInstances', input, /not part of Auto Scaling group/);
  }),
  rule('detach-hooks', guide('lifecycle-hooks'), 'Detaching runs no termination hook.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    const id = await s.id();
    await s.call('DetachInstances', { ...fleet, InstanceIds: [id], ShouldDecrementDesiredCapacity: true });
    await s.advance(60);
    await s.is(id, 'gone');
  }),
];
