import { expect, test } from 'vitest';
import { CapturedStream } from './run-captured.ts';
import { type Column, humanBytes, table } from './table.ts';
import { Terminal } from './terminal.ts';

interface Row {
  readonly name: string;
  readonly size: string;
  readonly note?: string;
}
const columns: readonly Column<Row>[] = [
  { header: 'name', value: (row) => row.name, flexible: true },
  { header: 'size', value: (row) => row.size, align: 'right' },
  { header: 'note', value: (row) => row.note ?? '', optional: true },
];

function lines(rows: readonly Row[], width?: number): string[] {
  const terminal = new Terminal({
    stdout: new CapturedStream(width),
    stderr: new CapturedStream(),
    env: { NO_COLOR: '1' },
  });
  return [...table(() => rows, columns, terminal)];
}

test('columns line up, numbers on the right, nothing behind the last cell', () => {
  expect(
    lines([
      { name: 'a', size: '1' },
      { name: 'long', size: '12345' },
    ]),
  ).toEqual(['name   size', 'a         1', 'long  12345']);
});

test('a column that nobody fills is left out', () => {
  expect(lines([{ name: 'a', size: '1', note: 'x' }])[0]).toBe('name  size  note');
  expect(lines([{ name: 'a', size: '1' }])[0]).toBe('name  size');
});

test('no line is wider than the terminal; the flexible column gives way', () => {
  const rows = [{ name: 'n'.repeat(100), size: '1', note: 'kept' }];
  expect(lines(rows, 40).map((line) => line.length)).toEqual([40, 40]);
  expect(lines(rows, 40)[1]).toBe(`${'n'.repeat(27)}…     1  kept`);
});

test('off a terminal nothing is cut', () => {
  expect(lines([{ name: 'n'.repeat(300), size: '1' }])[1]).toContain('n'.repeat(300));
});

test('wide letters count as two, and a name cannot move the cursor', () => {
  expect(lines([{ name: '索引', size: '1' }])[1]).toBe('索引     1');
  expect(lines([{ name: 'a\u001b[2Jb', size: '1' }])[1]).not.toContain('\u001b');
});

test('no rows: the heading alone', () => {
  expect(lines([])).toEqual(['name  size']);
});

test.each([
  ['0', '0 b'],
  ['1023', '1023 b'],
  ['1024', '1.0 kb'],
  ['123456789', '117.7 mb'],
  ['', ''],
  ['n/a', 'n/a'],
])('%s bytes are written %s', (bytes, text) => {
  expect(humanBytes(bytes)).toBe(text);
});
