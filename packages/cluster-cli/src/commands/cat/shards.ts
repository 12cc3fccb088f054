import { catTable, readCat, readRouting, type ShardRow, shardRows, shardStates } from '@muster/engine';
import type { Context } from '../../context.ts';
import { CliError } from '../../failure.ts';
import { passThrough, printRows } from '../../output.ts';
import { type Column, humanBytes } from '../../table.ts';
import type { Style } from '../../terminal.ts';

export interface ShardsOptions {
  /** Names, `*` stands for anything. */
  readonly index?: readonly string[];
  readonly node?: readonly string[];
  readonly state?: readonly string[];
  readonly unassigned?: boolean;
  readonly sort?: SortKey;
  /** Also document count and size, which the engine must first collect from every node. */
  readonly stats?: boolean;
}

type SortKey = 'index' | 'node' | 'state';

type Row = Record<keyof ShardRow, string | null> & { docs?: string | null; store?: string | null };

const names = ['index', 'shard', 'prirep', 'state', 'node', 'unassigned.reason'] as const;
const statistics = ['docs', 'store'] as const;

export async function run(context: Context, options: ShardsOptions): Promise<void> {
  const { engine, format } = context;
  const wanted = options.stats ? [...names, ...statistics] : names;
  if (format === 'cbor' || format === 'smile') {
    const { path, query } = catTable('shards', wanted, sortOfEngine(options, format));
    return passThrough(context, 'GET', path, { query });
  }
  const read = options.stats ? await withStatistics(context, wanted) : await readRouting(engine);
  const all = (): Iterable<Row> => (Array.isArray(read) ? read : shardRows(read));
  const matching = filterOf(options);
  const filtered = matching === undefined ? all : () => Iterator.from(all()).filter(matching);
  const sorted = options.sort === undefined ? undefined : [...filtered()].sort(comparisons[options.sort]);
  await printRows<Row>(context, format, sorted === undefined ? filtered : () => sorted, columns);
}

async function withStatistics({ engine }: Context, wanted: readonly string[]): Promise<Row[]> {
  const rows = await readCat(engine, catTable('shards', wanted, 'index,shard,prirep'));
  const cell = (row: Record<string, string | null>, name: string) => row[name] ?? null;
  return rows.map((row) => ({
    index: cell(row, 'index'),
    shard: cell(row, 'shard'),
    prirep: cell(row, 'prirep'),
    state: cell(row, 'state'),
    node: cell(row, 'node'),
    'unassigned.reason': cell(row, 'unassigned.reason'),
    docs: cell(row, 'docs'),
    store: cell(row, 'store'),
  }));
}

/** The binary tables are the engine's own bytes, so only what the engine itself can do is possible there. */
function sortOfEngine(options: ShardsOptions, format: string): string {
  if (filterOf(options) !== undefined) {
    throw new CliError('usage', `rows cannot be selected in --format ${format}`, 'Use --format json or yaml.');
  }
  return options.sort === undefined || options.sort === 'index' ? 'index,shard,prirep' : `${options.sort},index,shard`;
}

/** One predicate for all that was asked, or none at all: most calls ask for everything. */
function filterOf(options: ShardsOptions): ((row: Row) => boolean) | undefined {
  const states = [...(options.state ?? []), ...(options.unassigned ? ['UNASSIGNED'] : [])].map((state) =>
    state.toUpperCase(),
  );
  const known: ReadonlySet<string> = new Set(shardStates);
  const strange = states.find((state) => !known.has(state));
  if (strange !== undefined) {
    throw new CliError('usage', `no shard has the state ${strange}`, `States are ${shardStates.join(', ')}.`);
  }
  const tests = [
    options.index === undefined ? undefined : matches('index', options.index),
    options.node === undefined ? undefined : matches('node', options.node),
    states.length === 0 ? undefined : (row: Row) => row.state !== null && states.includes(row.state),
  ].filter((test) => test !== undefined);
  return tests.length === 0 ? undefined : (row) => tests.every((test) => test(row));
}

function globOf(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`);
}

/** A shard that moves belongs to both its nodes: `n1 -> 127.0.1.2 id n2`. */
function matches(column: 'index' | 'node', patterns: readonly string[]): (row: Row) => boolean {
  const expressions = patterns.map(globOf);
  const names = column === 'index' ? (value: string) => [value] : (value: string) => value.split(' ');
  return (row) => names(row[column] ?? '').some((name) => expressions.some((expression) => expression.test(name)));
}

const text = (value: string | null | undefined) => value ?? '';
const byText = (a: string | null, b: string | null) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0);
const byIndex = (a: Row, b: Row) => byText(a.index, b.index) || Number(a.shard) - Number(b.shard);
const severities = new Map<string | null, number>(shardStates.map((state, at) => [state, at]));
const severity = (row: Row) => severities.get(row.state) ?? 0;

/** By state means worst first: what is unassigned is what one looks for. */
const comparisons: Record<SortKey, (a: Row, b: Row) => number> = {
  index: byIndex,
  node: (a, b) => byText(a.node, b.node) || byIndex(a, b),
  state: (a, b) => severity(a) - severity(b) || byIndex(a, b),
};

const styleOfState: Record<string, Style> = { UNASSIGNED: 'bad', INITIALIZING: 'warning', RELOCATING: 'warning' };

const columns: readonly Column<Row>[] = [
  { header: 'index', value: (row) => text(row.index), flexible: true },
  { header: 'shard', value: (row) => text(row.shard), align: 'right' },
  { header: 'prirep', value: (row) => text(row.prirep) },
  { header: 'state', value: (row) => text(row.state), style: (state) => styleOfState[state] },
  // A person needs the two names; address and id of the target stay in json and yaml.
  { header: 'node', value: (row) => text(row.node).replace(/ -> \S+ \S+ /, ' → '), flexible: true },
  { header: 'docs', value: (row) => text(row.docs), align: 'right', optional: true },
  { header: 'store', value: (row) => humanBytes(text(row.store)), align: 'right', optional: true },
  { header: 'unassigned.reason', value: (row) => text(row['unassigned.reason']), optional: true },
];
