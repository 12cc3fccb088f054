// Real SDK calls at a steady rate against Auto Scaling on the wire, which runs in a process of its own.
// node bench/wire.ts [--seconds 60] [--rate 200]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AutoScaling } from '@aws-sdk/client-auto-scaling';
import { startAutoScaling } from '@muster/lab';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '200' },
    serve: { type: 'boolean', default: false },
  },
});

if (values.serve) {
  const { endpoint } = await startAutoScaling({ timings: { boot: 0.2, settle: 0.1, terminate: 0.1 } });
  process.send?.(endpoint);
} else await measure(Number(values.seconds), Number(values.rate));

async function measure(seconds: number, rate: number): Promise<void> {
  const server = fork(fileURLToPath(import.meta.url), ['--serve']);
  const [endpoint] = await once(server, 'message');
  const client = new AutoScaling({
    endpoint: String(endpoint),
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    // An error must show, not be tried again.
    maxAttempts: 1,
    requestHandler: { httpAgent: new Agent({ keepAlive: true, maxSockets: 50 }) },
  });
  const group = { AutoScalingGroupName: 'bench' };
  const hook = { ...group, LifecycleHookName: 'launching' };
  await client.createAutoScalingGroup({
    ...group,
    MinSize: 0,
    MaxSize: 200,
    DesiredCapacity: 100,
    AvailabilityZones: ['eu-central-1a', 'eu-central-1b', 'eu-central-1c'],
    LaunchTemplate: { LaunchTemplateName: 'bench' },
    LifecycleHookSpecificationList: [
      { LifecycleHookName: 'launching', LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING' },
    ],
  });
  await sleep(1_000);

  // Half of the instances stay at their hook and are kept there by heartbeats; the others come and go.
  const held = new Set<string>();
  const waiting = new Set<string>();
  const serving = new Set<string>();
  const used = new Set<string>();
  async function look(): Promise<void> {
    const { AutoScalingGroups: [found] = [] } = await client.describeAutoScalingGroups({
      AutoScalingGroupNames: ['bench'],
    });
    for (const { InstanceId: id = '', LifecycleState: state } of found?.Instances ?? []) {
      if (held.has(id)) continue;
      if (state === 'Pending:Wait' && held.size < 50) held.add(id);
      else if (state === 'Pending:Wait' && !used.has(`complete ${id}`)) waiting.add(id);
      else if (state === 'InService' && !used.has(`terminate ${id}`)) serving.add(id);
    }
  }
  const take = (from: Set<string>, what: string): string | undefined => {
    const [id] = from;
    if (id === undefined) return undefined;
    from.delete(id);
    used.add(`${what} ${id}`);
    return id;
  };
  const any = (): string => [...held][Math.floor(Math.random() * held.size)] ?? '';
  const heartbeat = () => client.recordLifecycleActionHeartbeat({ ...hook, InstanceId: any() });
  const calls: Record<string, () => Promise<unknown>> = {
    DescribeAutoScalingInstances: () => client.describeAutoScalingInstances({ InstanceIds: [any()] }),
    RecordLifecycleActionHeartbeat: heartbeat,
    DescribeAutoScalingGroups: look,
    DescribeLifecycleHooks: () => client.describeLifecycleHooks({ ...group, LifecycleHookNames: ['launching'] }),
    CompleteLifecycleAction: () => {
      const id = take(waiting, 'complete');
      return id === undefined
        ? heartbeat()
        : client.completeLifecycleAction({ ...hook, InstanceId: id, LifecycleActionResult: 'CONTINUE' });
    },
    TerminateInstanceInAutoScalingGroup: () => {
      const id = take(serving, 'terminate');
      return id === undefined
        ? heartbeat()
        : client.terminateInstanceInAutoScalingGroup({ InstanceId: id, ShouldDecrementDesiredCapacity: false });
    },
  };
  const mix = [
    ...Array(8).fill('DescribeAutoScalingInstances'),
    ...Array(6).fill('RecordLifecycleActionHeartbeat'),
    ...Array(2).fill('DescribeAutoScalingGroups'),
    ...Array(2).fill('DescribeLifecycleHooks'),
    'CompleteLifecycleAction',
    'TerminateInstanceInAutoScalingGroup',
  ];
  await look();

  const taken: number[] = [];
  const errors = new Map<string, number>();
  const pending = new Set<Promise<void>>();
  async function timed(call: () => Promise<unknown>): Promise<void> {
    const began = performance.now();
    try {
      await call();
    } catch (error) {
      const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      errors.set(text, (errors.get(text) ?? 0) + 1);
    }
    taken.push(performance.now() - began);
  }
  const began = performance.now();
  // Due by the clock, however slow the answers are: a server that falls behind shows in the latency.
  for (let sent = 0; sent < seconds * rate; ) {
    for (const due = ((performance.now() - began) / 1000) * rate; sent < Math.min(due, seconds * rate); sent++) {
      const call = calls[mix[sent % mix.length]];
      if (!call) continue;
      const running: Promise<void> = timed(call).finally(() => pending.delete(running));
      pending.add(running);
    }
    await sleep(2);
  }
  await Promise.all(pending);
  const elapsed = (performance.now() - began) / 1000;
  server.kill();

  const sorted = taken.toSorted((a, b) => a - b);
  const at = (share: number) => `${(sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1)} ms`;
  const failed = [...errors.values()].reduce((sum, count) => sum + count, 0);
  process.stdout.write(
    [
      `calls   ${taken.length} in ${elapsed.toFixed(1)} s: ${(taken.length / elapsed).toFixed(1)} a second`,
      `passed  ${[...used].filter((what) => what.startsWith('complete')).length} instances through their hook`,
      `errors  ${failed}`,
      ...[...errors].map(([text, count]) => `        ${count} × ${text}`),
      `latency p50 ${at(0.5)}  p99 ${at(0.99)}  max ${at(1)}`,
      '',
    ].join('\n'),
  );
  process.exitCode = failed > 0 ? 1 : 0;
}
