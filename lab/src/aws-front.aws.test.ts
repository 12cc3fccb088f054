import { setTimeout as sleep } from 'node:timers/promises';
import {
  AutoScalingClient,
  CreateAutoScalingGroupCommand,
  DeleteAutoScalingGroupCommand,
  DescribeAutoScalingGroupsCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { CloudWatchClient, ListMetricsCommand, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import {
  CloudWatchLogsClient,
  CreateLogGroupCommand,
  CreateLogStreamCommand,
  GetLogEventsCommand,
  PutLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { DescribeInstancesCommand, EC2Client, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { EventBridgeClient, PutEventsCommand, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge';
import { CreateQueueCommand, GetQueueAttributesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetParameterCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { awsEnvironment } from './aws.ts';

const settings = {
  endpoint: awsEnvironment.AWS_ENDPOINT_URL,
  region: awsEnvironment.AWS_REGION,
  credentials: {
    accessKeyId: awsEnvironment.AWS_ACCESS_KEY_ID,
    secretAccessKey: awsEnvironment.AWS_SECRET_ACCESS_KEY,
  },
};
const unique = () => `lab-${crypto.randomUUID().slice(0, 8)}`;

describe('everything but Auto Scaling is ministack', () => {
  test('STS', async () => {
    const identity = await new STSClient(settings).send(new GetCallerIdentityCommand());
    expect(identity.Account).toBe('000000000000');
  });

  test('SSM', async () => {
    const ssm = new SSMClient(settings);
    const name = `/${unique()}/greeting`;
    await ssm.send(new PutParameterCommand({ Name: name, Value: 'ä & <b>', Type: 'String' }));
    expect((await ssm.send(new GetParameterCommand({ Name: name }))).Parameter?.Value).toBe('ä & <b>');
  });

  test('CloudWatch', async () => {
    const cloudWatch = new CloudWatchClient(settings);
    const namespace = unique();
    const data = [{ MetricName: 'IdleRunnersCount', Value: 3 }];
    await cloudWatch.send(new PutMetricDataCommand({ Namespace: namespace, MetricData: data }));
    const { Metrics: metrics } = await cloudWatch.send(new ListMetricsCommand({ Namespace: namespace }));
    expect(metrics).toMatchObject([{ MetricName: 'IdleRunnersCount' }]);
  });

  test('CloudWatch Logs, with a record of 200 kB', async () => {
    const logs = new CloudWatchLogsClient(settings);
    const stream = { logGroupName: `/muster/${unique()}/decisions`, logStreamName: 'i-1' };
    await logs.send(new CreateLogGroupCommand(stream));
    await logs.send(new CreateLogStreamCommand(stream));
    const events = [{ timestamp: Date.now(), message: 'x'.repeat(200_000) }];
    await logs.send(new PutLogEventsCommand({ ...stream, logEvents: events }));
    expect((await logs.send(new GetLogEventsCommand(stream))).events?.[0]?.message).toHaveLength(200_000);
  });

  test('an event that claims to come from AWS is refused', async () => {
    const entry = { Source: 'aws.autoscaling', DetailType: 'EC2 Instance Launch Successful', Detail: '{}' };
    const answer = await new EventBridgeClient(settings).send(new PutEventsCommand({ Entries: [entry] }));
    expect(answer.Entries?.[0]?.ErrorCode).toBe('NotAuthorizedForSourceException');
  });
});

describe('a group', () => {
  const name = unique();
  const autoScaling = new AutoScalingClient(settings);
  const ec2 = new EC2Client(settings);
  const sqs = new SQSClient(settings);

  const instances = async () => {
    const answer = await autoScaling.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [name] }));
    return answer.AutoScalingGroups?.[0]?.Instances ?? [];
  };
  const machines = async (...filters: [string, string][]) => {
    const Filters = filters.map(([Name, value]) => ({ Name, Values: [value] }));
    const { Reservations: reservations = [] } = await ec2.send(new DescribeInstancesCommand({ Filters }));
    return reservations.flatMap(({ Instances: found = [] }) => found);
  };
  const inService = () =>
    vi.waitFor(
      async () => {
        const ids = (await instances()).filter(({ LifecycleState: state }) => state === 'InService');
        expect(ids).toHaveLength(2);
        return ids.map(({ InstanceId: id = '' }) => id);
      },
      { timeout: 30_000, interval: 200 },
    );
  let queueUrl: string | undefined;

  beforeAll(async () => {
    const events = new EventBridgeClient(settings);
    ({ QueueUrl: queueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: name })));
    const attributes = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['QueueArn'] });
    const { Attributes: { QueueArn: queueArn } = {} } = await sqs.send(attributes);
    const pattern = JSON.stringify({ source: ['aws.autoscaling'], detail: { AutoScalingGroupName: [name] } });
    await events.send(new PutRuleCommand({ Name: name, EventPattern: pattern }));
    await events.send(new PutTargetsCommand({ Rule: name, Targets: [{ Id: 'queue', Arn: queueArn }] }));
    await autoScaling.send(
      new CreateAutoScalingGroupCommand({
        AutoScalingGroupName: name,
        MinSize: 0,
        MaxSize: 4,
        DesiredCapacity: 2,
        AvailabilityZones: ['eu-central-1a', 'eu-central-1b'],
        LaunchTemplate: { LaunchTemplateName: 'fleet', Version: '1' },
        Tags: [
          { Key: 'cluster', Value: name, PropagateAtLaunch: true },
          { Key: 'owner', Value: 'nobody', PropagateAtLaunch: false },
        ],
      }),
    );
  });

  afterAll(() =>
    autoScaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName: name, ForceDelete: true })),
  );

  test('has its machines in EC2, found by tag, each in its zone', async () => {
    const ids = await inService();
    const found = await machines(['tag:cluster', name], ['instance-state-name', 'running']);
    expect(found.map(({ InstanceId: id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(found.map(({ Placement: place }) => place?.AvailabilityZone).toSorted()).toEqual([
      'eu-central-1a',
      'eu-central-1b',
    ]);
    expect(await machines(['tag:aws:autoscaling:groupName', name])).toHaveLength(2);
    expect(await machines(['tag:cluster', name], ['tag:owner', 'nobody'])).toHaveLength(0);
  });

  test('tells of itself on the event bus', async () => {
    await inService();
    const seen: string[] = [];
    await vi.waitFor(
      async () => {
        const { Messages: messages = [] } = await sqs.send(
          new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10 }),
        );
        for (const { Body: body = '' } of messages) seen.push(JSON.parse(body)['detail-type']);
        expect(seen).toEqual(['EC2 Instance Launch Successful', 'EC2 Instance Launch Successful']);
      },
      { timeout: 20_000, interval: 300 },
    );
  });

  test('answers as the machine that asks, at an address of its own', async () => {
    const [id = ''] = await inService();
    const endpoints: unknown = await (await fetch(`${settings.endpoint}/_lab/metadata`)).json();
    expect(endpoints).toMatchObject({ [id]: expect.stringMatching(/^http:\/\/127\.2\.\d+\.\d+:1338$/) });
  });

  test('terminates an instance in EC2 too, and replaces one that was terminated there', async () => {
    const [first = '', second = ''] = await inService();
    const terminate = { InstanceId: first, ShouldDecrementDesiredCapacity: false };
    await autoScaling.send(new TerminateInstanceInAutoScalingGroupCommand(terminate));
    await ec2.send(new TerminateInstancesCommand({ InstanceIds: [second] }));
    await sleep(1_000);
    await vi.waitFor(
      async () => {
        const ids = await inService();
        expect(ids).not.toContain(first);
        expect(ids).not.toContain(second);
        const running = await machines(['tag:cluster', name], ['instance-state-name', 'running']);
        expect(running.map(({ InstanceId: id }) => id).toSorted()).toEqual(ids.toSorted());
      },
      { timeout: 40_000, interval: 500 },
    );
  });

  test('is counted, with every other service, by operation', async () => {
    const counts: unknown = await (await fetch(`${settings.endpoint}/_lab/requests`)).json();
    expect(counts).toMatchObject({
      autoscaling: { CreateAutoScalingGroup: expect.any(Number) },
      ec2: { DescribeInstances: expect.any(Number), TerminateInstances: expect.any(Number) },
      events: { PutRule: expect.any(Number) },
      logs: { PutLogEvents: expect.any(Number) },
      ssm: { GetParameter: expect.any(Number) },
      sts: { GetCallerIdentity: expect.any(Number) },
    });
  });
});
