/** An instance as a group describes it, as far as the picture shows it. */
export interface Seen {
  readonly id: string;
  readonly zone: string;
  readonly state: string;
}

interface Step {
  readonly state: string;
  readonly since: number;
}

export interface Path {
  readonly id: string;
  readonly zone: string;
  readonly steps: readonly Step[];
}

type Style = 'green' | 'yellow' | 'magenta' | 'red' | 'cyan' | 'blue' | 'dim';
export type Paint = (style: Style, text: string) => string;

const gone = 'gone';

/** The ways of a group's instances through their states, gathered from one look after another. Instants are in ms. */
export class Paths {
  readonly #paths = new Map<string, Path & { steps: Step[] }>();

  /** Returns the paths that have changed. */
  look(instances: readonly Seen[], now: number): Path[] {
    const changed: Path[] = [];
    const step = (path: Path & { steps: Step[] }, state: string) => {
      if (path.steps.at(-1)?.state === state) return;
      path.steps.push({ state, since: now });
      changed.push(path);
    };
    const present = new Set<string>();
    for (const { id, zone, state } of instances) {
      const path = this.#paths.get(id) ?? { id, zone, steps: [] };
      this.#paths.set(id, path);
      present.add(id);
      step(path, state);
    }
    for (const path of this.#paths.values()) if (!present.has(path.id)) step(path, gone);
    return changed;
  }

  /** Machines that are gone are shown for a while, then only counted. */
  rows(now: number, goneForMs = 60_000): Path[] {
    return [...this.#paths.values()].filter(({ steps }) => {
      const last = steps.at(-1);
      return last?.state !== gone || now - last.since < goneForMs;
    });
  }
}

/** One row: `i-0abc… a  Pending 5s → Pending:Wait 12s → InService 1m`. What does not fit is left out at its beginning. */
export function drawRow({ id, zone, steps }: Path, now: number, width: number, paint: Paint): string {
  const head = `${id}  ${zone.slice(-1)}  `;
  const parts = steps.map(({ state, since }, index) => {
    const until = steps[index + 1]?.since ?? now;
    const text = state === gone ? gone : `${state} ${duration(until - since)}`;
    return { text, style: styleOf(state) };
  });
  const arrow = ' → ';
  let room = width - head.length;
  const shown: string[] = [];
  for (const { text, style } of parts.toReversed()) {
    room -= text.length + arrow.length;
    if (shown.length > 0 && room < 1) {
      shown.unshift('…');
      break;
    }
    shown.unshift(paint(style, text));
  }
  return `${head}${shown.join(arrow)}`;
}

export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${String(seconds % 60).padStart(2, '0')}s`;
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}m`;
}

/** What waits for somebody stands out from what goes on by itself. */
function styleOf(state: string): Style {
  if (state === gone) return 'dim';
  if (state.endsWith(':Wait') || state.endsWith(':Retained')) return 'magenta';
  if (state === 'InService') return 'green';
  if (state.includes('Terminat')) return 'red';
  if (state.startsWith('Warmed')) return 'cyan';
  return state.startsWith('Pending') ? 'yellow' : 'blue';
}
