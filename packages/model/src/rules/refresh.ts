import assert from 'node:assert/strict';
import { api, choice, fleet, guide, launching, rule, type Scene, template, terminating } from './scene.ts';

const overview = guide('instance-refresh-overview');
const defaults = guide('understand-instance-refresh-default-values');
const skipping = guide('asg-instance-refresh-skip-matching');
const checkpoints = guide('asg-adding-checkpoints-instance-refresh');
const rollback = guide('instance-refresh-rollback');
const cancelling = guide('cancel-instance-refresh');
const preferences = api('RefreshPreferences');
const start = api('StartInstanceRefresh');

async function counts(s: Scene, inService: number, pending: number, leaving: number): Promise<void> {
  const states = (await s.instances()).map(({ LifecycleState: state = '' }) => state);
  const of = (prefix: string) => states.filter((state) => state.startsWith(prefix)).length;
  assert.deepEqual([of('InService'), of('Pending'), of('Terminating')], [inService, pending, leaving]);
}

async function status(s: Scene, expected: string): Promise<void> {
  assert.equal((await s.lastRefresh()).Status, expected);
}

export const refreshRules = [
  rule('refresh-status', api('InstanceRefresh'), 'It goes from Pending over InProgress to Successful.', async (s) => {
    await s.group({ DesiredCapacity: 2 });
    await s.refresh();
    await status(s, 'Pending');
    await s.advance(3);
    await status(s, 'InProgress');
    await s.advance(600);
    await status(s, 'Successful');
  }),
  rule(
    'refresh-default-min',
    defaults,
    'Without preferences 90 percent stay healthy: of ten, one goes at a time.',
    async (s) => {
      await s.group({ DesiredCapacity: 10 });
      await s.refresh();
      await s.advance(5);
      await counts(s, 9, 1, 1);
    },
  ),
  rule('refresh-min-half', overview, 'With 50 percent of four, two are replaced at a time.', async (s) => {
    await s.group({ DesiredCapacity: 4 });
    await s.refresh({ MinHealthyPercentage: 50 });
    await s.advance(5);
    await counts(s, 2, 2, 2);
    await s.advance(300);
    await status(s, 'Successful');
  }),
  rule(
    'refresh-min-rounded',
    guide('asg-instance-refresh'),
    'The minimum is rounded up: 50 percent of three is two.',
    async (s) => {
      await s.group({ DesiredCapacity: 3 });
      await s.refresh({ MinHealthyPercentage: 50 });
      await s.advance(5);
      await counts(s, 2, 1, 1);
    },
  ),
  rule(
    'refresh-min-zero',
    guide('asg-instance-refresh'),
    'With 0 percent all are replaced at the same time.',
    async (s) => {
      await s.group({ DesiredCapacity: 4 });
      await s.refresh({ MinHealthyPercentage: 0 });
      await s.advance(5);
      await counts(s, 0, 4, 4);
    },
  ),
  rule(
    'refresh-launch-first',
    overview,
    'With 100 and 200 percent new instances come before old ones go.',
    async (s) => {
      await s.group({ DesiredCapacity: 3 });
      await s.refresh({ MinHealthyPercentage: 100, MaxHealthyPercentage: 200 });
      await s.advance(20);
      await counts(s, 3, 3, 0);
      await s.advance(18);
      await counts(s, 3, 0, 3);
      await s.advance(60);
      await status(s, 'Successful');
    },
  ),
  rule('refresh-launch-first-tenth', overview, 'With 100 and 110 percent of ten, one more at a time.', async (s) => {
    await s.group({ DesiredCapacity: 10 });
    await s.refresh({ MinHealthyPercentage: 100, MaxHealthyPercentage: 110 });
    await s.advance(20);
    await counts(s, 10, 1, 0);
  }),
  rule('refresh-max-omitted', preferences, 'Without a maximum, termination and launch go together.', async (s) => {
    await s.group({ DesiredCapacity: 2 });
    await s.refresh({ MinHealthyPercentage: 100 });
    await s.advance(5);
    await counts(s, 1, 1, 1);
  }),
  rule(
    'refresh-max-explicit',
    preferences,
    'A maximum of 100 that is set launches before it terminates.',
    async (s) => {
      await s.group({ DesiredCapacity: 2 });
      await s.refresh({ MinHealthyPercentage: 100, MaxHealthyPercentage: 100 });
      await s.advance(5);
      await counts(s, 2, 1, 0);
      await s.advance(600);
      await status(s, 'Successful');
    },
  ),
  rule('refresh-max-alone', preferences, 'A maximum needs a minimum.', async (s) => {
    await s.group();
    const input = { ...fleet, Preferences: { MaxHealthyPercentage: 150 } };
    await s.refused('ValidationError', 'StartInstanceRefresh', input);
  }),
  rule('refresh-max-difference', preferences, 'Maximum and minimum differ by at most 100.', async (s) => {
    await s.group();
    const input = { ...fleet, Preferences: { MinHealthyPercentage: 50, MaxHealthyPercentage: 200 } };
    await s.refused('ValidationError', 'StartInstanceRefresh', input);
  }),
  rule('refresh-max-range', preferences, 'The maximum is between 100 and 200.', async (s) => {
    await s.group();
    const input = { ...fleet, Preferences: { MinHealthyPercentage: 90, MaxHealthyPercentage: 99 } };
    await s.refused('ValidationError', 'StartInstanceRefresh', input);
  }),
  rule('refresh-min-range', preferences, 'The minimum is between 0 and 100.', async (s) => {
    await s.group();
    await s.refused('ValidationError', 'StartInstanceRefresh', {
      ...fleet,
      Preferences: { MinHealthyPercentage: 101 },
    });
  }),
  rule('refresh-policy', preferences, 'An instance maintenance policy gives the percentages.', async (s) => {
    await s.group({
      DesiredCapacity: 2,
      InstanceMaintenancePolicy: { MinHealthyPercentage: 100, MaxHealthyPercentage: 150 },
    });
    await s.refresh();
    await s.advance(5);
    await counts(s, 2, 1, 0);
  }),
  rule('refresh-desired', start, 'Once it succeeds, the group has the desired configuration.', async (s) => {
    await s.group({ DesiredCapacity: 2 });
    await s.refresh({ MinHealthyPercentage: 0 }, '2');
    await s.advance(10);
    assert.equal((await s.description()).LaunchTemplate?.Version, '1');
    await s.advance(300);
    assert.equal((await s.description()).LaunchTemplate?.Version, '2');
    await s.versions('2', '2');
  }),
  rule(
    'refresh-scale-out',
    guide('asg-instance-refresh'),
    'A scale-out meanwhile uses the desired configuration.',
    async (s) => {
      await s.group({ DesiredCapacity: 2 });
      await s.refresh({ InstanceWarmup: 600 }, '2');
      await s.advance(10);
      await s.desire(4);
      await s.advance(60);
      await s.versions('1', '2', '2', '2');
    },
  ),
  rule('refresh-skip', skipping, 'Skip matching leaves instances that match already.', async (s) => {
    await s.group();
    await s.call('UpdateAutoScalingGroup', { ...fleet, LaunchTemplate: template('2'), DesiredCapacity: 2 });
    await s.advance(60);
    const kept = (await s.instances()).find(({ LaunchTemplate: used }) => used?.Version === '2')?.InstanceId ?? '';
    await s.refresh({ SkipMatching: true });
    await s.advance(300);
    await s.is(kept, 'InService');
    await s.versions('2', '2');
  }),
  rule('refresh-skip-all', guide('asg-instance-refresh'), 'If all match it succeeds at once.', async (s) => {
    await s.group({ DesiredCapacity: 2 });
    await s.refresh({ SkipMatching: true });
    await s.advance(5);
    await status(s, 'Successful');
    await counts(s, 2, 0, 0);
  }),
  rule('refresh-no-skip', skipping, 'Without it any instance can be replaced.', async (s) => {
    await s.group();
    const id = await s.id();
    await s.refresh();
    await s.advance(300);
    await s.is(id, 'gone');
  }),
  rule('refresh-warmup', preferences, 'It waits for the warmup before the next replacement.', async (s) => {
    await s.group({ DesiredCapacity: 2 });
    await s.refresh({ MinHealthyPercentage: 50, InstanceWarmup: 300 });
    await s.advance(60);
    await counts(s, 2, 0, 0);
    await s.advance(240);
    await counts(s, 2, 0, 0);
    await s.advance(40);
    await counts(s, 1, 1, 1);
  }),
  rule('refresh-warmup-default', defaults, 'Its default is the default instance warmup.', async (s) => {
    await s.group({ DefaultInstanceWarmup: 600 });
    await s.call('StartInstanceRefresh', fleet);
    await s.advance(500);
    await status(s, 'InProgress');
    await s.advance(200);
    await status(s, 'Successful');
  }),
  rule('refresh-warmup-grace', defaults, 'Without one it is the health check grace period.', async (s) => {
    await s.group({ HealthCheckGracePeriod: 600 });
    await s.call('StartInstanceRefresh', fleet);
    await s.advance(500);
    await status(s, 'InProgress');
    await s.advance(200);
    await status(s, 'Successful');
  }),
  rule('refresh-hooks', guide('asg-instance-refresh'), 'Hooks run, and the warmup begins in service.', async (s) => {
    await s.group();
    await s.hook('join', launching);
    await s.hook('drain', terminating);
    await s.refresh({ InstanceWarmup: 100 });
    await s.advance(60);
    await s.are('Pending:Wait', 'Terminating:Wait');
    const [{ InstanceId: id = '' } = {}] = await s.instances('Pending:Wait');
    await s.complete(id, 'join', 'CONTINUE');
    await s.advance(90);
    await status(s, 'InProgress');
    await s.advance(20);
    await status(s, 'Successful');
  }),
  rule(
    'refresh-protected-wait',
    preferences,
    'It waits one hour for protection to be removed, then fails.',
    async (s) => {
      await s.group({ NewInstancesProtectedFromScaleIn: true });
      await s.refresh();
      await s.advance(3600);
      await status(s, 'InProgress');
      await s.advance(10);
      await status(s, 'Failed');
    },
  ),
  rule('refresh-protected-released', preferences, 'Protection removed within the hour, it goes on.', async (s) => {
    await s.group({ NewInstancesProtectedFromScaleIn: true });
    await s.refresh();
    await s.advance(1800);
    await s.call('SetInstanceProtection', { ...fleet, InstanceIds: [await s.id()], ProtectedFromScaleIn: false });
    await s.advance(300);
    await status(s, 'Successful');
  }),
  rule('refresh-protected-ignore', preferences, 'Ignore replaces only what is not protected.', async (s) => {
    await s.group({ DesiredCapacity: 2 });
    const id = await s.id();
    await s.call('SetInstanceProtection', { ...fleet, InstanceIds: [id], ProtectedFromScaleIn: true });
    await s.refresh({ MinHealthyPercentage: 0, ScaleInProtectedInstances: 'Ignore' }, '2');
    await s.advance(300);
    await status(s, 'Successful');
    await s.is(id, 'InService');
    await s.versions('1', '2');
  }),
  rule('refresh-protected-refresh', preferences, 'Refresh replaces protected instances too.', async (s) => {
    await s.group({ NewInstancesProtectedFromScaleIn: true });
    await s.refresh({ ScaleInProtectedInstances: 'Refresh' }, '2');
    await s.advance(300);
    await status(s, 'Successful');
    await s.versions('2');
  }),
  rule('refresh-standby-wait', preferences, 'It waits one hour for an instance on Standby, then fails.', async (s) => {
    await s.group();
    await s.call('EnterStandby', { ...fleet, InstanceIds: [await s.id()], ShouldDecrementDesiredCapacity: true });
    await s.advance(5);
    await s.refresh();
    await s.advance(3590);
    await status(s, 'InProgress');
    await s.advance(20);
    await status(s, 'Failed');
  }),
  rule('refresh-standby-ignore', preferences, 'Ignore leaves instances on Standby.', async (s) => {
    await s.group({ DesiredCapacity: 2 });
    const id = await s.id();
    await s.call('EnterStandby', { ...fleet, InstanceIds: [id], ShouldDecrementDesiredCapacity: true });
    await s.advance(5);
    await s.refresh({ StandbyInstances: 'Ignore' });
    await s.advance(300);
    await status(s, 'Successful');
    await s.is(id, 'Standby');
  }),
  rule('refresh-standby-terminate', preferences, 'Terminate terminates instances on Standby.', async (s) => {
    await s.group({ DesiredCapacity: 2 });
    const id = await s.id();
    await s.call('EnterStandby', { ...fleet, InstanceIds: [id], ShouldDecrementDesiredCapacity: true });
    await s.advance(5);
    await s.refresh({ StandbyInstances: 'Terminate' });
    await s.advance(300);
    await status(s, 'Successful');
    await s.is(id, 'gone');
  }),
  rule('refresh-checkpoint', checkpoints, 'At a checkpoint it waits, and announces it.', async (s) => {
    await s.group({ DesiredCapacity: 4 });
    await s.refresh({ MinHealthyPercentage: 50, CheckpointPercentages: [50, 100], CheckpointDelay: 900 }, '2');
    await s.advance(300);
    await s.versions('1', '1', '2', '2');
    const [event] = await s.events('EC2 Auto Scaling Instance Refresh Checkpoint Reached');
    assert.ok(event && 'CheckpointPercentage' in event.detail);
    assert.deepEqual([event.detail.CheckpointPercentage, event.detail.CheckpointDelay], ['50', '900']);
    await s.advance(900);
    await s.versions('2', '2', '2', '2');
    await status(s, 'Successful');
  }),
  rule('refresh-checkpoint-skipped', checkpoints, 'Of [10, 40, 100] and two instances 10 is skipped.', async (s) => {
    await s.group({ DesiredCapacity: 2 });
    await s.refresh({ MinHealthyPercentage: 50, CheckpointPercentages: [10, 40, 100], CheckpointDelay: 60 });
    await s.advance(600);
    const events = await s.events('EC2 Auto Scaling Instance Refresh Checkpoint Reached');
    const reached = events.map(({ detail }) => 'CheckpointPercentage' in detail && detail.CheckpointPercentage);
    assert.deepEqual(reached, ['40', '100']);
  }),
  rule(
    'refresh-checkpoint-partial',
    checkpoints,
    'A last checkpoint below 100 replaces a part and succeeds.',
    async (s) => {
      await s.group({ DesiredCapacity: 4 });
      await s.refresh({ CheckpointPercentages: [25], CheckpointDelay: 60 }, '2');
      await s.advance(600);
      await status(s, 'Successful');
      await s.versions('1', '1', '1', '2');
    },
  ),
  rule('refresh-checkpoint-delay', preferences, 'A delay needs percentages.', async (s) => {
    await s.group();
    await s.refused('ValidationError', 'StartInstanceRefresh', { ...fleet, Preferences: { CheckpointDelay: 60 } });
  }),
  rule('refresh-checkpoint-order', preferences, 'Percentages are unique and ascending.', async (s) => {
    await s.group();
    const input = { ...fleet, Preferences: { CheckpointPercentages: [50, 20] } };
    await s.refused('ValidationError', 'StartInstanceRefresh', input);
  }),
  rule('refresh-bake', preferences, 'It bakes before it is complete.', async (s) => {
    await s.group();
    await s.refresh({ BakeTime: 600 });
    await s.advance(300);
    await status(s, 'Baking');
    await s.advance(600);
    await status(s, 'Successful');
  }),
  rule(
    'refresh-progress',
    api('InstanceRefresh'),
    'It reports percentage complete and instances to update.',
    async (s) => {
      await s.group({ DesiredCapacity: 4 });
      await s.refresh({ MinHealthyPercentage: 50, InstanceWarmup: 100 });
      await s.advance(60);
      const early = await s.lastRefresh();
      assert.deepEqual([early.PercentageComplete, early.InstancesToUpdate], [0, 4]);
      await s.advance(80);
      const later = await s.lastRefresh();
      assert.deepEqual([later.PercentageComplete, later.InstancesToUpdate], [50, 2]);
      await s.advance(600);
      assert.equal((await s.lastRefresh()).PercentageComplete, 100);
    },
  ),
  rule('refresh-twice', start, 'A second one is refused while one is active.', async (s) => {
    await s.group();
    await s.refresh();
    await s.refused('InstanceRefreshInProgress', 'StartInstanceRefresh', fleet);
  }),
  rule(
    'refresh-update',
    choice,
    'The launch template cannot be updated while one with a desired one runs.',
    async (s) => {
      await s.group();
      await s.refresh({}, '2');
      await s.refused('ValidationError', 'UpdateAutoScalingGroup', { ...fleet, LaunchTemplate: template('3') });
    },
  ),
  rule('refresh-cancel', cancelling, 'It is Cancelling, then Cancelled; what was replaced stays.', async (s) => {
    await s.group({ DesiredCapacity: 3 });
    await s.refresh({ InstanceWarmup: 600 }, '2');
    await s.advance(60);
    await s.call('CancelInstanceRefresh', fleet);
    await status(s, 'Cancelling');
    await s.advance(600);
    await status(s, 'Cancelled');
    await s.versions('1', '1', '2');
    assert.equal((await s.description()).LaunchTemplate?.Version, '1');
  }),
  rule('refresh-cancel-none', api('CancelInstanceRefresh'), 'Nothing in progress, nothing to cancel.', async (s) => {
    await s.group();
    await s.refused('ActiveInstanceRefreshNotFound', 'CancelInstanceRefresh', fleet);
  }),
  rule('refresh-cancel-finished', cancelling, 'It cannot be cancelled after it has finished.', async (s) => {
    await s.group();
    await s.refresh();
    await s.advance(300);
    await s.refused('ActiveInstanceRefreshNotFound', 'CancelInstanceRefresh', fleet);
  }),
  rule('refresh-rollback', rollback, 'A rollback replaces what was deployed by the saved configuration.', async (s) => {
    await s.group({ DesiredCapacity: 3 });
    await s.refresh({ MinHealthyPercentage: 50 }, '2');
    await s.advance(60);
    await s.call('RollbackInstanceRefresh', fleet);
    await status(s, 'RollbackInProgress');
    await s.advance(600);
    await status(s, 'RollbackSuccessful');
    await s.versions('1', '1', '1');
    assert.equal((await s.description()).LaunchTemplate?.Version, '1');
  }),
  rule('refresh-rollback-cancel', api('CancelInstanceRefresh'), 'A rollback can be cancelled.', async (s) => {
    await s.group({ DesiredCapacity: 3 });
    await s.refresh({ InstanceWarmup: 600 }, '2');
    await s.advance(60);
    await s.call('RollbackInstanceRefresh', fleet);
    await s.call('CancelInstanceRefresh', fleet);
    await s.advance(5);
    await status(s, 'Cancelled');
  }),
  rule(
    'refresh-rollback-none',
    api('RollbackInstanceRefresh'),
    'Nothing in progress, nothing to roll back.',
    async (s) => {
      await s.group();
      await s.refused('ActiveInstanceRefreshNotFound', 'RollbackInstanceRefresh', fleet);
    },
  ),
  rule('refresh-rollback-desired', rollback, 'Without a desired configuration it is irreversible.', async (s) => {
    await s.group();
    await s.refresh();
    await s.refused('IrreversibleInstanceRefresh', 'RollbackInstanceRefresh', fleet);
  }),
  rule('refresh-rollback-latest', rollback, 'A group on $Latest cannot be rolled back to.', async (s) => {
    await s.group({ LaunchTemplate: template('$Latest') });
    await s.refresh({}, '2');
    await s.refused('IrreversibleInstanceRefresh', 'RollbackInstanceRefresh', fleet);
  }),
  rule('refresh-auto-rollback', rollback, 'With auto rollback a failure is rolled back.', async (s) => {
    await s.group({ DesiredCapacity: 2 });
    await s.call('SetInstanceProtection', { ...fleet, InstanceIds: [await s.id(1)], ProtectedFromScaleIn: true });
    await s.refresh({ MinHealthyPercentage: 50, AutoRollback: true }, '2');
    await s.advance(300);
    await s.versions('1', '2');
    await s.advance(4200);
    await status(s, 'RollbackSuccessful');
    await s.versions('1', '1');
  }),
  rule('refresh-auto-rollback-desired', preferences, 'Auto rollback needs a desired configuration.', async (s) => {
    await s.group();
    await s.refused('ValidationError', 'StartInstanceRefresh', { ...fleet, Preferences: { AutoRollback: true } });
  }),
  rule('refresh-pool', overview, 'In-service instances are replaced first, then those of the warm pool.', async (s) => {
    await s.group({ MaxSize: 2 });
    await s.call('PutWarmPool', fleet);
    await s.advance(60);
    const [{ InstanceId: id = '' } = {}] = await s.pool();
    await s.refresh({}, '2');
    await s.advance(30);
    await s.is(id, 'Warmed:Stopped');
    await s.advance(600);
    await status(s, 'Successful');
    await s.versions('2');
    assert.deepEqual(
      (await s.pool()).map(({ LaunchTemplate: used }) => used?.Version),
      ['2'],
    );
  }),
  rule(
    'refresh-suspended',
    choice,
    'While the process InstanceRefresh is suspended nothing is replaced.',
    async (s) => {
      await s.group();
      await s.suspend('InstanceRefresh');
      await s.refresh();
      await s.advance(600);
      await status(s, 'InProgress');
      await s.resume('InstanceRefresh');
      await s.advance(300);
      await status(s, 'Successful');
    },
  ),
  rule('refresh-order', api('DescribeInstanceRefreshes'), 'Refreshes are described newest first.', async (s) => {
    await s.group();
    await s.refresh({ InstanceWarmup: 1 });
    await s.advance(300);
    await s.refresh({ InstanceWarmup: 2 });
    const { InstanceRefreshes: found = [] } = await s.call('DescribeInstanceRefreshes', fleet);
    assert.deepEqual(
      found.map(({ Preferences: used }) => used?.InstanceWarmup),
      [2, 1],
    );
  }),
];
