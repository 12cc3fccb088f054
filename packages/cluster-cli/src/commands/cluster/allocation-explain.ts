import { type Explanation, explainAllocation, explainBody, explainPath, type ShardCopy } from '@muster/engine';
import type { Context } from '../../context.ts';
import { CliError } from '../../failure.ts';
import { passThrough } from '../../output.ts';
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

const styleOfDecision: Record<string, Style> = { yes: 'good', no: 'bad', throttled: 'warning' };

/** What, why, and what each node says to it. Sentences are wrapped, never cut: they are what one came for. */
function* story(explanation: Explanation, terminal: Terminal): Generator<string> {
  const { index, shard, primary, current_state: state, current_node: node, unassigned_info: unassigned } = explanation;
  const place = node === undefined ? '' : ` on ${node.name}`;
  yield terminal.paint('heading', `${primary ? 'primary' : 'replica'} of [${index}][${shard}] is ${state}${place}`);
  if (unassigned !== undefined) {
    yield `unassigned since ${unassigned.at ?? 'an unknown time'}: ${unassigned.reason}`;
    if (unassigned.details !== undefined) yield* wrap(unassigned.details, '  ', terminal.width);
  }
  const sentence = explanation.allocate_explanation ?? explanation.rebalance_explanation ?? explanation.explanation;
  if (sentence !== undefined) yield* wrap(sentence, '', terminal.width);
  for (const { node_name: name, node_decision: decision, deciders } of explanation.node_allocation_decisions ?? []) {
    yield `${name}: ${terminal.paint(styleOfDecision[decision], decision)}`;
    for (const said of deciders ?? []) yield* wrap(`${said.decider}: ${said.explanation}`, '  ', terminal.width);
  }
}

function* wrap(text: string, indent: string, width: number | undefined): Generator<string> {
  let line = indent;
  for (const word of text.replaceAll(/\p{Cc}/gu, ' ').split(' ')) {
    if (width !== undefined && line.length > indent.length && line.length + 1 + word.length > width) {
      yield line;
      line = indent;
    }
    line += line.length > indent.length ? ` ${word}` : word;
  }
  yield line;
}
