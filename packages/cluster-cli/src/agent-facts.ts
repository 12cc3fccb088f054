import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { CliError } from './failure.ts';

const factsSchema = z.object({
  muster: z.object({
    elastic_password: z.optional(z.string()),
    elastic_secret_id: z.optional(z.string()),
    aws_region: z.optional(z.string()),
  }),
});

export type AgentFacts = z.infer<typeof factsSchema>['muster'];

/** The facts of this node, `undefined` on a machine that is none. Unreadable facts are an error, not an absence. */
export function readAgentFacts(files: readonly string[]): AgentFacts | undefined {
  for (const file of files) {
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'ENOENT' || code === 'ENOTDIR') continue;
      throw new CliError(
        'noCredentials',
        `cannot read the agent facts in ${file} (${String(code)})`,
        'Run as root (`sudo cluster-cli …`), or pass --password-secret <id>.',
      );
    }
    const facts = z.safeParse(factsSchema, parseJson(text));
    if (facts.success) return facts.data.muster;
    throw new CliError(
      'noCredentials',
      `the agent facts in ${file} are not readable as facts`,
      'Let the agent write them again (`puppet agent --test`), or pass --password-secret <id>.',
    );
  }
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
