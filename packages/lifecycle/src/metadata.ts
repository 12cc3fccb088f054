import * as z from 'zod/mini';
import { type Clock, realClock } from './clock.ts';
import { LifecycleError } from './failure.ts';

// No AWS SDK in this file: the scheduled command asks it on every node every five minutes and must stay cheap. AWS's own
// metadata package takes 60 ms to load, asks for a new token with every call, and falls back to calls without a token
// for good after one slow answer.

/** Where the instance is going, as its metadata tells; documented as the steady states. */
export const targetStates = [
  'InService',
  'Standby',
  'Detached',
  'Terminated',
  'Warmed:Hibernated',
  'Warmed:Running',
  'Warmed:Stopped',
  'Warmed:Terminated',
] as const;
export type TargetState = (typeof targetStates)[number];

export const isLeaving = (target: TargetState): boolean => target === 'Terminated' || target === 'Warmed:Terminated';

const identitySchema = z.object({
  instanceId: z.string().check(z.regex(/^i-[0-9a-f]{8,17}$/)),
  region: z.string(),
  availabilityZone: z.string(),
  accountId: z.string(),
});
export type Identity = z.infer<typeof identitySchema>;

export interface MetadataOptions {
  /** Where the service is; AWS's own SDKs read the same variable. */
  readonly endpoint?: string;
  readonly clock?: Clock;
  /** How long a call may take with all its tries: the service restarts, and is slow on a loaded machine. */
  readonly limitMs?: number;
}

const oneTryMs = 2_000;
const tokenSeconds = 21_600;
/** A token is not used in its last minute: it could end on the way. */
const tokenReserveMs = 60_000;

/** The instance metadata service, with session tokens only. */
export class Metadata {
  readonly #endpoint: URL;
  readonly #clock: Clock;
  readonly #limitMs: number;
  #token: { readonly value: string; readonly until: number } | undefined;

  constructor({ endpoint = process.env.AWS_EC2_METADATA_SERVICE_ENDPOINT, clock, limitMs }: MetadataOptions = {}) {
    this.#endpoint = new URL(endpoint ?? 'http://169.254.169.254');
    this.#clock = clock ?? realClock;
    this.#limitMs = limitMs ?? 15_000;
  }

  async identity(): Promise<Identity> {
    const text = await this.#get('/latest/dynamic/instance-identity/document');
    const identity = z.safeParse(identitySchema, parseJson(text));
    if (identity.success) return identity.data;
    throw new LifecycleError(
      'metadata-malformed',
      'the identity document of this instance cannot be read',
      `Look at it: curl ${this.#endpoint.origin}/latest/dynamic/instance-identity/document`,
    );
  }

  /** `undefined` when the instance is in no autoscaling group. A state that nobody knows is an error that names it. */
  async targetState(): Promise<TargetState | undefined> {
    const text = await this.#get('/latest/meta-data/autoscaling/target-lifecycle-state');
    if (text === undefined) return undefined;
    const state = targetStates.find((known) => known === text.trim());
    if (state !== undefined) return state;
    throw new LifecycleError(
      'unknown-state',
      `the metadata service says that this instance goes to ${JSON.stringify(text.slice(0, 80))}, a state we do not know`,
      'Nothing was done. Update Muster, or report this with the state.',
    );
  }

  /** A tag of the instance; `undefined` when it has none of that name, or tags are not in its metadata. */
  tag(name: string): Promise<string | undefined> {
    return this.#get(`/latest/meta-data/tags/instance/${encodeURIComponent(name)}`);
  }

  /** Tries until there is an answer, or the time is up. 404 is an answer: there is no such item. */
  async #get(path: string): Promise<string | undefined> {
    const deadline = this.#clock.now() + this.#limitMs;
    for (let pause = 100; ; pause = Math.min(pause * 2, 2_000)) {
      let trouble: string;
      try {
        const { status, body } = await this.#send('GET', path, {
          'X-aws-ec2-metadata-token': await this.#freshToken(),
        });
        if (status === 200) return body;
        if (status === 404) return undefined;
        // The token has ended, or the service that gave it was restarted.
        if (status === 401) this.#token = undefined;
        trouble = `status ${status}`;
      } catch (error) {
        trouble = error instanceof Error ? error.message : String(error);
      }
      if (this.#clock.now() + pause > deadline) {
        throw new LifecycleError(
          'metadata-unreachable',
          `the instance metadata service does not answer (${trouble})`,
          'Is this an EC2 instance, and is its metadata service enabled? Its address: AWS_EC2_METADATA_SERVICE_ENDPOINT.',
        );
      }
      await this.#clock.sleep(pause);
    }
  }

  async #freshToken(): Promise<string> {
    if (this.#token !== undefined && this.#clock.now() < this.#token.until) return this.#token.value;
    const until = this.#clock.now() + tokenSeconds * 1000 - tokenReserveMs;
    const headers = { 'X-aws-ec2-metadata-token-ttl-seconds': String(tokenSeconds) };
    const { status, body } = await this.#send('PUT', '/latest/api/token', headers);
    if (status !== 200) throw new Error(`no session token: status ${status}`);
    this.#token = { value: body, until };
    return body;
  }

  #send(method: string, path: string, headers: Record<string, string>): Promise<{ status: number; body: string }> {
    const { request } = process.getBuiltinModule('node:http');
    return new Promise((resolve, reject) => {
      const call = request(new URL(path, this.#endpoint), { method, headers, signal: AbortSignal.timeout(oneTryMs) });
      call.on('error', reject);
      call.on('response', (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          body += chunk;
        });
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      });
      call.end();
    });
  }
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
