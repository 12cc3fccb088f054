/** 10,000 instances and 200 lifecycle events a minute for a simulated day: what does it cost? `node packages/model/bench.ts` */
import { AutoScaling, AutoScalingError, between, isLifecycleAction, seeded, VirtualClock } from './src/index.ts';

const size = 10_000;
const terminationsAMinute = 100;
const minutes = 24 * 60;
const limits = { seconds: 20, megabytes: 1_000 };
const fleet = { AutoScalingGroupName: 'fleet' };

const clock = new VirtualClock();
const random = seeded(1);
const service = new AutoScaling({
  clock,
  random: seeded(2),
  timings: { jitter: 0.3 },
  delivery: { loss: 0.01, duplication: 0.01, delay: [0, 5] },
});

const inService: string[] = [];
const place = new Map<string, number>();
const count = { actions: 0, transitions: 0, heartbeats: 0, late: 0 };

function forget(id: string): void {
  const index = place.get(id);
  const last = inService.pop();
  if (index === undefined || last === undefined) return;
  place.delete(id);
  if (last === id) return;
  inService[index] = last;
  place.set(last, index);
}

service.observe({
  onInstanceState(instance, from, to) {
    count.transitions++;
    if (to === 'InService') place.set(instance.id, inService.push(instance.id) - 1);
    if (from === 'InService') forget(instance.id);
  },
  onLifecycleAction(_action, event) {
    if (event === 'opened') count.actions++;
  },
});

/** A handler that heartbeats halfway and completes; an event that came twice or late is refused and counted. */
service.subscribe((event) => {
  if (!isLifecycleAction(event)) return;
  const { LifecycleHookName, LifecycleActionToken } = event.detail;
  const action = { ...fleet, LifecycleHookName, LifecycleActionToken };
  const work = between(random, 30, 200);
  const attempt = (run: () => void) => {
    try {
      run();
    } catch (error) {
      if (!(error instanceof AutoScalingError)) throw error;
      count.late++;
    }
  };
  clock.after(work / 2, () =>
    attempt(() => {
      service.call('RecordLifecycleActionHeartbeat', action);
      count.heartbeats++;
    }),
  );
  clock.after(work, () =>
    attempt(() => service.call('CompleteLifecycleAction', { ...action, LifecycleActionResult: 'CONTINUE' })),
  );
});

service.call('CreateAutoScalingGroup', {
  ...fleet,
  MinSize: 0,
  MaxSize: size + 1_000,
  DesiredCapacity: size,
  AvailabilityZones: ['us-east-1a', 'us-east-1b', 'us-east-1c'],
  LaunchTemplate: { LaunchTemplateId: 'lt-fleet', Version: '1' },
  NewInstancesProtectedFromScaleIn: true,
  MaxInstanceLifetime: 7 * 86_400,
  LifecycleHookSpecificationList: [
    { LifecycleHookName: 'join', LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING', HeartbeatTimeout: 300 },
    { LifecycleHookName: 'drain', LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING', HeartbeatTimeout: 300 },
  ],
});
const begun = performance.now();
clock.advance(3600);
const filled = (performance.now() - begun) / 1000;
const launched = count.actions;

const started = performance.now();
const before = process.cpuUsage();
let peak = 0;
for (let minute = 0; minute < minutes; minute++) {
  for (let terminated = 0; terminated < terminationsAMinute; terminated++) {
    const id = inService[Math.floor(random() * inService.length)];
    const input = { InstanceId: id, ShouldDecrementDesiredCapacity: false };
    if (id !== undefined) service.call('TerminateInstanceInAutoScalingGroup', input);
  }
  clock.advance(60);
  peak = Math.max(peak, process.memoryUsage.rss());
}
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage(before);
const megabytes = peak / 1e6;

process.stdout.write(
  `${[
    `filled to ${launched} instances in ${filled.toFixed(1)} s`,
    `one day: ${seconds.toFixed(1)} s (${((user + system) / 1e6).toFixed(1)} s of processor), peak ${megabytes.toFixed(0)} MB`,
    `${((count.actions - launched) / minutes).toFixed(0)} lifecycle events a minute, ${count.actions - launched} in all`,
    `${count.transitions} transitions, ${count.heartbeats} heartbeats, ${count.late} calls refused as too late`,
    `${inService.length} in service at the end`,
  ].join('\n')}\n`,
);
if (seconds > limits.seconds || megabytes > limits.megabytes) process.exitCode = 1;
