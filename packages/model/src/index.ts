export type { AccountOptions } from './account.ts';
export { AutoScaling, type Input, isOperation, type Operation, type Output } from './api.ts';
export { type Clock, type Timer, VirtualClock } from './clock.ts';
export { AutoScalingError, type ErrorCode } from './errors.ts';
export {
  type ActivityEvent,
  type AutoScalingEvent,
  type DeliveryFaults,
  faithfulDelivery,
  isLifecycleAction,
  type LifecycleActionEvent,
  type RefreshEvent,
} from './events.ts';
export type { Action } from './hooks.ts';
export { type Instance, mayMove, type Place, type Result, type State, type Transition } from './instance.ts';
export type { Happening } from './outside.ts';
export { between, chance, pick, type Random, seeded } from './random.ts';
export { change, stepFor } from './scaling.ts';
export type { RequestRate } from './throttle.ts';
export { defaultTimings, type Observer, type Timings } from './world.ts';
