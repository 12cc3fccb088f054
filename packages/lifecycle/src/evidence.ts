import { open } from 'node:fs/promises';
import {
  type CloudWatchLogsClient,
  CreateLogStreamCommand,
  PutLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { type Clock, realClock } from './clock.ts';

/** One decision: what was seen, which guard spoke, what was done. Enough to tell the story when the machine is gone. */
export interface Evidence {
  /** The module and its version: `search-cluster 0.1.0`. */
  readonly module: string;
  readonly operation: string;
  readonly instanceId: string;
  readonly decision: string;
  readonly reasons: readonly string[];
  /** What the decision was taken on. */
  readonly seen: Readonly<Record<string, unknown>>;
}

interface EvidenceLogOptions {
  readonly client: CloudWatchLogsClient;
  /** `/muster/<fleet or cluster>/decisions` */
  readonly logGroup: string;
  /** One stream an instance: streams are written by one writer each. */
  readonly stream: string;
  /** The copy that stays on a running node; a function has none. */
  readonly file?: string;
  readonly clock?: Clock;
}

/** A hook may have to wait for this, so it is bounded: an outage of the log service must not cost a machine. */
const acknowledgedWithinMs = 10_000;

/** Where decisions are recorded, on the machine and beyond it. */
export class EvidenceLog {
  readonly #options: EvidenceLogOptions;
  readonly #clock: Clock;

  constructor(options: EvidenceLogOptions) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
  }

  /** Returns once the log service has it, or once it is clear that it will not take it in time: the reason then. */
  async record(evidence: Evidence): Promise<{ acknowledged: true } | { acknowledged: false; cause: string }> {
    const timestamp = this.#clock.wall();
    const line = JSON.stringify({ at: new Date(timestamp).toISOString(), ...evidence });
    if (this.#options.file !== undefined) await append(this.#options.file, line);
    const signal = AbortSignal.timeout(acknowledgedWithinMs);
    try {
      await this.#put(line, timestamp, signal);
      return { acknowledged: true };
    } catch (error) {
      return { acknowledged: false, cause: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
    }
  }

  async #put(message: string, timestamp: number, abortSignal: AbortSignal): Promise<void> {
    const { client, logGroup: logGroupName, stream: logStreamName } = this.#options;
    const put = new PutLogEventsCommand({ logGroupName, logStreamName, logEvents: [{ message, timestamp }] });
    try {
      await client.send(put, { abortSignal });
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'ResourceNotFoundException') throw error;
      await client.send(new CreateLogStreamCommand({ logGroupName, logStreamName }), { abortSignal });
      await client.send(put, { abortSignal });
    }
  }
}

/** On the disk before anything follows from it: the machine may end in the next second. */
async function append(file: string, line: string): Promise<void> {
  const handle = await open(file, 'a', 0o600);
  try {
    await handle.appendFile(`${line}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
