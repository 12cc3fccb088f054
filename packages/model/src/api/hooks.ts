import type * as Sdk from '@aws-sdk/client-auto-scaling';
import type { Account, Nothing } from '../account.ts';
import { refuse } from '../errors.ts';
import type { Group } from '../group.ts';
import { closeAction, findAction, globalTimeout, heartbeat } from '../hooks.ts';
import type { Result, Transition } from '../instance.ts';

const hooksPerGroup = 50;

export function PutLifecycleHook(account: Account, input: Sdk.PutLifecycleHookType): Nothing {
  putHook(account.group(input.AutoScalingGroupName), input);
  return {};
}

export function putHook(group: Group, input: Sdk.PutLifecycleHookType | Sdk.LifecycleHookSpecification): void {
  const { LifecycleHookName: name = '' } = input;
  const before = group.hooks.get(name);
  const transition = input.LifecycleTransition ?? before?.transition;
  const timeout = input.HeartbeatTimeout ?? before?.heartbeatTimeout ?? 3600;
  const result = input.DefaultResult ?? before?.defaultResult ?? 'ABANDON';
  if (!/^[A-Za-z0-9\-_/]{1,255}$/.test(name)) refuse(`${name} is not a valid lifecycle hook name.`);
  if (!isTransition(transition)) refuse('A lifecycle transition is required for a new lifecycle hook.');
  if (timeout < 30 || timeout > 7200) refuse('HeartbeatTimeout must be between 30 and 7200 seconds.');
  if (!isResult(result)) refuse('DefaultResult must be CONTINUE or ABANDON.');
  if (!before && group.hooks.size >= hooksPerGroup) {
    refuse(`A group has at most ${hooksPerGroup} lifecycle hooks.`, 'LimitExceeded');
  }
  group.hooks.set(name, {
    name,
    transition,
    heartbeatTimeout: timeout,
    defaultResult: result,
    metadata: input.NotificationMetadata ?? before?.metadata,
    targetArn: input.NotificationTargetARN ?? before?.targetArn,
    roleArn: input.RoleARN ?? before?.roleArn,
  });
}

const isTransition = (text: string | undefined): text is Transition =>
  text === 'autoscaling:EC2_INSTANCE_LAUNCHING' || text === 'autoscaling:EC2_INSTANCE_TERMINATING';
const isResult = (text: string | undefined): text is Result => text === 'CONTINUE' || text === 'ABANDON';

/** Outstanding actions are completed first: ABANDON for launching instances, CONTINUE for terminating ones. */
export function DeleteLifecycleHook(account: Account, input: Sdk.DeleteLifecycleHookType): Nothing {
  const group = account.group(input.AutoScalingGroupName);
  const hook = group.hooks.get(input.LifecycleHookName ?? '');
  if (!hook) refuse(`No Lifecycle Hook found with name ${input.LifecycleHookName}`);
  group.hooks.delete(hook.name);
  const result = hook.transition === 'autoscaling:EC2_INSTANCE_LAUNCHING' ? 'ABANDON' : 'CONTINUE';
  for (const action of [...group.actions.values()]) {
    if (action.hook.name === hook.name) closeAction(group, action, result, 'Lifecycle Hook Deleted');
  }
  return {};
}

export function DescribeLifecycleHooks(
  account: Account,
  input: Sdk.DescribeLifecycleHooksType,
): Sdk.DescribeLifecycleHooksAnswer {
  const group = account.group(input.AutoScalingGroupName);
  const names = input.LifecycleHookNames ?? [];
  const hooks = [...group.hooks.values()].filter(({ name }) => names.length === 0 || names.includes(name));
  return {
    LifecycleHooks: hooks.map((hook) => ({
      LifecycleHookName: hook.name,
      AutoScalingGroupName: group.name,
      LifecycleTransition: hook.transition,
      ...(hook.targetArn ? { NotificationTargetARN: hook.targetArn } : {}),
      ...(hook.roleArn ? { RoleARN: hook.roleArn } : {}),
      ...(hook.metadata ? { NotificationMetadata: hook.metadata } : {}),
      HeartbeatTimeout: hook.heartbeatTimeout,
      GlobalTimeout: globalTimeout(hook),
      DefaultResult: hook.defaultResult,
    })),
  };
}

export function CompleteLifecycleAction(account: Account, input: Sdk.CompleteLifecycleActionType): Nothing {
  const group = account.group(input.AutoScalingGroupName);
  const { LifecycleActionResult: result } = input;
  if (!isResult(result)) refuse('LifecycleActionResult must be CONTINUE or ABANDON.');
  closeAction(group, findAction(group, input), result, `Lifecycle Action Completed with ${result} Result`);
  return {};
}

export function RecordLifecycleActionHeartbeat(
  account: Account,
  input: Sdk.RecordLifecycleActionHeartbeatType,
): Nothing {
  const group = account.group(input.AutoScalingGroupName);
  heartbeat(group, findAction(group, input));
  return {};
}
