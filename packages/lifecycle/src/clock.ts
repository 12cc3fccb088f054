/** Time as it is passed in: the simulator brings its own. */
export interface Clock {
  /** Milliseconds that only ever grow, whatever happens to the wall clock. */
  readonly now: () => number;
  /** Milliseconds since 1970, as the machine believes; may be stepped. */
  readonly wall: () => number;
  /** Ends early, without an error, when the signal says so. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export const realClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(end, ms);
      function end() {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      }
      if (signal?.aborted) end();
      else signal?.addEventListener('abort', end);
    }),
};
