import type { PutScalingPolicyType, StepAdjustment } from '@aws-sdk/client-auto-scaling';
import { refuse } from './errors.ts';
import type { Group } from './group.ts';

/** Bounds are relative to the threshold; which of them is inclusive depends on the side of the breach. */
export function stepFor(
  steps: readonly StepAdjustment[],
  metric: number,
  threshold: number,
): StepAdjustment | undefined {
  const distance = metric - threshold;
  return steps.find(({ MetricIntervalLowerBound: low, MetricIntervalUpperBound: high }) => {
    const lower = low ?? Number.NEGATIVE_INFINITY;
    const upper = high ?? Number.POSITIVE_INFINITY;
    return distance >= 0 ? distance >= lower && distance < upper : distance > lower && distance <= upper;
  });
}

/** A fraction is rounded toward zero, but never to zero. */
export function change(type: string, capacity: number, adjustment: number, atLeast = 0): number {
  if (type === 'ExactCapacity') return adjustment - capacity;
  if (type === 'ChangeInCapacity') return adjustment;
  const exact = Math.abs((capacity * adjustment) / 100);
  const rounded = exact > 0 && exact < 1 ? 1 : Math.floor(exact);
  return Math.sign(adjustment) * Math.max(rounded, atLeast);
}

export function checkPolicy(policy: PutScalingPolicyType): void {
  const { PolicyType: type = 'SimpleScaling', AdjustmentType: adjustment, StepAdjustments: steps = [] } = policy;
  if (type !== 'SimpleScaling' && type !== 'StepScaling') refuse(`The model has no policy of type ${type}.`);
  if (!adjustment || !['ChangeInCapacity', 'ExactCapacity', 'PercentChangeInCapacity'].includes(adjustment)) {
    refuse(`You must specify an AdjustmentType for policy type: ${type}`);
  }
  if (type === 'SimpleScaling') {
    if (policy.ScalingAdjustment === undefined)
      refuse('You must specify a ScalingAdjustment for a simple scaling policy.');
    return;
  }
  if (steps.length === 0) refuse('At least one StepAdjustment must be specified.');
  if (steps.length > 20) refuse('A step scaling policy has at most 20 step adjustments.', 'LimitExceeded');
  const sorted = steps
    .map((step) => ({
      low: step.MetricIntervalLowerBound ?? Number.NEGATIVE_INFINITY,
      high: step.MetricIntervalUpperBound ?? Number.POSITIVE_INFINITY,
    }))
    .sort((a, b) => a.low - b.low);
  for (const [index, { low, high }] of sorted.entries()) {
    if (!Number.isFinite(low) && !Number.isFinite(high)) refuse('Both bounds of a step adjustment cannot be null.');
    if (low >= high) refuse('The upper bound must be greater than the lower bound.');
    const next = sorted[index + 1];
    if (next && next.low < high) refuse('StepAdjustment intervals can not overlap.');
    if (next && next.low > high) refuse('StepAdjustment intervals can not have gaps between them.');
  }
  const lowest = sorted[0]?.low ?? 0;
  const highest = sorted.at(-1)?.high ?? 0;
  if (lowest < 0 && Number.isFinite(lowest)) refuse('There must be a step adjustment with an unspecified lower bound.');
  if (highest > 0 && Number.isFinite(highest))
    refuse('There must be a step adjustment with an unspecified upper bound.');
}

export type Breach = { metric: number; threshold: number };

/** What a policy does when its alarm fires or when somebody executes it. */
export function executePolicy(group: Group, policy: PutScalingPolicyType, breach: Breach | undefined): void {
  const { settings } = group;
  if ((policy.PolicyType ?? 'SimpleScaling') === 'SimpleScaling') {
    group.cooling = { seconds: policy.Cooldown ?? settings.cooldown, until: undefined };
    const { AdjustmentType: type = '', ScalingAdjustment: by = 0, MinAdjustmentMagnitude: atLeast } = policy;
    scaleTo(group, settings.desired + change(type, settings.desired, by, atLeast));
    return;
  }
  if (!breach) refuse('MetricValue and BreachThreshold are required for a step scaling policy.');
  const step = stepFor(policy.StepAdjustments ?? [], breach.metric, breach.threshold);
  if (!step) refuse('No step adjustment found for the given metric value and breach threshold.');
  const { AdjustmentType: type = '', MinAdjustmentMagnitude: atLeast } = policy;
  const { ScalingAdjustment: adjustment = 0 } = step;
  if (type === 'ExactCapacity') {
    scaleTo(group, adjustment);
  } else if (adjustment > 0) {
    // Instances that warm up are already on their way: they are part of the answer, not of the question.
    const warm = warmCapacity(group, policy.EstimatedInstanceWarmup ?? settings.warmup ?? settings.cooldown);
    const wanted = warm + change(type, warm, adjustment, atLeast);
    if (wanted > settings.desired) scaleTo(group, wanted);
  } else if (adjustment < 0 && group.capacity === group.in('InService').size) {
    // A scale-in does not start while instances launch, and counts those that terminate as still there.
    const all = group.capacity + leaving(group);
    const wanted = all + change(type, all, adjustment, atLeast);
    if (wanted < settings.desired) scaleTo(group, wanted);
  }
}

function scaleTo(group: Group, capacity: number): void {
  const { settings } = group;
  settings.desired = Math.max(settings.min, Math.min(settings.max, capacity));
  group.wake();
}

/** Scaling out does not count instances that are still warming up. */
function warmCapacity(group: Group, warmup: number): number {
  const now = group.world.clock.now();
  let warm = 0;
  for (const instance of group.in('InService')) if ((instance.inServiceAt ?? 0) + warmup <= now) warm++;
  return warm;
}

const leaving = (group: Group) =>
  group.in('Terminating').size + group.in('Terminating:Wait').size + group.in('Terminating:Proceed').size;

export function inCooldown(group: Group): boolean {
  const { cooling } = group;
  if (!cooling) return false;
  return cooling.until === undefined
    ? group.capacity !== group.in('InService').size
    : group.world.clock.now() < cooling.until;
}
