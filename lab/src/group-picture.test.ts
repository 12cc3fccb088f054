import { describe, expect, test } from 'vitest';
import { drawRow, duration, Paths } from './group-picture.ts';

const plain = (_style: string, text: string) => text;
const at = (state: string) => [{ id: 'i-1', zone: 'eu-central-1b', state }];

describe('the path of an instance', () => {
  test('has a step for each state that was seen, and an end', () => {
    const paths = new Paths();
    expect(paths.look(at('Pending'), 0)).toHaveLength(1);
    expect(paths.look(at('Pending'), 1_000)).toEqual([]);
    paths.look(at('Pending:Wait'), 5_000);
    paths.look(at('InService'), 17_000);
    const [row] = paths.rows(80_000);
    expect(row && drawRow(row, 80_000, 200, plain)).toBe('i-1  b  Pending 5s → Pending:Wait 12s → InService 1m03s');

    expect(paths.look([], 90_000)).toHaveLength(1);
    expect(paths.rows(90_000).map((path) => path.steps.at(-1)?.state)).toEqual(['gone']);
    expect(paths.rows(200_000)).toEqual([]);
  });

  test('loses its beginning where the terminal is narrow, never its end', () => {
    const steps = ['Pending', 'Pending:Wait', 'InService'].map((state, index) => ({ state, since: index * 1000 }));
    const path = { id: 'i-1', zone: 'a', steps };
    expect(drawRow(path, 3_000, 45, plain)).toBe('i-1  a  … → Pending:Wait 1s → InService 1s');
    expect(drawRow(path, 3_000, 5, plain)).toBe('i-1  a  … → InService 1s');
  });

  test('is coloured by what is going on', () => {
    const path = { id: 'i-1', zone: 'a', steps: [{ state: 'Terminating:Wait', since: 0 }] };
    expect(drawRow(path, 0, 80, (style, text) => `[${style}]${text}`)).toContain('[magenta]Terminating:Wait 0s');
  });
});

test.each([
  [900, '1s'],
  [59_000, '59s'],
  [61_000, '1m01s'],
  [3_660_000, '1h01m'],
])('%d ms is %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});
