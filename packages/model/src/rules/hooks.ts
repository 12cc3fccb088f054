import assert from 'node:assert/strict';
import { api, choice, fleet, guide, launching, recorded, rule, terminating } from './scene.ts';

const overview = guide('lifecycle-hooks-overview');
const hooks = guide('lifecycle-hooks');
const adding = guide('adding-lifecycle-hooks');
const completing = guide('completing-lifecycle-hooks');
const put = api('PutLifecycleHook');
const deletion = api('DeleteLifecycleHook');

export const hookRules = [
  rule('hook-launch-wait', overview, 'A launch hook puts the instance into Pending:Wait.', async (s) => {
    await s.group({ DesiredCapacity: 0 });
    await s.hook('join', launching);
    await s.desire(1);
    await s.advance(60);
    await s.are('Pending:Wait');
  }),
  rule(
    'hook-launch-continue',
    guide('ec2-auto-scaling-lifecycle'),
    'Completed, it passes Pending:Proceed.',
    async (s) => {
      await s.group({ DesiredCapacity: 0 });
      await s.hook('join', launching);
      await s.desire(1);
      await s.advance(60);
      const id = await s.id();
      await s.complete(id, 'join', 'CONTINUE');
      await s.is(id, 'Pending:Proceed');
      await s.advance(5);
      await s.is(id, 'InService');
    },
  ),
  rule('hook-launch-abandon', adding, 'Abandoned, a launching instance is terminated and replaced.', async (s) => {
    await s.group({ DesiredCapacity: 0 });
    await s.hook('join', launching);
    await s.desire(1);
    await s.advance(60);
    const id = await s.id();
    await s.complete(id, 'join', 'ABANDON');
    await s.is(id, 'Terminating');
    await s.advance(60);
    await s.is(id, 'gone');
    await s.are('Pending:Wait');
  }),
  rule('hook-launch-abandon-drains', recorded, 'An abandoned launch runs the termination hooks.', async (s) => {
    await s.group({ DesiredCapacity: 0 });
    await s.hook('join', launching);
    await s.hook('drain', terminating);
    await s.desire(1);
    await s.advance(60);
    const id = await s.id();
    await s.complete(id, 'join', 'ABANDON');
    await s.advance(5);
    await s.is(id, 'Terminating:Wait');
  }),
  rule('hook-launch-abandon-rate', hooks, 'Launches slow down if hooks fail consistently.', async (s) => {
    await s.group({ DesiredCapacity: 0 });
    await s.hook('join', launching, { HeartbeatTimeout: 30, DefaultResult: 'ABANDON' });
    await s.desire(1);
    await s.advance(3600);
    const early = (await s.events('EC2 Instance-launch Lifecycle Action')).length;
    await s.advance(3600);
    const late = (await s.events('EC2 Instance-launch Lifecycle Action')).length - early;
    assert.ok(late < early, `${late} launches in the second hour, ${early} in the first`);
  }),
  rule('hook-default-timeout', overview, 'By default the instance waits one hour.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    const id = await s.id();
    await s.terminate(id);
    await s.advance(3600);
    await s.is(id, 'Terminating:Wait');
    await s.advance(3);
    await s.is(id, 'Terminating:Proceed');
  }),
  rule('hook-default-result', put, 'By default the result of a timeout is ABANDON.', async (s) => {
    await s.group({ DesiredCapacity: 0 });
    await s.hook('join', launching, { HeartbeatTimeout: 60 });
    await s.desire(1);
    await s.advance(60);
    const id = await s.id();
    await s.advance(31);
    await s.is(id, 'Terminating');
  }),
  rule('hook-timeout-continue', adding, 'A timeout with CONTINUE puts the instance into service.', async (s) => {
    await s.group({ DesiredCapacity: 0 });
    await s.hook('join', launching, { HeartbeatTimeout: 60, DefaultResult: 'CONTINUE' });
    await s.desire(1);
    await s.advance(100);
    await s.are('InService');
  }),
  rule(
    'hook-heartbeat',
    hooks,
    'A heartbeat restarts the timeout: after 30 minutes of an hour, 90 in total.',
    async (s) => {
      await s.group();
      await s.hook('drain', terminating);
      const id = await s.id();
      await s.terminate(id);
      await s.advance(2 + 1800);
      await s.heartbeat(id, 'drain');
      await s.advance(3599);
      await s.is(id, 'Terminating:Wait');
      await s.advance(2);
      await s.is(id, 'Terminating:Proceed');
    },
  ),
  rule('hook-heartbeat-token', completing, 'A heartbeat can name the action by its token.', async (s) => {
    await s.group();
    await s.hook('drain', terminating, { HeartbeatTimeout: 60 });
    const id = await s.id();
    await s.terminate(id);
    await s.advance(50);
    const { LifecycleActionToken } = await s.announced();
    await s.call('RecordLifecycleActionHeartbeat', { ...fleet, LifecycleHookName: 'drain', LifecycleActionToken });
    await s.advance(50);
    await s.is(id, 'Terminating:Wait');
  }),
  rule('hook-complete-token', completing, 'An action can be completed by its token.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    const id = await s.id();
    await s.terminate(id);
    await s.advance(5);
    const { LifecycleActionToken } = await s.announced();
    const input = { ...fleet, LifecycleHookName: 'drain', LifecycleActionToken, LifecycleActionResult: 'CONTINUE' };
    await s.call('CompleteLifecycleAction', input);
    await s.is(id, 'Terminating:Proceed');
  }),
  rule('hook-cap-hundred', hooks, 'No instance waits longer than 100 times the heartbeat timeout.', async (s) => {
    await s.group();
    await s.hook('drain', terminating, { HeartbeatTimeout: 30 });
    const id = await s.id();
    await s.terminate(id);
    await s.advance(2);
    for (let beats = 0; beats < 149; beats++) {
      await s.advance(20);
      await s.heartbeat(id, 'drain');
    }
    await s.advance(19);
    await s.is(id, 'Terminating:Wait');
    await s.advance(1);
    await s.is(id, 'Terminating:Proceed');
  }),
  rule('hook-cap-48h', hooks, 'No instance waits longer than 48 hours.', async (s) => {
    await s.group();
    await s.hook('drain', terminating, { HeartbeatTimeout: 7200 });
    const id = await s.id();
    await s.terminate(id);
    await s.advance(2);
    for (let beats = 0; beats < 47; beats++) {
      await s.advance(3600);
      await s.heartbeat(id, 'drain');
    }
    await s.advance(3599);
    await s.is(id, 'Terminating:Wait');
    await s.advance(1);
    await s.is(id, 'Terminating:Proceed');
  }),
  rule(
    'hook-global-timeout',
    api('LifecycleHook'),
    'GlobalTimeout is 48 hours or 100 timeouts, the smaller.',
    async (s) => {
      await s.group();
      await s.hook('short', terminating, { HeartbeatTimeout: 30 });
      await s.hook('long', terminating, { HeartbeatTimeout: 7200 });
      const { LifecycleHooks: found = [] } = await s.call('DescribeLifecycleHooks', fleet);
      assert.deepEqual(
        found.map(({ GlobalTimeout: limit }) => limit),
        [3000, 172_800],
      );
    },
  ),
  rule('hook-terminate-wait', overview, 'A termination hook puts the instance into Terminating:Wait.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    const id = await s.id();
    await s.desire(0);
    await s.advance(5);
    await s.is(id, 'Terminating:Wait');
  }),
  rule(
    'hook-terminate-continue',
    overview,
    'Completed, it passes Terminating:Proceed and is terminated.',
    async (s) => {
      await s.group();
      await s.hook('drain', terminating);
      const id = await s.id();
      await s.terminate(id);
      await s.advance(5);
      await s.complete(id, 'drain', 'CONTINUE');
      await s.is(id, 'Terminating:Proceed');
      await s.advance(30);
      await s.is(id, 'gone');
    },
  ),
  rule('hook-terminate-abandon', adding, 'Abandoned, a terminating instance terminates all the same.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    const id = await s.id();
    await s.terminate(id);
    await s.advance(5);
    await s.complete(id, 'drain', 'ABANDON');
    await s.is(id, 'Terminating:Proceed');
    await s.advance(30);
    await s.is(id, 'gone');
  }),
  rule('hook-two-continue', adding, 'CONTINUE lets the other hooks complete.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    await s.hook('logs', terminating);
    const id = await s.id();
    await s.terminate(id);
    await s.advance(5);
    await s.complete(id, 'drain', 'CONTINUE');
    await s.is(id, 'Terminating:Wait');
    await s.complete(id, 'logs', 'CONTINUE');
    await s.is(id, 'Terminating:Proceed');
  }),
  rule('hook-two-abandon', adding, 'ABANDON stops the remaining hooks.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    await s.hook('logs', terminating);
    const id = await s.id();
    await s.terminate(id);
    await s.advance(5);
    await s.complete(id, 'drain', 'ABANDON');
    await s.is(id, 'Terminating:Proceed');
    const input = { ...fleet, LifecycleHookName: 'logs', InstanceId: id, LifecycleActionResult: 'CONTINUE' };
    await s.refused('ValidationError', 'CompleteLifecycleAction', input);
  }),
  rule(
    'hook-user-termination',
    guide('as-suspend-resume-processes'),
    'Hooks run for TerminateInstance too.',
    async (s) => {
      await s.group();
      await s.hook('drain', terminating);
      const id = await s.id();
      await s.terminate(id);
      await s.advance(5);
      await s.is(id, 'Terminating:Wait');
    },
  ),
  rule('hook-spot', hooks, 'A hook does not keep a Spot Instance; its action must still be completed.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    const id = await s.id();
    await s.happen({ kind: 'spot-interruption', instanceId: id });
    await s.advance(130);
    await s.is(id, 'Terminating:Wait');
    await s.complete(id, 'drain', 'CONTINUE');
    await s.advance(30);
    await s.is(id, 'gone');
  }),
  rule('hook-later', choice, 'A hook holds the instances that reach its transition after it was made.', async (s) => {
    await s.group();
    await s.hook('join', launching);
    await s.are('InService');
    await s.desire(2);
    await s.advance(60);
    await s.are('InService', 'Pending:Wait');
  }),
  rule('hook-changed', choice, 'An action keeps the settings of the hook with which it began.', async (s) => {
    await s.group();
    await s.hook('drain', terminating, { HeartbeatTimeout: 60 });
    const id = await s.id();
    await s.terminate(id);
    await s.advance(5);
    await s.hook('drain', terminating, { HeartbeatTimeout: 7200 });
    await s.advance(60);
    await s.is(id, 'Terminating:Proceed');
  }),
  rule('hook-pending-terminated', choice, 'Terminating a waiting launch drops its action.', async (s) => {
    await s.group({ DesiredCapacity: 0 });
    await s.hook('join', launching);
    await s.desire(1);
    await s.advance(60);
    const id = await s.id();
    await s.terminate(id);
    const input = { ...fleet, LifecycleHookName: 'join', InstanceId: id, LifecycleActionResult: 'CONTINUE' };
    await s.refused('ValidationError', 'CompleteLifecycleAction', input);
  }),
  rule('hook-timeout-low', put, 'A heartbeat timeout below 30 seconds is refused.', async (s) => {
    await s.group();
    const input = { ...fleet, LifecycleHookName: 'drain', LifecycleTransition: terminating, HeartbeatTimeout: 29 };
    await s.refused('ValidationError', 'PutLifecycleHook', input);
  }),
  rule('hook-timeout-high', put, 'A heartbeat timeout above 7200 seconds is refused.', async (s) => {
    await s.group();
    const input = { ...fleet, LifecycleHookName: 'drain', LifecycleTransition: terminating, HeartbeatTimeout: 7201 };
    await s.refused('ValidationError', 'PutLifecycleHook', input);
  }),
  rule('hook-transition', put, 'A new hook needs a transition.', async (s) => {
    await s.group();
    await s.refused('ValidationError', 'PutLifecycleHook', { ...fleet, LifecycleHookName: 'drain' });
  }),
  rule(
    'hook-name',
    api('LifecycleHook'),
    'A hook name is made of letters, digits, hyphen, underscore and slash.',
    async (s) => {
      await s.group();
      const input = { ...fleet, LifecycleHookName: 'drain it', LifecycleTransition: terminating };
      await s.refused('ValidationError', 'PutLifecycleHook', input);
    },
  ),
  rule('hook-result', put, 'A default result other than CONTINUE or ABANDON is refused.', async (s) => {
    await s.group();
    const input = { ...fleet, LifecycleHookName: 'drain', LifecycleTransition: terminating, DefaultResult: 'WAIT' };
    await s.refused('ValidationError', 'PutLifecycleHook', input);
  }),
  rule('hook-update', put, 'When a hook is updated its transition may be left out.', async (s) => {
    await s.group();
    await s.hook('drain', terminating, { HeartbeatTimeout: 60, NotificationMetadata: 'blue' });
    await s.call('PutLifecycleHook', { ...fleet, LifecycleHookName: 'drain', DefaultResult: 'CONTINUE' });
    const { LifecycleHooks: [hook] = [] } = await s.call('DescribeLifecycleHooks', fleet);
    assert.deepEqual(
      [hook?.LifecycleTransition, hook?.HeartbeatTimeout, hook?.NotificationMetadata, hook?.DefaultResult],
      [terminating, 60, 'blue', 'CONTINUE'],
    );
  }),
  rule('hook-limit', put, 'A group has at most 50 hooks.', async (s) => {
    await s.group();
    for (let made = 0; made < 50; made++) await s.hook(`hook-${made}`, terminating);
    const input = { ...fleet, LifecycleHookName: 'one-more', LifecycleTransition: terminating };
    await s.refused('LimitExceeded', 'PutLifecycleHook', input);
  }),
  rule('hook-forced', guide('lifecycle-hooks'), 'No hook runs when the group is deleted by force.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    const id = await s.id();
    await s.call('DeleteAutoScalingGroup', { ...fleet, ForceDelete: true });
    await s.advance(60);
    await s.is(id, 'gone');
  }),
  rule('hook-delete-launching', deletion, 'Deleting a hook abandons launching instances.', async (s) => {
    await s.group({ DesiredCapacity: 0 });
    await s.hook('join', launching);
    await s.desire(1);
    await s.advance(60);
    const id = await s.id();
    await s.call('DeleteLifecycleHook', { ...fleet, LifecycleHookName: 'join' });
    await s.is(id, 'Terminating');
  }),
  rule('hook-delete-terminating', deletion, 'Deleting a hook continues terminating instances.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    const id = await s.id();
    await s.terminate(id);
    await s.advance(5);
    await s.call('DeleteLifecycleHook', { ...fleet, LifecycleHookName: 'drain' });
    await s.is(id, 'Terminating:Proceed');
  }),
  rule('hook-delete-unknown', choice, 'A hook that does not exist cannot be deleted.', async (s) => {
    await s.group();
    await s.refused('ValidationError', 'DeleteLifecycleHook', { ...fleet, LifecycleHookName: 'drain' });
  }),
  rule(
    'action-token-unknown',
    choice,
    'An unknown token is refused with "No active Lifecycle Action found".',
    async (s) => {
      await s.group();
      await s.hook('drain', terminating);
      const token = '00000000-0000-4000-8000-000000000000';
      const action = { ...fleet, LifecycleHookName: 'drain', LifecycleActionToken: token };
      const says = new RegExp(`No active Lifecycle Action found with token ${token}`);
      await s.refused(
        'ValidationError',
        'CompleteLifecycleAction',
        { ...action, LifecycleActionResult: 'CONTINUE' },
        says,
      );
      await s.refused('ValidationError', 'RecordLifecycleActionHeartbeat', action, says);
    },
  ),
  rule('action-instance-unknown', choice, 'An instance without an open action is refused.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    const action = { ...fleet, LifecycleHookName: 'drain', InstanceId: await s.id() };
    const says = /No active Lifecycle Action found with instance ID i-/;
    await s.refused(
      'ValidationError',
      'CompleteLifecycleAction',
      { ...action, LifecycleActionResult: 'CONTINUE' },
      says,
    );
    await s.refused('ValidationError', 'RecordLifecycleActionHeartbeat', action, says);
  }),
  rule('action-twice', choice, 'An action that was completed cannot be completed again.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    const id = await s.id();
    await s.terminate(id);
    await s.advance(5);
    const { LifecycleActionToken } = await s.announced();
    const input = { ...fleet, LifecycleHookName: 'drain', LifecycleActionToken, LifecycleActionResult: 'CONTINUE' };
    await s.call('CompleteLifecycleAction', input);
    await s.refused('ValidationError', 'CompleteLifecycleAction', input, /No active Lifecycle Action/);
  }),
  rule('action-unnamed', choice, 'An action is named by token or by instance.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    await s.refused('ValidationError', 'RecordLifecycleActionHeartbeat', { ...fleet, LifecycleHookName: 'drain' });
  }),
  rule('action-result', api('CompleteLifecycleAction'), 'The result is CONTINUE or ABANDON.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    const id = await s.id();
    await s.terminate(id);
    await s.advance(5);
    const input = { ...fleet, LifecycleHookName: 'drain', InstanceId: id, LifecycleActionResult: 'DONE' };
    await s.refused('ValidationError', 'CompleteLifecycleAction', input);
  }),
  rule('action-other-hook', choice, 'A token counts only with its own hook.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    await s.hook('join', launching);
    await s.terminate(await s.id());
    await s.advance(5);
    const { LifecycleActionToken } = await s.announced();
    const input = { ...fleet, LifecycleHookName: 'join', LifecycleActionToken };
    await s.refused('ValidationError', 'RecordLifecycleActionHeartbeat', input);
  }),
  rule('action-hook-unknown', choice, 'A hook that does not exist has no actions.', async (s) => {
    await s.group();
    const input = { ...fleet, LifecycleHookName: 'drain', InstanceId: await s.id() };
    await s.refused('ValidationError', 'RecordLifecycleActionHeartbeat', input);
  }),
];
