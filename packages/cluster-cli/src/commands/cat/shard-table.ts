import {
  type CatRow,
  catTable,
  type EngineClient,
  parseRouting,
  readCat,
  type ShardRow,
  shardRows,
  shardStates,
} from '@muster/engine';
import type { Context } from '../../context.ts';
import { CliError } from '../../failure.ts';
import { passThrough, printRows } from '../../output.ts';
import { type Column, humanBytes, widthOf } from '../../table.ts';
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

export async function print(
  context: Context,
  options: ShardsOptions,
  asked: Promise<unknown> | undefined,
): Promise<void> {
  const { engine, format } = context;
  if (format === 'cbor' || format === 'smile') {
    const wanted = options.stats ? [...names, ...statistics] : names;
    const { path, query } = catTable('shards', wanted, sortOfEngine(options, format));
    return passThrough(context, 'GET', path, { query });
  }
  const { rows, columns } = asked === undefined ? await fromStatistics(engine) : fromRouting(await asked);
  const matching = filterOf(options);
  const filtered = matching === undefined ? rows : () => Iterator.from(rows()).filter(matching);
  if (options.sort === undefined) return printRows(context, format, filtered, columns);
  const sorted = [...filtered()].sort(comparisons[options.sort]);
  return printRows(context, format, () => sorted, columns);
}

interface Source {
  readonly rows: () => Iterable<Row>;
  readonly columns: readonly Column<Row>[];
}

function fromRouting(answer: unknown): Source {
  const routing = parseRouting(answer);
  const longest = (texts: string[]) => texts.reduce((most, text) => Math.max(most, widthOf(text)), 0);
  const widest: Record<string, number> = {
    state: 'INITIALIZING'.length,
    index: longest(Object.keys(routing.routing_table?.indices ?? {})),
    node: longest(Object.values(routing.nodes ?? {}).map(({ name }) => name)),
  };
  return {
    rows: () => shardRows(routing),
    columns: columns
      .filter(({ header }) => !isStatistic(header))
      .map((column) => ({ ...column, widest: widest[column.header] ?? 0 })),
  };
}

async function fromStatistics(engine: EngineClient): Promise<Source> {
  const table = catTable('shards', [...names, ...statistics], 'index,shard,prirep');
  const cell = (row: CatRow, name: string) => row[name] ?? null;
  const rows = (await readCat(engine, table)).map((row) => ({
    index: cell(row, 'index'),
    shard: cell(row, 'shard'),
    prirep: cell(row, 'prirep'),
    state: cell(row, 'state'),
    node: cell(row, 'node'),
    'unassigned.reason': cell(row, 'unassigned.reason'),
    docs: cell(row, 'docs'),
    store: cell(row, 'store'),
  }));
  return { rows: () => rows, columns };
}

const isStatistic = (name: string) => statistics.some((statistic) => statistic === name);

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

/** A person needs the two names; address and id of the target stay in json and yaml. */
const shortMove = (node: string) => (node.includes(' ') ? node.replace(/ -> \S+ \S+ /, ' → ') : node);

const columns: readonly Column<Row>[] = [
  { header: 'index', value: (row) => text(row.index), flexible: true },
  { header: 'shard', value: (row) => text(row.shard), align: 'right' },
  { header: 'prirep', value: (row) => text(row.prirep) },
  { header: 'state', value: (row) => text(row.state), style: (state) => styleOfState[state] },
  { header: 'node', value: (row) => shortMove(text(row.node)), flexible: true },
  { header: 'docs', value: (row) => text(row.docs), align: 'right', optional: true },
  { header: 'store', value: (row) => humanBytes(text(row.store)), align: 'right', optional: true },
  { header: 'unassigned.reason', value: (row) => text(row['unassigned.reason']), optional: true, flexible: true },
];
