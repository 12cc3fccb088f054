import { readHealth } from '@muster/engine';
import { isLeaving } from '@muster/lifecycle/metadata';
import type { LeaveOutcome } from '@muster/search-cluster';
import type { Context } from '../../context.ts';
import type { Exit } from '../../exit-codes.ts';
import { engineNodeOf, metadataOf } from '../../instance.ts';
import { interruption } from '../../interruption.ts';
import { failureOfLeave, planLines, tellLeave } from '../../leave-story.ts';
import type { Terminal } from '../../terminal.ts';

export interface DecommissionOptions {
  readonly reason: string;
  readonly onlyIfTerminating?: boolean;
  readonly waitUntilComplete: number;
  readonly completeLifecycleAction?: boolean;
  readonly dryRun?: boolean;
}

/** The hook that holds an ending instance, by the name that our groups give it. */
const hook = 'terminating';
/** Until when a hook can be held at all; a heartbeat timeout of 1,728 s or more is what makes it 48 hours. */
const longestHoldSeconds = 172_800;

export async function run(context: Context, options: DecommissionOptions): Promise<Exit> {
  const { engine, terminal } = context;
  const metadata = metadataOf(context);
  // First of all, and for nothing: on a node that stays, the five-minute job asks neither the engine nor AWS.
  if (options.onlyIfTerminating) {
    const target = await metadata.targetState();
    if (target === undefined || !isLeaving(target)) {
      terminal.debug(`this instance goes to ${target ?? 'no group'}: nothing to do`);
      return 'ok';
    }
  }
  const { cancelRefresh, findRefresh, isHeldBeforeEnd, lock, readMembership, realClock } = await import(
    '@muster/lifecycle'
  );
  const { leave, planLeave, withdraw } = await import('@muster/search-cluster');
  const { autoScaling, evidenceLog, holdHook } = await import('../../aws.ts');

  const identity = await metadata.identity();
  await using held = await lock(`decommission-node/${identity.instanceId}`);
  if (held === undefined) {
    terminal.info('another decommission-node is at work on this machine');
    return 'ok';
  }
  const needsGroup = options.onlyIfTerminating === true || options.completeLifecycleAction === true;
  const client = autoScaling(identity.region);
  const membership = needsGroup ? await readMembership(client, identity.instanceId) : undefined;
  const isTerminating = membership !== undefined && isHeldBeforeEnd(membership.state);
  if (options.onlyIfTerminating && !isTerminating) {
    terminal.info(`the group says ${membership?.state ?? 'nothing'} of this instance: nothing to do`);
    return 'ok';
  }
  const limits = { secondsLeft: isTerminating ? longestHoldSeconds : undefined };
  const self = await engineNodeOf(context, identity.instanceId);
  if (options.dryRun) {
    await terminal.lines(planLines(await planLeave(engine, self, limits), terminal));
    return 'ok';
  }

  using interrupted = interruption();
  // Held from here on, whatever the guards will say: a node that may not leave must not be killed undrained.
  const action = { group: membership?.group ?? '', hook, instanceId: identity.instanceId };
  const session =
    isTerminating && options.completeLifecycleAction
      ? await holdHook(client, action, terminal, interrupted.interrupt)
      : undefined;
  let outcome: LeaveOutcome | undefined;
  try {
    const { cluster_name: cluster } = await readHealth(engine);
    outcome = await leave({
      engine,
      self,
      reason: options.reason,
      waitSeconds: options.waitUntilComplete,
      limits,
      clock: realClock,
      report: tellLeave(terminal, realClock.now),
      signal: interrupted.signal,
    });
    // Only this node's own refusal stops a refresh, and only while it is the one that is ending.
    if (outcome.kind === 'blocked' && isTerminating && (await findRefresh(client, membership.group)) !== undefined) {
      terminal.warn(`instance refresh of ${membership.group}: ${await cancelRefresh(client, membership.group)}`);
    }
    const judgements = 'judgements' in outcome ? outcome.judgements : [];
    const recorded = await evidenceLog(identity, cluster, context.stateFolder).record({
      module: `cluster-cli ${context.version}`,
      operation: 'leave',
      instanceId: identity.instanceId,
      decision: outcome.kind,
      reasons: judgements.map(({ name, verdict, reason }) => `${verdict} ${name}: ${reason}`),
      seen: { node: self.name, terminating: isTerminating, outcome },
    });
    if (!recorded.acknowledged) terminal.warn(`the decision is recorded on this machine only: ${recorded.cause}`);
    if (outcome.kind !== 'empty') throw failureOfLeave(outcome, isTerminating);
    if (outcome.leftBehind.length > 0) {
      terminal.info(`${outcome.leftBehind.length} copies stay here; each has a started copy on another node`);
    }
    terminal.info(`${self.name} is empty`);
    if (session !== undefined) terminal.info(`hook ${hook}: ${await session.complete('CONTINUE')}`);
    return 'ok';
  } finally {
    // A node that is about to end keeps its record for the next run; one that stays must not be left half-drained.
    if (!isTerminating && outcome?.kind !== 'empty') await takeBack(() => withdraw(engine, self), terminal);
    await session?.stop();
    client.destroy();
  }
}

/** Said, not thrown: the reason why the command ends is another one, and must be the one that is shown. */
async function takeBack(withdrawal: () => Promise<void>, terminal: Terminal): Promise<void> {
  try {
    await withdrawal();
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    terminal.warn(`the shutdown record may still stand, so no shard comes to this node: ${cause}`);
  }
}
