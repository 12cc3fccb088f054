import assert from 'node:assert/strict';
import { api, choice, fleet, guide, launching, rule, type Scene, template, terminating } from './scene.ts';

const health = guide('ec2-auto-scaling-health-checks');
const grace = guide('health-check-grace-period');
const maintenance = guide('ec2-auto-scaling-instance-maintenance-policy');
const protection = guide('ec2-auto-scaling-instance-protection');
const lifetime = guide('asg-max-instance-lifetime');
const processes = guide('as-suspend-resume-processes');
const balance = guide('auto-scaling-benefits');
const policies = guide('ec2-auto-scaling-termination-policies');

const day = 86_400;

const sick = (s: Scene, id: string, more = {}) =>
  s.call('SetInstanceHealth', { InstanceId: id, HealthStatus: 'Unhealthy', ...more });

const protect = (s: Scene, id: string, on = true) =>
  s.call('SetInstanceProtection', { ...fleet, InstanceIds: [id], ProtectedFromScaleIn: on });

export const replacementRules = [
  rule('health-replace', api('SetInstanceHealth'), 'An unhealthy instance is terminated and replaced.', async (s) => {
    await s.group();
    const id = await s.id();
    await sick(s, id);
    await s.advance(60);
    await s.is(id, 'gone');
    await s.are('InService');
  }),
  rule('health-order', health, 'While it terminates, another scaling activity launches the new one.', async (s) => {
    await s.group();
    await sick(s, await s.id());
    await s.advance(5);
    await s.are('Pending', 'Terminating');
    assert.equal((await s.instances('Terminating'))[0]?.HealthStatus, 'Unhealthy');
  }),
  rule('health-hooks', health, 'Termination hooks run for an unhealthy instance.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    const id = await s.id();
    await sick(s, id);
    await s.advance(5);
    await s.is(id, 'Terminating:Wait');
  }),
  rule('health-grace', grace, 'By default the call respects the health check grace period.', async (s) => {
    await s.group({ HealthCheckGracePeriod: 600 });
    const id = await s.id();
    await sick(s, id);
    await s.advance(60);
    await s.is(id, 'InService');
  }),
  rule(
    'health-grace-ignored',
    api('SetInstanceHealth'),
    'Told so, it does not respect the grace period.',
    async (s) => {
      await s.group({ HealthCheckGracePeriod: 600 });
      const id = await s.id();
      await sick(s, id, { ShouldRespectGracePeriod: false });
      await s.advance(5);
      await s.is(id, 'Terminating');
    },
  ),
  rule(
    'health-grace-hook',
    guide('lifecycle-hooks'),
    'The grace period begins when the instance is in service.',
    async (s) => {
      await s.group({ HealthCheckGracePeriod: 300, DesiredCapacity: 0 });
      await s.hook('join', launching);
      await s.desire(1);
      await s.advance(600);
      const id = await s.id();
      await s.complete(id, 'join', 'CONTINUE');
      await s.advance(100);
      await sick(s, id);
      await s.advance(10);
      await s.is(id, 'InService');
      await s.advance(300);
      await sick(s, id);
      await s.advance(1);
      await s.is(id, 'Terminating');
    },
  ),
  rule('health-back', health, 'An instance that terminates cannot be set healthy again.', async (s) => {
    await s.group();
    const id = await s.id();
    await s.terminate(id);
    await s.refused('ValidationError', 'SetInstanceHealth', { InstanceId: id, HealthStatus: 'Healthy' });
  }),
  rule('health-unknown', choice, 'The health of an unknown instance cannot be set.', async (s) => {
    await s.refused('ValidationError', 'SetInstanceHealth', { InstanceId: 'i-0123', HealthStatus: 'Healthy' });
  }),
  rule('health-value', api('SetInstanceHealth'), 'Health is Healthy or Unhealthy.', async (s) => {
    await s.group();
    await s.refused('ValidationError', 'SetInstanceHealth', { InstanceId: await s.id(), HealthStatus: 'Ill' });
  }),
  rule('health-stopped', health, 'A machine that no longer runs is replaced, even in its grace period.', async (s) => {
    await s.group({ HealthCheckGracePeriod: 600 });
    const id = await s.id();
    await s.happen({ kind: 'instance-stopped', instanceId: id });
    await s.advance(5);
    await s.is(id, 'Terminating');
  }),
  rule('health-impaired', health, 'An impaired one is left alone until its grace period ends.', async (s) => {
    await s.group({ HealthCheckGracePeriod: 600 });
    const id = await s.id();
    await s.happen({ kind: 'instance-impaired', instanceId: id });
    await s.advance(500);
    await s.is(id, 'InService');
    await s.advance(80);
    await s.is(id, 'Terminating');
  }),
  rule(
    'health-pending',
    choice,
    'A machine that dies before it is in service is terminated and replaced.',
    async (s) => {
      await s.group({ DesiredCapacity: 0 });
      await s.hook('join', launching);
      await s.desire(1);
      await s.advance(60);
      const id = await s.id();
      await s.happen({ kind: 'instance-stopped', instanceId: id });
      await s.advance(60);
      await s.is(id, 'gone');
      await s.are('Pending:Wait');
    },
  ),
  rule('health-policy', maintenance, 'With 100 percent to be kept the new one is launched first.', async (s) => {
    const policy = { MinHealthyPercentage: 100, MaxHealthyPercentage: 150 };
    await s.group({ InstanceMaintenancePolicy: policy });
    const id = await s.id();
    await sick(s, id);
    await s.advance(20);
    await s.are('InService', 'Pending');
    await s.advance(15);
    await s.is(id, 'Terminating');
  }),
  rule('maintenance-both', api('InstanceMaintenancePolicy'), 'Both percentages must be given.', async (s) => {
    await s.group();
    const input = { ...fleet, InstanceMaintenancePolicy: { MinHealthyPercentage: 90 } };
    await s.refused('ValidationError', 'UpdateAutoScalingGroup', input);
  }),
  rule('maintenance-clear', api('InstanceMaintenancePolicy'), 'Values of -1 clear the policy.', async (s) => {
    const policy = { MinHealthyPercentage: 100, MaxHealthyPercentage: 150 };
    await s.group({ InstanceMaintenancePolicy: policy });
    const none = { MinHealthyPercentage: -1, MaxHealthyPercentage: -1 };
    await s.call('UpdateAutoScalingGroup', { ...fleet, InstanceMaintenancePolicy: none });
    assert.equal((await s.description()).InstanceMaintenancePolicy, undefined);
  }),

  rule('protect-inherit', protection, 'A new instance inherits the setting of its group.', async (s) => {
    await s.group({ NewInstancesProtectedFromScaleIn: true });
    assert.equal((await s.instances())[0]?.ProtectedFromScaleIn, true);
  }),
  rule('protect-later', protection, 'A changed setting applies to new instances only.', async (s) => {
    await s.group();
    await s.call('UpdateAutoScalingGroup', { ...fleet, NewInstancesProtectedFromScaleIn: true, DesiredCapacity: 2 });
    await s.advance(60);
    assert.deepEqual(
      (await s.instances()).map((one) => one.ProtectedFromScaleIn),
      [false, true],
    );
  }),
  rule('protect-scale-in', protection, 'A protected instance is not chosen in a scale-in.', async (s) => {
    await s.group({ DesiredCapacity: 3 });
    const id = await s.id();
    await protect(s, id);
    await s.desire(1);
    await s.advance(60);
    await s.are('InService');
    await s.is(id, 'InService');
  }),
  rule(
    'protect-all',
    protection,
    'If all are protected desired capacity is lowered, but none is terminated.',
    async (s) => {
      await s.group({ DesiredCapacity: 2, NewInstancesProtectedFromScaleIn: true });
      await s.desire(1);
      await s.advance(600);
      await s.desired(1);
      await s.are('InService', 'InService');
      const { Activities: [activity] = [] } = await s.call('DescribeScalingActivities', fleet);
      assert.match(activity?.StatusMessage ?? '', /all remaining instances are protected from scale-in/);
    },
  ),
  rule('protect-lifted', protection, 'Once protection is lifted the scale-in happens.', async (s) => {
    await s.group({ DesiredCapacity: 2, NewInstancesProtectedFromScaleIn: true });
    const id = await s.id();
    await s.desire(1);
    await s.advance(60);
    await protect(s, id, false);
    await s.advance(60);
    await s.is(id, 'gone');
  }),
  rule('protect-terminate', protection, 'It does not protect from termination by name.', async (s) => {
    await s.group({ NewInstancesProtectedFromScaleIn: true });
    const id = await s.id();
    await s.terminate(id);
    await s.advance(60);
    await s.is(id, 'gone');
  }),
  rule('protect-health', protection, 'It does not protect from health check replacement.', async (s) => {
    await s.group({ NewInstancesProtectedFromScaleIn: true });
    const id = await s.id();
    await sick(s, id);
    await s.advance(60);
    await s.is(id, 'gone');
  }),
  rule('protect-state', choice, 'Outside InService and Standby it cannot be set.', async (s) => {
    await s.group();
    const id = await s.id();
    await s.terminate(id);
    const input = { ...fleet, InstanceIds: [id], ProtectedFromScaleIn: true };
    await s.refused('ValidationError', 'SetInstanceProtection', input, /is not in InService/);
  }),
  rule('protect-limit', api('SetInstanceProtection'), 'Up to 50 instances can be named.', async (s) => {
    await s.group();
    const InstanceIds = Array.from({ length: 51 }, () => 'i-0123');
    const input = { ...fleet, InstanceIds, ProtectedFromScaleIn: true };
    await s.refused('ValidationError', 'SetInstanceProtection', input, /exceed 50/);
  }),

  rule('lifetime-replace', lifetime, 'After its maximum lifetime in service an instance is replaced.', async (s) => {
    await s.group({ MaxInstanceLifetime: day });
    const id = await s.id();
    await s.advance(day - 120);
    await s.is(id, 'InService');
    await s.advance(300);
    await s.is(id, 'gone');
    await s.are('InService');
  }),
  rule('lifetime-short', lifetime, 'Less than a day is refused.', async (s) => {
    await s.group();
    await s.refused('ValidationError', 'UpdateAutoScalingGroup', { ...fleet, MaxInstanceLifetime: day - 1 });
  }),
  rule('lifetime-clear', lifetime, 'A value of 0 clears it.', async (s) => {
    await s.group({ MaxInstanceLifetime: day });
    const id = await s.id();
    await s.call('UpdateAutoScalingGroup', { ...fleet, MaxInstanceLifetime: 0 });
    await s.advance(3 * day);
    await s.is(id, 'InService');
  }),
  rule('lifetime-current', lifetime, 'It applies to current instances too.', async (s) => {
    await s.group();
    const id = await s.id();
    await s.call('UpdateAutoScalingGroup', { ...fleet, MaxInstanceLifetime: day });
    await s.advance(day + 60);
    await s.is(id, 'gone');
  }),
  rule('lifetime-tenth', lifetime, 'Up to 10 percent of the group are replaced at once.', async (s) => {
    await s.group({ DesiredCapacity: 20, MaxSize: 20, MaxInstanceLifetime: day });
    await s.advance(day - 20);
    assert.equal((await s.instances('InService')).length, 18);
    await s.advance(2000);
    assert.equal((await s.instances('InService')).length, 20);
  }),
  rule('lifetime-protected', lifetime, 'Instance protection postpones the replacement.', async (s) => {
    await s.group({ MaxInstanceLifetime: day, NewInstancesProtectedFromScaleIn: true });
    const id = await s.id();
    await s.advance(2 * day);
    await s.is(id, 'InService');
    await protect(s, id, false);
    await s.advance(60);
    await s.is(id, 'gone');
  }),
  rule('lifetime-order', lifetime, 'An instance is terminated before its replacement is in service.', async (s) => {
    await s.group({ MaxInstanceLifetime: day });
    await s.advance(day - 20);
    await s.are('Pending', 'Terminating');
  }),

  rule('suspend-launch', processes, 'Launch suspended, the group does not scale out; resumed, it does.', async (s) => {
    await s.group();
    await s.suspend('Launch');
    await s.desire(2);
    await s.advance(600);
    await s.are('InService');
    await s.resume('Launch');
    await s.advance(60);
    await s.are('InService', 'InService');
  }),
  rule('suspend-terminate', processes, 'Terminate suspended, the group does not scale in.', async (s) => {
    await s.group({ DesiredCapacity: 2 });
    await s.suspend('Terminate');
    await s.desire(1);
    await s.advance(600);
    await s.are('InService', 'InService');
    await s.resume('Terminate');
    await s.advance(60);
    await s.are('InService');
  }),
  rule('suspend-launch-unhealthy', processes, 'Launch suspended, the unhealthy go without replacement.', async (s) => {
    await s.group();
    await s.suspend('Launch');
    await sick(s, await s.id());
    await s.advance(60);
    await s.are();
    await s.resume('Launch');
    await s.advance(60);
    await s.are('InService');
  }),
  rule(
    'suspend-terminate-unhealthy',
    processes,
    'Terminate suspended, the unhealthy stay until it resumes.',
    async (s) => {
      await s.group();
      const id = await s.id();
      await s.suspend('Terminate');
      await sick(s, id);
      await s.advance(60);
      await s.is(id, 'InService');
      await s.resume('Terminate');
      await s.advance(60);
      await s.is(id, 'gone');
    },
  ),
  rule(
    'suspend-replace',
    processes,
    'ReplaceUnhealthy suspended, the unhealthy are replaced once it resumes.',
    async (s) => {
      await s.group();
      const id = await s.id();
      await s.suspend('ReplaceUnhealthy');
      await sick(s, id);
      await s.advance(60);
      await s.is(id, 'InService');
      assert.equal((await s.instances())[0]?.HealthStatus, 'Unhealthy');
      await s.resume('ReplaceUnhealthy');
      await s.advance(60);
      await s.is(id, 'gone');
    },
  ),
  rule('suspend-health', processes, 'HealthCheck suspended, machines are not looked at.', async (s) => {
    await s.group();
    const id = await s.id();
    await s.suspend('HealthCheck');
    await s.happen({ kind: 'instance-stopped', instanceId: id });
    await s.advance(600);
    await s.is(id, 'InService');
    await s.resume('HealthCheck');
    await s.advance(60);
    await s.is(id, 'gone');
  }),
  rule('suspend-health-custom', processes, 'HealthCheck suspended, custom health checks still work.', async (s) => {
    await s.group();
    const id = await s.id();
    await s.suspend('HealthCheck');
    await sick(s, id);
    await s.advance(60);
    await s.is(id, 'gone');
  }),
  rule(
    'suspend-terminate-user',
    choice,
    'Terminate suspended, an instance can still be terminated by name.',
    async (s) => {
      await s.group();
      const id = await s.id();
      await s.suspend('Terminate');
      await s.terminate(id);
      await s.advance(60);
      await s.is(id, 'gone');
    },
  ),
  rule('suspend-all', api('SuspendProcesses'), 'Without names all processes are suspended.', async (s) => {
    await s.group();
    await s.call('SuspendProcesses', fleet);
    assert.equal((await s.description()).SuspendedProcesses?.length, 9);
    await s.call('ResumeProcesses', fleet);
    assert.deepEqual((await s.description()).SuspendedProcesses, []);
  }),
  rule('suspend-unknown', choice, 'A process that does not exist cannot be suspended.', async (s) => {
    await s.group();
    await s.refused('ValidationError', 'SuspendProcesses', { ...fleet, ScalingProcesses: ['Breathe'] });
  }),

  rule('zone-fewest', balance, 'New instances go where the fewest are.', async (s) => {
    await s.group({ DesiredCapacity: 4 });
    await s.zones({ 'us-east-1a': 2, 'us-east-1b': 2 });
  }),
  rule('zone-full', balance, 'If a zone fails, another one is tried.', async (s) => {
    await s.happen({ kind: 'zone-full', zone: 'us-east-1a' });
    await s.group({ DesiredCapacity: 4 });
    await s.zones({ 'us-east-1b': 4 });
  }),
  rule('zone-recovers', balance, 'When the zone recovers the group is rebalanced.', async (s) => {
    await s.happen({ kind: 'zone-full', zone: 'us-east-1a' });
    await s.group({ DesiredCapacity: 4 });
    await s.happen({ kind: 'zone-recovered', zone: 'us-east-1a' });
    await s.advance(600);
    await s.zones({ 'us-east-1a': 2, 'us-east-1b': 2 });
  }),
  rule('zone-all-full', choice, 'If no zone has room the launch fails and is tried again.', async (s) => {
    await s.happen({ kind: 'zone-full', zone: 'us-east-1a' });
    await s.happen({ kind: 'zone-full', zone: 'us-east-1b' });
    await s.group();
    const { Activities: [activity] = [] } = await s.call('DescribeScalingActivities', fleet);
    assert.equal(activity?.StatusCode, 'Failed');
    await s.happen({ kind: 'zone-recovered', zone: 'us-east-1b' });
    await s.advance(1000);
    await s.zones({ 'us-east-1b': 1 });
  }),
  rule(
    'zone-launch-first',
    balance,
    'When rebalancing, new instances are launched before others are terminated.',
    async (s) => {
      await s.group({ DesiredCapacity: 2, MaxSize: 2, AvailabilityZones: ['us-east-1a'] });
      await s.call('UpdateAutoScalingGroup', { ...fleet, AvailabilityZones: ['us-east-1b'] });
      await s.advance(20);
      await s.are('InService', 'InService', 'Pending');
    },
  ),
  rule('zone-changed', balance, 'Changed zones lead to rebalancing.', async (s) => {
    await s.group({ DesiredCapacity: 2, MaxSize: 2, AvailabilityZones: ['us-east-1a'] });
    await s.call('UpdateAutoScalingGroup', { ...fleet, AvailabilityZones: ['us-east-1b'] });
    await s.advance(600);
    await s.zones({ 'us-east-1b': 2 });
  }),
  rule('zone-suspended', processes, 'AZRebalance suspended, instances are not redistributed.', async (s) => {
    await s.happen({ kind: 'zone-full', zone: 'us-east-1a' });
    await s.group({ DesiredCapacity: 4 });
    await s.suspend('AZRebalance');
    await s.happen({ kind: 'zone-recovered', zone: 'us-east-1a' });
    await s.advance(600);
    await s.zones({ 'us-east-1b': 4 });
  }),
  rule('zone-protected', choice, 'Rebalancing terminates no protected instance.', async (s) => {
    await s.happen({ kind: 'zone-full', zone: 'us-east-1a' });
    await s.group({ DesiredCapacity: 4, NewInstancesProtectedFromScaleIn: true });
    await s.happen({ kind: 'zone-recovered', zone: 'us-east-1a' });
    await s.advance(600);
    await s.zones({ 'us-east-1b': 4 });
  }),
  rule('zone-scale-in', policies, 'Balance between zones goes before termination policies.', async (s) => {
    await s.group({ DesiredCapacity: 3, TerminationPolicies: ['NewestInstance'] });
    await s.suspend('AZRebalance');
    await s.desire(2);
    await s.advance(60);
    await s.zones({ 'us-east-1a': 1, 'us-east-1b': 1 });
  }),
  rule('policy-default', policies, 'By default the oldest launch template goes first.', async (s) => {
    await s.group({ AvailabilityZones: ['us-east-1a'], LaunchTemplate: template('2') });
    await s.call('UpdateAutoScalingGroup', { ...fleet, LaunchTemplate: template('1'), DesiredCapacity: 2 });
    await s.advance(60);
    await s.desire(1);
    await s.advance(60);
    await s.versions('2');
  }),
  rule('policy-oldest', policies, 'OldestInstance terminates the oldest.', async (s) => {
    await s.group({ AvailabilityZones: ['us-east-1a'], TerminationPolicies: ['OldestInstance'] });
    const id = await s.id();
    await s.desire(2);
    await s.advance(60);
    await s.desire(1);
    await s.advance(60);
    await s.is(id, 'gone');
  }),
  rule('policy-newest', policies, 'NewestInstance terminates the newest.', async (s) => {
    await s.group({ AvailabilityZones: ['us-east-1a'], TerminationPolicies: ['NewestInstance'] });
    const id = await s.id();
    await s.desire(2);
    await s.advance(60);
    await s.desire(1);
    await s.advance(60);
    await s.is(id, 'InService');
  }),
];
