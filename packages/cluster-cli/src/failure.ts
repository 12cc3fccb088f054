import { EngineError, type EngineErrorCode } from '@muster/engine';
import { LifecycleError, type LifecycleErrorCode } from '@muster/lifecycle/failure';
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

const exitOfLifecycleCode: Record<LifecycleErrorCode, Exit> = {
  'metadata-unreachable': 'unreachable',
  'metadata-malformed': 'malformed',
  'unknown-state': 'malformed',
  'aws-refused': 'notFound',
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
  if (error instanceof LifecycleError) {
    return { exit: exitOfLifecycleCode[error.code], message: error.message, next: error.next };
  }
  const message = error instanceof Error ? error.message : String(error);
  // How the AWS SDK marks its errors, whatever their class.
  if (error instanceof Error && '$metadata' in error) {
    const next = 'Check the role of this machine, AWS_REGION and the way to AWS; what is under way stays as it is.';
    return { exit: 'aws', message: `AWS: ${error.name}: ${message}`, next };
  }
  return { exit: 'unexpected', message, next: 'This is a bug: report it with `cluster-cli --version` and --debug.' };
}
