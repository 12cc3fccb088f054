import { EngineClient } from '@muster/engine';
import type { Context } from './context.ts';
import { credentials } from './credentials.ts';
import { CliError } from './failure.ts';
import type { GlobalOptions } from './options.ts';
import type { Terminal } from './terminal.ts';

/** Where the configuration agent keeps external facts: Debian's package first, then the vendor's. */
const factFiles = ['/etc/facter/facts.d/muster.json', '/etc/puppetlabs/facter/facts.d/muster.json'];

/** Sets the terminal's level and opens the way to the engine. Nothing is sent before the command asks. */
export function connect(options: GlobalOptions, command: Named, terminal: Terminal, world: World): Context {
  terminal.level = options.debug ? 'debug' : options.quiet ? 'quiet' : 'normal';
  refuseBinaryOnTerminal({ format: options.format, terminal });
  const engine = new EngineClient({
    address: { protocol: options.esProtocol, host: options.esHost, port: options.esPort },
    credentials: credentials({ ...options, env: world.env, factFiles: world.factFiles ?? factFiles }, terminal),
    opaqueId: `cluster-cli/${command.path}`,
    report: ({ call, outcome, ms }) => terminal.debug(`${call} → ${outcome}, ${ms} ms`),
  });
  const { env, stateFolder = '/var/lib/muster' } = world;
  return { engine, terminal, format: options.format, version: command.version, env, stateFolder };
}

/** The command that runs, as the engine's logs and the evidence name it. */
interface Named {
  readonly path: string;
  readonly version: string;
}

/** What a command may know of the machine it runs on. */
export interface World {
  readonly env: NodeJS.ProcessEnv;
  readonly factFiles?: readonly string[];
  readonly stateFolder?: string;
}

/** Bytes on a terminal help nobody and may confuse it. */
function refuseBinaryOnTerminal({ format, terminal }: Pick<Context, 'format' | 'terminal'>): void {
  if ((format === 'cbor' || format === 'smile') && terminal.isInteractive) {
    throw new CliError('usage', `--format ${format} is binary`, `Send it to a file or a pipe: … > answer.${format}`);
  }
}
