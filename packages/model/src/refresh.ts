import type {
  InstanceRefresh,
  InstanceRefreshStatus,
  LaunchTemplateSpecification,
  RefreshPreferences,
  RollbackDetails,
} from '@aws-sdk/client-auto-scaling';
import type { Timer } from './clock.ts';
import type { RefreshNews } from './events.ts';
import type { Group } from './group.ts';
import { countsAsCapacity, type Instance, isPooled, isRetained, isTerminating } from './instance.ts';
import { uuid } from './random.ts';
import { pooledInstances } from './warm-pool.ts';
import { delay, resolveVersion, sameTemplate } from './world.ts';

const activeStatuses: readonly InstanceRefreshStatus[] = [
  'Pending',
  'InProgress',
  'Cancelling',
  'RollbackInProgress',
  'Baking',
];

/** How long it waits for protection to be lifted or an instance to come back from standby. */
const patience = 3600;

export class Refresh {
  readonly id: string;
  readonly desired: LaunchTemplateSpecification | undefined;
  readonly preferences: RefreshPreferences;
  status: InstanceRefreshStatus = 'Pending';
  #reason: string | undefined;
  #endedAt: number | undefined;
  #rollback: RollbackDetails | undefined;
  readonly #group: Group;
  readonly #startedAt: number;
  readonly #warmup: number;
  /** Still to be replaced. */
  #old = new Set<Instance>();
  #oldInPool: Set<Instance> | undefined;
  /** In service, healthy and warm. */
  readonly #ready = new Set<Instance>();
  #total = 0;
  #checkpoint = 0;
  #pausedUntil = 0;
  #blocked: Timer | undefined;

  constructor(group: Group, preferences: RefreshPreferences, desired: LaunchTemplateSpecification | undefined) {
    const { clock, random } = group.world;
    this.#group = group;
    this.preferences = preferences;
    this.desired = desired;
    this.id = uuid(random);
    this.#startedAt = clock.now();
    this.#warmup = preferences.InstanceWarmup ?? group.settings.warmup ?? group.settings.gracePeriod;
    for (const instance of group.in('InService')) if (instance.healthy) this.#ready.add(instance);
    clock.after(delay(group.world, 'settle'), () => this.#start());
  }

  get active(): boolean {
    return activeStatuses.includes(this.status);
  }

  /** What launches use while this runs; the group's own again while it is rolled back. */
  get template(): LaunchTemplateSpecification | undefined {
    return this.status === 'InProgress' || this.status === 'Baking' ? this.desired : undefined;
  }

  /** How far the group may exceed its desired capacity so that a new instance comes before an old one goes. */
  get surplus(): number {
    if (!this.#replacing) return 0;
    const { desired } = this.#group.settings;
    const { max } = this.#healthy;
    const most = max === undefined ? 0 : Math.floor((desired * max) / 100) - desired;
    // Bounds that cannot both be kept are bent upwards, by one, if the maximum was asked for.
    const room = most === 0 && max !== undefined && this.#least >= desired ? 1 : most;
    return Math.max(0, Math.min(room, this.#quota - this.#taken, this.#old.size));
  }

  onMove(instance: Instance): void {
    const { state } = instance;
    if (state === 'InService') {
      this.#group.world.clock.after(this.#warmup, () => this.onHealth(instance));
      return;
    }
    this.#ready.delete(instance);
    this.#oldInPool?.delete(instance);
    if (!isReplaceable(instance)) this.#old.delete(instance);
  }

  onHealth(instance: Instance): void {
    if (!this.active) return;
    const warm = this.#group.world.clock.now() >= (instance.inServiceAt ?? 0) + this.#warmup;
    if (instance.state === 'InService' && instance.healthy && warm) this.#ready.add(instance);
    else this.#ready.delete(instance);
    this.#group.wake();
  }

  step(): void {
    const { suspended } = this.#group;
    if (!this.#replacing) return;
    if (!suspended.has('Terminate')) this.#takeOut();
    const settled = this.#ready.size >= this.#group.settings.desired;
    if (this.#taken < this.#quota || !settled) return;
    const checkpoints = this.status === 'InProgress' ? (this.preferences.CheckpointPercentages ?? []) : [];
    if (this.#checkpoint < checkpoints.length) this.#reachCheckpoint(checkpoints);
    if (this.#checkpoint >= checkpoints.length) this.#refreshPool();
  }

  cancel(): void {
    this.#unblock();
    this.status = 'Cancelling';
    this.#group.world.clock.after(delay(this.#group.world, 'settle'), () => this.#end('Cancelled', 'Cancelled'));
    this.#group.wake();
  }

  rollBack(reason: string): void {
    const { PercentageComplete: percentage, InstancesToUpdate: left } = this.describe();
    this.#rollback = {
      RollbackReason: reason,
      RollbackStartTime: new Date(this.#group.world.clock.now() * 1000),
      PercentageCompleteOnRollback: percentage,
      InstancesToUpdateOnRollback: left,
    };
    this.#unblock();
    this.#pausedUntil = 0;
    this.status = 'RollbackInProgress';
    this.#announce('Rollback Started');
    this.#choose((instance) => instance.launchedAt >= this.#startedAt && this.#isNew(instance));
    this.#group.wake();
  }

  describe(): InstanceRefresh {
    const { clock } = this.#group.world;
    const rolledBack = this.#rollback !== undefined;
    const left = rolledBack ? (this.#rollback?.InstancesToUpdateOnRollback ?? 0) : this.#left();
    const share = this.#total === 0 ? 1 : rolledBack ? this.#old.size / this.#total : 1 - left / this.#total;
    const percentage = rolledBack
      ? Math.floor(share * (this.#rollback?.PercentageCompleteOnRollback ?? 0))
      : Math.floor(100 * share);
    return {
      InstanceRefreshId: this.id,
      AutoScalingGroupName: this.#group.name,
      Status: this.status,
      StatusReason: this.#reason,
      StartTime: this.status === 'Pending' ? undefined : new Date(this.#startedAt * 1000),
      EndTime: this.#endedAt === undefined ? undefined : new Date(this.#endedAt * 1000),
      PercentageComplete: this.status === 'Pending' ? 0 : percentage,
      InstancesToUpdate: left,
      ProgressDetails: this.#group.pool && {
        LivePoolProgress: { PercentageComplete: percentage, InstancesToUpdate: left },
        WarmPoolProgress: {
          PercentageComplete: this.#oldInPool?.size === 0 ? 100 : 0,
          InstancesToUpdate: this.#oldInPool?.size ?? pooledInstances(this.#group).length,
        },
      },
      Preferences: this.preferences,
      DesiredConfiguration: this.desired && { LaunchTemplate: this.desired },
      RollbackDetails: this.#rollback,
      Strategy: 'Rolling',
      ...(clock.now() < this.#pausedUntil ? { StatusReason: 'Waiting at a checkpoint.' } : {}),
    };
  }

  get #replacing(): boolean {
    const { suspended, world } = this.#group;
    if (suspended.has('InstanceRefresh') || world.clock.now() < this.#pausedUntil || this.#oldInPool) return false;
    return this.status === 'InProgress' || this.status === 'RollbackInProgress';
  }

  get #healthy(): { min: number; max: number | undefined } {
    const { maintenance } = this.#group.settings;
    return {
      min: this.preferences.MinHealthyPercentage ?? maintenance?.min ?? 90,
      max: this.preferences.MaxHealthyPercentage ?? maintenance?.max,
    };
  }

  /** The fewest ready instances it may leave. */
  get #least(): number {
    const { desired } = this.#group.settings;
    const { min, max } = this.#healthy;
    const least = Math.ceil((desired * min) / 100);
    // Without a maximum, termination and launch of one instance happen at the same time.
    return max === undefined && least >= desired ? desired - 1 : least;
  }

  get #quota(): number {
    const checkpoint =
      this.status === 'InProgress' ? this.preferences.CheckpointPercentages?.[this.#checkpoint] : undefined;
    return checkpoint === undefined ? this.#total : Math.ceil((this.#total * checkpoint) / 100);
  }

  get #taken(): number {
    return this.#total - this.#old.size;
  }

  #left(): number {
    if (this.status === 'Pending') return this.#group.capacity;
    let updated = 0;
    for (const instance of this.#ready) if (instance.launchedAt >= this.#startedAt) updated++;
    return Math.max(this.#old.size, this.#total - updated);
  }

  #start(): void {
    if (this.status !== 'Pending') return;
    this.status = 'InProgress';
    this.#announce('Started');
    const { SkipMatching: skip } = this.preferences;
    this.#choose((instance) => !(skip && this.#isNew(instance)));
    this.#group.wake();
  }

  #choose(isOld: (instance: Instance) => boolean): void {
    const candidates = [...this.#group.instances.values()].filter(isReplaceable);
    this.#old = new Set(candidates.filter((instance) => isOld(instance) && this.#attitude(instance) !== 'Ignore'));
    this.#total = this.#old.size;
    this.#oldInPool = undefined;
  }

  #isNew({ template }: Instance): boolean {
    const wanted = this.desired ?? this.#group.settings.template;
    return sameTemplate(template, resolveVersion(this.#group.world, wanted));
  }

  /** What the preferences say of an instance that stands by or is protected. */
  #attitude(instance: Instance): 'Replace' | 'Ignore' | 'Wait' {
    const { StandbyInstances: standby = 'Wait', ScaleInProtectedInstances: guarded = 'Wait' } = this.preferences;
    if (instance.state === 'Standby') return standby === 'Terminate' ? 'Replace' : standby;
    if (instance.protected && instance.state === 'InService') return guarded === 'Refresh' ? 'Replace' : guarded;
    return 'Replace';
  }

  #takeOut(): void {
    let waiting = false;
    for (const instance of this.#old) {
      const attitude = this.#attitude(instance);
      if (attitude === 'Ignore') this.#old.delete(instance);
      if (attitude === 'Wait') waiting = true;
      if (attitude !== 'Replace') continue;
      if (this.#taken >= this.#quota) break;
      if (instance.state === 'Standby') this.#group.terminate(instance, 'an instance refresh');
      if (instance.state !== 'InService') continue;
      waiting = false;
      if (this.#ready.size <= this.#least) break;
      this.#group.terminate(instance, 'an instance refresh');
    }
    if (waiting && this.#taken < this.#quota) {
      const why = 'Instances protected from scale in or in Standby were not released within one hour.';
      this.#blocked ??= this.#group.world.clock.after(patience, () => this.#fail(why));
    } else this.#unblock();
  }

  #unblock(): void {
    this.#blocked?.cancel();
    this.#blocked = undefined;
  }

  /** A checkpoint that was passed in one go with a later one is skipped. */
  #reachCheckpoint(checkpoints: readonly number[]): void {
    const reached = (index: number) => {
      const percentage = checkpoints[index];
      return percentage !== undefined && this.#taken * 100 >= percentage * this.#total;
    };
    while (reached(this.#checkpoint + 1)) this.#checkpoint++;
    const wait = this.preferences.CheckpointDelay ?? 3600;
    this.#announce('Checkpoint Reached', checkpoints[this.#checkpoint], wait);
    this.#checkpoint++;
    if (this.#checkpoint >= checkpoints.length) return;
    const { clock } = this.#group.world;
    this.#pausedUntil = clock.now() + wait;
    clock.after(wait, () => this.#group.wake());
  }

  /** In-service instances first, then those of the warm pool. */
  #refreshPool(): void {
    const { SkipMatching: skip } = this.preferences;
    const undoing = this.status === 'RollbackInProgress';
    const old = pooledInstances(this.#group).filter((instance) => {
      if (isTerminating(instance.state) || isRetained(instance.state)) return false;
      return undoing ? this.#isNew(instance) : !(skip && this.#isNew(instance));
    });
    this.#oldInPool = new Set(old);
    for (const instance of old) this.#group.terminate(instance, 'an instance refresh');
    const bake = undoing ? 0 : (this.preferences.BakeTime ?? 0);
    if (bake > 0) {
      this.status = 'Baking';
      this.#group.world.clock.after(bake, () => this.#succeed());
    } else this.#succeed();
  }

  #succeed(): void {
    if (this.status === 'RollbackInProgress') {
      this.#end('RollbackSuccessful', 'Rollback Succeeded');
    } else if (this.status === 'InProgress' || this.status === 'Baking') {
      if (this.desired) this.#group.settings.template = this.desired;
      this.#end('Successful', 'Succeeded');
    }
  }

  #fail(reason: string): void {
    if (!this.active) return;
    this.#reason = reason;
    if (this.status === 'InProgress' && this.preferences.AutoRollback) this.rollBack(`Automatic rollback: ${reason}`);
    else if (this.status === 'InProgress') this.#end('Failed', 'Failed');
    else this.#end('RollbackFailed', 'Rollback Failed');
  }

  #end(status: InstanceRefreshStatus, event: RefreshNews): void {
    this.#unblock();
    this.status = status;
    this.#endedAt = this.#group.world.clock.now();
    this.#announce(event);
    this.#group.wake();
  }

  #announce(event: RefreshNews, percentage?: number, wait?: number): void {
    this.#group.world.bus.publish({
      'detail-type': `EC2 Auto Scaling Instance Refresh ${event}`,
      resources: [this.#group.arn],
      detail: {
        InstanceRefreshId: this.id,
        AutoScalingGroupName: this.#group.name,
        ...(percentage === undefined
          ? {}
          : { CheckpointPercentage: String(percentage), CheckpointDelay: String(wait) }),
      },
    });
  }
}

const isReplaceable = ({ state }: Instance) =>
  (countsAsCapacity(state) || state === 'EnteringStandby' || state === 'Standby') && !isPooled(state);
