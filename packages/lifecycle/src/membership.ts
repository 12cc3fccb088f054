import { type AutoScalingClient, DescribeAutoScalingInstancesCommand } from '@aws-sdk/client-auto-scaling';
import { LifecycleError } from './failure.ts';

const steady = ['InService', 'Terminated', 'Detaching', 'Detached', 'EnteringStandby', 'Standby'] as const;
const passing = [
  'Pending',
  'Pending:Wait',
  'Pending:Proceed',
  'Terminating',
  'Terminating:Wait',
  'Terminating:Proceed',
] as const;
const warmed = [
  'Warmed:Pending',
  'Warmed:Pending:Wait',
  'Warmed:Pending:Proceed',
  'Warmed:Terminating',
  'Warmed:Terminating:Wait',
  'Warmed:Terminating:Proceed',
  'Warmed:Terminated',
  'Warmed:Stopped',
  'Warmed:Running',
  'Warmed:Hibernated',
] as const;
const retained = ['Terminating:Retained', 'Warmed:Terminating:Retained'] as const;

/** Every state that an instance of a group can be in, as the API documents them. */
const lifecycleStates = [...steady, ...passing, ...warmed, ...retained] as const;
export type LifecycleState = (typeof lifecycleStates)[number];

/** A hook holds the instance here, before it ends: the time in which leaving is possible. */
export const isHeldBeforeEnd = (state: LifecycleState): boolean =>
  state === 'Terminating:Wait' || state === 'Warmed:Terminating:Wait';

export interface Membership {
  readonly group: string;
  readonly state: LifecycleState;
  readonly protectedFromScaleIn: boolean;
}

/** What the group itself says of an instance; `undefined` when it is in none. Asked only to confirm the metadata. */
export async function readMembership(client: AutoScalingClient, instanceId: string): Promise<Membership | undefined> {
  const answer = await client.send(new DescribeAutoScalingInstancesCommand({ InstanceIds: [instanceId] }));
  const found = answer.AutoScalingInstances?.find(({ InstanceId }) => InstanceId === instanceId);
  if (found === undefined) return undefined;
  const state = lifecycleStates.find((known) => known === found.LifecycleState);
  if (state === undefined || found.AutoScalingGroupName === undefined) {
    throw new LifecycleError(
      'unknown-state',
      `the autoscaling group says that ${instanceId} is in ${JSON.stringify(found.LifecycleState)}, a state we do not know`,
      'Nothing was done. Update Muster, or report this with the state.',
    );
  }
  return { group: found.AutoScalingGroupName, state, protectedFromScaleIn: found.ProtectedFromScaleIn ?? false };
}
