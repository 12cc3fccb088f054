import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { reportTo } from './report.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function capture(isTTY: boolean) {
  const written: string[] = [];
  const write = (text: string | Uint8Array) => written.push(String(text)) > 0;
  return { written, report: reportTo({ isTTY, columns: 40, write }) };
}

test('in a log file a task is one line, and its detail comes every ten seconds', () => {
  const { written, report } = capture(false);
  for (let second = 0; second < 12; second++) {
    report.working('Downloading', `${second} of 12 MB`);
    vi.advanceTimersByTime(1000);
  }
  report.done('Done');
  expect(written).toEqual(['Downloading\n', 'Downloading · 10 of 12 MB\n', 'Done\n']);
});

test('on a terminal one line is painted over, with the seconds it takes', () => {
  const { written, report } = capture(true);
  report.working('Installing');
  vi.advanceTimersByTime(2000);
  expect(written).toEqual(['\r\x1b[KInstalling', '\r\x1b[KInstalling', '\r\x1b[KInstalling · 2 s']);
  report.done('Installed');
  expect(written.slice(3)).toEqual(['\r\x1b[K', 'Installed\n']);
});

test('a line is never wider than the terminal', () => {
  const { written, report } = capture(true);
  report.working('x'.repeat(100));
  expect(written).toEqual([`\r\x1b[K${'x'.repeat(39)}`]);
});
