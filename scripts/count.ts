import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';

// The closing line of CI: `node scripts/count.ts <checks passed> <checks failed> <runs failed> reports/*.json`. Fails
// when anything failed, and when a report has no test at all: a suite that did not run is not green.

const reportSchema = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  numTodoTests: z.int(),
});

const [checksPassed, checksFailed, runsFailed, ...files] = process.argv.slice(2);
let passed = Number(checksPassed);
let failed = Number(checksFailed);
let skipped = 0;
for (const file of files) {
  const report = z.parse(reportSchema, JSON.parse(readFileSync(file, 'utf8')));
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  skipped += report.numPendingTests + report.numTodoTests;
  if (report.numPassedTests === 0) failed += 1;
}
// A file that cannot be loaded, or an error outside of any test, fails the run without a failed test.
if (failed === 0) failed = Number(runsFailed);
process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
process.exitCode = failed === 0 ? 0 : 1;
