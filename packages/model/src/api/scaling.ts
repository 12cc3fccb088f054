import type * as Sdk from '@aws-sdk/client-auto-scaling';
import { type Account, type Nothing, page } from '../account.ts';
import { refuse } from '../errors.ts';
import type { Group } from '../group.ts';
import { uuid } from '../random.ts';
import { checkPolicy, executePolicy, inCooldown } from '../scaling.ts';

const policiesPerGroup = 50;

export function PutScalingPolicy(account: Account, input: Sdk.PutScalingPolicyType): Sdk.PolicyARNType {
  const group = account.group(input.AutoScalingGroupName);
  const { PolicyName: name = '' } = input;
  if (name === '') refuse('PolicyName must be specified.');
  checkPolicy(input);
  const before = group.policies.get(name);
  if (!before && group.policies.size >= policiesPerGroup) {
    refuse(`A group has at most ${policiesPerGroup} scaling policies.`, 'LimitExceeded');
  }
  const { region, account: id, random } = account.world;
  const arn =
    before?.arn ??
    `arn:aws:autoscaling:${region}:${id}:scalingPolicy:${uuid(random)}:autoScalingGroupName/${group.name}:policyName/${name}`;
  group.policies.set(name, { ...input, arn });
  return { PolicyARN: arn, Alarms: [] };
}

function find(group: Group, nameOrArn: string | undefined) {
  for (const [name, policy] of group.policies) if (name === nameOrArn || policy.arn === nameOrArn) return policy;
  return refuse(`PolicyName not found: ${nameOrArn}`);
}

/** By its ARN alone a policy names its group too. */
function locate(account: Account, input: Sdk.DeletePolicyType | Sdk.ExecutePolicyType): Group {
  if (input.AutoScalingGroupName !== undefined) return account.group(input.AutoScalingGroupName);
  for (const group of account.groups.values()) {
    for (const { arn } of group.policies.values()) if (arn === input.PolicyName) return group;
  }
  return refuse(`PolicyName not found: ${input.PolicyName}`);
}

export function DeletePolicy(account: Account, input: Sdk.DeletePolicyType): Nothing {
  const group = locate(account, input);
  group.policies.delete(find(group, input.PolicyName).PolicyName ?? '');
  return {};
}

export function DescribePolicies(account: Account, input: Sdk.DescribePoliciesType): Sdk.PoliciesType {
  const { PolicyNames: names, PolicyTypes: types } = input;
  const groups =
    input.AutoScalingGroupName === undefined
      ? [...account.groups.values()]
      : [account.group(input.AutoScalingGroupName)];
  const policies = groups
    .flatMap((group) => [...group.policies.values()])
    .map(({ arn, ...policy }) => ({ ...policy, PolicyARN: arn, PolicyType: policy.PolicyType ?? 'SimpleScaling' }))
    .filter(
      ({ PolicyName: name = '', PolicyType: type }) =>
        (names?.includes(name) ?? true) && (types?.includes(type) ?? true),
    )
    .map((policy) => ({ Alarms: [], Enabled: true, ...policy }));
  const { items, token } = page(policies, input, 50, 100);
  return { ScalingPolicies: items, NextToken: token };
}

export function ExecutePolicy(account: Account, input: Sdk.ExecutePolicyType): Nothing {
  const group = locate(account, input);
  const policy = find(group, input.PolicyName);
  if (policy.PolicyType !== 'StepScaling' && input.HonorCooldown && inCooldown(group)) {
    refuse(`The group ${group.name} is in its cooldown period.`, 'ScalingActivityInProgress');
  }
  const { MetricValue: metric, BreachThreshold: threshold } = input;
  executePolicy(group, policy, metric === undefined || threshold === undefined ? undefined : { metric, threshold });
  return {};
}

export function DescribeScalingActivities(
  account: Account,
  input: Sdk.DescribeScalingActivitiesType,
): Sdk.ActivitiesType {
  const groups =
    input.AutoScalingGroupName === undefined
      ? [...account.groups.values()]
      : [account.group(input.AutoScalingGroupName)];
  const { ActivityIds: ids } = input;
  const activities = groups
    .flatMap((group) => group.log.newestFirst)
    .filter(({ ActivityId: id = '' }) => ids?.includes(id) ?? true);
  const { items, token } = page(activities, input, 100, 100);
  return { Activities: items.map((activity) => ({ ...activity })), NextToken: token };
}
