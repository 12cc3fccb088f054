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

test('columns line up, numbers on the right', () => {
  const rows = [
    { name: 'a', size: '1' },
    { name: 'long', size: '12345' },
  ];
  expect(lines(rows, 80)).toEqual(['name   size', 'a         1', 'long  12345']);
});

test('a column that nobody fills is left out on a terminal; a script always gets the same columns', () => {
  expect(lines([{ name: 'a', size: '1', note: 'x' }], 80)[0]).toBe('name  size  note');
  expect(lines([{ name: 'a', size: '1' }], 80)[0]).toBe('name  size');
  expect(lines([{ name: 'a', size: '1' }])[0]).toBe('name  size  note');
});

test('no line is wider than the terminal; the flexible column gives way', () => {
  const rows = [{ name: 'n'.repeat(100), size: '1', note: 'kept' }];
  expect(lines(rows, 40).map((line) => line.length)).toEqual([40, 40]);
  expect(lines(rows, 40)[1]).toBe(`${'n'.repeat(27)}…     1  kept`);
});

test('when that is not enough, spare columns go', () => {
  const spare = columns.map((column) => ({ ...column, spare: column.header === 'size' }));
  const stderr = new CapturedStream();
  const terminal = new Terminal({ stdout: new CapturedStream(14), stderr, env: {} });
  const [heading] = table(() => [{ name: 'n'.repeat(30), size: '1', note: 'kept' }], spare, terminal);
  expect(heading).toContain('note');
  expect(heading).not.toContain('size');
  expect(stderr.text).toBe('the terminal is too narrow for: size\n');
});

test('off a terminal nothing is cut', () => {
  expect(lines([{ name: 'n'.repeat(300), size: '1' }])[1]).toContain('n'.repeat(300));
});

test('wide letters count as two, and a name cannot move the cursor', () => {
  expect(lines([{ name: '索引', size: '1' }], 80)[1]).toBe('索引     1');
  expect(lines([{ name: 'a\u001b[2Jb', size: '1' }])[1]).not.toContain('\u001b');
});

test('no rows: the heading alone', () => {
  expect(lines([], 80)).toEqual(['name  size']);
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
