import type { Activity, LaunchTemplateSpecification, LifecycleState } from '@aws-sdk/client-auto-scaling';
import type { Timer } from './clock.ts';
import type { Action } from './hooks.ts';

/** Root volume replacement is not modelled, and AWS says that Quarantined is not used. */
export type State = Exclude<LifecycleState, 'Quarantined' | 'RootVolumeReplaced' | `ReplacingRootVolume${string}`>;

export type Transition = 'autoscaling:EC2_INSTANCE_LAUNCHING' | 'autoscaling:EC2_INSTANCE_TERMINATING';
export type Place = 'EC2' | 'AutoScalingGroup' | 'WarmPool';
export type Result = 'CONTINUE' | 'ABANDON';

export type Instance = {
  readonly id: string;
  readonly zone: string;
  readonly launchedAt: number;
  readonly template: LaunchTemplateSpecification;
  readonly tags: Readonly<Record<string, string>>;
  state: State;
  /** Where it is on its way to, or has arrived; what the machine reads as `autoscaling/target-lifecycle-state`. */
  target: State;
  healthy: boolean;
  /** Whether the machine runs; what EC2 knows, and the group only when it looks. */
  running: boolean;
  protected: boolean;
  inServiceAt: number | undefined;
  passage: PassageName | undefined;
  activity: Activity | undefined;
  /** The next step of the passage, and the end of the instance's lifetime. */
  timer: Timer | undefined;
  lifetime: Timer | undefined;
  readonly actions: Map<string, Action>;
};

type Passage = {
  readonly transition: Transition;
  readonly origin: Place;
  readonly destination: Place;
  /** The states from which the passage may begin; none for a launch. */
  readonly from: readonly State[];
  readonly begin: State;
  readonly wait: State;
  readonly proceed: State;
  readonly ends: readonly State[];
  readonly retained?: State;
};

const launching = 'autoscaling:EC2_INSTANCE_LAUNCHING';
const terminating = 'autoscaling:EC2_INSTANCE_TERMINATING';
const pending = ['Pending', 'Pending:Wait', 'Pending:Proceed'] as const;
const warmPending = ['Warmed:Pending', 'Warmed:Pending:Wait', 'Warmed:Pending:Proceed'] as const;
const pooled = ['Warmed:Stopped', 'Warmed:Running', 'Warmed:Hibernated'] as const;

/** Every way between EC2, group and warm pool. All six have the same shape: begin, hooks, proceed, end. */
const passages = {
  launch: {
    transition: launching,
    origin: 'EC2',
    destination: 'AutoScalingGroup',
    from: [],
    begin: 'Pending',
    wait: 'Pending:Wait',
    proceed: 'Pending:Proceed',
    ends: ['InService'],
  },
  warm: {
    transition: launching,
    origin: 'EC2',
    destination: 'WarmPool',
    from: [],
    begin: 'Warmed:Pending',
    wait: 'Warmed:Pending:Wait',
    proceed: 'Warmed:Pending:Proceed',
    ends: pooled,
  },
  draw: {
    transition: launching,
    origin: 'WarmPool',
    destination: 'AutoScalingGroup',
    from: pooled,
    begin: 'Pending',
    wait: 'Pending:Wait',
    proceed: 'Pending:Proceed',
    ends: ['InService'],
  },
  return: {
    transition: terminating,
    origin: 'AutoScalingGroup',
    destination: 'WarmPool',
    from: ['InService'],
    begin: 'Warmed:Pending',
    wait: 'Warmed:Pending:Wait',
    proceed: 'Warmed:Pending:Proceed',
    ends: pooled,
    retained: 'Warmed:Pending:Retained',
  },
  leave: {
    transition: terminating,
    origin: 'AutoScalingGroup',
    destination: 'EC2',
    from: [...pending, 'InService', 'EnteringStandby', 'Standby', 'Terminating:Retained'],
    begin: 'Terminating',
    wait: 'Terminating:Wait',
    proceed: 'Terminating:Proceed',
    ends: ['Terminated'],
    retained: 'Terminating:Retained',
  },
  discard: {
    transition: terminating,
    origin: 'WarmPool',
    destination: 'EC2',
    from: [...warmPending, ...pooled, 'Warmed:Pending:Retained', 'Warmed:Terminating:Retained'],
    begin: 'Warmed:Terminating',
    wait: 'Warmed:Terminating:Wait',
    proceed: 'Warmed:Terminating:Proceed',
    ends: ['Warmed:Terminated'],
    retained: 'Warmed:Terminating:Retained',
  },
} as const satisfies Record<string, Passage>;

export type PassageName = keyof typeof passages;

export const passageOf = (name: PassageName): Passage => passages[name];

/** What an instance may do besides a passage: stand by, come back, be detached. */
const aside: readonly (readonly [State, State])[] = [
  ['InService', 'EnteringStandby'],
  ['EnteringStandby', 'Standby'],
  ['Standby', 'Pending'],
  ['Pending', 'InService'],
  ['InService', 'Detaching'],
  ['Standby', 'Detaching'],
  ['Terminating:Retained', 'Detaching'],
  ['Detaching', 'Detached'],
];

const successors = new Map<State, Set<State>>();

function allow(from: State, to: State): void {
  const known = successors.get(from);
  if (known) known.add(to);
  else successors.set(from, new Set([to]));
}

for (const [from, to] of aside) allow(from, to);
for (const passage of Object.values<Passage>(passages)) {
  for (const from of passage.from) allow(from, passage.begin);
  allow(passage.begin, passage.wait);
  allow(passage.wait, passage.proceed);
  for (const before of [passage.begin, passage.proceed]) for (const end of passage.ends) allow(before, end);
  if (passage.retained) allow(passage.proceed, passage.retained);
}

export const mayMove = (from: State, to: State) => successors.get(from)?.has(to) ?? false;

/** What counts toward desired capacity. Standby, terminating, retained and pooled instances do not. */
export const countsAsCapacity = (state: State) =>
  state === 'InService' || state === 'Pending' || state === 'Pending:Wait' || state === 'Pending:Proceed';

export const isPooled = (state: State) => state.startsWith('Warmed:');
export const isRetained = (state: State) => state.endsWith(':Retained');
export const isTerminating = (state: State) =>
  state.startsWith('Terminating') || state.startsWith('Warmed:Terminating');
