import type { EngineClient } from '@muster/engine';
import type { Context, Format } from './context.ts';
import { type Column, table } from './table.ts';

type Call = NonNullable<Parameters<EngineClient['request']>[2]>;

/** The engine's own bytes in the format asked for: yaml, cbor and smile are never made by us out of its answer. */
export async function passThrough(
  { engine, terminal, format }: Context,
  method: string,
  path: string,
  call: Call,
): Promise<void> {
  await terminal.data((await engine.request(method, path, { ...call, accept: format })).body);
}

/** Rows in a format of ours, one by one. */
export async function printRows<Row extends object>(
  { terminal }: Context,
  format: Exclude<Format, 'cbor' | 'smile'>,
  rows: () => Iterable<Row>,
  columns: readonly Column<Row>[],
): Promise<void> {
  switch (format) {
    case 'text':
      return terminal.lines(table(rows, columns, terminal));
    case 'json':
      return terminal.lines(jsonLines(rows()));
    case 'yaml':
      return terminal.lines(yamlLines(rows()));
  }
}

function* jsonLines(rows: Iterable<object>): Generator<string> {
  let before = '[';
  for (const row of rows) {
    yield `${before}${JSON.stringify(row)}`;
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

// A flat row needs no YAML library: a JSON string or null is a YAML scalar, and our column names are plain ones.
function* yamlLines(rows: Iterable<object>): Generator<string> {
  let empty = true;
  for (const row of rows) {
    empty = false;
    let mark = '- ';
    for (const [name, value] of Object.entries(row)) {
      yield `${mark}${name}: ${JSON.stringify(value)}`;
      mark = '  ';
    }
  }
  if (empty) yield '[]';
}
