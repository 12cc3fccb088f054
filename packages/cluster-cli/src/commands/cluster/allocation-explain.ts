import { type Explanation, explainAllocation, explainBody, explainPath, type ShardCopy } from '@muster/engine';
import type { Context } from '../../context.ts';
import { CliError } from '../../failure.ts';
import { passThrough } from '../../output.ts';
import { type Column, table } from '../../table.ts';
import type { Style, Terminal } from '../../terminal.ts';

export interface ExplainOptions {
  readonly index?: string;
  readonly shard?: number;
  readonly primary?: boolean;
  readonly replica?: boolean;
}

/** The copy that was meant, `undefined` for "the first unassigned one". Shard 0 is a shard like any other. */
export function copyOf(options: ExplainOptions): ShardCopy | undefined {
  const { index, shard, primary, replica } = options;
  if (index === undefined && shard === undefined && !primary && !replica) return undefined;
  if (index === undefined || shard === undefined) {
    throw new CliError(
      'usage',
      'one shard is named by --index and --shard together',
      'Without any option the first unassigned shard is explained.',
    );
  }
  return { index, shard, primary: !replica };
}

export async function run(context: Context, options: ExplainOptions): Promise<void> {
  const { engine, terminal, format } = context;
  const copy = copyOf(options);
  const explanation = await explainAllocation(engine, copy);
  if (format === 'json') return terminal.data(`${JSON.stringify(explanation ?? null, undefined, 2)}\n`);
  if (explanation === undefined) return terminal.info('no shard is unassigned: nothing to explain');
  if (format === 'text') return terminal.lines(story(explanation, terminal));
  const { index, shard, primary } = explanation;
  return passThrough(context, 'POST', explainPath, { body: explainBody({ index, shard, primary }) });
}

interface Objection {
  readonly node: string;
  readonly decision: string;
  readonly decider: string;
  readonly explanation: string;
}

const styleOfDecision: Record<string, Style> = { yes: 'good', no: 'bad', throttled: 'warning' };

const columns: readonly Column<Objection>[] = [
  { header: 'node', value: ({ node }) => node },
  { header: 'decision', value: ({ decision }) => decision, style: (decision) => styleOfDecision[decision] },
  { header: 'decider', value: ({ decider }) => decider },
  { header: 'explanation', value: ({ explanation }) => explanation },
];

/** What, why, and what each node says to it. Sentences are not cut: they are what one came for. */
function* story(explanation: Explanation, terminal: Terminal): Generator<string> {
  const { index, shard, primary, current_state: state, current_node: node, unassigned_info: unassigned } = explanation;
  const place = node === undefined ? '' : ` on ${node.name}`;
  yield terminal.paint('heading', `${primary ? 'primary' : 'replica'} of [${index}][${shard}] is ${state}${place}`);
  if (unassigned !== undefined) {
    yield `unassigned since ${unassigned.at ?? 'an unknown time'}: ${unassigned.reason}`;
    if (unassigned.details !== undefined) yield `  ${unassigned.details}`;
  }
  const sentence = explanation.allocate_explanation ?? explanation.rebalance_explanation ?? explanation.explanation;
  if (sentence !== undefined) yield sentence;
  const objections = (explanation.node_allocation_decisions ?? []).flatMap((decision): Objection[] => {
    const said = { node: decision.node_name, decision: decision.node_decision };
    const deciders = decision.deciders ?? [];
    return deciders.length === 0
      ? [{ ...said, decider: '', explanation: '' }]
      : deciders.map(({ decider, explanation }) => ({ ...said, decider, explanation }));
  });
  if (objections.length > 0) {
    yield '';
    yield* table(() => objections, columns, terminal);
  }
}
