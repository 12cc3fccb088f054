import type { WriteStream } from 'node:tty';

/** How a long operation says where it is. `detail` moves while `task` stays. */
export interface Report {
  working(task: string, detail?: string): void;
  done(text: string): void;
}

export const silent: Report = { working: () => {}, done: () => {} };

const detailEveryMs = 10_000;

/** One updating line on a terminal; in a log file a line per task, and its detail now and then. */
export function reportTo(stream: Pick<WriteStream, 'write' | 'isTTY' | 'columns'>): Report & Disposable {
  return stream.isTTY ? updatingLine(stream) : plainLines(stream);
}

function updatingLine(stream: Pick<WriteStream, 'write' | 'columns'>): Report & Disposable {
  let task: string | undefined;
  let detail: string | undefined;
  let since = Date.now();
  const paint = () => {
    if (task === undefined) return;
    const seconds = Math.round((Date.now() - since) / 1000);
    const line = [task, detail, seconds > 1 ? `${seconds} s` : undefined].filter((part) => part !== undefined);
    stream.write(`\r\x1b[K${line.join(' · ').slice(0, (stream.columns || 80) - 1)}`);
  };
  const clear = () => {
    if (task !== undefined) stream.write('\r\x1b[K');
    task = undefined;
  };
  // Some tasks (an installer at work) have no news of their own: the clock shows that we are alive.
  const clock = setInterval(paint, 1000).unref();
  return {
    working(newTask, newDetail) {
      if (newTask !== task) since = Date.now();
      task = newTask;
      detail = newDetail;
      paint();
    },
    done(text) {
      clear();
      stream.write(`${text}\n`);
    },
    [Symbol.dispose]() {
      clearInterval(clock);
      clear();
    },
  };
}

function plainLines(stream: Pick<WriteStream, 'write'>): Report & Disposable {
  let task: string | undefined;
  let printedAt = 0;
  return {
    working(newTask, detail) {
      const now = Date.now();
      if (newTask === task && (detail === undefined || now - printedAt < detailEveryMs)) return;
      stream.write(`${[newTask, ...(newTask === task && detail !== undefined ? [detail] : [])].join(' · ')}\n`);
      task = newTask;
      printedAt = now;
    },
    done(text) {
      task = undefined;
      stream.write(`${text}\n`);
    },
    [Symbol.dispose]() {},
  };
}
