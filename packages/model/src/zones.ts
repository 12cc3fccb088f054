import type { Group } from './group.ts';
import type { Instance } from './instance.ts';

/** New instances go where the fewest are, among the group's zones that have room. */
export function leastZone(group: Group): string | undefined {
  let least: string | undefined;
  for (const zone of group.settings.zones) {
    if (group.world.fullZones.has(zone)) continue;
    if (least === undefined || group.capacityIn(zone) < group.capacityIn(least)) least = zone;
  }
  return least;
}

/** Scale-in: balance first, then the group's termination policies; a protected instance is never chosen. */
export function victim(group: Group): Instance | undefined {
  let most = 0;
  for (const zone of group.occupiedZones) {
    if (group.unprotectedIn(zone).size > 0) most = Math.max(most, group.capacityIn(zone));
  }
  if (most === 0) return undefined;
  const keys = group.settings.terminationPolicies.flatMap((policy) => ordering(policy, group));
  let best: Instance | undefined;
  for (const zone of group.occupiedZones) {
    if (group.capacityIn(zone) !== most) continue;
    for (const instance of group.unprotectedIn(zone)) {
      if (!best || goesBefore(instance, best, keys)) best = instance;
    }
  }
  return best;
}

type Key = (instance: Instance) => number;

function goesBefore(a: Instance, b: Instance, keys: readonly Key[]): boolean {
  for (const key of keys) {
    const difference = key(a) - key(b);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** Smallest first. */
function ordering(policy: string, group: Group): Key[] {
  const now = group.world.clock.now();
  const current = group.settings.template;
  const templateAge: Key = ({ template }) =>
    template.LaunchTemplateId === current.LaunchTemplateId && template.LaunchTemplateName === current.LaunchTemplateName
      ? Number(template.Version)
      : -1;
  const nextHour: Key = ({ launchedAt }) => 3600 - ((now - launchedAt) % 3600);
  switch (policy) {
    case 'OldestInstance':
      return [({ launchedAt }) => launchedAt];
    case 'NewestInstance':
      return [({ launchedAt }) => -launchedAt];
    case 'OldestLaunchTemplate':
      return [templateAge];
    case 'ClosestToNextInstanceHour':
      return [nextHour];
    default:
      return [templateAge, nextHour];
  }
}

/** Evens the zones out by launching in the emptiest before terminating in the fullest, a tenth of the group at a time. */
export function rebalance(group: Group): void {
  const { settings, suspended, replacing } = group;
  if (suspended.has('AZRebalance') || suspended.has('Launch') || group.refresh) return;
  if (group.capacity !== settings.desired + replacing.size) return;
  if (replacing.size >= Math.max(1, Math.floor(settings.desired / 10))) return;
  const to = leastZone(group);
  if (to === undefined) return;
  const staying = (zone: string) => {
    let count = group.capacityIn(zone);
    for (const instance of replacing) if (instance.zone === zone) count--;
    return count;
  };
  for (const from of group.occupiedZones) {
    const leftTheGroup = !settings.zones.includes(from);
    if (!leftTheGroup && staying(from) - group.capacityIn(to) < 2) continue;
    for (const instance of group.unprotectedIn(from)) {
      if (replacing.has(instance)) continue;
      replacing.add(instance);
      group.wake();
      return;
    }
  }
}
