import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';

/** `completion <shell>`: the script to source. At every TAB it asks `cluster-cli complete -- <words>`. */
export function printScript(program: Command, shell: string): void {
  suggest(program, ['complete', shell]);
}

export function suggest(program: Command, argv: readonly string[]): void {
  tab(program);
  program.parse(argv, { from: 'user' });
}
