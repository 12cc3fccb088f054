/** Ctrl-C and SIGTERM as a signal that long work looks at, until it is disposed of. `interrupt` does the same by hand. */
export interface Interruption extends Disposable {
  readonly signal: AbortSignal;
  readonly interrupt: () => void;
}

export function interruption(): Interruption {
  const controller = new AbortController();
  const interrupt = () => controller.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  return {
    signal: controller.signal,
    interrupt,
    [Symbol.dispose]: () => void process.off('SIGINT', interrupt).off('SIGTERM', interrupt),
  };
}
