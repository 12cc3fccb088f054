import { type Clock, VirtualClock } from './clock.ts';
import { refuse } from './errors.ts';
import { type DeliveryFaults, EventBus } from './events.ts';
import type { Group } from './group.ts';
import type { Instance } from './instance.ts';
import { type Random, seeded } from './random.ts';
import { type RequestRate, Throttle } from './throttle.ts';
import { defaultTimings, type Observer, type Timings, type World } from './world.ts';

/** The answer of a call that returns no data. */
export type Nothing = Record<never, never>;

export type AccountOptions = {
  clock?: Clock;
  random?: Random;
  timings?: Partial<Timings>;
  delivery?: DeliveryFaults;
  rate?: RequestRate;
  account?: string;
  region?: string;
  maxGroups?: number;
  /** Which zone a subnet lies in; by default the n-th subnet of a group lies in the n-th zone. */
  zoneOf?: (subnet: string, index: number) => string;
};

/** The groups of one account in one Region, and what they share. */
export class Account {
  readonly world: World;
  readonly throttle: Throttle;
  readonly groups = new Map<string, Group>();
  readonly maxGroups: number;
  readonly zoneOf: (subnet: string, index: number) => string;
  /** How many of the next changing calls meet a pending update. */
  contention = 0;

  constructor(options: AccountOptions = {}) {
    const { clock = new VirtualClock(), random = seeded(1) } = options;
    const { account = '123456789012', region = 'us-east-1' } = options;
    this.world = {
      clock,
      random,
      account,
      region,
      bus: new EventBus(clock, random, account, region, options.delivery),
      timings: { ...defaultTimings, ...options.timings },
      observers: new Set<Observer>(),
      fullZones: new Set(),
      templates: new Map(),
      nextIds: new Map(),
    };
    this.throttle = new Throttle(clock, options.rate);
    this.maxGroups = options.maxGroups ?? 500;
    this.zoneOf = options.zoneOf ?? ((_subnet, index) => `${region}${'abcdef'[index % 6]}`);
  }

  group(name: string | undefined): Group {
    return this.groups.get(name ?? '') ?? refuse('AutoScalingGroup name not found - null');
  }

  find(instanceId: string | undefined): { group: Group; instance: Instance } {
    for (const group of this.groups.values()) {
      const instance = group.instances.get(instanceId ?? '');
      if (instance) return { group, instance };
    }
    return refuse(`Instance Id not found - No managed instance found for instance ID: ${instanceId}`);
  }
}

/** Named instances of one group; a call names a bounded number of them. */
export function members(group: Group, ids: readonly string[] = [], most: number): Instance[] {
  if (ids.length === 0) refuse('InstanceIds must not be empty.');
  if (ids.length > most) refuse(`The number of instance ids must not exceed ${most}.`);
  return ids.map(
    (id) => group.instances.get(id) ?? refuse(`The instance ${id} is not part of Auto Scaling group ${group.name}.`),
  );
}

export function page<Item>(
  items: readonly Item[],
  asked: { MaxRecords?: number | undefined; NextToken?: string | undefined },
  usual: number,
  most: number,
): { items: Item[]; token: string | undefined } {
  const size = Math.min(asked.MaxRecords ?? usual, most);
  if (size < 1) refuse('MaxRecords must be at least 1.');
  const from = asked.NextToken === undefined ? 0 : Number(asked.NextToken);
  if (!Number.isInteger(from) || from < 0) refuse('The NextToken value is not valid.', 'InvalidNextToken');
  const to = from + size;
  return { items: items.slice(from, to), token: to < items.length ? String(to) : undefined };
}
