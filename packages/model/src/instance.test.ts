import { expect, test } from 'vitest';
import { AutoScaling } from './api.ts';
import { VirtualClock } from './clock.ts';

const fleet = { AutoScalingGroupName: 'fleet' };

/** A group whose actions are completed at once, and every step that its first instance takes. */
function watched(desired: number): { service: AutoScaling; clock: VirtualClock; path: string[] } {
  const clock = new VirtualClock();
  const service = new AutoScaling({ clock });
  const path: string[] = [];
  let first = '';
  service.observe({
    onInstanceState({ id, target }, _from, to) {
      first ||= id;
      if (id === first) path.push(`${to} (${target})`);
    },
    onLifecycleAction({ token, hook, groupName: AutoScalingGroupName }, event) {
      if (event !== 'opened') return;
      const action = { AutoScalingGroupName, LifecycleHookName: hook.name, LifecycleActionToken: token };
      clock.after(5, () => service.call('CompleteLifecycleAction', { ...action, LifecycleActionResult: 'CONTINUE' }));
    },
  });
  service.call('CreateAutoScalingGroup', {
    ...fleet,
    MinSize: 0,
    MaxSize: 1,
    DesiredCapacity: desired,
    AvailabilityZones: ['us-east-1a'],
    LaunchTemplate: { LaunchTemplateName: 'fleet' },
    LifecycleHookSpecificationList: [
      { LifecycleHookName: 'join', LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING' },
      { LifecycleHookName: 'drain', LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING' },
    ],
  });
  return { service, clock, path };
}

test('an observer sees every step into service and out of it, and where it leads', () => {
  const { service, clock, path } = watched(1);
  clock.advance(120);
  service.call('SetDesiredCapacity', { ...fleet, DesiredCapacity: 0 });
  clock.advance(120);
  expect(path).toEqual([
    'Pending (InService)',
    'Pending:Wait (InService)',
    'Pending:Proceed (InService)',
    'InService (InService)',
    'Terminating (Terminated)',
    'Terminating:Wait (Terminated)',
    'Terminating:Proceed (Terminated)',
    'Terminated (Terminated)',
  ]);
});

test('an observer sees every step through the warm pool', () => {
  const { service, clock, path } = watched(0);
  const pool = { ...fleet, PoolState: 'Hibernated', InstanceReusePolicy: { ReuseOnScaleIn: true } } as const;
  service.call('PutWarmPool', pool);
  clock.advance(120);
  service.call('SetDesiredCapacity', { ...fleet, DesiredCapacity: 1 });
  clock.advance(120);
  service.call('SetDesiredCapacity', { ...fleet, DesiredCapacity: 0 });
  clock.advance(120);
  expect(path.map((step) => step.split(' ')[0])).toEqual([
    'Warmed:Pending',
    'Warmed:Pending:Wait',
    'Warmed:Pending:Proceed',
    'Warmed:Hibernated',
    'Pending',
    'Pending:Wait',
    'Pending:Proceed',
    'InService',
    'Warmed:Pending',
    'Warmed:Pending:Wait',
    'Warmed:Pending:Proceed',
    'Warmed:Hibernated',
  ]);
});
