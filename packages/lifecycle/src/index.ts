export { type Clock, realClock } from './clock.ts';
export { type Evidence, EvidenceLog } from './evidence.ts';
export { LifecycleError, type LifecycleErrorCode } from './failure.ts';
export { type HookAction, type HookEvent, type HookResult, HookSession, readHeartbeatTimeout } from './hook-session.ts';
export { lock } from './lock.ts';
export { isHeldBeforeEnd, type LifecycleState, type Membership, readMembership } from './membership.ts';
export { type ActiveRefresh, cancelRefresh, findRefresh } from './refresh.ts';
export { type Observed, observe } from './state.ts';
