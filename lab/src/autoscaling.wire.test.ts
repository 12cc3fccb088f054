import {
  AttachInstancesCommand,
  AutoScalingClient,
  CreateAutoScalingGroupCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeAutoScalingInstancesCommand,
  DescribeLifecycleHooksCommand,
  PutLifecycleHookCommand,
} from '@aws-sdk/client-auto-scaling';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type AutoScalingServer, startAutoScaling } from './autoscaling.ts';

let server: AutoScalingServer;
let client: AutoScalingClient;

async function start(virtual: boolean): Promise<void> {
  server = await startAutoScaling({ virtual, timings: { boot: 0.2, settle: 0.1 } });
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  client = new AutoScalingClient({ endpoint: server.endpoint, region: 'eu-central-1', credentials, maxAttempts: 1 });
}

const create = (name = 'fleet') =>
  client.send(
    new CreateAutoScalingGroupCommand({
      AutoScalingGroupName: name,
      MinSize: 0,
      MaxSize: 3,
      DesiredCapacity: 1,
      AvailabilityZones: ['eu-central-1a'],
      LaunchTemplate: { LaunchTemplateName: 'fleet' },
      Tags: [{ Key: 'cluster', Value: 'a & b', PropagateAtLaunch: true }],
    }),
  );

async function firstId(): Promise<string> {
  const { AutoScalingInstances: found } = await client.send(new DescribeAutoScalingInstancesCommand());
  return found?.[0]?.InstanceId ?? '';
}

const control = (method: string, path: string, body?: unknown) =>
  fetch(`${server.endpoint}/_lab/${path}`, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });

afterEach(async () => {
  client.destroy();
  await server.close();
});

describe('Auto Scaling in virtual time', () => {
  beforeEach(() => start(true));

  test('says which operation it does not have', async () => {
    const call = client.send(new AttachInstancesCommand({ AutoScalingGroupName: 'fleet', InstanceIds: ['i-1'] }));
    await expect(call).rejects.toMatchObject({
      name: 'InvalidAction',
      message: "The lab's Auto Scaling does not have AttachInstances.",
    });
    const response = await fetch(server.endpoint, { method: 'POST', body: 'Action=Dance' });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('Auto Scaling has no operation Dance.');
  });

  test('keeps text as it is, whatever is in it', async () => {
    await create();
    const metadata = `<a href="x">ä & 'b'</a>\n]]> %20+ \t end`;
    const hook = { AutoScalingGroupName: 'fleet', LifecycleHookName: 'join' };
    const transition = 'autoscaling:EC2_INSTANCE_LAUNCHING';
    await client.send(
      new PutLifecycleHookCommand({ ...hook, LifecycleTransition: transition, NotificationMetadata: metadata }),
    );
    const { LifecycleHooks: hooks } = await client.send(new DescribeLifecycleHooksCommand(hook));
    expect(hooks).toMatchObject([{ NotificationMetadata: metadata, HeartbeatTimeout: 3600, DefaultResult: 'ABANDON' }]);
  });

  test('a value that is no number is refused', async () => {
    const body = 'Action=DescribeAutoScalingGroups&MaxRecords=many';
    const response = await fetch(server.endpoint, { method: 'POST', body });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('MalformedInput')]);
  });

  test('throttles when told to, and stops when told to', async () => {
    const describe = () => client.send(new DescribeAutoScalingGroupsCommand());
    await control('POST', 'happen', { kind: 'request-rate', rate: { burst: 0, perSecond: 0 } });
    await expect(describe()).rejects.toMatchObject({ name: 'Throttling', message: 'Rate exceeded' });
    server.clock.advance(300);
    await expect(describe()).rejects.toMatchObject({ name: 'Throttling' });
    await control('POST', 'happen', { kind: 'request-rate', rate: null });
    expect(await describe()).toMatchObject({ AutoScalingGroups: [] });
  });

  test('counts what it is asked', async () => {
    await create();
    await firstId();
    await firstId();
    expect(server.requests.count('autoscaling', 'DescribeAutoScalingInstances')).toBe(2);
    expect(await (await control('GET', 'requests')).json()).toEqual({
      autoscaling: { CreateAutoScalingGroup: 1, DescribeAutoScalingInstances: 2 },
    });
    await control('DELETE', 'requests');
    expect(server.requests.count()).toBe(0);
  });

  test('what the lab cannot do is said', async () => {
    const unknown = await control('POST', 'happen', { kind: 'earthquake' });
    expect([unknown.status, await unknown.text()]).toEqual([400, expect.stringContaining('kind')]);
    expect((await control('GET', 'nothing')).status).toBe(404);
    expect((await control('POST', 'metadata/i-1', {})).status).toBe(404);
  });

  test('machines take the ids they are given', async () => {
    server.service.happen({ kind: 'next-instances', group: 'search', ids: ['i-00000000000000001'] });
    await create('search');
    server.clock.advance(1);
    expect(await firstId()).toBe('i-00000000000000001');
  });
});

test('in real time a group comes up by itself', async () => {
  await start(false);
  await create();
  await vi.waitFor(async () => {
    const { AutoScalingInstances: found } = await client.send(new DescribeAutoScalingInstancesCommand());
    expect(found).toMatchObject([{ LifecycleState: 'InService' }]);
  });
});

describe('the metadata of an instance', () => {
  beforeEach(async () => {
    await start(true);
    await create();
    server.clock.advance(0.1);
  });

  const token = async (endpoint: string, seconds: string): Promise<string> => {
    const headers = { 'X-aws-ec2-metadata-token-ttl-seconds': seconds };
    const response = await fetch(`${endpoint}/latest/api/token`, { method: 'PUT', headers });
    return response.ok ? response.text() : `status ${response.status}`;
  };
  const get = async (endpoint: string, path: string, session: string): Promise<string | number> => {
    const headers = { 'X-aws-ec2-metadata-token': session };
    const response = await fetch(`${endpoint}/latest/${path}`, { headers });
    return response.ok ? response.text() : response.status;
  };

  test('is told to who shows a session token', async () => {
    const id = await firstId();
    const { endpoint } = await server.metadataFor(id);
    const session = await token(endpoint, '60');
    expect(JSON.parse(String(await get(endpoint, 'dynamic/instance-identity/document', session)))).toMatchObject({
      instanceId: id,
      region: 'eu-central-1',
      availabilityZone: 'eu-central-1a',
      accountId: '000000000000',
    });
    const told = async (path: string) => get(endpoint, `meta-data/${path}`, session);
    expect(await told('instance-id')).toBe(id);
    expect(await told('placement/availability-zone')).toBe('eu-central-1a');
    expect(await told('placement/region')).toBe('eu-central-1');
    expect(await told('tags/instance/')).toBe('cluster\naws:autoscaling:groupName');
    expect(await told('tags/instance/cluster')).toBe('a & b');
    expect(await told(`tags/instance/${encodeURIComponent('aws:autoscaling:groupName')}`)).toBe('fleet');
    expect(await told('tags/instance/none')).toBe(404);
    expect(await told('autoscaling/target-lifecycle-state')).toBe('InService');
    expect(await told('spot/instance-action')).toBe(404);
  });

  test('is not told without a token, with a wrong one, or with one that has ended', async () => {
    const { endpoint } = await server.metadataFor(await firstId());
    const path = 'meta-data/instance-id';
    expect((await fetch(`${endpoint}/latest/${path}`)).status).toBe(401);
    expect(await get(endpoint, path, 'guess')).toBe(401);
    const session = await token(endpoint, '60');
    server.clock.advance(59);
    expect(await get(endpoint, path, session)).not.toBe(401);
    server.clock.advance(1);
    expect(await get(endpoint, path, session)).toBe(401);
    expect(await token(endpoint, '21601')).toBe('status 400');
  });

  test('says where the instance goes until its machine is gone', async () => {
    const id = await firstId();
    const { endpoint } = await server.metadataFor(id);
    const session = await token(endpoint, '21600');
    server.clock.advance(60);
    server.service.call('TerminateInstanceInAutoScalingGroup', {
      InstanceId: id,
      ShouldDecrementDesiredCapacity: true,
    });
    expect(await get(endpoint, 'meta-data/autoscaling/target-lifecycle-state', session)).toBe('Terminated');
    server.clock.advance(60);
    await expect(server.metadataFor(id)).rejects.toThrow(id);
    await expect(get(endpoint, 'meta-data/instance-id', session)).rejects.toThrow('fetch failed');
  });

  test('belongs to one machine each', async () => {
    await create('second');
    server.clock.advance(1);
    const { AutoScalingInstances: found = [] } = await client.send(new DescribeAutoScalingInstancesCommand());
    const ids = found.map(({ InstanceId: id = '' }) => id);
    const told = await Promise.all(
      ids.map(async (id) => {
        const { endpoint } = await server.metadataFor(id);
        return get(endpoint, 'meta-data/instance-id', await token(endpoint, '60'));
      }),
    );
    expect(told).toEqual(ids);
  });

  test('may be late, restarted, without a target, or not there', async () => {
    const id = await firstId();
    const metadata = await server.metadataFor(id);
    const { endpoint } = metadata;
    const session = await token(endpoint, '60');
    const path = 'meta-data/autoscaling/target-lifecycle-state';

    const began = Date.now();
    metadata.faults.delayMs = 150;
    expect(await get(endpoint, path, session)).toBe('InService');
    expect(Date.now() - began).toBeGreaterThanOrEqual(140);

    await control('POST', `metadata/${id}`, { delayMs: 0, withoutTarget: true });
    expect(await get(endpoint, path, session)).toBe(404);

    metadata.restart();
    // The connection that was kept has ended too, which the client may see only when it uses it.
    await vi.waitFor(async () => expect(await get(endpoint, path, session)).toBe(401));

    metadata.faults.down = true;
    await expect(token(endpoint, '60')).rejects.toThrow('fetch failed');
  });
});
