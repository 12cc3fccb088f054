import type { Activity } from '@aws-sdk/client-auto-scaling';
import { instant } from './events.ts';
import { type Instance, passageOf } from './instance.ts';
import { uuid } from './random.ts';
import type { World } from './world.ts';

/** AWS keeps six weeks; a simulated day of a large group would fill the memory with them. */
const kept = 1_000;

/** The scaling activities of a group, and the events that report how they ended. */
export class ActivityLog {
  #entries: Activity[] = [];
  readonly #world: World;
  readonly #groupName: string;
  readonly #groupArn: string;

  constructor(world: World, groupName: string, groupArn: string) {
    this.#world = world;
    this.#groupName = groupName;
    this.#groupArn = groupArn;
  }

  get newestFirst(): Activity[] {
    return this.#entries.toReversed();
  }

  record(
    description: string,
    cause: string,
    status: 'InProgress' | 'Failed' | 'Cancelled',
    message?: string,
  ): Activity {
    const now = this.#world.clock.now();
    const activity: Activity = {
      ActivityId: uuid(this.#world.random),
      AutoScalingGroupName: this.#groupName,
      AutoScalingGroupARN: this.#groupArn,
      Description: description,
      Cause: `At ${instant(now)} an instance was moved in response to ${cause}.`,
      StartTime: new Date(now * 1000),
      StatusCode: status,
      Progress: status === 'InProgress' ? 0 : 100,
      ...(message === undefined ? {} : { StatusMessage: message, EndTime: new Date(now * 1000) }),
    };
    this.#entries.push(activity);
    if (this.#entries.length > 2 * kept) this.#entries = this.#entries.slice(-kept);
    return activity;
  }

  open(instance: Instance, description: string, cause: string): Activity {
    const activity = this.record(description, cause, 'InProgress');
    activity.Details = JSON.stringify({ 'Availability Zone': instance.zone });
    instance.activity = activity;
    return activity;
  }

  /** Ends the instance's activity; if it was a passage, the event says how. */
  close(instance: Instance, status: 'Successful' | 'Cancelled', message = ''): void {
    const { activity } = instance;
    if (!activity) return;
    instance.activity = undefined;
    activity.StatusCode = status;
    activity.StatusMessage = message;
    activity.EndTime = new Date(this.#world.clock.now() * 1000);
    activity.Progress = 100;
    if (!instance.passage) return;
    const { transition, origin, destination } = passageOf(instance.passage);
    const { account, region, bus } = this.#world;
    const what = transition === 'autoscaling:EC2_INSTANCE_LAUNCHING' ? 'Launch' : 'Terminate';
    bus.publish({
      'detail-type': `EC2 Instance ${what} ${status === 'Successful' ? 'Successful' : 'Unsuccessful'}`,
      resources: [this.#groupArn, `arn:aws:ec2:${region}:${account}:instance/${instance.id}`],
      detail: {
        StatusCode: status === 'Successful' ? 'InProgress' : 'Failed',
        AutoScalingGroupName: this.#groupName,
        ActivityId: activity.ActivityId ?? '',
        Details: { 'Availability Zone': instance.zone },
        RequestId: activity.ActivityId ?? '',
        StatusMessage: message,
        StartTime: activity.StartTime?.toISOString() ?? '',
        EndTime: activity.EndTime.toISOString(),
        EC2InstanceId: instance.id,
        Cause: activity.Cause ?? '',
        Description: activity.Description ?? '',
        Origin: origin,
        Destination: destination,
      },
    });
  }
}
