import { eventRules } from './rules/events.ts';
import { hookRules } from './rules/hooks.ts';
import { lifecycleRules } from './rules/lifecycle.ts';
import { refreshRules } from './rules/refresh.ts';
import { replacementRules } from './rules/replacement.ts';
import { retentionRules } from './rules/retention.ts';
import { scalingRules } from './rules/scaling.ts';
import type { Rule } from './rules/scene.ts';
import { warmPoolRules } from './rules/warm-pool.ts';

export { type Driver, directDriver } from './driver.ts';
export { type Rule, Scene } from './rules/scene.ts';

/** Every rule of Auto Scaling that the model follows, each with the page it comes from and a scenario that shows it. */
export const rules: readonly Rule[] = [
  ...lifecycleRules,
  ...hookRules,
  ...retentionRules,
  ...warmPoolRules,
  ...refreshRules,
  ...scalingRules,
  ...replacementRules,
  ...eventRules,
];
