import { assessHealth, type Health, healthPath, readHealth } from '@muster/engine';
import type { Context } from '../../context.ts';
import type { Exit } from '../../exit-codes.ts';
import { passThrough } from '../../output.ts';
import type { Style } from '../../terminal.ts';

const styleOf: Record<Health['status'], Style> = { green: 'good', yellow: 'warning', red: 'bad' };
const exitOf: Record<Health['status'], Exit> = { green: 'ok', yellow: 'yellow', red: 'red' };

const fields = [
  'cluster_name',
  'status',
  'number_of_nodes',
  'number_of_data_nodes',
  'active_primary_shards',
  'active_shards',
  'relocating_shards',
  'initializing_shards',
  'unassigned_shards',
  'active_shards_percent_as_number',
] as const;

/** The exit code follows the status, so that a script need not parse anything; the next step goes to stderr. */
export async function run(context: Context): Promise<Exit> {
  const { engine, terminal, format } = context;
  const health = await readHealth(engine);
  if (format === 'text') {
    const { verdict, next } = assessHealth(health);
    await terminal.lines([
      terminal.paint(styleOf[health.status], `${health.cluster_name} is ${verdict}`),
      ...fields.map((field) => `${field.padEnd(32)}${health[field]}`),
    ]);
    if (next !== undefined) terminal.info(`next: ${next}`);
  } else if (format === 'json') {
    await terminal.data(`${JSON.stringify(health, undefined, 2)}\n`);
  } else {
    await passThrough(context, 'GET', healthPath, {});
  }
  return exitOf[health.status];
}
