import { awsDown, awsIsRunning, awsUp } from './aws.ts';
import { labHome } from './home.ts';
import { reportTo, silent } from './report.ts';

/** Before the tests on the AWS endpoint: one that is already up is used and left up. */
export default async function setUp(): Promise<(() => Promise<void>) | undefined> {
  const home = labHome();
  const wasRunning = await awsIsRunning(home);
  using report = reportTo(process.stderr);
  await awsUp(home, report);
  return wasRunning ? undefined : () => awsDown(home, { wipe: false }, silent);
}
