import type { Account } from './account.ts';
import type { DeliveryFaults } from './events.ts';
import { machineFailed } from './health.ts';
import { executePolicy, inCooldown } from './scaling.ts';
import type { RequestRate } from './throttle.ts';

/** Everything that befalls a group without a call to its API. Plain data, so that it can be sent to a server. */
export type Happening =
  | { kind: 'instance-stopped' | 'instance-impaired' | 'spot-interruption'; instanceId: string }
  | { kind: 'zone-full' | 'zone-recovered'; zone: string }
  | { kind: 'template-version'; template: string; latest: number; default?: number }
  | { kind: 'alarm'; policyArn: string; metric: number; threshold: number }
  | { kind: 'next-instances'; group: string; ids: readonly string[] }
  | { kind: 'contention'; calls: number }
  | { kind: 'request-rate'; rate: RequestRate | undefined }
  | { kind: 'delivery'; faults: DeliveryFaults };

const spotNotice = 120;

export function happen(account: Account, happening: Happening): void {
  const { world } = account;
  switch (happening.kind) {
    case 'instance-stopped':
    case 'instance-impaired': {
      const { group, instance } = account.find(happening.instanceId);
      machineFailed(group, instance, happening.kind === 'instance-stopped' ? 'stopped' : 'impaired');
      return;
    }
    case 'spot-interruption': {
      const { group, instance } = account.find(happening.instanceId);
      world.clock.after(spotNotice, () => {
        if (group.instances.has(instance.id)) machineFailed(group, instance, 'stopped');
      });
      return;
    }
    case 'zone-full':
      world.fullZones.add(happening.zone);
      return;
    case 'zone-recovered':
      world.fullZones.delete(happening.zone);
      for (const group of account.groups.values()) group.wake();
      return;
    case 'template-version': {
      const { template, latest } = happening;
      world.templates.set(template, {
        latest,
        default: happening.default ?? world.templates.get(template)?.default ?? 1,
      });
      return;
    }
    case 'alarm':
      for (const group of account.groups.values()) {
        for (const policy of group.policies.values()) {
          if (policy.arn !== happening.policyArn || policy.Enabled === false) continue;
          if (group.suspended.has('AlarmNotification')) continue;
          if (policy.PolicyType !== 'StepScaling' && inCooldown(group)) continue;
          executePolicy(group, policy, happening);
        }
      }
      return;
    case 'next-instances':
      world.nextIds.set(happening.group, [...happening.ids]);
      return;
    case 'contention':
      account.contention = happening.calls;
      return;
    case 'request-rate':
      account.throttle.limit(happening.rate);
      return;
    case 'delivery':
      world.bus.faults = happening.faults;
  }
}
