import { EngineError, type EngineErrorCode } from '@muster/engine';
import type { Exit } from './exit-codes.ts';

const exitOfCode: Record<EngineErrorCode, Exit> = {
  unreachable: 'unreachable',
  timeout: 'unreachable',
  unauthorized: 'denied',
  forbidden: 'denied',
  'not-found': 'notFound',
  rejected: 'rejected',
  overloaded: 'busy',
  unavailable: 'busy',
  malformed: 'malformed',
};

/** A failure of the command's own, with what to do next. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exit: Exit;
  readonly next: string;

  constructor(exit: Exit, message: string, next: string) {
    super(message);
    this.exit = exit;
    this.next = next;
  }
}

export interface Failure {
  readonly exit: Exit;
  readonly message: string;
  readonly next: string;
}

/** Every error becomes a sentence, a next step and an exit code; what we did not foresee says so. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CliError) return error;
  if (error instanceof EngineError) return { exit: exitOfCode[error.code], message: error.message, next: error.next };
  const message = error instanceof Error ? error.message : String(error);
  return { exit: 'unexpected', message, next: 'This is a bug: report it with `cluster-cli --version` and --debug.' };
}
