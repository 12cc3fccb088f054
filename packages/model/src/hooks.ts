import type { Timer } from './clock.ts';
import { refuse } from './errors.ts';
import type { Group } from './group.ts';
import { type Instance, passageOf, type Result, type Transition } from './instance.ts';
import { uuid } from './random.ts';

export type Hook = {
  readonly name: string;
  readonly transition: Transition;
  readonly heartbeatTimeout: number;
  readonly defaultResult: Result;
  readonly metadata?: string | undefined;
  readonly targetArn?: string | undefined;
  readonly roleArn?: string | undefined;
};

/** One hook holding one instance. It keeps the hook as it was when the wait began. */
export type Action = {
  readonly token: string;
  readonly hook: Hook;
  readonly instance: Instance;
  readonly groupName: string;
  readonly openedAt: number;
  /** No heartbeat reaches beyond this. */
  readonly limit: number;
  deadline: number;
  timer: Timer | undefined;
};

/** 48 hours or 100 times the heartbeat timeout, whichever is smaller. */
export const globalTimeout = (hook: Hook) => Math.min(172_800, 100 * hook.heartbeatTimeout);

/** Puts the instance into its wait state if the group has hooks for the transition; all of them begin at once. */
export function openActions(group: Group, instance: Instance): boolean {
  if (!instance.passage) return false;
  const passage = passageOf(instance.passage);
  const hooks = [...group.hooks.values()].filter((hook) => hook.transition === passage.transition);
  if (hooks.length === 0) return false;
  const { clock, random, bus, observers } = group.world;
  group.move(instance, passage.wait);
  if (instance.activity) instance.activity.StatusCode = 'MidLifecycleAction';
  for (const hook of hooks) {
    const now = clock.now();
    const action: Action = {
      token: uuid(random),
      hook,
      instance,
      groupName: group.name,
      openedAt: now,
      limit: now + globalTimeout(hook),
      deadline: now + hook.heartbeatTimeout,
      timer: undefined,
    };
    instance.actions.set(hook.name, action);
    group.actions.set(action.token, action);
    watch(group, action);
    for (const observer of observers) observer.onLifecycleAction?.(action, 'opened', undefined);
    bus.publish({
      'detail-type':
        passage.transition === 'autoscaling:EC2_INSTANCE_LAUNCHING'
          ? 'EC2 Instance-launch Lifecycle Action'
          : 'EC2 Instance-terminate Lifecycle Action',
      resources: [group.arn],
      detail: {
        LifecycleActionToken: action.token,
        AutoScalingGroupName: group.name,
        LifecycleHookName: hook.name,
        EC2InstanceId: instance.id,
        LifecycleTransition: passage.transition,
        ...(hook.metadata === undefined ? {} : { NotificationMetadata: hook.metadata }),
        Origin: passage.origin,
        Destination: passage.destination,
      },
    });
  }
  return true;
}

/** A heartbeat only moves the deadline; the timer looks again when it fires, so beating costs nothing. */
function watch(group: Group, action: Action): void {
  const { clock } = group.world;
  action.timer = clock.after(action.deadline - clock.now(), () => {
    if (action.deadline > clock.now()) watch(group, action);
    else closeAction(group, action, action.hook.defaultResult, 'Heartbeat Timeout');
  });
}

export function heartbeat(group: Group, action: Action): void {
  action.deadline = Math.min(group.world.clock.now() + action.hook.heartbeatTimeout, action.limit);
}

export function closeAction(group: Group, action: Action, result: Result, reason: string): void {
  forget(group, action);
  for (const observer of group.world.observers) observer.onLifecycleAction?.(action, 'closed', result);
  // ABANDON stops any remaining hooks; CONTINUE lets them complete.
  if (result === 'ABANDON') dropActions(group, action.instance);
  if (action.instance.actions.size > 0) return;
  const why = `Lifecycle Action with token ${action.token} was abandoned: ${reason}`;
  group.conclude(action.instance, result, why);
}

/** The instance goes another way; nobody waits for these any more. */
export function dropActions(group: Group, instance: Instance): void {
  for (const action of instance.actions.values()) {
    forget(group, action);
    for (const observer of group.world.observers) observer.onLifecycleAction?.(action, 'dropped', undefined);
  }
}

function forget(group: Group, action: Action): void {
  action.timer?.cancel();
  action.instance.actions.delete(action.hook.name);
  group.actions.delete(action.token);
}

type ActionReference = {
  LifecycleHookName: string | undefined;
  LifecycleActionToken?: string | undefined;
  InstanceId?: string | undefined;
};

export function findAction(group: Group, reference: ActionReference): Action {
  const { LifecycleHookName: hookName = '', LifecycleActionToken: token, InstanceId: id } = reference;
  if (token === undefined && id === undefined) {
    refuse('Either a lifecycle action token or an instance ID must be specified.');
  }
  if (!group.hooks.has(hookName)) refuse(`No Lifecycle Hook found with name ${hookName}`);
  const action = token === undefined ? group.instances.get(id ?? '')?.actions.get(hookName) : group.actions.get(token);
  if (action?.hook.name === hookName && (id === undefined || action.instance.id === id)) return action;
  return refuse(
    `No active Lifecycle Action found with ${token === undefined ? `instance ID ${id}` : `token ${token}`}`,
  );
}
