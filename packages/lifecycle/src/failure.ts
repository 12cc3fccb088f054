export type LifecycleErrorCode = 'metadata-unreachable' | 'metadata-malformed' | 'unknown-state' | 'aws-refused';

/** A stable code, one sentence of what happened, one of what to do. */
export class LifecycleError extends Error {
  override readonly name = 'LifecycleError';
  readonly code: LifecycleErrorCode;
  readonly next: string;

  constructor(code: LifecycleErrorCode, message: string, next: string) {
    super(message);
    this.code = code;
    this.next = next;
  }
}
