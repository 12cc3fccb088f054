import { type Answer, EngineError } from '@muster/engine';
import type { Context } from '../context.ts';
import { CliError } from '../failure.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];

export interface ApiOptions {
  readonly data?: string;
}

export async function run(context: Context, method: string, path: string, { data }: ApiOptions): Promise<void> {
  const { engine, terminal, format } = context;
  const verb = method.toUpperCase();
  if (!methods.includes(verb)) {
    throw new CliError('usage', `${method} is not a method of the engine`, `Methods are ${methods.join(', ')}.`);
  }
  if (!/^[\x21-\x7e]+$/.test(path)) {
    throw new CliError('usage', 'the path has a blank or a letter that must be escaped', 'Write %20 for a blank.');
  }
  if (data !== undefined && !isJson(data)) {
    throw new CliError('usage', 'the body given with -d is not JSON', `Quote it: -d '{"persistent": {}}'.`);
  }
  // In text the engine chooses: its tables come as text, everything else as JSON.
  const accept = format === 'text' ? {} : { accept: format };
  try {
    const answer = await engine.request(verb, path, { ...accept, ...(data === undefined ? {} : { body: data }) });
    await terminal.data(layOut(answer));
  } catch (error) {
    // The engine's own words are the data of a raw call even when it refuses.
    if (error instanceof EngineError && error.answer !== undefined) {
      const shown = layOut(error.answer);
      await terminal.data(typeof shown === 'string' ? terminal.redact(shown) : shown);
    }
    throw error;
  }
}

/** JSON is laid out for reading; anything else is passed on byte by byte. */
function layOut({ contentType, body }: Answer): string | Buffer {
  if (!contentType.includes('json')) return body;
  try {
    return `${JSON.stringify(JSON.parse(body.toString()), undefined, 2)}\n`;
  } catch {
    return body;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
