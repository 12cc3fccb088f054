import type * as Sdk from '@aws-sdk/client-auto-scaling';
import { type Account, type Nothing, page } from '../account.ts';
import { refuse } from '../errors.ts';
import { Group, type Process, processes, type Settings } from '../group.ts';
import { checkHealth, watchLifetime } from '../health.ts';
import { isPooled, isRetained, isTerminating } from '../instance.ts';
import { inCooldown } from '../scaling.ts';
import { pooledInstances } from '../warm-pool.ts';
import { putHook } from './hooks.ts';
import { describeInstance } from './instances.ts';
import { describePool } from './warm-pool.ts';

export function CreateAutoScalingGroup(account: Account, input: Sdk.CreateAutoScalingGroupType): Nothing {
  const { AutoScalingGroupName: name = '' } = input;
  if (name === '' || name.includes(':')) refuse(`Invalid Auto Scaling group name: ${name}`);
  if (account.groups.has(name)) {
    refuse(
      `AutoScalingGroup by this name already exists - A group with the name ${name} already exists`,
      'AlreadyExists',
    );
  }
  if (account.groups.size >= account.maxGroups)
    refuse('You have reached the limit of Auto Scaling groups.', 'LimitExceeded');
  const template = input.LaunchTemplate ?? input.MixedInstancesPolicy?.LaunchTemplate?.LaunchTemplateSpecification;
  const settings: Settings = {
    min: 0,
    max: 0,
    desired: input.MinSize ?? 0,
    zones: [],
    subnets: undefined,
    template: checkedTemplate(template),
    mixed: input.MixedInstancesPolicy,
    protectNew: false,
    gracePeriod: 0,
    healthCheckType: 'EC2',
    cooldown: 300,
    warmup: undefined,
    maxLifetime: undefined,
    maintenance: undefined,
    retain: false,
    terminationPolicies: ['Default'],
    deletionProtection: 'none',
    tags: input.Tags ?? [],
  };
  change(account, settings, input);
  if (settings.zones.length === 0) refuse('At least one Availability Zone or VPC Subnet is required.');
  const group = new Group(account.world, name, settings, () => account.groups.delete(name));
  for (const hook of input.LifecycleHookSpecificationList ?? []) putHook(group, hook);
  account.groups.set(name, group);
  group.wake();
  return {};
}

export function UpdateAutoScalingGroup(account: Account, input: Sdk.UpdateAutoScalingGroupType): Nothing {
  const group = account.group(input.AutoScalingGroupName);
  const template = input.LaunchTemplate ?? input.MixedInstancesPolicy?.LaunchTemplate?.LaunchTemplateSpecification;
  if (template && group.refresh?.desired) {
    refuse(
      'An active instance refresh with a desired configuration exists. All configuration options derived from the desired configuration are not available for update while the instance refresh is active.',
    );
  }
  const changed: Settings = { ...group.settings };
  if (template) changed.template = checkedTemplate(template);
  if (input.MixedInstancesPolicy) changed.mixed = input.MixedInstancesPolicy;
  change(account, changed, input);
  Object.assign(group.settings, changed);
  if (input.MaxInstanceLifetime !== undefined) {
    for (const instance of group.in('InService')) watchLifetime(group, instance);
  }
  group.wake();
  return {};
}

/** What creation and update have in common. Nothing is applied unless all of it is valid. */
function change(
  account: Account,
  settings: Settings,
  input: Sdk.CreateAutoScalingGroupType | Sdk.UpdateAutoScalingGroupType,
): void {
  const { min, max } = { min: input.MinSize ?? settings.min, max: input.MaxSize ?? settings.max };
  if (min < 0 || max < 0) refuse('Group sizes must not be negative.');
  if (min > max) refuse(`Max bound, ${max}, must be greater than or equal to min bound, ${min}`);
  // A limit that passes the present size takes the size along, unless a size was asked for.
  const desired = input.DesiredCapacity ?? Math.max(min, Math.min(max, settings.desired));
  if (desired < min || desired > max) {
    refuse(`Desired capacity:${desired} must be between the specified min size:${min} and max size:${max}`);
  }
  Object.assign(settings, { min, max, desired });
  const subnets = input.VPCZoneIdentifier?.split(',').filter(Boolean);
  if (input.AvailabilityZones?.length) settings.zones = input.AvailabilityZones;
  else if (subnets?.length) settings.zones = [...new Set(subnets.map(account.zoneOf))];
  if (subnets) settings.subnets = input.VPCZoneIdentifier;
  const lifetime = input.MaxInstanceLifetime;
  if (lifetime !== undefined && lifetime !== 0 && lifetime < 86_400) {
    refuse('The value for MaxInstanceLifetime must be either 0 or at least 86400 seconds.');
  }
  settings.maxLifetime = lifetime ?? settings.maxLifetime;
  settings.maintenance = maintenance(input.InstanceMaintenancePolicy, settings.maintenance);
  settings.protectNew = input.NewInstancesProtectedFromScaleIn ?? settings.protectNew;
  settings.gracePeriod = input.HealthCheckGracePeriod ?? settings.gracePeriod;
  settings.healthCheckType = input.HealthCheckType ?? settings.healthCheckType;
  settings.cooldown = input.DefaultCooldown ?? settings.cooldown;
  settings.warmup = input.DefaultInstanceWarmup === -1 ? undefined : (input.DefaultInstanceWarmup ?? settings.warmup);
  settings.terminationPolicies = input.TerminationPolicies ?? settings.terminationPolicies;
  settings.deletionProtection = input.DeletionProtection ?? settings.deletionProtection;
  const abandoned = input.InstanceLifecyclePolicy?.RetentionTriggers?.TerminateHookAbandon;
  if (abandoned) settings.retain = abandoned === 'retain';
}

function maintenance(policy: Sdk.InstanceMaintenancePolicy | undefined, before: Settings['maintenance']) {
  if (!policy) return before;
  const { MinHealthyPercentage: min, MaxHealthyPercentage: max } = policy;
  if (min === -1 && max === -1) return undefined;
  if (min === undefined || max === undefined)
    refuse('Both MinHealthyPercentage and MaxHealthyPercentage must be specified.');
  checkHealthyRange(min, max);
  return { min, max };
}

export function checkHealthyRange(min: number, max: number): void {
  if (min < 0 || min > 100) refuse('MinHealthyPercentage must be between 0 and 100.');
  if (max < 100 || max > 200) refuse('MaxHealthyPercentage must be between 100 and 200.');
  if (max - min > 100)
    refuse('The difference between MinHealthyPercentage and MaxHealthyPercentage cannot be greater than 100.');
}

export function checkedTemplate(
  template: Sdk.LaunchTemplateSpecification | undefined,
): Sdk.LaunchTemplateSpecification {
  const { LaunchTemplateId: id, LaunchTemplateName: name, Version: version } = template ?? {};
  if (!id && !name)
    refuse(
      'Valid requests must contain either LaunchTemplate, LaunchConfigurationName, InstanceId or MixedInstancesPolicy parameter.',
    );
  if (id && name) refuse('Valid requests must contain either launchTemplateId or LaunchTemplateName');
  return { ...(id ? { LaunchTemplateId: id } : { LaunchTemplateName: name }), Version: version ?? '$Default' };
}

export function DeleteAutoScalingGroup(account: Account, input: Sdk.DeleteAutoScalingGroupType): Nothing {
  const group = account.group(input.AutoScalingGroupName);
  const { deletionProtection: protection } = group.settings;
  const force = input.ForceDelete ?? false;
  if (protection === 'prevent-all-deletion' || (protection === 'prevent-force-deletion' && force)) {
    refuse(`The deletion protection setting of ${group.name} does not allow this deletion.`);
  }
  if (force && group.settings.retain) {
    refuse(`The instance lifecycle policy of ${group.name} retains instances; it cannot be deleted by force.`);
  }
  if (!force) {
    const instances = [...group.instances.values()];
    if (instances.some(({ state }) => !isTerminating(state) || isRetained(state))) {
      refuse(
        'You cannot delete an AutoScalingGroup while there are instances or pending Spot instance request(s) still in the group.',
        'ResourceInUse',
      );
    }
    if (instances.length > 0) {
      refuse(
        'You cannot delete an AutoScalingGroup while there are scaling activities in progress for that group.',
        'ScalingActivityInProgress',
      );
    }
  }
  group.deleting = true;
  group.pool = undefined;
  group.deleteByForce(group.instances.values());
  return {};
}

export function SetDesiredCapacity(account: Account, input: Sdk.SetDesiredCapacityType): Nothing {
  const group = account.group(input.AutoScalingGroupName);
  const { DesiredCapacity: desired = Number.NaN } = input;
  const { min, max } = group.settings;
  if (Number.isNaN(desired)) refuse('DesiredCapacity must be specified.');
  if (desired > max)
    refuse(`New SetDesiredCapacity value ${desired} is above max value ${max} for the AutoScalingGroup.`);
  if (desired < min)
    refuse(`New SetDesiredCapacity value ${desired} is below min value ${min} for the AutoScalingGroup.`);
  if (input.HonorCooldown && inCooldown(group)) {
    refuse(`The group ${group.name} is in its cooldown period.`, 'ScalingActivityInProgress');
  }
  group.settings.desired = desired;
  group.wake();
  return {};
}

export function DescribeAutoScalingGroups(
  account: Account,
  input: Sdk.AutoScalingGroupNamesType,
): Sdk.AutoScalingGroupsType {
  const names = input.AutoScalingGroupNames ?? [];
  const filters = input.Filters ?? [];
  const wanted = [...account.groups.values()].filter(
    (group) =>
      (names.length === 0 || names.includes(group.name)) &&
      filters.every(({ Name: name = '', Values: values = [] }) =>
        group.settings.tags.some((tag) => matches(tag, name, values)),
      ),
  );
  const { items, token } = page(wanted, input, 50, 100);
  return { AutoScalingGroups: items.map(describeGroup), NextToken: token };
}

function matches(tag: Sdk.Tag, filter: string, values: readonly string[]): boolean {
  if (filter === 'tag-key') return values.includes(tag.Key ?? '');
  if (filter === 'tag-value') return values.includes(tag.Value ?? '');
  return filter === `tag:${tag.Key}` && values.includes(tag.Value ?? '');
}

function describeGroup(group: Group): Sdk.AutoScalingGroup {
  const { settings } = group;
  return {
    AutoScalingGroupName: group.name,
    AutoScalingGroupARN: group.arn,
    ...(settings.mixed ? { MixedInstancesPolicy: settings.mixed } : { LaunchTemplate: settings.template }),
    MinSize: settings.min,
    MaxSize: settings.max,
    DesiredCapacity: settings.desired,
    DefaultCooldown: settings.cooldown,
    AvailabilityZones: [...settings.zones],
    LoadBalancerNames: [],
    TargetGroupARNs: [],
    HealthCheckType: settings.healthCheckType,
    HealthCheckGracePeriod: settings.gracePeriod,
    Instances: [...group.instances.values()].filter(({ state }) => !isPooled(state)).map(describeInstance),
    CreatedTime: new Date(group.createdAt * 1000),
    SuspendedProcesses: [...group.suspended].map((name) => ({ ProcessName: name, SuspensionReason: 'User suspended' })),
    VPCZoneIdentifier: settings.subnets ?? '',
    EnabledMetrics: [],
    ...(group.deleting ? { Status: 'Delete in progress' } : {}),
    Tags: describeTags(group),
    TerminationPolicies: [...settings.terminationPolicies],
    NewInstancesProtectedFromScaleIn: settings.protectNew,
    ...(settings.maxLifetime === undefined ? {} : { MaxInstanceLifetime: settings.maxLifetime }),
    ...(group.pool
      ? { WarmPoolConfiguration: describePool(group.pool), WarmPoolSize: pooledInstances(group).length }
      : {}),
    ...(settings.warmup === undefined ? {} : { DefaultInstanceWarmup: settings.warmup }),
    ...(settings.maintenance
      ? {
          InstanceMaintenancePolicy: {
            MinHealthyPercentage: settings.maintenance.min,
            MaxHealthyPercentage: settings.maintenance.max,
          },
        }
      : {}),
    DeletionProtection: settings.deletionProtection,
    InstanceLifecyclePolicy: {
      RetentionTriggers: { TerminateHookAbandon: settings.retain ? 'retain' : 'terminate' },
    },
  };
}

const describeTags = (group: Group): Sdk.TagDescription[] =>
  group.settings.tags.map((tag) => ({
    ResourceId: group.name,
    ResourceType: 'auto-scaling-group',
    Key: tag.Key,
    Value: tag.Value ?? '',
    PropagateAtLaunch: tag.PropagateAtLaunch ?? false,
  }));

function asked(input: Sdk.ScalingProcessQuery): Process[] {
  const names = input.ScalingProcesses ?? [];
  const chosen = processes.filter((process) => names.length === 0 || names.includes(process));
  if (names.length > chosen.length) refuse(`${names.join(', ')}: not all of these are scaling processes.`);
  return chosen;
}

export function SuspendProcesses(account: Account, input: Sdk.ScalingProcessQuery): Nothing {
  const group = account.group(input.AutoScalingGroupName);
  for (const process of asked(input)) group.suspended.add(process);
  return {};
}

export function ResumeProcesses(account: Account, input: Sdk.ScalingProcessQuery): Nothing {
  const group = account.group(input.AutoScalingGroupName);
  for (const process of asked(input)) group.suspended.delete(process);
  for (const instance of [...group.failing.keys()]) checkHealth(group, instance);
  group.wake();
  return {};
}
