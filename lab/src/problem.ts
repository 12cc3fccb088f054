type LabProblemCode =
  | 'LAB_AWS_REFUSED'
  | 'LAB_COMMAND_FAILED'
  | 'LAB_COMMAND_MISSING'
  | 'LAB_DOWNLOAD_DAMAGED'
  | 'LAB_HOME_CLOSED'
  | 'LAB_NODES_DIFFER'
  | 'LAB_NODE_ENDED'
  | 'LAB_NOT_READY'
  | 'LAB_NOT_UP'
  | 'LAB_NO_HOOK'
  | 'LAB_NO_JDK'
  | 'LAB_PASSWORD_CHANGED'
  | 'LAB_PORT_IN_USE'
  | 'LAB_STATE_UNREADABLE'
  | 'LAB_STILL_RUNNING'
  | 'LAB_UNKNOWN_GROUP'
  | 'LAB_UNKNOWN_INSTANCE'
  | 'LAB_UNKNOWN_NODE'
  | 'LAB_VERSION_DIFFERS';

/** What went wrong, under a code that stays the same, and what to do next. */
export class LabProblem extends Error {
  override readonly name = 'LabProblem';
  readonly code: LabProblemCode;
  readonly next: string;

  constructor(code: LabProblemCode, message: string, next: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.next = next;
  }
}
