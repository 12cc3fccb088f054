/** All durations and instants of the model are seconds; an instant counts from the Unix epoch. */
export interface Clock {
  now(): number;
  after(seconds: number, run: () => void): Timer;
}

export type Timer = { cancel(): void };

type Entry = { readonly at: number; readonly order: number; run: (() => void) | undefined };

/**
 * Virtual time: a queue of what is due, run in order when somebody moves the clock.
 * A server keeps it at wall time by calling `advanceTo` with the wall's time on an interval of its own.
 */
export class VirtualClock implements Clock {
  readonly #queue: Entry[] = [];
  #now: number;
  #order = 0;

  constructor(start = Date.UTC(2026, 0, 1) / 1000) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  after(seconds: number, run: () => void): Timer {
    const entry: Entry = { at: this.#now + Math.max(0, seconds), order: this.#order++, run };
    push(this.#queue, entry);
    return {
      cancel: () => {
        entry.run = undefined;
      },
    };
  }

  /** When the next thing is due; undefined when nothing is. */
  nextDue(): number | undefined {
    while (this.#queue[0] && !this.#queue[0].run) pop(this.#queue);
    return this.#queue[0]?.at;
  }

  /** Runs the next thing due, moving time to it. A simulator with asynchronous handlers steps, then lets them settle. */
  step(): boolean {
    let entry = pop(this.#queue);
    while (entry && !entry.run) entry = pop(this.#queue);
    if (!entry) return false;
    this.#now = Math.max(this.#now, entry.at);
    entry.run?.();
    return true;
  }

  advance(seconds: number): void {
    this.advanceTo(this.#now + seconds);
  }

  advanceTo(instant: number): void {
    for (let due = this.nextDue(); due !== undefined && due <= instant; due = this.nextDue()) this.step();
    this.#now = Math.max(this.#now, instant);
  }
}

const before = (a: Entry, b: Entry) => a.at < b.at || (a.at === b.at && a.order < b.order);

function push(heap: Entry[], entry: Entry): void {
  let index = heap.push(entry) - 1;
  while (index > 0) {
    const parentIndex = (index - 1) >> 1;
    const parent = heap[parentIndex];
    if (!parent || !before(entry, parent)) break;
    heap[index] = parent;
    index = parentIndex;
  }
  heap[index] = entry;
}

function pop(heap: Entry[]): Entry | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (!first || !last || first === last) return first;
  let index = 0;
  for (;;) {
    const left = heap[2 * index + 1];
    const right = heap[2 * index + 2];
    const child = left && right && before(right, left) ? right : left;
    if (!child || !before(child, last)) break;
    heap[index] = child;
    index = 2 * index + (child === left ? 1 : 2);
  }
  heap[index] = last;
  return first;
}
