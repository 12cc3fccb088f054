import { engineDown, engineIsRunning, engineUp } from './engine.ts';
import { labHome } from './home.ts';
import { reportTo, silent } from './report.ts';

/** Before the tests on the real engine: a lab that is already up is used and left up. */
export default async function setUp(): Promise<(() => Promise<void>) | undefined> {
  const home = labHome();
  const wasRunning = await engineIsRunning(home);
  using report = reportTo(process.stderr);
  await engineUp(home, {}, report);
  return wasRunning ? undefined : () => engineDown(home, { wipe: false }, silent);
}
