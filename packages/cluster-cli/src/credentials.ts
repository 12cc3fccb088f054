import { statSync } from 'node:fs';
import type { Credentials } from '@muster/engine';
import type { Terminal } from './terminal.ts';

export interface CredentialOptions {
  readonly username: string;
  readonly password?: string;
  readonly passwordSecret?: string;
  readonly env: NodeJS.ProcessEnv;
  readonly factFiles: readonly string[];
}

/**
 * The passwords to try, first the one that was asked for most plainly. It is a generator because each step may cost
 * something and must not happen unless the one before it gave nothing or, for the agent's fact, was refused.
 */
export async function* credentials(options: CredentialOptions, terminal: Terminal): AsyncGenerator<Credentials> {
  const { username } = options;
  const candidate = (password: string, source: string): Credentials => {
    terminal.conceal(password);
    terminal.conceal(Buffer.from(`${username}:${password}`).toString('base64'));
    terminal.debug(`password of ${username} from ${source}`);
    return { username, password, source };
  };

  if (options.password !== undefined) {
    terminal.warn(
      'a password on the command line can be read by every user of this machine; ' +
        'use --password-secret or CLUSTER_CLI_PASSWORD',
    );
    yield candidate(options.password, '--password');
    return;
  }
  if (options.passwordSecret !== undefined) {
    yield candidate(await fromStore(options.passwordSecret, undefined), `secret ${options.passwordSecret}`);
    return;
  }
  const { CLUSTER_CLI_PASSWORD: fromEnvironment } = options.env;
  if (fromEnvironment !== undefined && fromEnvironment !== '') {
    yield candidate(fromEnvironment, 'CLUSTER_CLI_PASSWORD');
    return;
  }

  if (!options.factFiles.some(mayExist)) return;
  const { readAgentFacts } = await import('./agent-facts.ts');
  const facts = readAgentFacts(options.factFiles);
  const stored = facts?.elastic_secret_id;
  if (facts?.elastic_password !== undefined) {
    yield candidate(facts.elastic_password, 'the agent facts');
    if (stored !== undefined) terminal.warn('the password in the agent facts is refused; reading the secrets store');
  }
  if (stored !== undefined) {
    yield candidate(await fromStore(stored, options.env.AWS_REGION ?? facts?.aws_region), `secret ${stored}`);
  }
}

/** A file that cannot even be looked at counts: reading it then says why, instead of taking it for absent. */
function mayExist(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

async function fromStore(secretId: string, region: string | undefined): Promise<string> {
  const { readPassword } = await import('./secrets-store.ts');
  return readPassword(secretId, region);
}
