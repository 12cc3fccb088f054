import * as z from 'zod/mini';
import { malformed } from './errors.ts';

/** Of an answer that is gathered from nodes: one that did not answer makes it useless for a decision. */
export const everyNode = z.object({ failed: z.literal(0) });

/** An answer that we decide on, or an error that names the field and what came instead. */
export function parse<Schema extends z.ZodMiniType>(call: string, schema: Schema, answer: unknown): z.output<Schema> {
  const result = z.safeParse(schema, answer);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? 'the document' : `\`${issue.path.join('.')}\``;
  throw malformed(call, `${place}: ${issue?.message ?? 'unknown'}, got ${describe(at(answer, issue?.path ?? []))}`);
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}

/** What came instead, short enough for a message. */
export function describe(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
