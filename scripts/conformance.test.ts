import { expect, test } from 'vitest';
import { renderPage, shownBy } from './conformance.ts';

const requirements = '# R\n\n## C: command\n| # | Requirement |\n|---|---|\n| C-01 | one a|b |\n| C-02 | two |\n';
const report = (name: string, title: string, status = 'passed') => ({
  testResults: [{ name, assertionResults: [{ title, status }] }],
});

test('a passed test is listed under each number in its title, with what it ran on', () => {
  const page = renderPage(requirements, shownBy([report('/x/health.engine.test.ts', '[C-01] [C-02] does it')]));
  expect(page).toContain('| C-01 | one a|b | does it | real engine |');
  expect(page).toContain('| C-02 | two | does it | real engine |');
  expect(page).toContain('2 of 2 are shown');
});

test('a failed or skipped test shows nothing', () => {
  const reports = [report('/x/a.test.ts', '[C-01] fails', 'failed'), report('/x/a.test.ts', '[C-01] waits', 'skipped')];
  expect(renderPage(requirements, shownBy(reports))).toContain('| C-01 | one a|b |  |  |');
});

test('what only a double shows says so', () => {
  const page = renderPage(requirements, shownBy([report('/x/a.wire.test.ts', '[C-01] does it')]));
  expect(page).toContain('| does it | double on the wire only |');
});

test('a number that is no requirement is an error', () => {
  expect(() => renderPage(requirements, shownBy([report('/x/a.test.ts', '[C-99] does it')]))).toThrow('C-99');
});
