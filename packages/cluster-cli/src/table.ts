import truncatedWidth from 'fast-string-truncated-width';
import type { Style, Terminal } from './terminal.ts';

export interface Column<Row> {
  readonly header: string;
  readonly value: (row: Row) => string;
  readonly align?: 'left' | 'right';
  readonly style?: (value: string) => Style | undefined;
  /** The column that gives way first when the table is wider than the terminal. */
  readonly flexible?: boolean;
  /** Left out when no row has anything in it. */
  readonly optional?: boolean;
}

const gap = '  ';
const narrowest = 8;

/**
 * A table as lines, made row by row. `rows` is called twice, once to measure and once to write, so that the rows
 * need never be held all at once.
 */
export function* table<Row>(
  rows: () => Iterable<Row>,
  columns: readonly Column<Row>[],
  terminal: Terminal,
): Generator<string> {
  const widths = columns.map(() => 0);
  for (const row of rows()) {
    columns.forEach((column, at) => {
      const width = widthOf(printable(column.value(row)));
      if (width > (widths[at] ?? 0)) widths[at] = width;
    });
  }
  const shown = columns.flatMap((column, at) => {
    const width = widths[at] ?? 0;
    if (column.optional === true && width === 0) return [];
    return [{ ...column, width: Math.max(width, widthOf(column.header)) }];
  });
  fit(shown, terminal.width);

  const last = shown.length - 1;
  const line = (
    cell: (column: (typeof shown)[number]) => string,
    styled: (column: Column<Row>, text: string) => string,
  ) =>
    shown
      .map((column, at) => {
        const text = shorten(printable(cell(column)), column.width);
        const padding = ' '.repeat(Math.max(0, column.width - widthOf(text)));
        if (column.align === 'right') return padding + styled(column, text);
        return styled(column, text) + (at === last ? '' : padding);
      })
      .join(gap);

  yield line(
    (column) => column.header,
    (_, text) => terminal.paint('heading', text),
  );
  for (const row of rows()) {
    yield line(
      (column) => column.value(row),
      (column, text) => terminal.paint(column.style?.(text), text),
    );
  }
}

/** Takes what is too much from the flexible columns, widest first. */
function fit(columns: { width: number; flexible?: boolean }[], limit: number | undefined): void {
  if (limit === undefined) return;
  let excess = columns.reduce((sum, column) => sum + column.width, gap.length * (columns.length - 1)) - limit;
  for (const column of columns.filter((column) => column.flexible).sort((a, b) => b.width - a.width)) {
    if (excess <= 0) return;
    const taken = Math.min(excess, Math.max(0, column.width - narrowest));
    column.width -= taken;
    excess -= taken;
  }
}

// Nearly all names are ASCII, and measuring them properly is what a table of 100,000 rows would spend its time on.
const plain = /^[\x20-\x7e]*$/;

/** A name from outside must not be able to move the cursor. */
function printable(text: string): string {
  return plain.test(text) ? text : text.replaceAll(/\p{Cc}/gu, ' ');
}

function widthOf(text: string): number {
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
