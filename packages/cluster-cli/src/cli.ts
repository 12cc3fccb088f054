import { type Command, CommanderError } from 'commander';
import type { World } from './connection.ts';
import { exitCodes } from './exit-codes.ts';
import type { GlobalOptions } from './options.ts';
import { buildProgram, pathOf, type Run } from './program.ts';
import { Terminal, type TerminalOptions } from './terminal.ts';

// What a run does not need is not loaded: the imports below are half of the time that `--version` would take.

/** One run of the command: parse, connect, act, and turn whatever happens into an exit code. */
export async function main(argv: readonly string[], world: World & TerminalOptions): Promise<number> {
  const terminal = new Terminal(world);
  const chosen: { command: Command; run: Run }[] = [];
  const program = buildProgram((command, run) => chosen.push({ command, run }), {
    writeOut: (text) => void world.stdout.write(text),
    writeErr: (text) => void world.stderr.write(text),
  });
  try {
    if (argv[0] === 'complete') {
      (await import('./completion.ts')).suggest(program, argv);
      return exitCodes.ok[0];
    }
    program.parse(argv, { from: 'user' });
    const [choice] = chosen;
    if (choice === undefined) return exitCodes.usage[0];
    const { command, run } = choice;
    const { connect } = await import('./connection.ts');
    const named = { path: pathOf(command), version: program.version() ?? '' };
    const context = connect(program.opts<GlobalOptions>(), named, terminal, world);
    const done = terminal.waiting(`waiting for ${context.engine.url}`);
    try {
      const running = run(context);
      terminal.open();
      return exitCodes[(await running) ?? 'ok'][0];
    } finally {
      done();
      context.engine.close();
    }
  } catch (error) {
    // Commander has said already what is wrong, and with which word it would have been right.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok[0] : exitCodes.usage[0];
    const { failureOf } = await import('./failure.ts');
    const { exit, message, next } = failureOf(error);
    terminal.error(message);
    terminal.info(`next: ${next}`);
    if (error instanceof Error && error.stack !== undefined) terminal.debug(error.stack);
    return exitCodes[exit][0];
  }
}
