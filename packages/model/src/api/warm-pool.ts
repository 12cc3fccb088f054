import type * as Sdk from '@aws-sdk/client-auto-scaling';
import { type Account, type Nothing, page } from '../account.ts';
import { refuse } from '../errors.ts';
import { isRetained, isTerminating } from '../instance.ts';
import { deletePool, pooledInstances, type WarmPool } from '../warm-pool.ts';
import { describeInstance } from './instances.ts';

export const describePool = (pool: WarmPool): Sdk.WarmPoolConfiguration => ({
  ...(pool.maxPrepared === undefined ? {} : { MaxGroupPreparedCapacity: pool.maxPrepared }),
  MinSize: pool.minSize,
  PoolState: pool.state,
  ...(pool.deleting ? { Status: 'PendingDelete' } : {}),
  InstanceReusePolicy: { ReuseOnScaleIn: pool.reuse },
});

export function PutWarmPool(account: Account, input: Sdk.PutWarmPoolType): Nothing {
  const group = account.group(input.AutoScalingGroupName);
  const { pool } = group;
  if (group.refresh) {
    refuse(
      'An active instance refresh already exists for the specified Auto Scaling group.',
      'InstanceRefreshInProgress',
    );
  }
  if (group.settings.mixed)
    refuse("You can't add a warm pool to an Auto Scaling group that has a mixed instances policy.");
  if (pool?.deleting) refuse('The warm pool is being deleted.', 'ResourceContention');
  const maxPrepared = input.MaxGroupPreparedCapacity ?? pool?.maxPrepared;
  const minSize = input.MinSize ?? pool?.minSize ?? 0;
  if (minSize < 0 || (maxPrepared !== undefined && maxPrepared < -1))
    refuse('The size of a warm pool must not be negative.');
  group.pool = {
    state: input.PoolState ?? pool?.state ?? 'Stopped',
    minSize,
    maxPrepared: maxPrepared === -1 ? undefined : maxPrepared,
    reuse: input.InstanceReusePolicy?.ReuseOnScaleIn ?? pool?.reuse ?? false,
    deleting: false,
  };
  group.wake();
  return {};
}

export function DeleteWarmPool(account: Account, input: Sdk.DeleteWarmPoolType): Nothing {
  const group = account.group(input.AutoScalingGroupName);
  const { pool } = group;
  if (!pool) return refuse(`No warm pool found for Auto Scaling group ${group.name}`);
  const busy = pooledInstances(group).some(
    ({ state }) => !isRetained(state) && (state.startsWith('Warmed:Pending') || isTerminating(state)),
  );
  if (busy && !input.ForceDelete) {
    refuse('The warm pool has scaling activities in progress.', 'ScalingActivityInProgress');
  }
  deletePool(group, pool, input.ForceDelete ?? false);
  return {};
}

export function DescribeWarmPool(account: Account, input: Sdk.DescribeWarmPoolType): Sdk.DescribeWarmPoolAnswer {
  const group = account.group(input.AutoScalingGroupName);
  const { items, token } = page(pooledInstances(group), input, 50, 50);
  return {
    ...(group.pool ? { WarmPoolConfiguration: describePool(group.pool) } : {}),
    Instances: items.map(describeInstance),
    NextToken: token,
  };
}
