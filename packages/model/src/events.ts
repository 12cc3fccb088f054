import type { Clock } from './clock.ts';
import type { Place, Transition } from './instance.ts';
import { between, chance, type Random, uuid } from './random.ts';

export type LifecycleActionDetail = {
  LifecycleActionToken: string;
  AutoScalingGroupName: string;
  LifecycleHookName: string;
  EC2InstanceId: string;
  LifecycleTransition: Transition;
  NotificationMetadata?: string;
  Origin: Place;
  Destination: Place;
};

type ActivityDetail = {
  StatusCode: 'InProgress' | 'Failed';
  AutoScalingGroupName: string;
  ActivityId: string;
  Details: { 'Availability Zone': string };
  RequestId: string;
  StatusMessage: string;
  StartTime: string;
  EndTime: string;
  EC2InstanceId: string;
  Cause: string;
  Description: string;
  Origin: Place;
  Destination: Place;
};

type RefreshDetail = {
  InstanceRefreshId: string;
  AutoScalingGroupName: string;
  CheckpointPercentage?: string;
  CheckpointDelay?: string;
};

export type RefreshNews =
  | 'Started'
  | 'Succeeded'
  | 'Failed'
  | 'Cancelled'
  | 'Checkpoint Reached'
  | `Rollback ${'Started' | 'Succeeded' | 'Failed'}`;

type Envelope<Type extends string, Detail> = {
  version: '0';
  id: string;
  'detail-type': Type;
  source: 'aws.autoscaling';
  account: string;
  time: string;
  region: string;
  resources: string[];
  detail: Detail;
};

export type LifecycleActionEvent = Envelope<
  'EC2 Instance-launch Lifecycle Action' | 'EC2 Instance-terminate Lifecycle Action',
  LifecycleActionDetail
>;
export type ActivityEvent = Envelope<
  `EC2 Instance ${'Launch' | 'Terminate'} ${'Successful' | 'Unsuccessful'}`,
  ActivityDetail
>;
export type RefreshEvent = Envelope<`EC2 Auto Scaling Instance Refresh ${RefreshNews}`, RefreshDetail>;
export type AutoScalingEvent = LifecycleActionEvent | ActivityEvent | RefreshEvent;

export const isLifecycleAction = (event: AutoScalingEvent): event is LifecycleActionEvent =>
  event['detail-type'].endsWith(' Lifecycle Action');

/** Probabilities of loss and duplication, and the range of the delay in seconds; unequal delays make disorder. */
export type DeliveryFaults = { loss: number; duplication: number; delay: readonly [low: number, high: number] };

export const faithfulDelivery: DeliveryFaults = { loss: 0, duplication: 0, delay: [0, 0] };

type Unsent<Event> = Event extends AutoScalingEvent ? Pick<Event, 'detail-type' | 'resources' | 'detail'> : never;

/** Delivers as EventBridge does for this service: best effort, possibly twice, in no order. */
export class EventBus {
  faults: DeliveryFaults;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #account: string;
  readonly #region: string;
  readonly #listeners = new Set<(event: AutoScalingEvent) => void>();

  constructor(clock: Clock, random: Random, account: string, region: string, faults = faithfulDelivery) {
    this.#clock = clock;
    this.#random = random;
    this.#account = account;
    this.#region = region;
    this.faults = faults;
  }

  subscribe(listener: (event: AutoScalingEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(content: Unsent<AutoScalingEvent>): void {
    const event: AutoScalingEvent = {
      version: '0',
      id: uuid(this.#random),
      source: 'aws.autoscaling',
      account: this.#account,
      time: instant(this.#clock.now()),
      region: this.#region,
      ...content,
    };
    const { loss, duplication, delay } = this.faults;
    if (chance(this.#random, loss)) return;
    for (let copies = chance(this.#random, duplication) ? 2 : 1; copies > 0; copies--) {
      const late = delay[1] > 0 ? between(this.#random, delay[0], delay[1]) : 0;
      this.#clock.after(late, () => {
        for (const listener of this.#listeners) listener(event);
      });
    }
  }
}

let written = { second: Number.NaN, text: '' };

/** EventBridge writes whole seconds; much happens within one, so the last is kept. */
export function instant(seconds: number): string {
  const second = Math.floor(seconds);
  if (second !== written.second) written = { second, text: `${new Date(second * 1000).toISOString().slice(0, 19)}Z` };
  return written.text;
}
