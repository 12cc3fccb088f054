import type { Clock } from './clock.ts';

/** Requests that may come at once, and how many are allowed again every second. */
export type RequestRate = { burst: number; perSecond: number };

/** One bucket for all calls: the service has a single shared limit for an account and Region. */
export class Throttle {
  readonly #clock: Clock;
  #rate: RequestRate | undefined;
  #tokens = 0;
  #filledAt = 0;

  constructor(clock: Clock, rate?: RequestRate) {
    this.#clock = clock;
    this.limit(rate);
  }

  /** Without a rate nothing is throttled. */
  limit(rate: RequestRate | undefined): void {
    this.#rate = rate;
    this.#tokens = rate?.burst ?? 0;
    this.#filledAt = this.#clock.now();
  }

  take(): boolean {
    if (!this.#rate) return true;
    const now = this.#clock.now();
    const refilled = this.#tokens + (now - this.#filledAt) * this.#rate.perSecond;
    this.#tokens = Math.min(this.#rate.burst, refilled);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
