import { once } from 'node:events';
import { styleText } from 'node:util';

/** Colour by meaning: what a reader should feel, not which ink. */
const styles = { good: 'green', warning: 'yellow', bad: 'red', quiet: 'gray', heading: 'bold' } as const;
export type Style = keyof typeof styles;

/** What a stream must be able to do for us; `process.stdout` is one. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(chunk: string | Uint8Array): boolean;
  once(event: 'drain', listener: () => void): unknown;
}

export interface TerminalOptions {
  readonly stdout: OutputStream & NodeJS.EventEmitter;
  readonly stderr: OutputStream;
  readonly env: NodeJS.ProcessEnv;
}

/** Where a command writes: data on stdout and nothing else, messages on stderr. The only place that knows of colour. */
export class Terminal {
  level: 'quiet' | 'normal' | 'debug' = 'normal';
  readonly #options: TerminalOptions;
  readonly #secrets = new Set<string>();
  #isWaitingShown = false;

  constructor(options: TerminalOptions) {
    this.#options = options;
  }

  get isInteractive(): boolean {
    return this.#options.stdout.isTTY === true;
  }

  /** Lines are cut to this width on a terminal; elsewhere nothing is cut. */
  get width(): number | undefined {
    return this.isInteractive ? (this.#options.stdout.columns ?? 80) : undefined;
  }

  /** Makes stdout ready, which takes milliseconds: done while the engine is at work, it costs nothing. */
  open(): void {
    void this.#options.stdout;
  }

  /** From now on this text is shown as stars in every message. */
  conceal(secret: string): void {
    if (secret !== '') this.#secrets.add(secret);
  }

  redact(text: string): string {
    return this.#secrets.values().reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
  }

  async data(chunk: string | Uint8Array): Promise<void> {
    const { stdout } = this.#options;
    if (!stdout.write(chunk)) await once(stdout, 'drain');
  }

  /** Rows are gathered into larger writes: one write a row would cost more than making it. */
  async lines(lines: Iterable<string>): Promise<void> {
    let chunk = '';
    for (const line of lines) {
      chunk += `${line}\n`;
      if (chunk.length > 65_536) {
        await this.data(chunk);
        chunk = '';
      }
    }
    if (chunk !== '') await this.data(chunk);
  }

  debug(message: string): void {
    if (this.level === 'debug') this.#message('quiet', message);
  }

  info(message: string): void {
    if (this.level !== 'quiet') this.#message(undefined, message);
  }

  warn(message: string): void {
    this.#message('warning', `warning: ${message}`);
  }

  error(message: string): void {
    this.#message('bad', `error: ${message}`);
  }

  paint(style: Style | undefined, text: string): string {
    return style !== undefined && this.#coloured(this.#options.stdout) ? styleInk(style, text) : text;
  }

  /** Says after two seconds that something is under way, on a terminal only; what it returns takes the line away. */
  waiting(what: string): () => void {
    const started = Date.now();
    const timer = setInterval(() => {
      const { stderr } = this.#options;
      if (stderr.isTTY !== true || this.level === 'quiet') return;
      this.#isWaitingShown = true;
      stderr.write(`${clearLine}${what}: ${Math.round((Date.now() - started) / 1000)} s, Ctrl-C to stop`);
    }, 2_000);
    return () => {
      clearInterval(timer);
      this.#endWaitingLine();
    };
  }

  #endWaitingLine(): void {
    if (this.#isWaitingShown) this.#options.stderr.write(clearLine);
    this.#isWaitingShown = false;
  }

  #message(style: Style | undefined, message: string): void {
    const { stderr } = this.#options;
    const text = this.redact(message);
    this.#endWaitingLine();
    stderr.write(`${style !== undefined && this.#coloured(stderr) ? styleInk(style, text) : text}\n`);
  }

  #coloured(stream: OutputStream): boolean {
    const { env } = this.#options;
    return stream.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  }
}

const clearLine = '\r\u001b[K';

// The stream has been asked already, and `styleText` would look at the environment of the process, not at ours.
const styleInk = (style: Style, text: string) => styleText(styles[style], text, { validateStream: false });
