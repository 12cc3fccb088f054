import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { AutoScaling, type Input, type Operation } from './api.ts';
import { VirtualClock } from './clock.ts';
import { AutoScalingError } from './errors.ts';
import { faithfulDelivery } from './events.ts';
import { type Action, globalTimeout } from './hooks.ts';
import { type Instance, isPooled, isRetained, mayMove, passageOf, type Result, type State } from './instance.ts';
import { between, chance, pick, seeded } from './random.ts';

const fleet = { AutoScalingGroupName: 'fleet' };
const zones = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
const transitions = ['autoscaling:EC2_INSTANCE_LAUNCHING', 'autoscaling:EC2_INSTANCE_TERMINATING'] as const;
const processNames = ['Launch', 'Terminate', 'AZRebalance', 'HealthCheck', 'ReplaceUnhealthy', 'InstanceRefresh'];
const beginnings: readonly State[] = ['Pending', 'Warmed:Pending', 'Terminating', 'Warmed:Terminating'];
const steps = 40;
const settled = 2 * 86_400;
const moment = 1e-6;

type Watched = { action: Action; beatAt: number };
type Journey = { waitsFor: Set<string>; results: Map<string, Result | undefined>; begun: number; exempt: boolean };

function holds(condition: boolean, promise: string): void {
  if (!condition) throw new Error(`broken promise: ${promise}`);
}

/** One random life of a group, watched throughout. It throws at the first broken promise. */
class History {
  readonly #random;
  readonly #clock = new VirtualClock();
  readonly #service: AutoScaling;
  readonly #hash = createHash('sha256');
  readonly #instances = new Map<string, Instance>();
  readonly #open = new Map<string, Watched>();
  /** When each hook that exists now was made; a deleted one is gone. */
  readonly #hooks = new Map<string, { transition: string; madeAt: number }>();
  readonly #journeys = new Map<string, Journey>();
  readonly #mayLeaveRetained = new Set<string>();
  #calling = false;
  #forced = false;
  #quiet = false;

  constructor(seed: number) {
    this.#random = seeded(seed);
    this.#service = new AutoScaling({
      clock: this.#clock,
      random: seeded(seed + 0.5 * 2 ** 32),
      timings: { jitter: 0.5 },
    });
    this.#service.observe({
      onInstanceState: (instance, from, to) => this.#onState(instance, from, to),
      onLifecycleAction: (action, event, result) => this.#onAction(action, event, result),
    });
  }

  play(): string {
    this.#create();
    for (let step = 0; step < steps; step++) {
      this.#act();
      this.#advance(chance(this.#random, 0.1) ? between(this.#random, 0, 20_000) : between(this.#random, 0, 300));
    }
    this.#calmDown();
    this.#converged();
    return this.#hash.digest('hex');
  }

  #try<O extends Operation>(operation: O, input: Input<O>): boolean {
    this.#calling = true;
    try {
      this.#service.call(operation, input);
      return true;
    } catch (error) {
      if (!(error instanceof AutoScalingError)) throw error;
      return false;
    } finally {
      this.#calling = false;
    }
  }

  #int(low: number, high: number): number {
    return Math.floor(between(this.#random, low, high + 1));
  }

  #some(filter: (instance: Instance) => boolean = () => true): string {
    return pick(this.#random, [...this.#instances.values()].filter(filter))?.id ?? 'i-none';
  }

  #create(): void {
    const random = this.#random;
    const max = this.#int(2, 12);
    const created = this.#try('CreateAutoScalingGroup', {
      ...fleet,
      MinSize: this.#int(0, 1),
      MaxSize: max,
      DesiredCapacity: this.#int(1, max),
      AvailabilityZones: zones.slice(0, this.#int(1, 3)),
      LaunchTemplate: { LaunchTemplateId: 'lt-fleet', Version: '1' },
      NewInstancesProtectedFromScaleIn: chance(random, 0.3),
      HealthCheckGracePeriod: this.#int(0, 300),
      InstanceLifecyclePolicy: {
        RetentionTriggers: { TerminateHookAbandon: chance(random, 0.5) ? 'retain' : 'terminate' },
      },
      ...(chance(random, 0.3)
        ? { InstanceMaintenancePolicy: { MinHealthyPercentage: 100, MaxHealthyPercentage: 150 } }
        : {}),
    });
    holds(created, 'the group is created');
    for (let hooks = this.#int(0, 4); hooks > 0; hooks--) this.#putHook();
    if (chance(random, 0.6)) this.#putPool();
    if (chance(random, 0.5)) {
      const faults = { loss: 0.2, duplication: 0.2, delay: [0, 120] } as const;
      this.#service.happen({ kind: 'delivery', faults });
    }
  }

  #putHook(): void {
    const name = `hook-${this.#int(1, 4)}`;
    const transition = this.#hooks.get(name)?.transition ?? pick(this.#random, transitions) ?? '';
    const result = chance(this.#random, 0.5) ? 'CONTINUE' : 'ABANDON';
    const input = { LifecycleHookName: name, LifecycleTransition: transition, DefaultResult: result };
    if (!this.#try('PutLifecycleHook', { ...fleet, ...input, HeartbeatTimeout: this.#int(30, 900) })) return;
    if (!this.#hooks.has(name)) this.#hooks.set(name, { transition, madeAt: this.#clock.now() });
  }

  #putPool(): void {
    const random = this.#random;
    this.#try('PutWarmPool', {
      ...fleet,
      MaxGroupPreparedCapacity: this.#int(-1, 12),
      MinSize: this.#int(0, 2),
      PoolState: pick(random, ['Stopped', 'Running', 'Hibernated']),
      InstanceReusePolicy: { ReuseOnScaleIn: chance(random, 0.7) },
    });
  }

  #act(): void {
    const random = this.#random;
    const acts: readonly (() => void)[] = [
      () => this.#try('SetDesiredCapacity', { ...fleet, DesiredCapacity: this.#int(0, 12) }),
      () => this.#terminate(this.#some()),
      () => this.#terminate(this.#some(({ state }) => isRetained(state))),
      () => this.#try('SetInstanceHealth', { InstanceId: this.#some(), HealthStatus: 'Unhealthy' }),
      () => this.#complete(),
      () => this.#complete(),
      () => this.#complete(),
      () => this.#beatSome(),
      () => this.#beatSome(),
      () => this.#standby(),
      () =>
        this.#try('SetInstanceProtection', {
          ...fleet,
          InstanceIds: [this.#some()],
          ProtectedFromScaleIn: chance(random, 0.5),
        }),
      () => this.#try('SuspendProcesses', { ...fleet, ScalingProcesses: [pick(random, processNames) ?? ''] }),
      () => this.#try('ResumeProcesses', fleet),
      () => this.#refresh(),
      () => this.#try('CancelInstanceRefresh', fleet),
      () => this.#try('RollbackInstanceRefresh', fleet),
      () => this.#putHook(),
      () => this.#deleteHook(),
      () => this.#putPool(),
      () => this.#deletePool(),
      () =>
        this.#try('UpdateAutoScalingGroup', {
          ...fleet,
          AvailabilityZones: zones.slice(this.#int(0, 1), this.#int(2, 3)),
        }),
      () => this.#try('UpdateAutoScalingGroup', { ...fleet, MaxInstanceLifetime: 86_400 }),
      () => this.#happen('instance-stopped'),
      () => this.#happen('instance-impaired'),
      () => this.#service.happen({ kind: 'zone-full', zone: pick(random, zones) ?? '' }),
      () => this.#service.happen({ kind: 'zone-recovered', zone: pick(random, zones) ?? '' }),
    ];
    pick(random, acts)?.();
  }

  #terminate(id: string): void {
    this.#mayLeaveRetained.add(id);
    const ShouldDecrementDesiredCapacity = chance(this.#random, 0.5);
    this.#try('TerminateInstanceInAutoScalingGroup', { InstanceId: id, ShouldDecrementDesiredCapacity });
    this.#mayLeaveRetained.delete(id);
  }

  #someAction(): Watched | undefined {
    return pick(this.#random, [...this.#open.values()]);
  }

  #complete(): void {
    const { action } = this.#someAction() ?? {};
    if (!action) return;
    const LifecycleActionResult = chance(this.#random, 0.6) ? 'CONTINUE' : 'ABANDON';
    const { hook, token } = action;
    const input = { ...fleet, LifecycleHookName: hook.name, LifecycleActionToken: token, LifecycleActionResult };
    holds(this.#try('CompleteLifecycleAction', input), `${token} can be completed while it is open`);
  }

  #beatSome(): void {
    const watched = this.#someAction();
    if (watched) this.#beat(watched);
  }

  /** Somebody who never lets go: only the cap ends such an action. */
  #keepAlive(action: Action): void {
    this.#clock.after(0.9 * action.hook.heartbeatTimeout, () => {
      const watched = this.#open.get(action.token);
      if (!watched) return;
      this.#beat(watched);
      this.#keepAlive(action);
    });
  }

  #beat(watched: Watched): void {
    const { hook, instance } = watched.action;
    const input = { ...fleet, LifecycleHookName: hook.name, InstanceId: instance.id };
    holds(this.#try('RecordLifecycleActionHeartbeat', input), `${instance.id} can be kept alive while it waits`);
    watched.beatAt = this.#clock.now();
  }

  #standby(): void {
    const ShouldDecrementDesiredCapacity = chance(this.#random, 0.5);
    const standing = this.#some(({ state }) => state === 'Standby');
    if (chance(this.#random, 0.5)) this.#try('ExitStandby', { ...fleet, InstanceIds: [standing] });
    else this.#try('EnterStandby', { ...fleet, InstanceIds: [this.#some()], ShouldDecrementDesiredCapacity });
  }

  #refresh(): void {
    const random = this.#random;
    this.#try('StartInstanceRefresh', {
      ...fleet,
      ...(chance(random, 0.5)
        ? { DesiredConfiguration: { LaunchTemplate: { LaunchTemplateId: 'lt-fleet', Version: '2' } } }
        : {}),
      Preferences: {
        MinHealthyPercentage: pick(random, [0, 50, 90, 100]),
        MaxHealthyPercentage: pick(random, [undefined, 100]),
        InstanceWarmup: this.#int(0, 120),
        SkipMatching: chance(random, 0.3),
        AutoRollback: chance(random, 0.2),
        ScaleInProtectedInstances: pick(random, ['Refresh', 'Ignore', 'Wait']),
        StandbyInstances: pick(random, ['Terminate', 'Ignore', 'Wait']),
        ...(chance(random, 0.3) ? { CheckpointPercentages: [30, 100], CheckpointDelay: 600 } : {}),
      },
    });
  }

  #deleteHook(): void {
    const name = `hook-${this.#int(1, 4)}`;
    this.#hooks.delete(name);
    this.#try('DeleteLifecycleHook', { ...fleet, LifecycleHookName: name });
  }

  /** By force no hooks run, not even for those that terminate already. */
  #deletePool(): void {
    this.#forced = chance(this.#random, 0.3);
    const before = [...this.#instances.values()].filter(({ state }) => isPooled(state));
    const deleted = this.#try('DeleteWarmPool', { ...fleet, ForceDelete: this.#forced });
    for (const { id } of before) {
      const journey = this.#journeys.get(id);
      if (journey && deleted && this.#forced) journey.exempt = true;
    }
    this.#forced = false;
  }

  #happen(kind: 'instance-stopped' | 'instance-impaired'): void {
    const instanceId = this.#some();
    if (instanceId !== 'i-none') this.#service.happen({ kind, instanceId });
  }

  #advance(seconds: number): void {
    this.#clock.advance(seconds);
    for (const { action } of this.#open.values()) {
      holds(
        this.#clock.now() <= action.openedAt + globalTimeout(action.hook) + moment,
        `${action.token} keeps its cap`,
      );
    }
  }

  #onState(instance: Instance, from: State | undefined, to: State): void {
    const now = this.#clock.now();
    this.#hash.update(`${now} ${instance.id} ${from} > ${to}\n`);
    if (from !== undefined) holds(mayMove(from, to), `${from} may become ${to}`);
    if (from && isRetained(from)) {
      const asked = this.#mayLeaveRetained.has(instance.id) || this.#forced;
      holds(asked, `${instance.id} does not leave ${from} by itself`);
    }
    this.#followHooks(instance, from, to, now);
    if (to === 'Terminated' || to === 'Warmed:Terminated' || to === 'Detached') this.#instances.delete(instance.id);
    else this.#instances.set(instance.id, instance);
  }

  /** Between the beginning and the end of a passage an instance waits for every hook that was there all the while. */
  #followHooks(instance: Instance, from: State | undefined, to: State, now: number): void {
    const { id } = instance;
    if (beginnings.includes(to)) {
      const exempt = this.#forced;
      this.#journeys.set(id, { waitsFor: new Set(), results: new Map(), begun: now, exempt });
    }
    const journey = this.#journeys.get(id);
    // Coming back from standby is no passage.
    if (!instance.passage || !journey) return;
    const { transition, wait, proceed, ends } = passageOf(instance.passage);
    const hooks = [...this.#hooks].filter(([, hook]) => hook.transition === transition);
    if (to === wait) journey.waitsFor = new Set(hooks.map(([name]) => name));
    if (to === proceed && !journey.exempt && !this.#forced) {
      const results = [...journey.waitsFor].map((hook) => journey.results.get(hook));
      const through = results.includes('ABANDON') || results.every((result) => result === 'CONTINUE');
      holds(through, `${id} waits until all of its hooks continue or one is abandoned`);
    }
    if (from === undefined || !beginnings.includes(from) || !ends.includes(to) || journey.exempt) return;
    const skipped = hooks.filter(([, { madeAt }]) => madeAt < journey.begun);
    holds(skipped.length === 0, `${id} does not go from ${from} to ${to} past ${skipped[0]?.[0]}`);
  }

  #onAction(action: Action, event: 'opened' | 'closed' | 'dropped', result: Result | undefined): void {
    const now = this.#clock.now();
    this.#hash.update(`${now} ${action.token} ${event} ${result}\n`);
    if (event === 'opened') {
      this.#open.set(action.token, { action, beatAt: now });
      if (chance(this.#random, 0.3)) this.#keepAlive(action);
      if (this.#quiet) this.#finish(action);
      return;
    }
    const watched = this.#open.get(action.token);
    this.#open.delete(action.token);
    this.#journeys.get(action.instance.id)?.results.set(action.hook.name, result);
    const limit = action.openedAt + globalTimeout(action.hook);
    holds(now <= limit + moment, `${action.token} is closed by its cap`);
    if (event === 'closed' && !this.#calling) {
      const due = Math.min((watched?.beatAt ?? 0) + action.hook.heartbeatTimeout, limit);
      holds(Math.abs(now - due) < moment, `${action.token} times out when it is due`);
    }
  }

  #finish({ hook, token }: Action): void {
    this.#clock.after(1, () => {
      if (!this.#open.has(token)) return;
      const input = { ...fleet, LifecycleHookName: hook.name, LifecycleActionToken: token };
      this.#try('CompleteLifecycleAction', { ...input, LifecycleActionResult: 'CONTINUE' });
    });
  }

  /** The outside leaves the group alone, and somebody completes every action. */
  #calmDown(): void {
    this.#quiet = true;
    for (const zone of zones) this.#service.happen({ kind: 'zone-recovered', zone });
    this.#service.happen({ kind: 'delivery', faults: faithfulDelivery });
    this.#try('UpdateAutoScalingGroup', { ...fleet, MaxInstanceLifetime: 0 });
    this.#try('ResumeProcesses', fleet);
    for (const { action } of this.#open.values()) this.#finish(action);
    this.#clock.advance(settled);
  }

  #converged(): void {
    const { AutoScalingGroups: [group] = [] } = this.#service.call('DescribeAutoScalingGroups', {});
    const { Instances: instances = [], DesiredCapacity: desired = 0, AvailabilityZones: zonesNow = [] } = group ?? {};
    const inService = instances.filter(({ LifecycleState: state }) => state === 'InService');
    const others = instances.filter(({ LifecycleState: state }) => {
      return state !== 'InService' && state !== 'Standby' && state !== 'Terminating:Retained';
    });
    holds(others.length === 0, 'nothing is on its way any more');
    holds(inService.length >= desired, `${desired} are in service, not ${inService.length}`);
    const guarded = inService.every((one) => one.ProtectedFromScaleIn);
    holds(inService.length === desired || guarded, 'only protected instances exceed desired capacity');
    if (inService.every((one) => !one.ProtectedFromScaleIn)) {
      const counts = zonesNow.map((zone) => inService.filter((one) => one.AvailabilityZone === zone).length);
      holds(Math.max(...counts) - Math.min(...counts) <= 1, 'the zones are even');
    }
    holds(this.#open.size === 0, 'no action is open');
    const { InstanceRefreshes: [refresh] = [] } = this.#service.call('DescribeInstanceRefreshes', fleet);
    holds(refresh === undefined || refresh.EndTime !== undefined, 'no refresh runs for ever');
    const { WarmPoolConfiguration: pool, MaxSize: max = 0 } = group ?? {};
    const inPool = [...this.#instances.values()].filter(({ state }) =>
      /^Warmed:(Stopped|Running|Hibernated)$/.test(state),
    );
    const wanted = pool && Math.max(pool.MinSize ?? 0, (pool.MaxGroupPreparedCapacity ?? max) - desired, 0);
    holds(inPool.length === (wanted ?? 0), `${wanted} are in the warm pool, not ${inPool.length}`);
  }
}

const only = process.env.MODEL_SEED;
const count = Number(process.env.MODEL_SEEDS ?? 1_000);

test(`${only === undefined ? `${count} random histories keep every promise` : `history ${only}`}`, {
  timeout: 600_000,
}, () => {
  const seeds = only === undefined ? Array.from({ length: count }, (_, index) => index + 1) : [Number(only)];
  for (const seed of seeds) {
    try {
      const hash = new History(seed).play();
      if (seed % 10 === 0 || only !== undefined) expect(new History(seed).play(), 'same seed, same history').toBe(hash);
    } catch (error) {
      const replay = `MODEL_SEED=${seed} npx vitest run --project unit packages/model/src/histories.test.ts`;
      throw new Error(`seed ${seed}; replay it with: ${replay}`, { cause: error });
    }
  }
});
