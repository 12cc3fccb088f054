import { EventEmitter } from 'node:events';
import { main } from './cli.ts';
import type { OutputStream } from './terminal.ts';

export interface Captured {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly bytes: Buffer;
}

export interface Surroundings {
  readonly env?: NodeJS.ProcessEnv;
  readonly factFiles?: readonly string[];
  readonly stateFolder?: string;
  /** Width of the terminal that stdout and stderr are; absent, they are pipes. */
  readonly columns?: number;
}

/** Runs the whole command in this process, as a test's user would. */
export async function runCaptured(argv: readonly string[], surroundings: Surroundings = {}): Promise<Captured> {
  const stdout = new CapturedStream(surroundings.columns);
  const stderr = new CapturedStream(surroundings.columns);
  const { env = {}, factFiles = [], stateFolder = '/nonexistent' } = surroundings;
  const code = await main(argv, { stdout, stderr, env, factFiles, stateFolder });
  return { code, stdout: stdout.text, stderr: stderr.text, bytes: stdout.bytes };
}

/** A stream that keeps what is written, for tests: a pipe, or a terminal of some width. */
export class CapturedStream extends EventEmitter implements OutputStream {
  readonly isTTY: boolean;
  readonly columns: number;
  readonly chunks: Buffer[] = [];

  constructor(columns?: number) {
    super();
    this.isTTY = columns !== undefined;
    this.columns = columns ?? 80;
  }

  write(chunk: string | Uint8Array): boolean {
    this.chunks.push(Buffer.from(chunk));
    return true;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }

  get text(): string {
    return this.bytes.toString();
  }
}
