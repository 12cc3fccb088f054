import { type CatRow, catTable, readCat } from '@muster/engine';
import type { Context } from '../../context.ts';
import { passThrough, printRows } from '../../output.ts';
import { type Column, humanBytes } from '../../table.ts';
import type { Style } from '../../terminal.ts';

/** The engine's own tables that we print as they are. `cat shards` is not among them: it has a cheaper source. */
const tables = {
  nodes: {
    columns: [
      'name',
      'ip',
      'node.role',
      'master',
      'version',
      'heap.percent',
      'cpu',
      'load_1m',
      'disk.used_percent',
      'uptime',
    ],
    sort: 'name',
  },
  indices: {
    columns: ['health', 'status', 'index', 'pri', 'rep', 'docs.count', 'store.size'],
    sort: 'health:desc,index',
  },
  repositories: { columns: ['id', 'type'], sort: 'id' },
  snapshots: {
    columns: [
      'id',
      'repository',
      'status',
      'start_epoch',
      'start_time',
      'end_epoch',
      'end_time',
      'duration',
      'indices',
    ],
    sort: 'start_epoch',
  },
} as const;

export type TableName = keyof typeof tables;

export async function run(context: Context, name: TableName): Promise<void> {
  const table = catTable(name, tables[name].columns, tables[name].sort);
  const { format } = context;
  if (format === 'text' || format === 'json') {
    const rows = await readCat(context.engine, table);
    return printRows(context, format, () => rows, tables[name].columns.map(columnOf));
  }
  return passThrough(context, 'GET', table.path, { query: table.query });
}

const numbers = /\.percent$|_percent$|^cpu$|^load_1m$|^pri$|^rep$|count$|size$|_epoch$|^duration$|^indices$/;
const names = new Set(['index', 'name', 'id']);
/** What a narrow terminal can do without. */
const spare = new Set(['ip', 'load_1m', 'uptime', 'start_epoch', 'end_epoch', 'end_time', 'status']);

const styleOfValue: Record<string, Style> = {
  green: 'good',
  yellow: 'warning',
  red: 'bad',
  SUCCESS: 'good',
  PARTIAL: 'warning',
  FAILED: 'bad',
};

function columnOf(name: string): Column<CatRow> {
  return {
    header: name,
    value: (row) => (name.endsWith('.size') ? humanBytes(row[name] ?? '') : (row[name] ?? '')),
    align: numbers.test(name) ? 'right' : 'left',
    style: (value) => styleOfValue[value],
    flexible: names.has(name),
    spare: spare.has(name),
  };
}
