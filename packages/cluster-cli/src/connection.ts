import { EngineClient } from '@muster/engine';
import { factFiles } from './agent-facts.ts';
import type { Context } from './context.ts';
import { credentials } from './credentials.ts';
import type { GlobalOptions } from './options.ts';
import { refuseBinaryOnTerminal } from './output.ts';
import type { Terminal } from './terminal.ts';

/** Sets the terminal's level and opens the way to the engine. Nothing is sent before the command asks. */
export function connect(options: GlobalOptions, command: string, terminal: Terminal, world: World): Context {
  terminal.level = options.debug ? 'debug' : options.quiet ? 'quiet' : 'normal';
  refuseBinaryOnTerminal({ format: options.format, terminal });
  const engine = new EngineClient({
    address: { protocol: options.esProtocol, host: options.esHost, port: options.esPort },
    credentials: credentials({ ...options, env: world.env, factFiles: world.factFiles ?? factFiles }, terminal),
    opaqueId: `cluster-cli/${command}`,
    report: ({ call, outcome, ms }) => terminal.debug(`${call} → ${outcome}, ${ms} ms`),
  });
  return { engine, terminal, format: options.format };
}

/** What a command may know of the machine it runs on. */
export interface World {
  readonly env: NodeJS.ProcessEnv;
  readonly factFiles?: readonly string[];
}
