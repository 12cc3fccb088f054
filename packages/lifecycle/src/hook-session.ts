import {
  type AutoScalingClient,
  CompleteLifecycleActionCommand,
  DescribeLifecycleHooksCommand,
  RecordLifecycleActionHeartbeatCommand,
} from '@aws-sdk/client-auto-scaling';
import { type Clock, realClock } from './clock.ts';
import { LifecycleError } from './failure.ts';

export type HookResult = 'CONTINUE' | 'ABANDON';

/** The lifecycle action of one instance, named the way the API takes it without a token. */
export interface HookAction {
  readonly group: string;
  readonly hook: string;
  readonly instanceId: string;
}

export type HookEvent =
  | { readonly kind: 'held' }
  /** The heartbeat failed and is tried again; the hook still stands until its timeout. */
  | { readonly kind: 'failing'; readonly cause: string; readonly since: number }
  /** Somebody else completed the action, or its time was up. */
  | { readonly kind: 'gone' };

interface HookSessionOptions {
  readonly client: AutoScalingClient;
  readonly action: HookAction;
  /** The hook's heartbeat timeout, from `readHeartbeatTimeout`. */
  readonly heartbeatTimeoutMs: number;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly onEvent?: (event: HookEvent) => void;
}

/** Between two looks at the clocks while waiting: a machine that was suspended beats as soon as it is awake. */
const lookMs = 10_000;
const longestBackoffMs = 30_000;

/**
 * Holds a lifecycle action: a heartbeat at a third of the timeout, so that two may fail before the hook is lost, and
 * more while it fails. It never gives up by itself, whatever the cause: only the group knows whether the hook still stands.
 */
export class HookSession {
  readonly #options: HookSessionOptions;
  readonly #clock: Clock;
  readonly #ended = new AbortController();
  #loop: Promise<void> | undefined;
  #gone = false;

  constructor(options: HookSessionOptions) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
  }

  /** False as soon as the group has said that no such action is waiting any more. */
  get isHeld(): boolean {
    return !this.#gone;
  }

  /** The first heartbeat goes out at once: nobody knows how old the hook is. */
  start(): void {
    this.#loop ??= this.#beatUntilEnded();
  }

  /** Stops heartbeats, and leaves the hook to its timeout. */
  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#loop;
  }

  /**
   * Completes the action. Heartbeats go on until the group has taken it, so that a throttled completion does not lose
   * the hook. That somebody else was first is fine.
   */
  async complete(result: HookResult): Promise<'completed' | 'completed-by-another'> {
    this.start();
    const { client, action } = this.#options;
    for (let failures = 0; ; failures++) {
      try {
        const command = new CompleteLifecycleActionCommand({ ...named(action), LifecycleActionResult: result });
        await client.send(command);
        await this.stop();
        return 'completed';
      } catch (error) {
        if (isGone(error)) {
          this.#end();
          await this.stop();
          return 'completed-by-another';
        }
        this.#tell({ kind: 'failing', cause: causeOf(error), since: this.#clock.now() });
        await this.#clock.sleep(this.#backoff(failures));
      }
    }
  }

  async #beatUntilEnded(): Promise<void> {
    const { client, action, heartbeatTimeoutMs, random = Math.random } = this.#options;
    let failures = 0;
    let failingSince: number | undefined;
    while (!this.#ended.signal.aborted && !this.#gone) {
      let wait: number;
      try {
        await client.send(new RecordLifecycleActionHeartbeatCommand(named(action)));
        failures = 0;
        failingSince = undefined;
        this.#tell({ kind: 'held' });
        // Jitter only shortens: 200 nodes must not beat in the same second, and none may be late.
        wait = (heartbeatTimeoutMs / 3) * (0.8 + 0.2 * random());
      } catch (error) {
        if (isGone(error)) return this.#end();
        failingSince ??= this.#clock.now();
        this.#tell({ kind: 'failing', cause: causeOf(error), since: failingSince });
        wait = this.#backoff(failures++);
      }
      await this.#pause(wait);
    }
  }

  #backoff(failures: number): number {
    const { heartbeatTimeoutMs, random = Math.random } = this.#options;
    const most = Math.min(longestBackoffMs, heartbeatTimeoutMs / 6);
    return Math.min(most, 1_000 * 2 ** failures) * (0.5 + 0.5 * random());
  }

  /** Waits by the clock that cannot be stepped, and by the other one too, which goes on while the machine sleeps. */
  async #pause(ms: number): Promise<void> {
    const now = this.#clock.now();
    const wall = this.#clock.wall();
    for (;;) {
      const left = ms - Math.max(this.#clock.now() - now, this.#clock.wall() - wall);
      if (left <= 0 || this.#ended.signal.aborted) return;
      await this.#clock.sleep(Math.min(left, lookMs), this.#ended.signal);
    }
  }

  #end(): void {
    if (!this.#gone) this.#tell({ kind: 'gone' });
    this.#gone = true;
  }

  #tell(event: HookEvent): void {
    this.#options.onEvent?.(event);
  }
}

/** The heartbeat timeout that a hook of the group has now; how often to beat follows from it. */
export async function readHeartbeatTimeout(client: AutoScalingClient, { group, hook }: HookAction): Promise<number> {
  const answer = await client.send(
    new DescribeLifecycleHooksCommand({ AutoScalingGroupName: group, LifecycleHookNames: [hook] }),
  );
  const seconds = answer.LifecycleHooks?.find(({ LifecycleHookName }) => LifecycleHookName === hook)?.HeartbeatTimeout;
  if (seconds !== undefined) return seconds * 1000;
  throw new LifecycleError(
    'aws-refused',
    `group ${group} has no lifecycle hook named ${hook}`,
    'Name the hook that the group has: aws autoscaling describe-lifecycle-hooks.',
  );
}

const named = ({ group, hook, instanceId }: HookAction) => ({
  AutoScalingGroupName: group,
  LifecycleHookName: hook,
  InstanceId: instanceId,
});

/** The one refusal that is an answer: the group has no such action waiting. Everything else may pass. */
function isGone(error: unknown): boolean {
  return (
    error instanceof Error && error.name === 'ValidationError' && error.message.includes('No active Lifecycle Action')
  );
}

const causeOf = (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error));
