import assert from 'node:assert/strict';
import { api, choice, fleet, guide, launching, rule, terminating } from './scene.ts';

const reference = guide('ec2-auto-scaling-event-reference');
const refreshing = guide('instance-refresh-eventbridge-events');
const delivery = 'https://docs.aws.amazon.com/eventbridge/latest/ref/event-delivery-level.html';
const doubling = 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-troubleshooting.html';
const ordering = 'https://repost.aws/questions/QUDxAa0fS4TNus4mLxZpUjEw/aws-event-bridge';
const throttling = 'https://repost.aws/knowledge-center/autoscaling-api-calls-throttled';

export const eventRules = [
  rule('event-launch-action', reference, 'A launch hook announces its action with a token.', async (s) => {
    await s.group({ DesiredCapacity: 0 });
    await s.hook('join', launching, { NotificationMetadata: 'blue' });
    await s.desire(1);
    await s.advance(60);
    const [event] = await s.events('EC2 Instance-launch Lifecycle Action');
    assert.equal(event?.source, 'aws.autoscaling');
    const { LifecycleActionToken, ...detail } = await s.announced();
    assert.match(LifecycleActionToken, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.deepEqual(detail, {
      ...fleet,
      LifecycleHookName: 'join',
      EC2InstanceId: await s.id(),
      LifecycleTransition: launching,
      NotificationMetadata: 'blue',
      Origin: 'EC2',
      Destination: 'AutoScalingGroup',
    });
  }),
  rule('event-terminate-action', reference, 'A termination hook announces its action.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    const id = await s.id();
    await s.terminate(id);
    await s.advance(5);
    const [event] = await s.events('EC2 Instance-terminate Lifecycle Action');
    assert.deepEqual(event?.resources, [(await s.description()).AutoScalingGroupARN]);
    const detail = await s.announced();
    assert.deepEqual([detail.EC2InstanceId, detail.Origin, detail.Destination], [id, 'AutoScalingGroup', 'EC2']);
  }),
  rule('event-two-hooks', choice, 'Every hook of a transition announces an action of its own.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    await s.hook('logs', terminating);
    await s.terminate(await s.id());
    await s.advance(5);
    assert.equal((await s.events('EC2 Instance-terminate Lifecycle Action')).length, 2);
  }),
  rule('event-launched', reference, 'A launch that succeeded is reported.', async (s) => {
    await s.group();
    const [event] = await s.events('EC2 Instance Launch Successful');
    assert.ok(event && 'EC2InstanceId' in event.detail);
    assert.equal(event.detail.EC2InstanceId, await s.id());
  }),
  rule('event-launch-failed', reference, 'A launch that failed is reported with its reason.', async (s) => {
    await s.group({ DesiredCapacity: 0 });
    await s.hook('join', launching);
    await s.desire(1);
    await s.advance(60);
    await s.complete(await s.id(), 'join', 'ABANDON');
    await s.advance(1);
    const [event] = await s.events('EC2 Instance Launch Unsuccessful');
    assert.ok(event && 'StatusMessage' in event.detail);
    assert.match(event.detail.StatusMessage, /was abandoned: Lifecycle Action Completed with ABANDON Result/);
  }),
  rule('event-terminated', reference, 'A termination that succeeded is reported.', async (s) => {
    await s.group();
    await s.terminate(await s.id());
    await s.advance(60);
    assert.equal((await s.events('EC2 Instance Terminate Successful')).length, 1);
  }),
  rule('event-retained', choice, 'A retained instance is reported as a termination that failed.', async (s) => {
    await s.group({ InstanceLifecyclePolicy: { RetentionTriggers: { TerminateHookAbandon: 'retain' } } });
    await s.hook('drain', terminating);
    const id = await s.id();
    await s.terminate(id);
    await s.advance(5);
    await s.complete(id, 'drain', 'ABANDON');
    await s.advance(5);
    assert.equal((await s.events('EC2 Instance Terminate Unsuccessful')).length, 1);
  }),
  rule('event-refresh', refreshing, 'An instance refresh reports that it started and succeeded.', async (s) => {
    await s.group();
    await s.refresh();
    await s.advance(300);
    assert.equal((await s.events('EC2 Auto Scaling Instance Refresh Started')).length, 1);
    assert.equal((await s.events('EC2 Auto Scaling Instance Refresh Succeeded')).length, 1);
  }),
  rule('event-refresh-cancelled', refreshing, 'A cancelled instance refresh is reported.', async (s) => {
    await s.group();
    await s.refresh();
    await s.call('CancelInstanceRefresh', fleet);
    await s.advance(60);
    assert.equal((await s.events('EC2 Auto Scaling Instance Refresh Cancelled')).length, 1);
  }),
  rule('event-refresh-failed', refreshing, 'A failed instance refresh is reported.', async (s) => {
    await s.group({ NewInstancesProtectedFromScaleIn: true });
    await s.refresh();
    await s.advance(3700);
    assert.equal((await s.events('EC2 Auto Scaling Instance Refresh Failed')).length, 1);
  }),
  rule('event-refresh-rollback', refreshing, 'A rollback reports that it started and succeeded.', async (s) => {
    await s.group();
    await s.refresh({}, '2');
    await s.advance(20);
    await s.call('RollbackInstanceRefresh', fleet);
    await s.advance(300);
    assert.equal((await s.events('EC2 Auto Scaling Instance Refresh Rollback Started')).length, 1);
    assert.equal((await s.events('EC2 Auto Scaling Instance Refresh Rollback Succeeded')).length, 1);
  }),
  rule(
    'event-lost',
    delivery,
    'Best effort: an event may not be delivered. The hook waits all the same.',
    async (s) => {
      await s.group();
      await s.hook('drain', terminating);
      await s.happen({ kind: 'delivery', faults: { loss: 1, duplication: 0, delay: [0, 0] } });
      const id = await s.id();
      await s.terminate(id);
      await s.advance(60);
      await s.is(id, 'Terminating:Wait');
      assert.deepEqual(await s.events('EC2 Instance-terminate Lifecycle Action'), []);
    },
  ),
  rule('event-doubled', doubling, 'At least once: the same event may come twice.', async (s) => {
    await s.group();
    await s.hook('drain', terminating);
    await s.happen({ kind: 'delivery', faults: { loss: 0, duplication: 1, delay: [0, 10] } });
    await s.terminate(await s.id());
    await s.advance(60);
    const events = await s.events('EC2 Instance-terminate Lifecycle Action');
    assert.deepEqual([events.length, new Set(events.map(({ id }) => id)).size], [2, 1]);
  }),
  rule('event-disordered', ordering, 'Events come in no order.', async (s) => {
    await s.happen({ kind: 'delivery', faults: { loss: 0, duplication: 0, delay: [0, 300] } });
    await s.group({ DesiredCapacity: 10 });
    await s.terminate(await s.id());
    await s.advance(600);
    const times = (await s.events()).map(({ time }) => time);
    assert.notDeepEqual(times, times.toSorted());
  }),

  rule('throttle', throttling, 'Above the request rate calls are refused with "Rate exceeded".', async (s) => {
    await s.happen({ kind: 'request-rate', rate: { burst: 2, perSecond: 1 } });
    await s.call('DescribeAutoScalingGroups', {});
    await s.call('DescribeAutoScalingGroups', {});
    await s.refused('Throttling', 'DescribeAutoScalingGroups', {}, /Rate exceeded/);
  }),
  rule('throttle-shared', throttling, 'All calls share a single limit.', async (s) => {
    await s.group();
    await s.happen({ kind: 'request-rate', rate: { burst: 1, perSecond: 1 } });
    await s.call('DescribeAutoScalingGroups', {});
    await s.refused('Throttling', 'SetDesiredCapacity', { ...fleet, DesiredCapacity: 1 });
  }),
  rule('throttle-refill', throttling, 'With time calls are allowed again.', async (s) => {
    await s.happen({ kind: 'request-rate', rate: { burst: 1, perSecond: 0.1 } });
    await s.call('DescribeAutoScalingGroups', {});
    await s.advance(5);
    await s.refused('Throttling', 'DescribeAutoScalingGroups', {});
    await s.advance(10);
    await s.call('DescribeAutoScalingGroups', {});
  }),
  rule(
    'contention',
    api('CompleteLifecycleAction'),
    'A pending update refuses a change, and leaves it undone.',
    async (s) => {
      await s.group();
      await s.hook('drain', terminating);
      const id = await s.id();
      await s.terminate(id);
      await s.advance(5);
      await s.happen({ kind: 'contention', calls: 1 });
      const input = { ...fleet, LifecycleHookName: 'drain', InstanceId: id, LifecycleActionResult: 'CONTINUE' };
      await s.refused('ResourceContention', 'CompleteLifecycleAction', input);
      await s.is(id, 'Terminating:Wait');
      await s.call('CompleteLifecycleAction', input);
      await s.is(id, 'Terminating:Proceed');
    },
  ),
];
