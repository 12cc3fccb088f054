import type { WarmPoolState } from '@aws-sdk/client-auto-scaling';
import type { Group } from './group.ts';
import { type Instance, isPooled, isRetained, isTerminating } from './instance.ts';
import { resolveVersion, sameTemplate } from './world.ts';
import { leastZone } from './zones.ts';

export type WarmPool = {
  readonly state: WarmPoolState;
  readonly minSize: number;
  /** Undefined: the group's maximum. */
  readonly maxPrepared: number | undefined;
  readonly reuse: boolean;
  deleting: boolean;
};

/** Prepared beyond desired capacity, and never fewer than the pool's own minimum. */
function poolTarget(group: Group): number {
  const { pool, settings } = group;
  if (!pool || pool.deleting) return 0;
  return Math.max(pool.minSize, (pool.maxPrepared ?? settings.max) - settings.desired, 0);
}

const prepared = ['Warmed:Stopped', 'Warmed:Running', 'Warmed:Hibernated'] as const;
const onTheWay = ['Warmed:Pending', 'Warmed:Pending:Wait', 'Warmed:Pending:Proceed'] as const;

function poolSize(group: Group): number {
  let size = 0;
  for (const state of [...prepared, ...onTheWay]) size += group.in(state).size;
  return size;
}

export function pooledInstances(group: Group): Instance[] {
  return [...group.instances.values()].filter((instance) => isPooled(instance.state));
}

/** The pool's instance that has waited longest. A refresh is not answered with what it is about to replace. */
export function drawable(group: Group): Instance | undefined {
  const wanted = group.refresh && resolveVersion(group.world, group.template);
  for (const state of prepared) {
    for (const instance of group.in(state)) {
      if (instance.running && (!wanted || sameTemplate(instance.template, wanted))) return instance;
    }
  }
  return undefined;
}

export function keepWarm(group: Group): void {
  const { pool } = group;
  if (!pool) return;
  // While launches are suspended, what the group lacks is kept ready for it here.
  const reserved = group.suspended.has('Launch') ? Math.max(0, group.settings.desired - group.capacity) : 0;
  const difference = poolTarget(group) + (pool.deleting ? 0 : reserved) - poolSize(group);
  if (difference > 0 && group.mayLaunch()) {
    for (let launched = 0; launched < difference; launched++) {
      const zone = leastZone(group);
      if (zone !== undefined)
        group.create('warm', zone, 'a difference between wanted and actual size of the warm pool');
    }
  } else if (difference < 0 && !group.suspended.has('Terminate')) {
    // Instances on their way into the pool are left to arrive first.
    const surplus = prepared.flatMap((state) => [...group.in(state)]).slice(0, -difference);
    for (const instance of surplus) group.terminate(instance, 'the warm pool is larger than wanted');
  }
  if (pool.deleting && pooledInstances(group).every(({ state }) => isRetained(state))) group.pool = undefined;
}

/** Without force hooks run and the pool ends when its last instance has; with force nothing is waited for. */
export function deletePool(group: Group, pool: WarmPool, force: boolean): void {
  const instances = pooledInstances(group);
  pool.deleting = true;
  if (force) {
    group.deleteByForce(instances);
    group.pool = undefined;
  } else {
    for (const instance of instances) {
      if (!isTerminating(instance.state) && !isRetained(instance.state))
        group.terminate(instance, 'deletion of the warm pool');
    }
  }
  group.wake();
}
