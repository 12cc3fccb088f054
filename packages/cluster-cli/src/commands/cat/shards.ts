import { requestRouting } from '@muster/engine';
import type { Context } from '../../context.ts';
import type { ShardsOptions } from './shard-table.ts';

/** Asks first, then loads what prints the answer: the one takes as long as the other. */
export async function run(context: Context, options: ShardsOptions): Promise<void> {
  const isOurs = context.format !== 'cbor' && context.format !== 'smile' && !options.stats;
  const asked = isOurs ? requestRouting(context.engine) : undefined;
  // Whatever becomes of the question is told by the one who waits for it.
  asked?.catch(() => {});
  const { print } = await import('./shard-table.ts');
  return print(context, options, asked);
}
