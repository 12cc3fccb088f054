import type { Group } from './group.ts';
import { countsAsCapacity, type Instance, isPooled, isRetained, isTerminating } from './instance.ts';
import { delay } from './world.ts';

/** EC2 says that a machine no longer runs, or fails its status checks. */
export function machineFailed(group: Group, instance: Instance, how: 'stopped' | 'impaired'): void {
  instance.running = how !== 'stopped' && instance.running;
  group.failing.set(instance, how);
  group.world.clock.after(delay(group.world, 'settle'), () => checkHealth(group, instance));
}

/** One look at one instance. Who waits, stands by, terminates or is retained is not looked at. */
export function checkHealth(group: Group, instance: Instance): void {
  const how = group.failing.get(instance);
  if (!how || group.suspended.has('HealthCheck')) return;
  const { state } = instance;
  if (isPooled(state)) {
    group.failing.delete(instance);
    replacePooled(group, instance);
  } else if (state !== 'InService') {
    if (!countsAsCapacity(state) || how !== 'stopped') return;
    group.failing.delete(instance);
    group.launchFailed(instance, 'The instance stopped running before it came into service');
  } else {
    const grace = (instance.inServiceAt ?? 0) + group.settings.gracePeriod - group.world.clock.now();
    if (how === 'impaired' && grace > 0) {
      group.world.clock.after(grace, () => checkHealth(group, instance));
      return;
    }
    group.failing.delete(instance);
    setHealth(group, instance, false);
  }
}

function replacePooled(group: Group, instance: Instance): void {
  const { state } = instance;
  if (!isTerminating(state) && !isRetained(state)) group.terminate(instance, 'a health check failure in the warm pool');
}

export function setHealth(group: Group, instance: Instance, healthy: boolean): void {
  instance.healthy = healthy;
  if (healthy) group.unhealthy.delete(instance);
  else if (instance.state === 'InService') group.unhealthy.add(instance);
  else if (isPooled(instance.state)) replacePooled(group, instance);
  group.refresh?.onHealth(instance);
  group.wake();
}

export function replaceUnhealthy(group: Group): void {
  if (group.unhealthy.size === 0 || group.suspended.has('ReplaceUnhealthy') || group.suspended.has('Terminate')) return;
  for (const instance of group.unhealthy) replace(group, instance, 'a health check failure');
}

/** Terminates first and lets the group launch, unless the maintenance policy wants no instance missed. */
function replace(group: Group, instance: Instance, cause: string): void {
  if (group.settings.maintenance?.min === 100) group.replacing.add(instance);
  else group.terminate(instance, cause);
}

export function watchLifetime(group: Group, instance: Instance): void {
  instance.lifetime?.cancel();
  instance.lifetime = undefined;
  const { maxLifetime } = group.settings;
  if (!maxLifetime || instance.state !== 'InService') return;
  const left = (instance.inServiceAt ?? 0) + maxLifetime - group.world.clock.now();
  instance.lifetime = group.world.clock.after(left, () => {
    group.expired.add(instance);
    group.wake();
  });
}

/** No more than a tenth of the group at once; protection from scale-in postpones. */
export function replaceExpired(group: Group): void {
  if (group.expired.size === 0 || group.suspended.has('Terminate')) return;
  const { desired } = group.settings;
  const atOnce = Math.max(1, Math.floor(desired / 10));
  for (const instance of group.expired) {
    const missing = desired - group.in('InService').size + group.replacing.size;
    if (missing >= atOnce) return;
    if (!instance.protected && !group.replacing.has(instance)) replace(group, instance, 'maximum instance lifetime');
  }
}
