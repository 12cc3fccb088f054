import truncatedWidth from 'fast-string-truncated-width';
import type { Style, Terminal } from './terminal.ts';

export interface Column<Row> {
  readonly header: string;
  readonly value: (row: Row) => string;
  readonly align?: 'left' | 'right';
  readonly style?: (value: string) => Style | undefined;
  /** The column that gives way first when the table is wider than the terminal. */
  readonly flexible?: boolean;
  /** Left out on a terminal when no row has anything in it; elsewhere the columns are always the same. */
  readonly optional?: boolean;
  /** On a terminal that is too narrow for all columns these are left out, and it is said. */
  readonly spare?: boolean;
  /** The longest value there can be. When all columns know it, a large table need not be measured first. */
  readonly widest?: number;
}

const gap = '  ';
const narrowest = 8;

/**
 * A table as lines, made row by row. `rows` is called twice, once to measure and once to write, so that the rows
 * need never be held all at once. A value is measured and laid out once, however often it comes: in a large table
 * most cells repeat.
 */
export function* table<Row>(
  rows: () => Iterable<Row>,
  columns: readonly Column<Row>[],
  terminal: Terminal,
): Generator<string> {
  const measured = terminal.isInteractive
    ? measure(rows, columns).filter(isFilled)
    : (known(columns) ?? measure(rows, columns));
  for (const cell of measured) cell.width = Math.max(cell.width, widthOf(cell.column.header));
  const shown = fit(measured, terminal);

  // A finished cell carries its padding and the gap to the next one: the fewer pieces a line is made of, the better.
  const lastColumn = shown.at(-1)?.column;
  const layOut = ({ column, width }: Measured<Row>, value: string, style: Style | undefined) => {
    const text = terminal.isInteractive ? shorten(printable(value), width) : printable(value);
    const padding = ' '.repeat(Math.max(0, width - widthOf(text)));
    const end = column === lastColumn ? '' : gap;
    if (column.align === 'right') return padding + terminal.paint(style, text) + end;
    return terminal.paint(style, text) + (column === lastColumn ? '' : padding) + end;
  };
  yield shown.map((cell) => layOut(cell, cell.column.header, 'heading')).join('');

  const cells = shown.map(
    (cell) => new Cells(cell.column.value, (value) => layOut(cell, value, cell.column.style?.(value))),
  );
  for (const row of rows()) {
    let line = '';
    for (const cell of cells) line += cell.of(row);
    yield line;
  }
}

/** The cells of one column, each value laid out once. Neighbours are often the same, which spares even the look-up. */
class Cells<Row> {
  readonly #value: (row: Row) => string;
  readonly #layOut: (value: string) => string;
  readonly #done = new Map<string, string>();
  #last: string | undefined;
  #lastDone = '';

  constructor(value: (row: Row) => string, layOut: (value: string) => string) {
    this.#value = value;
    this.#layOut = layOut;
  }

  of(row: Row): string {
    const value = this.#value(row);
    if (value === this.#last) return this.#lastDone;
    let done = this.#done.get(value);
    if (done === undefined) {
      done = this.#layOut(value);
      this.#done.set(value, done);
    }
    this.#last = value;
    this.#lastDone = done;
    return done;
  }
}

interface Measured<Row> {
  readonly column: Column<Row>;
  width: number;
}

const isFilled = <Row>({ column, width }: Measured<Row>) => column.optional !== true || width > 0;

function known<Row>(columns: readonly Column<Row>[]): Measured<Row>[] | undefined {
  const cells = columns.flatMap((column) => (column.widest === undefined ? [] : [{ column, width: column.widest }]));
  return cells.length === columns.length ? cells : undefined;
}

function measure<Row>(rows: () => Iterable<Row>, columns: readonly Column<Row>[]): Measured<Row>[] {
  const cells = columns.map((column) => ({ column, width: 0, seen: new Set<string>() }));
  for (const row of rows()) {
    for (const cell of cells) {
      const value = cell.column.value(row);
      if (cell.seen.has(value)) continue;
      cell.seen.add(value);
      cell.width = Math.max(cell.width, widthOf(printable(value)));
    }
  }
  return cells;
}

/** Makes the table as narrow as the terminal: flexible columns give way, then spare ones go, widest first. */
function fit<Row>(cells: readonly Measured<Row>[], terminal: Terminal): readonly Measured<Row>[] {
  const { width: limit } = terminal;
  if (limit === undefined) return cells;
  const excess = (shown: readonly Measured<Row>[]) =>
    shown.reduce((sum, { width }) => sum + width + gap.length, -gap.length) - limit;
  const widestFirst = [...cells].sort((a, b) => b.width - a.width);
  for (const cell of widestFirst.filter(({ column }) => column.flexible)) {
    cell.width -= Math.min(Math.max(0, excess(cells)), Math.max(0, cell.width - narrowest));
  }
  const hidden = new Set<Measured<Row>>();
  let shown = cells;
  for (const cell of widestFirst.filter(({ column }) => column.spare)) {
    if (excess(shown) <= 0) break;
    hidden.add(cell);
    shown = cells.filter((one) => !hidden.has(one));
  }
  if (hidden.size > 0) {
    const names = [...hidden].map(({ column }) => column.header).join(', ');
    terminal.info(`the terminal is too narrow for: ${names}`);
  }
  return shown;
}

// Nearly all names are ASCII, and measuring them properly is what a table of 100,000 rows would spend its time on.
const plain = /^[\x20-\x7e]*$/;

/** A name from outside must not be able to move the cursor. */
function printable(text: string): string {
  return plain.test(text) ? text : text.replaceAll(/\p{Cc}/gu, ' ');
}

export function widthOf(text: string): number {
  return plain.test(text) ? text.length : truncatedWidth(text).width;
}

function shorten(text: string, width: number): string {
  if (text.length <= width && plain.test(text)) return text;
  const { truncated, index } = truncatedWidth(text, { limit: width, ellipsis: '…', ellipsisWidth: 1 });
  return truncated ? `${text.slice(0, index)}…` : text;
}

/** `123456` → `120.6 kb`: the engine's own way of writing sizes. */
export function humanBytes(bytes: string): string {
  let size = Number(bytes);
  if (bytes === '' || !Number.isFinite(size)) return bytes;
  for (const unit of ['b', 'kb', 'mb', 'gb', 'tb']) {
    if (size < 1024 || unit === 'tb') return `${unit === 'b' ? size : size.toFixed(1)} ${unit}`;
    size /= 1024;
  }
  return bytes;
}
