import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import {
  type AutoScalingGroup,
  AutoScalingServiceException,
  AutoScaling as Client,
  type Instance,
  type LifecycleHookSpecification,
  type Tag,
} from '@aws-sdk/client-auto-scaling';
import { awsEnvironment } from './aws.ts';
import { drawRow, Paths, type Seen } from './group-picture.ts';
import { LabProblem } from './problem.ts';

export type Transition = 'launching' | 'terminating';

export interface NewGroup {
  size: number;
  min: number;
  max: number | undefined;
  zones: string[];
  hook: Transition[];
  heartbeat: number;
  defaultResult: 'CONTINUE' | 'ABANDON';
  retain: boolean;
  warmPool: boolean;
  tag: Tag[];
  ids: string[];
}

const endpoint = awsEnvironment.AWS_ENDPOINT_URL;
const lookEveryMs = 300;

const connect = () =>
  new Client({
    endpoint,
    region: awsEnvironment.AWS_REGION,
    credentials: {
      accessKeyId: awsEnvironment.AWS_ACCESS_KEY_ID,
      secretAccessKey: awsEnvironment.AWS_SECRET_ACCESS_KEY,
    },
  });

/** Runs calls to the lab's Auto Scaling and turns what can go wrong into what to do. */
async function asking<Answer>(ask: (client: Client) => Promise<Answer>): Promise<Answer> {
  const client = connect();
  try {
    return await ask(client);
  } catch (error) {
    if (error instanceof AutoScalingServiceException) {
      throw new LabProblem('LAB_AWS_REFUSED', `${error.name}: ${error.message}`, 'See: npm run lab -- group list');
    }
    if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED') {
      throw new LabProblem('LAB_NOT_UP', 'The AWS endpoint is not running.', 'Run `npm run lab -- up aws` first.');
    }
    throw error;
  } finally {
    client.destroy();
  }
}

export const createGroup = (name: string, options: NewGroup) =>
  asking(async (client) => {
    if (options.ids.length > 0) await tell({ kind: 'next-instances', group: name, ids: options.ids });
    const hooks = options.hook.map(
      (transition): LifecycleHookSpecification => ({
        LifecycleHookName: transition,
        LifecycleTransition: `autoscaling:EC2_INSTANCE_${transition.toUpperCase()}`,
        HeartbeatTimeout: options.heartbeat,
        DefaultResult: options.defaultResult,
      }),
    );
    await client.createAutoScalingGroup({
      AutoScalingGroupName: name,
      MinSize: options.min,
      MaxSize: options.max ?? Math.max(10, options.size),
      DesiredCapacity: options.size,
      AvailabilityZones: options.zones.map((zone) => `${awsEnvironment.AWS_REGION}${zone}`),
      LaunchTemplate: { LaunchTemplateName: name, Version: '$Latest' },
      LifecycleHookSpecificationList: hooks,
      Tags: options.tag.map((tag) => ({ ...tag, PropagateAtLaunch: true })),
      ...(options.retain && {
        InstanceLifecyclePolicy: { RetentionTriggers: { TerminateHookAbandon: 'retain' } },
      }),
    });
    if (options.warmPool) await client.putWarmPool({ AutoScalingGroupName: name });
  });

async function tell(happening: object): Promise<void> {
  const response = await fetch(`${endpoint}/_lab/happen`, { method: 'POST', body: JSON.stringify(happening) });
  if (!response.ok) throw new Error(await response.text());
}

export const scaleGroup = (name: string, size: number) =>
  asking((client) => client.setDesiredCapacity({ AutoScalingGroupName: name, DesiredCapacity: size }));

export const deleteGroup = (name: string, force: boolean) =>
  asking((client) => client.deleteAutoScalingGroup({ AutoScalingGroupName: name, ForceDelete: force }));

export const terminateInstance = (instanceId: string, decrement: boolean) =>
  asking((client) =>
    client.terminateInstanceInAutoScalingGroup({
      InstanceId: instanceId,
      ShouldDecrementDesiredCapacity: decrement,
    }),
  );

export const refreshGroup = (name: string, minHealthy: number, maxHealthy: number) =>
  asking((client) =>
    client.startInstanceRefresh({
      AutoScalingGroupName: name,
      Preferences: { MinHealthyPercentage: minHealthy, MaxHealthyPercentage: maxHealthy, InstanceWarmup: 0 },
    }),
  );

/** Completes whatever hook holds the instance; returns the names. */
export const completeHooks = (instanceId: string, result: 'CONTINUE' | 'ABANDON') =>
  asking(async (client) => {
    const { AutoScalingInstances: found } = await client.describeAutoScalingInstances({ InstanceIds: [instanceId] });
    const group = found?.[0]?.AutoScalingGroupName;
    if (group === undefined) {
      const next = 'See: npm run lab -- group list';
      throw new LabProblem('LAB_UNKNOWN_INSTANCE', `No group has an instance ${instanceId}.`, next);
    }
    const { LifecycleHooks: hooks = [] } = await client.describeLifecycleHooks({ AutoScalingGroupName: group });
    const completed: string[] = [];
    for (const { LifecycleHookName: hook } of hooks) {
      try {
        const action = { AutoScalingGroupName: group, LifecycleHookName: hook, InstanceId: instanceId };
        await client.completeLifecycleAction({ ...action, LifecycleActionResult: result });
        completed.push(hook ?? '');
      } catch (error) {
        // This hook is not the one that holds it.
        if (!(error instanceof Error && error.message.includes('No active Lifecycle Action'))) throw error;
      }
    }
    if (completed.length > 0) return completed;
    throw new LabProblem(
      'LAB_NO_HOOK',
      `No hook holds ${instanceId}: it is ${found?.[0]?.LifecycleState}.`,
      `Watch it: npm run lab -- group watch ${group}`,
    );
  });

const seen = ({ InstanceId: id = '', AvailabilityZone: zone = '', LifecycleState: state }: Instance): Seen => ({
  id,
  zone,
  state: state ?? '',
});

const summary = (group: AutoScalingGroup, instances: readonly Seen[]): string => {
  const serving = instances.filter(({ state }) => state === 'InService').length;
  return `${group.AutoScalingGroupName}  desired ${group.DesiredCapacity} (${group.MinSize} to ${group.MaxSize})  in service ${serving}`;
};

export const listGroups = () =>
  asking(async (client) => {
    const { AutoScalingGroups: groups = [] } = await client.describeAutoScalingGroups();
    return groups.flatMap((group) => {
      const instances = (group.Instances ?? []).map(seen);
      return [
        summary(group, instances),
        ...instances.map(({ id, zone, state }) => `  ${id}  ${zone.slice(-1)}  ${state}`),
      ];
    });
  });

/** On a terminal a picture that is kept up to date; elsewhere a line for each change. */
export const watchGroup = (name: string, forSeconds: number, stream: NodeJS.WriteStream) =>
  asking(async (client) => {
    const paths = new Paths();
    const until = Date.now() + forSeconds * 1000;
    let drawn = 0;
    let wasThere = false;
    while (Date.now() < until) {
      const { AutoScalingGroups: [group] = [] } = await client.describeAutoScalingGroups({
        AutoScalingGroupNames: [name],
      });
      if (!group && wasThere) {
        stream.write(`${name} is deleted\n`);
        return;
      }
      if (!group) {
        const next = 'See: npm run lab -- group list';
        throw new LabProblem('LAB_UNKNOWN_GROUP', `There is no group ${name}.`, next);
      }
      wasThere = true;
      const pool = group.WarmPoolConfiguration && (await client.describeWarmPool({ AutoScalingGroupName: name }));
      const instances = [...(group.Instances ?? []), ...(pool?.Instances ?? [])].map(seen);
      const now = Date.now();
      const changed = paths.look(instances, now);
      if (stream.isTTY) {
        const lines = picture(summary(group, instances), paths, now, stream);
        stream.write(`${drawn > 0 ? `\x1b[${drawn}A` : ''}\x1b[J${lines.map((line) => `${line}\n`).join('')}`);
        drawn = lines.length;
      } else {
        for (const path of changed) stream.write(`${clockTime(now)}  ${drawRow(path, now, 10_000, plain)}\n`);
      }
      await sleep(lookEveryMs);
    }
  });

const plain = (_style: string, text: string): string => text;
const clockTime = (now: number): string => new Date(now).toTimeString().slice(0, 8);

function picture(head: string, paths: Paths, now: number, stream: NodeJS.WriteStream): string[] {
  const all = paths
    .rows(now)
    .map((path) => drawRow(path, now, stream.columns, (style, text) => styleText(style, text)));
  const room = Math.max(1, stream.rows - 3);
  const hidden = all.length - room;
  return [
    `${styleText('bold', head)}  ${clockTime(now)}`,
    ...all.slice(-room),
    ...(hidden > 0 ? [`… and ${hidden} more`] : []),
  ];
}
