import { Account, type AccountOptions } from './account.ts';
import * as groups from './api/groups.ts';
import * as hooks from './api/hooks.ts';
import * as instances from './api/instances.ts';
import * as refresh from './api/refresh.ts';
import * as scaling from './api/scaling.ts';
import * as warmPool from './api/warm-pool.ts';
import { refuse } from './errors.ts';
import type { AutoScalingEvent } from './events.ts';
import { type Happening, happen } from './outside.ts';
import type { Observer } from './world.ts';

/** Every operation of the Auto Scaling API that the model knows, under its own name. */
const operations = {
  CancelInstanceRefresh: refresh.CancelInstanceRefresh,
  CompleteLifecycleAction: hooks.CompleteLifecycleAction,
  CreateAutoScalingGroup: groups.CreateAutoScalingGroup,
  DeleteAutoScalingGroup: groups.DeleteAutoScalingGroup,
  DeleteLifecycleHook: hooks.DeleteLifecycleHook,
  DeletePolicy: scaling.DeletePolicy,
  DeleteWarmPool: warmPool.DeleteWarmPool,
  DescribeAutoScalingGroups: groups.DescribeAutoScalingGroups,
  DescribeAutoScalingInstances: instances.DescribeAutoScalingInstances,
  DescribeInstanceRefreshes: refresh.DescribeInstanceRefreshes,
  DescribeLifecycleHooks: hooks.DescribeLifecycleHooks,
  DescribePolicies: scaling.DescribePolicies,
  DescribeScalingActivities: scaling.DescribeScalingActivities,
  DescribeWarmPool: warmPool.DescribeWarmPool,
  DetachInstances: instances.DetachInstances,
  EnterStandby: instances.EnterStandby,
  ExecutePolicy: scaling.ExecutePolicy,
  ExitStandby: instances.ExitStandby,
  PutLifecycleHook: hooks.PutLifecycleHook,
  PutScalingPolicy: scaling.PutScalingPolicy,
  PutWarmPool: warmPool.PutWarmPool,
  RecordLifecycleActionHeartbeat: hooks.RecordLifecycleActionHeartbeat,
  ResumeProcesses: groups.ResumeProcesses,
  RollbackInstanceRefresh: refresh.RollbackInstanceRefresh,
  SetDesiredCapacity: groups.SetDesiredCapacity,
  SetInstanceHealth: instances.SetInstanceHealth,
  SetInstanceProtection: instances.SetInstanceProtection,
  StartInstanceRefresh: refresh.StartInstanceRefresh,
  SuspendProcesses: groups.SuspendProcesses,
  TerminateInstanceInAutoScalingGroup: instances.TerminateInstanceInAutoScalingGroup,
  UpdateAutoScalingGroup: groups.UpdateAutoScalingGroup,
};

type Operations = typeof operations;
export type Operation = keyof Operations;
export type Input<O extends Operation> = Parameters<Operations[O]>[1];
export type Output<O extends Operation> = ReturnType<Operations[O]>;

const table: { [O in Operation]: (account: Account, input: Input<O>) => Output<O> } = operations;

export const isOperation = (name: string): name is Operation => Object.hasOwn(operations, name);

/** The service: one account in one Region. Calls answer at once; their consequences come with time. */
export class AutoScaling {
  readonly #account: Account;

  constructor(options: AccountOptions = {}) {
    this.#account = new Account(options);
  }

  call<O extends Operation>(operation: O, input: Input<O>): Output<O> {
    const account = this.#account;
    if (!account.throttle.take()) refuse('Rate exceeded', 'Throttling');
    if (account.contention > 0 && !operation.startsWith('Describe')) {
      account.contention--;
      refuse('You already have a pending update to an Amazon EC2 Auto Scaling resource.', 'ResourceContention');
    }
    return table[operation](account, input);
  }

  /** What AWS, EC2 or an alarm does by itself. */
  happen(happening: Happening): void {
    happen(this.#account, happening);
  }

  subscribe(listener: (event: AutoScalingEvent) => void): () => void {
    return this.#account.world.bus.subscribe(listener);
  }

  observe(observer: Observer): () => void {
    const { observers } = this.#account.world;
    observers.add(observer);
    return () => observers.delete(observer);
  }
}
