import assert from 'node:assert/strict';
import type {
  AutoScalingGroup,
  CreateAutoScalingGroupType,
  Instance,
  InstanceRefresh,
  PutLifecycleHookType,
  RefreshPreferences,
} from '@aws-sdk/client-auto-scaling';
import type { Input, Operation, Output } from '../api.ts';
import type { Driver } from '../driver.ts';
import type { ErrorCode } from '../errors.ts';
import { type AutoScalingEvent, isLifecycleAction, type LifecycleActionDetail } from '../events.ts';
import type { Happening } from '../outside.ts';

/** `page` is the AWS page that says so, who recorded it, or `choice` where the model had to decide. */
export type Rule = {
  readonly id: string;
  readonly page: string;
  readonly says: string;
  readonly run: (scene: Scene) => Promise<void>;
};

export const rule = (id: string, page: string, says: string, run: Rule['run']): Rule => ({ id, page, says, run });

export const guide = (page: string) => `https://docs.aws.amazon.com/autoscaling/ec2/userguide/${page}.html`;
export const api = (name: string) => `https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_${name}.html`;
export const choice = 'choice';
/** Not documented, but recorded on AWS by others, call by call: `testdata/aws/autoscaling` of this repository. */
export const recorded = 'https://github.com/radkawar/stackd';

const name = 'fleet';
export const launching = 'autoscaling:EC2_INSTANCE_LAUNCHING';
export const terminating = 'autoscaling:EC2_INSTANCE_TERMINATING';
export const fleet = { AutoScalingGroupName: name };
export const template = (version: string) => ({ LaunchTemplateId: 'lt-fleet', Version: version });

/** The words in which rules are told. It reaches the group only through its driver. */
export class Scene {
  readonly #driver: Driver;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  call<O extends Operation>(operation: O, input: Input<O>): Promise<Output<O>> {
    return this.#driver.call(operation, input);
  }

  happen(happening: Happening): Promise<void> {
    return this.#driver.happen(happening);
  }

  advance(seconds: number): Promise<void> {
    return this.#driver.advance(seconds);
  }

  /** A group of one in two zones, and a minute for it to come into service. */
  async group(input: Partial<CreateAutoScalingGroupType> = {}): Promise<void> {
    await this.call('CreateAutoScalingGroup', {
      ...fleet,
      MinSize: 0,
      MaxSize: 10,
      DesiredCapacity: 1,
      AvailabilityZones: ['us-east-1a', 'us-east-1b'],
      LaunchTemplate: template('1'),
      ...input,
    });
    await this.advance(60);
  }

  hook(hookName: string, transition: string, more: Partial<PutLifecycleHookType> = {}) {
    return this.call('PutLifecycleHook', {
      ...fleet,
      LifecycleHookName: hookName,
      LifecycleTransition: transition,
      ...more,
    });
  }

  desire(capacity: number) {
    return this.call('SetDesiredCapacity', { ...fleet, DesiredCapacity: capacity });
  }

  terminate(id: string, decrement = false) {
    return this.call('TerminateInstanceInAutoScalingGroup', {
      InstanceId: id,
      ShouldDecrementDesiredCapacity: decrement,
    });
  }

  complete(id: string, hookName: string, result: 'CONTINUE' | 'ABANDON') {
    return this.call('CompleteLifecycleAction', {
      ...fleet,
      LifecycleHookName: hookName,
      InstanceId: id,
      LifecycleActionResult: result,
    });
  }

  heartbeat(id: string, hookName: string) {
    return this.call('RecordLifecycleActionHeartbeat', { ...fleet, LifecycleHookName: hookName, InstanceId: id });
  }

  suspend(...processes: string[]) {
    return this.call('SuspendProcesses', { ...fleet, ScalingProcesses: processes });
  }

  resume(...processes: string[]) {
    return this.call('ResumeProcesses', { ...fleet, ScalingProcesses: processes });
  }

  async refresh(preferences: RefreshPreferences = {}, version?: string): Promise<void> {
    await this.call('StartInstanceRefresh', {
      ...fleet,
      Preferences: { InstanceWarmup: 0, ...preferences },
      ...(version === undefined ? {} : { DesiredConfiguration: { LaunchTemplate: template(version) } }),
    });
  }

  async lastRefresh(): Promise<InstanceRefresh> {
    const { InstanceRefreshes: refreshes = [] } = await this.call('DescribeInstanceRefreshes', fleet);
    return refreshes[0] ?? assert.fail('there is no instance refresh');
  }

  async description(): Promise<AutoScalingGroup> {
    const { AutoScalingGroups: groups } = await this.call('DescribeAutoScalingGroups', {
      AutoScalingGroupNames: [name],
    });
    return groups?.[0] ?? assert.fail('there is no group');
  }

  async instances(state?: string): Promise<Instance[]> {
    const { Instances: instances = [] } = await this.description();
    return instances.filter(({ LifecycleState: its }) => state === undefined || its === state);
  }

  async pool(): Promise<Instance[]> {
    return (await this.call('DescribeWarmPool', fleet)).Instances ?? [];
  }

  /** The id of the n-th instance of the group, oldest first. */
  async id(index = 0): Promise<string> {
    return (await this.instances())[index]?.InstanceId ?? assert.fail(`there is no instance ${index}`);
  }

  /** `gone` when no group knows the instance any more. */
  async state(id: string): Promise<string> {
    const { AutoScalingInstances: found = [] } = await this.call('DescribeAutoScalingInstances', { InstanceIds: [id] });
    return found[0]?.LifecycleState ?? 'gone';
  }

  async is(id: string, state: string): Promise<void> {
    assert.equal(await this.state(id), state);
  }

  /** The states of the group's instances, sorted. */
  async are(...states: string[]): Promise<void> {
    const found = (await this.instances()).map(({ LifecycleState: state }) => state);
    assert.deepEqual(found.toSorted(), states.toSorted());
  }

  async pooled(...states: string[]): Promise<void> {
    const found = (await this.pool()).map(({ LifecycleState: state }) => state);
    assert.deepEqual(found.toSorted(), states.toSorted());
  }

  async desired(capacity: number): Promise<void> {
    assert.equal((await this.description()).DesiredCapacity, capacity);
  }

  async zones(counts: Record<string, number>): Promise<void> {
    const found: Record<string, number> = {};
    for (const { AvailabilityZone: zone = '' } of await this.instances('InService'))
      found[zone] = (found[zone] ?? 0) + 1;
    assert.deepEqual(found, counts);
  }

  async versions(...versions: string[]): Promise<void> {
    const found = (await this.instances('InService')).map(({ LaunchTemplate: used }) => used?.Version);
    assert.deepEqual(found.toSorted(), versions.toSorted());
  }

  async refused<O extends Operation>(code: ErrorCode, operation: O, input: Input<O>, says?: RegExp): Promise<void> {
    try {
      await this.call(operation, input);
    } catch (error) {
      assert.ok(error instanceof Error);
      // The SDK appends Fault to the codes that its model knows.
      assert.equal(error.name.replace(/Fault$/, ''), code);
      if (says) assert.match(error.message, says);
      return;
    }
    assert.fail(`${operation} was not refused`);
  }

  async events(type?: AutoScalingEvent['detail-type']): Promise<AutoScalingEvent[]> {
    return (await this.#driver.events()).filter((event) => type === undefined || event['detail-type'] === type);
  }

  /** The newest lifecycle action that was announced. */
  async announced(): Promise<LifecycleActionDetail> {
    const event = (await this.#driver.events()).findLast(isLifecycleAction);
    return event?.detail ?? assert.fail('no lifecycle action was announced');
  }
}
