import type { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { type Membership, readMembership } from './membership.ts';
import { type Identity, isLeaving, type Metadata, type TargetState } from './metadata.ts';

export type Observed =
  /** In no group, or not on the way out: nothing was asked of AWS. */
  | { readonly leaving: false; readonly target: TargetState | undefined }
  /** On the way out by its metadata; what the group says decides. Absent: the group does not know it any more. */
  | { readonly leaving: true; readonly identity: Identity; readonly membership: Membership | undefined };

/**
 * Where this instance is going. The metadata answers first and for nothing; only when it says that the instance is
 * leaving is the group asked to confirm it, because the metadata can be minutes old.
 */
export async function observe(
  metadata: Metadata,
  client: (region: string) => Promise<AutoScalingClient> | AutoScalingClient,
): Promise<Observed> {
  const target = await metadata.targetState();
  if (target === undefined || !isLeaving(target)) return { leaving: false, target };
  const identity = await metadata.identity();
  return {
    leaving: true,
    identity,
    membership: await readMembership(await client(identity.region), identity.instanceId),
  };
}
