import type { Judgement, LeaveEvent, LeaveOutcome, Plan } from '@muster/search-cluster';
import { CliError } from './failure.ts';
import { type Column, humanBytes, table } from './table.ts';
import type { Style, Terminal } from './terminal.ts';

/** What is said while a node leaves: a line when something changes, and one a minute so that nobody thinks it hangs. */
export function tellLeave(terminal: Terminal, now: () => number): (event: LeaveEvent) => void {
  let told = Number.NEGATIVE_INFINITY;
  const atMostEachMinute = (message: string) => {
    if (now() - told < 60_000) return;
    told = now();
    terminal.info(message);
  };
  return (event) => {
    switch (event.kind) {
      case 'judged':
        for (const { name, verdict, reason } of event.judgements) {
          if (verdict === 'warn') terminal.warn(`${name}: ${reason}`);
        }
        return;
      case 'registered':
      case 'resumed':
        return terminal.info(`leaving (${event.kind}): ${event.shards} shards, ${humanBytes(String(event.bytes))}`);
      case 'moving':
        return atMostEachMinute(`${event.remaining} shards left to move`);
      case 'stalling':
        return atMostEachMinute(`stalled for ${Math.round(event.seconds)} s: ${event.explanation}`);
      case 'not-empty':
        return terminal.warn(`the engine says it is done, but ${event.atRisk.join(', ')} would be lost: waiting`);
      case 'unsure':
        return atMostEachMinute(`the engine cannot be asked, trying again: ${event.cause}`);
    }
  };
}

/** Every ending but one is a failure with its own code; `isTerminating` decides what happens next. */
export function failureOfLeave(outcome: Exclude<LeaveOutcome, { kind: 'empty' }>, isTerminating: boolean): CliError {
  const next = isTerminating
    ? 'The node goes on serving and the hook is held; the next run tries again.'
    : 'The node goes on serving; its shutdown record is taken back.';
  switch (outcome.kind) {
    case 'blocked':
      return new CliError('blocked', `this node may not leave now:\n${blocking(outcome.judgements)}`, next);
    case 'withdrawn':
      return new CliError('blocked', `${outcome.other} is leaving, and was first`, next);
    case 'record-removed':
      return new CliError('blocked', 'somebody took the shutdown record back', next);
    case 'stalled':
      return new CliError('stalled', `the drain is stalled:\n${outcome.explanation}`, next);
    case 'out-of-time':
      return new CliError(
        'outOfTime',
        `${outcome.remaining} shards are still here, and the time to wait is over`,
        next,
      );
    case 'interrupted':
      return new CliError('interrupted', 'stopped before the node was empty', next);
  }
}

const blocking = (judgements: readonly Judgement[]) =>
  judgements
    .filter(({ verdict }) => verdict === 'block')
    .map(({ name, reason }) => `  ${name}: ${reason}`)
    .join('\n');

const styles: Record<string, Style> = { pass: 'good', warn: 'warning', block: 'bad' };
const judgementColumns: readonly Column<Judgement>[] = [
  { header: 'guard', value: ({ name }) => name },
  { header: 'verdict', value: ({ verdict }) => verdict, style: (verdict) => styles[verdict] },
  { header: 'reason', value: ({ reason }) => reason, flexible: true },
];
const targetColumns: readonly Column<Plan['targets'][number]>[] = [
  { header: 'to', value: ({ name }) => name },
  { header: 'zone', value: ({ zone }) => zone ?? '' },
  { header: 'shards now', value: ({ shards }) => String(shards), align: 'right' },
  { header: 'free disk', value: ({ freeBytes }) => humanBytes(String(freeBytes)), align: 'right' },
];

export function* planLines(plan: Plan, terminal: Terminal): Generator<string> {
  const size = `${plan.shards} shards, ${humanBytes(String(plan.bytes))}, about ${Math.ceil(plan.estimateSeconds / 60)} min`;
  yield terminal.paint('heading', `${plan.node.name} would move ${size}`);
  yield* table(() => plan.targets, targetColumns, terminal);
  yield '';
  yield* table(() => plan.judgements, judgementColumns, terminal);
}
