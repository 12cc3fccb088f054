import {
  type AutoScalingClient,
  CancelInstanceRefreshCommand,
  DescribeInstanceRefreshesCommand,
} from '@aws-sdk/client-auto-scaling';

/** A refresh in one of these still starts or ends instances. */
const active: ReadonlySet<string | undefined> = new Set(['Pending', 'InProgress', 'Baking', 'RollbackInProgress']);

export interface ActiveRefresh {
  readonly id: string;
  readonly status: string;
  readonly percentage: number;
}

/** The refresh that is under way in a group. There is at most one, and it is among the newest. */
export async function findRefresh(client: AutoScalingClient, group: string): Promise<ActiveRefresh | undefined> {
  const answer = await client.send(
    new DescribeInstanceRefreshesCommand({ AutoScalingGroupName: group, MaxRecords: 10 }),
  );
  const found = answer.InstanceRefreshes?.find(({ Status }) => active.has(Status));
  if (found?.InstanceRefreshId === undefined || found.Status === undefined) return undefined;
  return { id: found.InstanceRefreshId, status: found.Status, percentage: found.PercentageComplete ?? 0 };
}

/** Cancels it; `none` when there is nothing to cancel any more, which is as good. */
export async function cancelRefresh(client: AutoScalingClient, group: string): Promise<'cancelled' | 'none'> {
  try {
    await client.send(new CancelInstanceRefreshCommand({ AutoScalingGroupName: group }));
    return 'cancelled';
  } catch (error) {
    if (error instanceof Error && error.name === 'ActiveInstanceRefreshNotFoundFault') return 'none';
    throw error;
  }
}
