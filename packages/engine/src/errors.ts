/** What went wrong between us and the engine, by cause. Stable: exit codes and runbooks hang on these words. */
export type EngineErrorCode =
  | 'unreachable'
  | 'timeout'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'rejected'
  | 'overloaded'
  | 'unavailable'
  | 'malformed';

/** The engine's answer as it came: also an error keeps it, so that a raw call can show it. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** A failed engine call: a stable code, one sentence of what happened, one of what to do. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: EngineErrorCode;
  readonly next: string;
  readonly answer: Answer | undefined;

  constructor(code: EngineErrorCode, message: string, next: string, answer?: Answer) {
    super(message);
    this.code = code;
    this.next = next;
    this.answer = answer;
  }
}

/** The answer was understood by nobody: name the place, never guess. */
export function malformed(call: string, detail: string): EngineError {
  return new EngineError(
    'malformed',
    `${call}: the answer is not what the engine sends: ${detail}`,
    'Check that the address is an Elasticsearch node and not a proxy or another service; repeat with --debug.',
  );
}

export interface Caller {
  readonly username: string;
  /** Where the password came from, in words a person can act on. */
  readonly source: string;
}

/** Turns a status of 400 or more into an error that says what to do next. */
export function errorOfStatus(call: string, answer: Answer, caller: Caller | undefined): EngineError {
  const reason = reasonOf(answer);
  const said = reason === undefined ? `status ${answer.status}` : `${answer.status}: ${reason}`;
  switch (answer.status) {
    case 401:
      return caller === undefined
        ? new EngineError(
            'unauthorized',
            `${call} needs a password, and none was found`,
            'Pass --password-secret <id>, or set CLUSTER_CLI_PASSWORD.',
            answer,
          )
        : new EngineError(
            'unauthorized',
            `the engine refused the password of user ${caller.username} (from ${caller.source})`,
            'Check the user name and the secret; `cluster-cli --password-secret <id>` reads it from the store.',
            answer,
          );
    case 403:
      return new EngineError(
        'forbidden',
        `${caller?.username ?? 'the anonymous user'} may not ${call} (${said})`,
        caller === undefined
          ? 'Anonymous access reads monitoring data only: pass --password-secret <id>, or set CLUSTER_CLI_PASSWORD.'
          : 'Sign in as a user whose role allows it, for example --username elastic.',
        answer,
      );
    case 404:
      return new EngineError('not-found', `${call}: not found (${said})`, 'Check the name and the path.', answer);
    case 408:
    case 504:
      return new EngineError(
        'timeout',
        `${call}: the engine or a proxy gave up (${said})`,
        'Look at the load of the nodes: `cluster-cli cat nodes`.',
        answer,
      );
    case 429:
      return new EngineError(
        'overloaded',
        `${call}: the engine is shedding load (${said})`,
        'Wait and repeat; `cluster-cli cat nodes` shows which node is short of heap or CPU.',
        answer,
      );
    case 502:
    case 503:
      return new EngineError(
        'unavailable',
        `${call}: the cluster cannot answer now (${said})`,
        'No master is elected, or the node is starting: `cluster-cli cluster health` from another node tells.',
        answer,
      );
    default:
      return answer.status >= 500
        ? new EngineError('unavailable', `${call}: the engine failed (${said})`, "Read the node's log.", answer)
        : new EngineError('rejected', `${call}: the engine refused the call (${said})`, 'Correct the call.', answer);
  }
}

/** The engine's own sentence, where its answer has one. Only the first line, bounded: it goes into a message. */
function reasonOf(answer: Answer): string | undefined {
  let error: unknown;
  try {
    const document: unknown = JSON.parse(answer.body.toString());
    error = typeof document === 'object' && document !== null && 'error' in document ? document.error : undefined;
  } catch {
    return undefined;
  }
  if (typeof error === 'object' && error !== null && 'reason' in error) error = error.reason;
  if (typeof error !== 'string') return undefined;
  const line = (error.split('\n', 1)[0] ?? '').replaceAll(/\p{Cc}/gu, ' ');
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
