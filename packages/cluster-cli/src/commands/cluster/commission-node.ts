import type { JoinEvent, JoinOutcome } from '@muster/search-cluster';
import type { Context } from '../../context.ts';
import type { Exit } from '../../exit-codes.ts';
import { CliError } from '../../failure.ts';
import { metadataOf } from '../../instance.ts';
import { interruption } from '../../interruption.ts';
import type { Terminal } from '../../terminal.ts';

export interface CommissionOptions {
  readonly waitUntilComplete: number;
  /** Name of the launch hook to complete. */
  readonly completeLifecycleAction?: string;
}

/** How long nothing may move before the node counts as settled. */
const settleSeconds = 60;

export async function run(context: Context, options: CommissionOptions): Promise<Exit> {
  const { engine, terminal } = context;
  const { readMembership, realClock } = await import('@muster/lifecycle');
  const { join } = await import('@muster/search-cluster');
  const { autoScaling, holdHook } = await import('../../aws.ts');

  const identity = await metadataOf(context).identity();
  using interrupted = interruption();
  const client = autoScaling(identity.region);
  const { completeLifecycleAction: hook } = options;
  const membership = hook === undefined ? undefined : await readMembership(client, identity.instanceId);
  const session =
    hook === undefined || membership?.state !== 'Pending:Wait'
      ? undefined
      : await holdHook(
          client,
          { group: membership.group, hook, instanceId: identity.instanceId },
          terminal,
          interrupted.interrupt,
        );
  try {
    const outcome = await join({
      engine,
      instanceId: identity.instanceId,
      waitSeconds: options.waitUntilComplete,
      settleSeconds,
      clock: realClock,
      report: tellJoin(terminal),
      signal: interrupted.signal,
    });
    if (outcome.kind !== 'settled') throw failureOfJoin(outcome);
    terminal.info(`${outcome.node.name} has settled`);
    if (session !== undefined) terminal.info(`hook ${hook}: ${await session.complete('CONTINUE')}`);
    return 'ok';
  } finally {
    await session?.stop();
    client.destroy();
  }
}

/** A line when something changes, not one at every look. */
function tellJoin(terminal: Terminal): (event: JoinEvent) => void {
  let told = '';
  return (event) => {
    const message = messageOf(event);
    if (message !== told) terminal.info(message);
    told = message;
  };
}

function messageOf(event: JoinEvent): string {
  switch (event.kind) {
    case 'waiting-to-join':
      return 'waiting for the node to join';
    case 'joined':
      return `${event.node.name} has joined`;
    case 'settling':
      return event.quietSeconds > 0
        ? 'nothing moves: waiting whether it stays so'
        : `${event.moving} shards moving, ${event.unassigned} unassigned`;
    case 'unsure':
      return `the engine cannot be asked, trying again: ${event.cause}`;
  }
}

function failureOfJoin(outcome: Exclude<JoinOutcome, { kind: 'settled' }>): CliError {
  switch (outcome.kind) {
    case 'not-joined':
      return new CliError(
        'outOfTime',
        'the node has not joined',
        "Read the engine's log: journalctl -u elasticsearch.",
      );
    case 'not-settled':
      return new CliError(
        'outOfTime',
        `${outcome.node.name} has joined, but shards still move`,
        'It is held, not given up: it may hold shards by now. Run the command again.',
      );
    case 'interrupted':
      return new CliError('interrupted', 'stopped before the node had settled', 'Run the command again.');
  }
}
