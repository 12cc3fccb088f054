import type { LaunchTemplateSpecification } from '@aws-sdk/client-auto-scaling';
import type { Clock } from './clock.ts';
import type { EventBus } from './events.ts';
import type { Action } from './hooks.ts';
import type { Instance, Result, State } from './instance.ts';
import { between, type Random } from './random.ts';

/** How long the parts of a passage take, in seconds. AWS promises none of these. */
export type Timings = {
  /** A new machine until it runs, a pooled one until it runs again. */
  boot: number;
  start: number;
  /** Every short step: deregistration, entering standby, coming into service, noticing a dead machine. */
  settle: number;
  /** A machine until it is stopped or hibernated, until it is terminated. */
  stop: number;
  terminate: number;
  /** Share by which each of these varies, 0 to 1. */
  jitter: number;
};

export const defaultTimings: Timings = { boot: 30, start: 10, settle: 2, stop: 10, terminate: 20, jitter: 0 };

export type Observer = {
  onInstanceState?(instance: Readonly<Instance>, from: State | undefined, to: State, groupName: string): void;
  /** `result` is undefined when the action was opened, and when it was dropped because its instance left otherwise. */
  onLifecycleAction?(action: Action, event: 'opened' | 'closed' | 'dropped', result: Result | undefined): void;
};

/** What a group finds around it: time, chance, EC2 and the event bus. */
export type World = {
  readonly clock: Clock;
  readonly random: Random;
  readonly bus: EventBus;
  readonly timings: Timings;
  readonly account: string;
  readonly region: string;
  readonly observers: Set<Observer>;
  /** Zones where EC2 has no capacity left. */
  readonly fullZones: Set<string>;
  /** Newest and default version of each launch template, by id or name. */
  readonly templates: Map<string, { latest: number; default: number }>;
  /** Ids that EC2 gives to the next machines of a group, by its name. */
  readonly nextIds: Map<string, string[]>;
};

export function delay(world: World, part: Exclude<keyof Timings, 'jitter'>): number {
  const { jitter, [part]: seconds } = world.timings;
  return jitter > 0 ? between(world.random, seconds * (1 - jitter), seconds * (1 + jitter)) : seconds;
}

/** `$Latest` and `$Default` become the number they stand for at the moment of a launch. */
export function resolveVersion(world: World, template: LaunchTemplateSpecification): LaunchTemplateSpecification {
  const known = world.templates.get(template.LaunchTemplateId ?? template.LaunchTemplateName ?? '');
  const asked = template.Version ?? '$Default';
  if (asked === '$Latest') return { ...template, Version: String(known?.latest ?? 1) };
  if (asked === '$Default') return { ...template, Version: String(known?.default ?? 1) };
  return template;
}

export const sameTemplate = (a: LaunchTemplateSpecification, b: LaunchTemplateSpecification) =>
  a.LaunchTemplateId === b.LaunchTemplateId && a.LaunchTemplateName === b.LaunchTemplateName && a.Version === b.Version;
