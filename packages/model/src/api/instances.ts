import type * as Sdk from '@aws-sdk/client-auto-scaling';
import { type Account, members, type Nothing, page } from '../account.ts';
import { refuse } from '../errors.ts';
import type { Group } from '../group.ts';
import { setHealth } from '../health.ts';
import { countsAsCapacity, type Instance, isPooled, isRetained, isTerminating } from '../instance.ts';

export const describeInstance = (instance: Instance): Sdk.Instance => ({
  InstanceId: instance.id,
  AvailabilityZone: instance.zone,
  LifecycleState: instance.state,
  HealthStatus: instance.healthy ? 'Healthy' : 'Unhealthy',
  LaunchTemplate: instance.template,
  ProtectedFromScaleIn: instance.protected,
});

export function DescribeAutoScalingInstances(
  account: Account,
  input: Sdk.DescribeAutoScalingInstancesType,
): Sdk.AutoScalingInstancesType {
  const { InstanceIds: ids } = input;
  if (ids && ids.length > 50) refuse('The number of instance ids that may be passed in is limited to 50.');
  const found = [...account.groups.values()].flatMap((group) => {
    const instances = ids ? ids.flatMap((id) => group.instances.get(id) ?? []) : [...group.instances.values()];
    return instances.map((instance) => ({ group, instance }));
  });
  const { items, token } = page(found, input, 50, 50);
  const described = items.map(({ group, instance }) => ({
    ...describeInstance(instance),
    AutoScalingGroupName: group.name,
    HealthStatus: instance.healthy ? 'HEALTHY' : 'UNHEALTHY',
  }));
  return { AutoScalingInstances: described, NextToken: token };
}

export function TerminateInstanceInAutoScalingGroup(
  account: Account,
  input: Sdk.TerminateInstanceInAutoScalingGroupType,
): Sdk.ActivityType {
  const { InstanceIds: ids, ShouldDecrementDesiredCapacity: decrement = false } = input;
  if (!ids) {
    const { group, instance } = account.find(input.InstanceId);
    const [activity] = terminateAll(group, [instance], decrement);
    return { Activity: activity };
  }
  if (input.AutoScalingGroupName === undefined) refuse('AutoScalingGroupName is required when using InstanceIds.');
  const group = account.group(input.AutoScalingGroupName);
  return { Activities: terminateAll(group, members(group, ids, 100), decrement) };
}

function terminateAll(group: Group, instances: readonly Instance[], decrement: boolean): Sdk.Activity[] {
  for (const { id, state } of instances) {
    if (isPooled(state) && !isRetained(state))
      refuse(`Instance ${id} is in a warm pool and cannot be terminated by this call.`);
    if ((isTerminating(state) && !isRetained(state)) || state === 'Detaching') {
      refuse(`The instance ${id} already has a scaling activity in progress.`, 'ScalingActivityInProgress');
    }
  }
  if (decrement) shrink(group, instances, 'Terminating instance without replacement');
  return instances.flatMap((instance) => {
    group.terminate(instance, 'a user request');
    return instance.activity ?? [];
  });
}

/** Only what counts can be subtracted; a retained instance does not, and naming one is refused. */
function shrink(group: Group, instances: readonly Instance[], what: string): void {
  const { settings } = group;
  const by = instances.filter(({ state }) => countsAsCapacity(state)).length;
  if (instances.some(({ state }) => isRetained(state))) {
    refuse('The desired capacity cannot be decremented for an instance in a retained state.');
  }
  if (settings.desired - by < settings.min) {
    refuse(
      `Currently, desiredSize equals ${settings.desired} and minSize ${settings.min}. ${what} will violate group's min size constraint. Either set shouldDecrementDesiredCapacity flag to false or lower group's min size.`,
    );
  }
  settings.desired -= by;
}

export function EnterStandby(account: Account, input: Sdk.EnterStandbyQuery): Sdk.EnterStandbyAnswer {
  const group = account.group(input.AutoScalingGroupName);
  const instances = members(group, input.InstanceIds, 20);
  for (const { id, state } of instances) if (state !== 'InService') refuse(`The instance ${id} is not in InService.`);
  if (input.ShouldDecrementDesiredCapacity) shrink(group, instances, 'Entering standby without replacement');
  return { Activities: instances.map((instance) => group.standBy(instance)) };
}

export function ExitStandby(account: Account, input: Sdk.ExitStandbyQuery): Sdk.ExitStandbyAnswer {
  const group = account.group(input.AutoScalingGroupName);
  const instances = members(group, input.InstanceIds, 20);
  for (const { id, state } of instances) if (state !== 'Standby') refuse(`The instance ${id} is not in Standby.`);
  grow(group, instances.length);
  return { Activities: instances.map((instance) => group.exitStandby(instance)) };
}

function grow(group: Group, by: number): void {
  const { settings } = group;
  if (group.suspended.has('Launch')) refuse(`The process Launch of ${group.name} is suspended.`);
  if (settings.desired + by > settings.max) {
    refuse(
      `AutoScalingGroup ${group.name} has min-size=${settings.min}, max-size=${settings.max}, and desired-size=${settings.desired}. Please update the AutoScalingGroup sizes appropriately.`,
    );
  }
  settings.desired += by;
}

export function DetachInstances(account: Account, input: Sdk.DetachInstancesQuery): Sdk.DetachInstancesAnswer {
  const group = account.group(input.AutoScalingGroupName);
  const instances = members(group, input.InstanceIds, 20);
  for (const { id, state } of instances) {
    if (state !== 'InService' && state !== 'Standby' && state !== 'Terminating:Retained') {
      refuse(`The instance ${id} is not in InService or Standby.`);
    }
  }
  if (input.ShouldDecrementDesiredCapacity) shrink(group, instances, 'Detaching instances without replacement');
  return { Activities: instances.map((instance) => group.detach(instance)) };
}

export function SetInstanceProtection(account: Account, input: Sdk.SetInstanceProtectionQuery): Nothing {
  const group = account.group(input.AutoScalingGroupName);
  const instances = members(group, input.InstanceIds, 50);
  for (const { id, state } of instances) {
    if (state !== 'InService' && state !== 'EnteringStandby' && state !== 'Standby') {
      refuse(`The instance ${id} is not in InService or EnteringStandby or Standby.`);
    }
  }
  for (const instance of instances) group.setProtection(instance, input.ProtectedFromScaleIn ?? false);
  return {};
}

export function SetInstanceHealth(account: Account, input: Sdk.SetInstanceHealthQuery): Nothing {
  const { group, instance } = account.find(input.InstanceId);
  const { HealthStatus: status } = input;
  if (status !== 'Healthy' && status !== 'Unhealthy') refuse('HealthStatus must be Healthy or Unhealthy.');
  if (isTerminating(instance.state) && !isRetained(instance.state))
    refuse(`The instance ${instance.id} is already terminating.`);
  const graceEnds = (instance.inServiceAt ?? 0) + group.settings.gracePeriod;
  const inGrace = instance.state === 'InService' && group.world.clock.now() < graceEnds;
  if (status === 'Unhealthy' && inGrace && (input.ShouldRespectGracePeriod ?? true)) return {};
  setHealth(group, instance, status === 'Healthy');
  return {};
}
