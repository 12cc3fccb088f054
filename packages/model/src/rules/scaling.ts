import assert from 'node:assert/strict';
import type { PutScalingPolicyType, StepAdjustment } from '@aws-sdk/client-auto-scaling';
import { api, choice, fleet, guide, rule, type Scene } from './scene.ts';

const steps = guide('as-scaling-simple-step');
const cooldowns = guide('ec2-auto-scaling-scaling-cooldowns');
const execution = api('ExecutePolicy');

/** The example of the page: 60 adds a tenth, 70 three tenths; 40 and 30 take as much away. */
const out: StepAdjustment[] = [
  { MetricIntervalLowerBound: 0, MetricIntervalUpperBound: 10, ScalingAdjustment: 0 },
  { MetricIntervalLowerBound: 10, MetricIntervalUpperBound: 20, ScalingAdjustment: 10 },
  { MetricIntervalLowerBound: 20, ScalingAdjustment: 30 },
];
const inward: StepAdjustment[] = [
  { MetricIntervalLowerBound: -10, MetricIntervalUpperBound: 0, ScalingAdjustment: 0 },
  { MetricIntervalLowerBound: -20, MetricIntervalUpperBound: -10, ScalingAdjustment: -10 },
  { MetricIntervalUpperBound: -20, ScalingAdjustment: -30 },
];

async function policy(s: Scene, more: Partial<PutScalingPolicyType>): Promise<string> {
  const { PolicyARN: arn = '' } = await s.call('PutScalingPolicy', {
    ...fleet,
    PolicyName: 'policy',
    PolicyType: 'StepScaling',
    AdjustmentType: 'PercentChangeInCapacity',
    EstimatedInstanceWarmup: 0,
    ...more,
  });
  return arn;
}

async function breach(s: Scene, metric: number): Promise<void> {
  await s.call('ExecutePolicy', { ...fleet, PolicyName: 'policy', MetricValue: metric, BreachThreshold: 50 });
}

const wrongSteps = (id: string, says: string, adjustments: StepAdjustment[]) =>
  rule(id, steps, says, async (s) => {
    await s.group();
    const input = { ...fleet, PolicyName: 'policy', PolicyType: 'StepScaling', AdjustmentType: 'ChangeInCapacity' };
    await s.refused('ValidationError', 'PutScalingPolicy', { ...input, StepAdjustments: adjustments });
  });

const percent = (id: string, says: string, size: number, adjustment: number, becomes: number) =>
  rule(id, steps, says, async (s) => {
    await s.group({ DesiredCapacity: size, MaxSize: 100 });
    await s.advance(1);
    const open = adjustment > 0 ? { MetricIntervalLowerBound: 0 } : { MetricIntervalUpperBound: 0 };
    await policy(s, { StepAdjustments: [{ ...open, ScalingAdjustment: adjustment }] });
    await breach(s, adjustment > 0 ? 51 : 49);
    await s.desired(becomes);
  });

export const scalingRules = [
  rule('step-example-out', steps, 'Ten at 60 become 11; at 70 another 3, as 3.3 is rounded down.', async (s) => {
    await s.group({ DesiredCapacity: 10, MaxSize: 20 });
    await policy(s, { StepAdjustments: out });
    await breach(s, 60);
    await s.desired(11);
    await s.advance(60);
    await breach(s, 70);
    await s.desired(14);
  }),
  rule('step-example-in', steps, '14 at 40 become 13; at 30 they become 10, as 3.9 is rounded down.', async (s) => {
    await s.group({ DesiredCapacity: 14, MaxSize: 20 });
    await policy(s, { StepAdjustments: inward });
    await breach(s, 40);
    await s.desired(13);
    await s.advance(60);
    await breach(s, 30);
    await s.desired(10);
  }),
  rule('step-unchanged', steps, 'Between 40 and 60 the capacity is kept.', async (s) => {
    await s.group({ DesiredCapacity: 10, MaxSize: 20 });
    await policy(s, { StepAdjustments: out });
    await breach(s, 59);
    await s.desired(10);
  }),
  rule('step-bound-above', api('StepAdjustment'), 'Above the threshold the lower bound is inclusive.', async (s) => {
    await s.group({ DesiredCapacity: 10, MaxSize: 20 });
    await policy(s, { StepAdjustments: out });
    await breach(s, 69.9);
    await s.desired(11);
    await breach(s, 70);
    await s.desired(13);
  }),
  rule('step-bound-below', api('StepAdjustment'), 'Below the threshold the upper bound is inclusive.', async (s) => {
    await s.group({ DesiredCapacity: 10, MaxSize: 20 });
    await policy(s, { StepAdjustments: inward });
    await breach(s, 40.1);
    await s.desired(10);
    await breach(s, 40);
    await s.desired(9);
  }),
  rule('step-warmup', steps, 'While 11 warm up, 62 changes nothing and 70 makes 13: 30 percent of ten.', async (s) => {
    await s.group({ DesiredCapacity: 10, MaxSize: 20 });
    await s.advance(600);
    await policy(s, { StepAdjustments: out, EstimatedInstanceWarmup: 300 });
    await breach(s, 60);
    await s.advance(60);
    await breach(s, 62);
    await s.desired(11);
    await breach(s, 70);
    await s.desired(13);
  }),
  rule('step-terminating', steps, 'Scaling in counts instances that are terminating.', async (s) => {
    await s.group({ DesiredCapacity: 10, MaxSize: 20 });
    await policy(s, { StepAdjustments: inward });
    await breach(s, 40);
    await s.advance(5);
    await breach(s, 40);
    await s.desired(9);
  }),
  rule('step-in-while-out', steps, 'A scale-in cannot start while a scale-out is in progress.', async (s) => {
    await s.group({ DesiredCapacity: 10, MaxSize: 20 });
    await policy(s, { StepAdjustments: inward });
    await s.desire(12);
    await s.advance(5);
    await breach(s, 30);
    await s.desired(12);
  }),
  percent('percent-down', 'A value above 1 is rounded down: 25 percent of 7 is 1.', 7, 25, 8),
  percent('percent-one', 'A value between 0 and 1 is rounded to 1.', 3, 20, 4),
  percent('percent-minus-one', 'A value between 0 and -1 is rounded to -1.', 3, -20, 2),
  percent('percent-up', 'A value below -1 is rounded up: -67 percent of 10 is -6.', 10, -67, 4),
  rule(
    'step-magnitude',
    api('PutScalingPolicy'),
    'A quarter of 4 is 1, with a minimum magnitude of 2 it is 2.',
    async (s) => {
      await s.group({ DesiredCapacity: 4 });
      const StepAdjustments = [{ MetricIntervalLowerBound: 0, ScalingAdjustment: 25 }];
      await policy(s, { StepAdjustments, MinAdjustmentMagnitude: 2 });
      await breach(s, 60);
      await s.desired(6);
    },
  ),
  rule('step-change', steps, 'ChangeInCapacity adds: 3 and 5 are 8.', async (s) => {
    await s.group({ DesiredCapacity: 3 });
    const StepAdjustments = [{ MetricIntervalLowerBound: 0, ScalingAdjustment: 5 }];
    await policy(s, { StepAdjustments, AdjustmentType: 'ChangeInCapacity' });
    await breach(s, 60);
    await s.desired(8);
  }),
  rule('step-exact', steps, 'ExactCapacity sets: 3 become 5.', async (s) => {
    await s.group({ DesiredCapacity: 3 });
    const StepAdjustments = [{ MetricIntervalLowerBound: 0, ScalingAdjustment: 5 }];
    await policy(s, { StepAdjustments, AdjustmentType: 'ExactCapacity' });
    await breach(s, 60);
    await s.desired(5);
  }),
  rule('step-max', guide('asg-capacity-limits'), 'A policy never goes above the maximum size.', async (s) => {
    await s.group({ DesiredCapacity: 3, MaxSize: 4 });
    const StepAdjustments = [{ MetricIntervalLowerBound: 0, ScalingAdjustment: 5 }];
    await policy(s, { StepAdjustments, AdjustmentType: 'ChangeInCapacity' });
    await breach(s, 60);
    await s.desired(4);
  }),
  rule('step-min', guide('asg-capacity-limits'), 'A policy never goes below the minimum size.', async (s) => {
    await s.group({ DesiredCapacity: 3, MinSize: 2 });
    const StepAdjustments = [{ MetricIntervalUpperBound: 0, ScalingAdjustment: -5 }];
    await policy(s, { StepAdjustments, AdjustmentType: 'ChangeInCapacity' });
    await breach(s, 40);
    await s.desired(2);
  }),
  wrongSteps('step-overlap', 'Ranges cannot overlap.', [
    { MetricIntervalLowerBound: 0, MetricIntervalUpperBound: 10, ScalingAdjustment: 1 },
    { MetricIntervalLowerBound: 5, ScalingAdjustment: 2 },
  ]),
  wrongSteps('step-gap', 'Ranges cannot have a gap.', [
    { MetricIntervalLowerBound: 0, MetricIntervalUpperBound: 10, ScalingAdjustment: 1 },
    { MetricIntervalLowerBound: 20, ScalingAdjustment: 2 },
  ]),
  wrongSteps('step-both-null', 'Both bounds cannot be null in the same adjustment.', [{ ScalingAdjustment: 1 }]),
  wrongSteps('step-lower-null', 'With a negative lower bound one adjustment must have none.', [
    { MetricIntervalLowerBound: -10, MetricIntervalUpperBound: 0, ScalingAdjustment: -1 },
  ]),
  wrongSteps('step-upper-null', 'With a positive upper bound one adjustment must have none.', [
    { MetricIntervalLowerBound: 0, MetricIntervalUpperBound: 10, ScalingAdjustment: 1 },
  ]),
  wrongSteps('step-order', 'The upper bound must be greater than the lower bound.', [
    { MetricIntervalLowerBound: 10, MetricIntervalUpperBound: 10, ScalingAdjustment: 1 },
  ]),
  wrongSteps('step-none', 'A step scaling policy needs adjustments.', []),
  rule('policy-adjustment-type', api('PutScalingPolicy'), 'An adjustment type is required.', async (s) => {
    await s.group();
    const input = { ...fleet, PolicyName: 'policy', PolicyType: 'StepScaling', StepAdjustments: out };
    await s.refused('ValidationError', 'PutScalingPolicy', input);
  }),
  rule('policy-no-step', execution, 'A metric value without a step is refused.', async (s) => {
    await s.group();
    await policy(s, { StepAdjustments: out });
    const input = { ...fleet, PolicyName: 'policy', MetricValue: 40, BreachThreshold: 50 };
    await s.refused('ValidationError', 'ExecutePolicy', input);
  }),
  rule('policy-no-metric', execution, 'A step scaling policy needs a metric value and a threshold.', async (s) => {
    await s.group();
    await policy(s, { StepAdjustments: out });
    await s.refused('ValidationError', 'ExecutePolicy', { ...fleet, PolicyName: 'policy' });
  }),
  rule('policy-unknown', choice, 'A policy that does not exist cannot be executed.', async (s) => {
    await s.group();
    await s.refused('ValidationError', 'ExecutePolicy', { ...fleet, PolicyName: 'policy' });
  }),
  rule('policy-described', api('DescribePolicies'), 'A policy is described until it is deleted.', async (s) => {
    await s.group();
    const arn = await policy(s, { StepAdjustments: out });
    const found = async () => (await s.call('DescribePolicies', fleet)).ScalingPolicies ?? [];
    assert.equal((await found())[0]?.PolicyARN, arn);
    await s.call('DeletePolicy', { ...fleet, PolicyName: 'policy' });
    assert.deepEqual(await found(), []);
  }),
  rule('alarm', steps, 'An alarm executes its policy.', async (s) => {
    await s.group({ DesiredCapacity: 10, MaxSize: 20 });
    const policyArn = await policy(s, { StepAdjustments: out });
    await s.happen({ kind: 'alarm', policyArn, metric: 60, threshold: 50 });
    await s.desired(11);
  }),
  rule(
    'alarm-suspended',
    guide('as-suspend-resume-processes'),
    'AlarmNotification suspended, policies rest.',
    async (s) => {
      await s.group({ DesiredCapacity: 10, MaxSize: 20 });
      const policyArn = await policy(s, { StepAdjustments: out });
      await s.suspend('AlarmNotification');
      await s.happen({ kind: 'alarm', policyArn, metric: 60, threshold: 50 });
      await s.desired(10);
    },
  ),
  rule(
    'alarm-disabled',
    guide('as-enable-disable-scaling-policy'),
    'A disabled policy is not executed by its alarm.',
    async (s) => {
      await s.group({ DesiredCapacity: 10, MaxSize: 20 });
      const policyArn = await policy(s, { StepAdjustments: out, Enabled: false });
      await s.happen({ kind: 'alarm', policyArn, metric: 60, threshold: 50 });
      await s.desired(10);
    },
  ),
  rule('simple-cooldown', cooldowns, 'After a simple policy the next waits for the cooldown.', async (s) => {
    await s.group();
    const simple = { PolicyType: 'SimpleScaling', AdjustmentType: 'ChangeInCapacity', ScalingAdjustment: 1 };
    const policyArn = await policy(s, simple);
    const alarm = { kind: 'alarm', policyArn, metric: 60, threshold: 50 } as const;
    await s.happen(alarm);
    await s.advance(60);
    await s.happen(alarm);
    await s.desired(2);
    await s.advance(300);
    await s.happen(alarm);
    await s.desired(3);
  }),
  rule('simple-cooldown-own', cooldowns, 'A cooldown of the policy overrides the default.', async (s) => {
    await s.group();
    const simple = { PolicyType: 'SimpleScaling', AdjustmentType: 'ChangeInCapacity', ScalingAdjustment: 1 };
    const policyArn = await policy(s, { ...simple, Cooldown: 10 });
    const alarm = { kind: 'alarm', policyArn, metric: 60, threshold: 50 } as const;
    await s.happen(alarm);
    await s.advance(60);
    await s.happen(alarm);
    await s.desired(3);
  }),
  rule('simple-honor', execution, 'HonorCooldown refuses an execution within the cooldown.', async (s) => {
    await s.group();
    await policy(s, { PolicyType: 'SimpleScaling', AdjustmentType: 'ChangeInCapacity', ScalingAdjustment: 1 });
    await s.call('ExecutePolicy', { ...fleet, PolicyName: 'policy' });
    await s.advance(60);
    const input = { ...fleet, PolicyName: 'policy', HonorCooldown: true };
    await s.refused('ScalingActivityInProgress', 'ExecutePolicy', input);
  }),
  rule('manual-honor', cooldowns, 'Manual scaling waits for the cooldown only if told to honor it.', async (s) => {
    await s.group();
    await policy(s, { PolicyType: 'SimpleScaling', AdjustmentType: 'ChangeInCapacity', ScalingAdjustment: 1 });
    await s.call('ExecutePolicy', { ...fleet, PolicyName: 'policy' });
    await s.advance(60);
    const input = { ...fleet, DesiredCapacity: 4, HonorCooldown: true };
    await s.refused('ScalingActivityInProgress', 'SetDesiredCapacity', input);
    await s.desire(4);
    await s.desired(4);
  }),
];
