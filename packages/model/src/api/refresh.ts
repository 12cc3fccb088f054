import type * as Sdk from '@aws-sdk/client-auto-scaling';
import { type Account, page } from '../account.ts';
import { refuse } from '../errors.ts';
import type { Group } from '../group.ts';
import { Refresh } from '../refresh.ts';
import { checkedTemplate, checkHealthyRange } from './groups.ts';

export function StartInstanceRefresh(
  account: Account,
  input: Sdk.StartInstanceRefreshType,
): Sdk.StartInstanceRefreshAnswer {
  const group = account.group(input.AutoScalingGroupName);
  if (group.refresh) {
    refuse(
      'An Instance Refresh is already in progress and blocks the execution of this Instance Refresh.',
      'InstanceRefreshInProgress',
    );
  }
  if ((input.Strategy ?? 'Rolling') !== 'Rolling') refuse('The model has only the strategy Rolling.');
  const { Preferences: preferences = {}, DesiredConfiguration: wanted } = input;
  const desired = wanted && checkedTemplate(wanted.LaunchTemplate);
  check(preferences);
  if (preferences.AutoRollback && (!desired || isMoving(group))) {
    refuse('Auto rollback needs a desired configuration, and a group whose launch template has a numbered version.');
  }
  const refresh = new Refresh(group, preferences, desired);
  group.refreshes.push(refresh);
  return { InstanceRefreshId: refresh.id };
}

function check(preferences: Sdk.RefreshPreferences): void {
  const { MinHealthyPercentage: min, MaxHealthyPercentage: max, CheckpointPercentages: checkpoints } = preferences;
  if (max !== undefined && min === undefined)
    refuse('If you specify MaxHealthyPercentage, you must also specify MinHealthyPercentage.');
  checkHealthyRange(min ?? 90, max ?? 100);
  if (preferences.CheckpointDelay !== undefined && !checkpoints?.length) {
    refuse('If you specify a value for CheckpointDelay, you must also specify a value for CheckpointPercentages.');
  }
  const ascending = checkpoints?.every((value, index) => value > (checkpoints[index - 1] ?? 0) && value <= 100) ?? true;
  if (!ascending) refuse('CheckpointPercentages must be unique, ascending and between 1 and 100.');
}

/** A version that may mean another one tomorrow cannot be rolled back to. */
const isMoving = (group: Group) => (group.settings.template.Version ?? '$Default').startsWith('$');

function active(group: Group): Refresh {
  return (
    group.refresh ??
    refuse(
      `No in progress or pending Instance Refresh found for Auto Scaling group ${group.name}`,
      'ActiveInstanceRefreshNotFound',
    )
  );
}

export function CancelInstanceRefresh(
  account: Account,
  input: Sdk.CancelInstanceRefreshType,
): Sdk.CancelInstanceRefreshAnswer {
  const refresh = active(account.group(input.AutoScalingGroupName));
  if (refresh.status !== 'Cancelling') refresh.cancel();
  return { InstanceRefreshId: refresh.id };
}

export function RollbackInstanceRefresh(
  account: Account,
  input: Sdk.RollbackInstanceRefreshType,
): Sdk.RollbackInstanceRefreshAnswer {
  const group = account.group(input.AutoScalingGroupName);
  const refresh = active(group);
  if (!refresh.desired || isMoving(group)) {
    refuse(
      'The instance refresh has no desired configuration, or the group uses $Latest or $Default.',
      'IrreversibleInstanceRefresh',
    );
  }
  if (refresh.status === 'Cancelling' || refresh.status === 'RollbackInProgress') {
    refuse(`The instance refresh is ${refresh.status} and cannot be rolled back.`, 'ActiveInstanceRefreshNotFound');
  }
  refresh.rollBack('Manual rollback');
  return { InstanceRefreshId: refresh.id };
}

export function DescribeInstanceRefreshes(
  account: Account,
  input: Sdk.DescribeInstanceRefreshesType,
): Sdk.DescribeInstanceRefreshesAnswer {
  const group = account.group(input.AutoScalingGroupName);
  const { InstanceRefreshIds: ids } = input;
  const wanted = group.refreshes.filter(({ id }) => !ids || ids.includes(id)).reverse();
  const { items, token } = page(wanted, input, 50, 100);
  return { InstanceRefreshes: items.map((refresh) => refresh.describe()), NextToken: token };
}
