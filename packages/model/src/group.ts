import type {
  Activity,
  DeletionProtection,
  LaunchTemplateSpecification,
  MixedInstancesPolicy,
  PutScalingPolicyType,
  Tag,
} from '@aws-sdk/client-auto-scaling';
import { ActivityLog } from './activities.ts';
import type { Timer } from './clock.ts';
import { checkHealth, replaceExpired, replaceUnhealthy, watchLifetime } from './health.ts';
import { type Action, dropActions, type Hook, openActions } from './hooks.ts';
import {
  countsAsCapacity,
  type Instance,
  isPooled,
  isRetained,
  isTerminating,
  mayMove,
  type PassageName,
  passageOf,
  type Result,
  type State,
} from './instance.ts';
import { hex, uuid } from './random.ts';
import type { Refresh } from './refresh.ts';
import { drawable, keepWarm, type WarmPool } from './warm-pool.ts';
import { delay, resolveVersion, type Timings, type World } from './world.ts';
import { leastZone, rebalance, victim } from './zones.ts';

export const processes = [
  'Launch',
  'Terminate',
  'AddToLoadBalancer',
  'AlarmNotification',
  'AZRebalance',
  'HealthCheck',
  'InstanceRefresh',
  'ReplaceUnhealthy',
  'ScheduledActions',
] as const;
export type Process = (typeof processes)[number];

export type Settings = {
  min: number;
  max: number;
  desired: number;
  zones: readonly string[];
  subnets: string | undefined;
  template: LaunchTemplateSpecification;
  mixed: MixedInstancesPolicy | undefined;
  protectNew: boolean;
  gracePeriod: number;
  healthCheckType: string;
  cooldown: number;
  warmup: number | undefined;
  maxLifetime: number | undefined;
  /** Percentages of the instance maintenance policy. */
  maintenance: { min: number; max: number } | undefined;
  retain: boolean;
  terminationPolicies: readonly string[];
  deletionProtection: DeletionProtection;
  tags: readonly Tag[];
};

const empty: ReadonlySet<Instance> = new Set();

export class Group {
  readonly world: World;
  readonly name: string;
  readonly settings: Settings;
  readonly arn: string;
  readonly log: ActivityLog;
  readonly createdAt: number;
  readonly instances = new Map<string, Instance>();
  readonly hooks = new Map<string, Hook>();
  readonly actions = new Map<string, Action>();
  readonly policies = new Map<string, PutScalingPolicyType & { arn: string }>();
  readonly suspended = new Set<Process>();
  readonly refreshes: Refresh[] = [];
  /** In service and to be replaced by launching first; the group may be larger by as many. */
  readonly replacing = new Set<Instance>();
  readonly unhealthy = new Set<Instance>();
  readonly expired = new Set<Instance>();
  /** What EC2 reports and the group has not acted upon yet. */
  readonly failing = new Map<Instance, 'stopped' | 'impaired'>();
  pool: WarmPool | undefined;
  deleting = false;
  /** Set by a simple scaling policy: no further one before the cooldown has passed since the last instance moved. */
  cooling: { seconds: number; until: number | undefined } | undefined;
  readonly #states = new Map<State, Set<Instance>>();
  readonly #capacity = new Map<string, number>();
  readonly #unprotected = new Map<string, Set<Instance>>();
  #awake = false;
  #failures = 0;
  #noLaunchBefore = 0;
  #retry: Timer | undefined;
  #scaleInBlocked = false;
  readonly #onGone: () => void;

  constructor(world: World, name: string, settings: Settings, onGone: () => void) {
    const { account, region, random } = world;
    this.world = world;
    this.name = name;
    this.settings = settings;
    this.arn = `arn:aws:autoscaling:${region}:${account}:autoScalingGroup:${uuid(random)}:autoScalingGroupName/${name}`;
    this.createdAt = world.clock.now();
    this.log = new ActivityLog(world, name, this.arn);
    this.#onGone = onGone;
  }

  get capacity(): number {
    let sum = 0;
    for (const count of this.#capacity.values()) sum += count;
    return sum;
  }

  capacityIn(zone: string): number {
    return this.#capacity.get(zone) ?? 0;
  }

  get occupiedZones(): Iterable<string> {
    return this.#capacity.keys();
  }

  in(state: State): ReadonlySet<Instance> {
    return this.#states.get(state) ?? empty;
  }

  unprotectedIn(zone: string): ReadonlySet<Instance> {
    return this.#unprotected.get(zone) ?? empty;
  }

  get refresh(): Refresh | undefined {
    const last = this.refreshes.at(-1);
    return last?.active ? last : undefined;
  }

  /** What a launch uses now: an instance refresh with a desired configuration goes before the group's own. */
  get template(): LaunchTemplateSpecification {
    return this.refresh?.template ?? this.settings.template;
  }

  /** Looks again as soon as time moves; many changes at one instant cost one look. */
  wake(): void {
    if (this.#awake) return;
    this.#awake = true;
    this.world.clock.after(0, () => {
      this.#awake = false;
      this.#reconcile();
    });
  }

  setProtection(instance: Instance, on: boolean): void {
    instance.protected = on;
    this.#unprotected.get(instance.zone)?.delete(instance);
    if (!on && instance.state === 'InService') entry(this.#unprotected, instance.zone).add(instance);
    this.wake();
  }

  move(instance: Instance, to: State): void {
    const from = instance.state;
    if (!mayMove(from, to)) throw new Error(`${instance.id} is ${from} and may not become ${to}`);
    this.#unindex(instance);
    instance.state = to;
    this.#index(instance);
    if (from === 'InService') {
      instance.lifetime?.cancel();
      for (const set of [this.replacing, this.unhealthy, this.expired]) set.delete(instance);
    }
    this.#announce(instance, from);
  }

  /** Sends an instance on its way, without hooks only where the documentation says that none run. */
  begin(instance: Instance, name: PassageName, cause: string, withHooks = true): void {
    instance.timer?.cancel();
    dropActions(this, instance);
    if (instance.activity) this.log.close(instance, 'Cancelled', 'Superseded');
    instance.target = this.#target(name);
    this.move(instance, passageOf(name).begin);
    this.#enter(instance, name, cause, withHooks);
  }

  terminate(instance: Instance, cause: string, withHooks = true): void {
    this.begin(instance, isPooled(instance.state) ? 'discard' : 'leave', cause, withHooks);
  }

  /** All hooks of the passage are through, or one was abandoned. */
  conclude(instance: Instance, result: Result, why: string): void {
    const { passage: name } = instance;
    if (!name) return;
    const passage = passageOf(name);
    if (passage.transition === 'autoscaling:EC2_INSTANCE_LAUNCHING' && result === 'ABANDON') {
      this.launchFailed(instance, `Instance failed to complete user's Lifecycle Action: ${why}`);
      return;
    }
    this.move(instance, passage.proceed);
    const { retained } = passage;
    // Without the policy both results lead to the same end; ABANDON only spared the other hooks.
    if (result === 'CONTINUE' || !this.settings.retain || !retained) {
      this.#after(instance, this.#ending(name), () => this.#finish(instance));
    } else this.#after(instance, 'settle', () => this.#retain(instance, retained));
  }

  /** The machine or its hook failed before it came into service. Launches that keep failing are slowed down. */
  launchFailed(instance: Instance, why: string): void {
    this.#postponeLaunches(0);
    this.log.close(instance, 'Cancelled', why);
    this.terminate(instance, why);
  }

  standBy(instance: Instance): Activity {
    instance.target = 'Standby';
    this.move(instance, 'EnteringStandby');
    this.#after(instance, 'settle', () => {
      this.move(instance, 'Standby');
      this.log.close(instance, 'Successful');
    });
    return this.log.open(instance, `Moving EC2 instance to Standby: ${instance.id}`, 'moved to standby');
  }

  exitStandby(instance: Instance): Activity {
    instance.target = 'InService';
    this.move(instance, 'Pending');
    this.#after(instance, 'settle', () => this.#serve(instance));
    return this.log.open(instance, `Moving EC2 instance out of Standby: ${instance.id}`, 'moved out of standby');
  }

  detach(instance: Instance): Activity {
    instance.target = 'Detached';
    this.move(instance, 'Detaching');
    this.#after(instance, 'settle', () => {
      this.move(instance, 'Detached');
      this.log.close(instance, 'Successful');
      this.#remove(instance);
    });
    return this.log.open(instance, `Detaching EC2 instance: ${instance.id}`, 'detached');
  }

  /** Ends everything without hooks and without waiting; outstanding lifecycle actions are deleted. */
  deleteByForce(instances: Iterable<Instance>): void {
    for (const instance of [...instances]) {
      dropActions(this, instance);
      const { passage: name } = instance;
      if (name && isTerminating(instance.state) && !isRetained(instance.state)) {
        const passage = passageOf(name);
        if (instance.state === passage.wait) this.move(instance, passage.proceed);
        this.#after(instance, 'terminate', () => this.#finish(instance));
      } else if (instance.state !== 'Detaching') this.terminate(instance, 'forced deletion', false);
    }
    this.wake();
  }

  /** A machine of the group's own, on its way into service or into the warm pool. */
  create(name: 'launch' | 'warm', zone: string, cause: string): void {
    const { world } = this;
    const instance: Instance = {
      id: world.nextIds.get(this.name)?.shift() ?? `i-0${hex(world.random, 16)}`,
      tags: this.#tagsAtLaunch(),
      zone,
      launchedAt: world.clock.now(),
      template: resolveVersion(world, this.template),
      state: passageOf(name).begin,
      target: this.#target(name),
      healthy: true,
      running: true,
      protected: false,
      inServiceAt: undefined,
      passage: undefined,
      activity: undefined,
      timer: undefined,
      lifetime: undefined,
      actions: new Map(),
    };
    this.#add(instance);
    this.#enter(instance, name, cause, true);
  }

  /** What EC2 knows a machine of the group by; later changes of the group's tags do not reach it. */
  #tagsAtLaunch(): Record<string, string> {
    const propagated = this.settings.tags.filter(({ PropagateAtLaunch: wanted }) => wanted);
    return {
      ...Object.fromEntries(propagated.map(({ Key: key = '', Value: value = '' }) => [key, value])),
      'aws:autoscaling:groupName': this.name,
    };
  }

  #enter(instance: Instance, name: PassageName, cause: string, withHooks: boolean): void {
    const passage = passageOf(name);
    instance.passage = name;
    if (passage.destination === 'AutoScalingGroup') instance.protected = this.settings.protectNew;
    const launching = passage.transition === 'autoscaling:EC2_INSTANCE_LAUNCHING';
    this.log.open(instance, `${launching ? 'Launching a new' : 'Terminating'} EC2 instance: ${instance.id}`, cause);
    const first = !launching ? 'settle' : passage.origin === 'EC2' ? 'boot' : 'start';
    this.#after(instance, first, () => {
      if (withHooks && openActions(this, instance)) return;
      this.#after(instance, this.#ending(name), () => this.#finish(instance));
    });
  }

  #target(name: PassageName): State {
    const { destination, ends } = passageOf(name);
    const pooled: State = `Warmed:${this.pool?.state ?? 'Stopped'}`;
    return destination === 'WarmPool' ? pooled : (ends[0] ?? pooled);
  }

  #ending(name: PassageName): Exclude<keyof Timings, 'jitter'> {
    const { destination } = passageOf(name);
    if (destination === 'EC2') return 'terminate';
    return destination === 'WarmPool' && this.pool?.state !== 'Running' ? 'stop' : 'settle';
  }

  #finish(instance: Instance): void {
    const { passage: name } = instance;
    if (!name) return;
    const { destination } = passageOf(name);
    if (destination === 'AutoScalingGroup') {
      this.#serve(instance);
    } else if (destination === 'WarmPool') {
      this.move(instance, instance.target);
      this.log.close(instance, 'Successful');
      instance.passage = undefined;
      instance.protected = false;
    } else {
      this.move(instance, instance.target);
      this.log.close(instance, 'Successful');
      this.#remove(instance);
      this.#coolDown();
    }
  }

  #serve(instance: Instance): void {
    instance.inServiceAt = this.world.clock.now();
    this.move(instance, 'InService');
    this.log.close(instance, 'Successful');
    instance.passage = undefined;
    this.#failures = 0;
    this.#noLaunchBefore = 0;
    watchLifetime(this, instance);
    if (!instance.healthy) this.unhealthy.add(instance);
    checkHealth(this, instance);
    this.#coolDown();
  }

  #retain(instance: Instance, retained: State): void {
    this.log.close(instance, 'Cancelled', 'Termination lifecycle action abandoned; the instance is retained');
    instance.passage = undefined;
    this.move(instance, retained);
  }

  #reconcile(): void {
    if (this.deleting) {
      if (this.instances.size === 0) this.#onGone();
      return;
    }
    const { desired } = this.settings;
    this.refresh?.step();
    replaceUnhealthy(this);
    replaceExpired(this);
    rebalance(this);
    for (const old of this.replacing) {
      if (this.in('InService').size <= desired || this.suspended.has('Terminate')) break;
      this.terminate(old, 'its replacement is in service');
    }
    const surplus = this.capacity - desired - this.replacing.size - (this.refresh?.surplus ?? 0);
    if (surplus < 0) this.#launch(-surplus);
    else if (surplus > 0) this.#scaleIn(surplus);
    if (surplus <= 0) this.#scaleInBlocked = false;
    keepWarm(this);
  }

  #launch(count: number): void {
    if (!this.mayLaunch()) return;
    const cause = 'a difference between desired and actual capacity';
    for (let launched = 0; launched < count; launched++) {
      const pooled = drawable(this);
      const zone = leastZone(this);
      if (pooled) this.begin(pooled, 'draw', cause);
      else if (zone !== undefined) this.create('launch', zone, cause);
      else {
        this.#noCapacity();
        return;
      }
    }
  }

  /** Asked while launches are held back, it looks again when they no longer are. */
  mayLaunch(): boolean {
    if (this.suspended.has('Launch')) return false;
    const wait = this.#noLaunchBefore - this.world.clock.now();
    if (wait <= 0) return true;
    this.#retry?.cancel();
    this.#retry = this.world.clock.after(wait, () => this.wake());
    return false;
  }

  #noCapacity(): void {
    const message = 'We currently do not have sufficient capacity in the Availability Zones you requested.';
    this.log.record(
      'Launching a new EC2 instance',
      'a difference between desired and actual capacity',
      'Failed',
      message,
    );
    this.#postponeLaunches(60);
    this.wake();
  }

  #postponeLaunches(atLeast: number): void {
    this.#failures++;
    const slowed = this.#failures > 1 ? Math.min(900, 15 * 2 ** Math.min(this.#failures - 2, 10)) : 0;
    this.#noLaunchBefore = this.world.clock.now() + Math.max(slowed, atLeast);
  }

  #scaleIn(count: number): void {
    if (this.suspended.has('Terminate')) return;
    const passage = this.pool?.reuse && !this.pool.deleting ? 'return' : 'leave';
    for (let terminated = 0; terminated < count; terminated++) {
      const instance = victim(this);
      if (instance) this.begin(instance, passage, 'a scale-in event');
      else {
        this.#noVictim();
        return;
      }
    }
  }

  #noVictim(): void {
    if (this.#scaleInBlocked || this.in('InService').size === 0) return;
    this.#scaleInBlocked = true;
    const message = 'Could not scale to desired capacity because all remaining instances are protected from scale-in.';
    this.log.record('Terminating EC2 instance', 'a scale-in event', 'Cancelled', message);
  }

  #coolDown(): void {
    const now = this.world.clock.now();
    const { cooling } = this;
    if (cooling && now <= (cooling.until ?? now)) cooling.until = now + cooling.seconds;
  }

  #after(instance: Instance, part: Exclude<keyof Timings, 'jitter'>, run: () => void): void {
    instance.timer?.cancel();
    instance.timer = this.world.clock.after(delay(this.world, part), run);
  }

  #add(instance: Instance): void {
    this.instances.set(instance.id, instance);
    this.#index(instance);
    this.#announce(instance, undefined);
  }

  #remove(instance: Instance): void {
    instance.timer?.cancel();
    this.#unindex(instance);
    this.instances.delete(instance.id);
    this.failing.delete(instance);
    this.wake();
  }

  #announce(instance: Instance, from: State | undefined): void {
    this.refresh?.onMove(instance);
    const { state } = instance;
    for (const observer of this.world.observers) observer.onInstanceState?.(instance, from, state, this.name);
    // Waiting and proceeding change no number that the group looks at.
    if (!state.endsWith(':Wait') && !state.endsWith(':Proceed')) this.wake();
  }

  #index(instance: Instance): void {
    const { state, zone } = instance;
    entry(this.#states, state).add(instance);
    if (countsAsCapacity(state)) this.#capacity.set(zone, this.capacityIn(zone) + 1);
    if (state === 'InService' && !instance.protected) entry(this.#unprotected, zone).add(instance);
  }

  #unindex(instance: Instance): void {
    const { state, zone } = instance;
    this.#states.get(state)?.delete(instance);
    if (countsAsCapacity(state)) this.#capacity.set(zone, this.capacityIn(zone) - 1);
    this.#unprotected.get(zone)?.delete(instance);
  }
}

function entry<Key>(index: Map<Key, Set<Instance>>, key: Key): Set<Instance> {
  const known = index.get(key);
  if (known) return known;
  const made = new Set<Instance>();
  index.set(key, made);
  return made;
}
