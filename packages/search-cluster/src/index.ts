export { type Finding, type Guard, guards, type Judgement, judge, type Verdict } from './guards.ts';
export { type JoinEvent, type JoinOutcome, join } from './join.ts';
export { type LeaveEvent, type LeaveOutcome, leave, withdraw } from './leave.ts';
export { type Plan, planLeave } from './plan.ts';
