/** The codes as they stand on the wire; the SDK appends `Fault` to those that its model knows. */
export type ErrorCode =
  | 'ActiveInstanceRefreshNotFound'
  | 'AlreadyExists'
  | 'InstanceRefreshInProgress'
  | 'InvalidNextToken'
  | 'IrreversibleInstanceRefresh'
  | 'LimitExceeded'
  | 'ResourceContention'
  | 'ResourceInUse'
  | 'ScalingActivityInProgress'
  | 'Throttling'
  | 'ValidationError';

export class AutoScalingError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.name = code;
    this.code = code;
  }
}

export function refuse(message: string, code: ErrorCode = 'ValidationError'): never {
  throw new AutoScalingError(code, message);
}
