import type { Agent } from 'node:http';
import type { Answer, Caller } from './errors.ts';
import { EngineError, errorOfStatus, malformed } from './errors.ts';

export interface Address {
  readonly protocol: 'http' | 'https';
  readonly host: string;
  readonly port: number;
}

export interface Credentials extends Caller {
  readonly password: string;
}

/** How the engine may write its answer. The binary ones are passed on as they come. */
const mediaTypes = {
  json: 'application/json',
  yaml: 'application/yaml',
  cbor: 'application/cbor',
  smile: 'application/smile',
  text: 'text/plain',
} as const;

export type Encoding = keyof typeof mediaTypes;

export interface Call {
  readonly accept?: Encoding;
  readonly body?: string;
  readonly query?: Record<string, string | undefined>;
  readonly limitMs?: number;
}

/** One line of what happened on the wire. Headers are not in it: they carry the password. */
export interface CallReport {
  readonly call: string;
  readonly outcome: string;
  readonly ms: number;
}

export interface ClientOptions {
  readonly address: Address;
  /** Tried in order: when one is refused with 401 the next is asked for. None at all: anonymous. */
  readonly credentials?: AsyncIterator<Credentials>;
  /** Names the caller in the engine's slow log and task list. */
  readonly opaqueId: string;
  readonly report?: (report: CallReport) => void;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export interface Clock {
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

const realClock: Clock = {
  now: Date.now,
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** A connection that takes longer than this leads nowhere; a dead address must not cost the whole time limit. */
const connectLimitMs = 5_000;
const defaultLimitMs = 30_000;
/** Reads are tried three times. Writes never: the engine may have done what it could not answer. */
const readAttempts = 3;
const retriedStatuses = new Set([429, 502, 503]);
/** The connection was lost, as happens when a node restarts or an idle connection had just been closed. */
const retriedErrors = new Set(['ECONNRESET', 'EPIPE']);

/**
 * The engine over the platform's own HTTP client: one address, explicit time limits, reads retried, no header ever
 * in an error or a report. `fetch` costs 40 ms more at every start, the official client 130 ms (docs/performance.md).
 */
export class EngineClient {
  readonly #options: ClientOptions;
  readonly #clock: Clock;
  #agent: Agent | undefined;
  #credentials: Credentials | undefined;
  #asked = false;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
  }

  get url(): string {
    const { protocol, host, port } = this.#options.address;
    return `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  }

  /** Any answer below 400, or a typed error. */
  async request(method: string, path: string, call: Call = {}): Promise<Answer> {
    const target = withQuery(path, call.query);
    const deadline = this.#clock.now() + (call.limitMs ?? defaultLimitMs);
    const attempts = method === 'GET' || method === 'HEAD' ? readAttempts : 1;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#authorised({ ...call, method, target, deadline });
      if ('status' in outcome && outcome.status < 400) return outcome;
      const again = 'status' in outcome ? retriedStatuses.has(outcome.status) : outcome.again;
      const pause = 200 * 2 ** attempt * (0.5 + (this.#options.random ?? Math.random)());
      if (!again || attempt === attempts || this.#clock.now() + pause > deadline) {
        throw 'status' in outcome ? errorOfStatus(`${method} ${target}`, outcome, this.#credentials) : outcome.error;
      }
      await this.#clock.sleep(pause);
    }
  }

  /** The answer as JSON. A proxy's page or half an answer is an error, never an empty object. */
  async json(method: string, path: string, call: Call = {}): Promise<unknown> {
    const answer = await this.request(method, path, { ...call, accept: 'json' });
    try {
      return JSON.parse(answer.body.toString());
    } catch {
      throw malformed(`${method} ${path}`, `no JSON but ${excerpt(answer)}`);
    }
  }

  /** Ends idle connections, so that a caller with more to do does not keep them. */
  close(): void {
    this.#agent?.destroy();
  }

  /** Sends, and goes on to the next credentials as long as the engine refuses the present ones. */
  async #authorised(request: Request): Promise<Answer | Failure> {
    if (!this.#asked) await this.#nextCredentials();
    for (;;) {
      const outcome = await this.#send(request);
      if (!('status' in outcome) || outcome.status !== 401 || !(await this.#nextCredentials())) return outcome;
    }
  }

  async #nextCredentials(): Promise<boolean> {
    this.#asked = true;
    const next = await this.#options.credentials?.next();
    if (next === undefined || next.done === true) return false;
    this.#credentials = next.value;
    return true;
  }

  async #send(request: Request): Promise<Answer | Failure> {
    const started = this.#clock.now();
    const call = `${request.method} ${request.target}`;
    const report = (outcome: string) => this.#options.report?.({ call, outcome, ms: this.#clock.now() - started });
    try {
      const answer = await this.#exchange(request, request.deadline - started);
      report(`${answer.status}, ${answer.body.length} bytes`);
      return answer;
    } catch (error) {
      const failure = this.#failure(call, error);
      report(failure.error.code);
      return failure;
    }
  }

  #exchange({ method, target, ...call }: Request, limitMs: number): Promise<Answer> {
    const { protocol, host, port } = this.#options.address;
    // Loaded when needed, since TLS alone takes half as long as Node's start; and not by `import`, which also loads
    // the `fetch` that hangs on the module: 40 ms.
    const transport =
      protocol === 'https' ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http');
    this.#agent ??= new transport.Agent({ keepAlive: true });
    const agent = this.#agent;
    return new Promise((resolve, reject) => {
      const request = transport.request({
        host,
        port,
        method,
        path: target,
        agent,
        headers: this.#headers(call),
        signal: AbortSignal.timeout(Math.max(1, Math.ceil(limitMs))),
      });
      request.on('error', reject);
      request.on('socket', (socket) => {
        if (!socket.connecting) return;
        const timer = setTimeout(() => request.destroy(new ConnectTimeout()), connectLimitMs);
        socket.once('connect', () => clearTimeout(timer));
        socket.once('close', () => clearTimeout(timer));
      });
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const [only] = chunks;
          resolve({
            status: response.statusCode ?? 0,
            contentType: response.headers['content-type'] ?? '',
            body: chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks),
          });
        });
      });
      request.end(call.body);
    });
  }

  #headers(call: Call): Record<string, string> {
    const headers: Record<string, string> = { 'X-Opaque-Id': this.#options.opaqueId };
    if (call.accept !== undefined) headers.Accept = mediaTypes[call.accept];
    if (call.body !== undefined) {
      headers['Content-Type'] = mediaTypes.json;
      headers['Content-Length'] = String(Buffer.byteLength(call.body));
    }
    if (this.#credentials !== undefined) {
      const { username, password } = this.#credentials;
      headers.Authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    }
    return headers;
  }

  #failure(call: string, error: unknown): Failure {
    if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')) {
      const message = `${call}: no answer from ${this.url} within the time limit`;
      const next = 'The node is overloaded or hangs: ask another one with --es-host.';
      return { error: new EngineError('timeout', message, next), again: false };
    }
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code.startsWith('HPE_')) return { error: malformed(call, 'no HTTP answer'), again: false };
    const detail = error instanceof ConnectTimeout ? `no connection within ${connectLimitMs / 1000} s` : code;
    const message = `cannot reach the engine at ${this.url}${detail === '' ? '' : ` (${detail})`}`;
    const next =
      'Is the node running (`systemctl status elasticsearch`)? Another node: --es-host, --es-port, --es-protocol.';
    return { error: new EngineError('unreachable', message, next), again: retriedErrors.has(code) };
  }
}

interface Request extends Call {
  readonly method: string;
  readonly target: string;
  readonly deadline: number;
}

interface Failure {
  readonly error: EngineError;
  readonly again: boolean;
}

class ConnectTimeout extends Error {}

function withQuery(path: string, query: Call['query']): string {
  const given = Object.entries(query ?? {}).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`],
  );
  const rooted = path.startsWith('/') ? path : `/${path}`;
  if (given.length === 0) return rooted;
  return `${rooted}${rooted.includes('?') ? '&' : '?'}${given.join('&')}`;
}

function excerpt(answer: Answer): string {
  const start = answer.body
    .subarray(0, 80)
    .toString()
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim();
  return start === '' ? 'an empty answer' : `${JSON.stringify(start)} (${answer.contentType || 'no content type'})`;
}
