import type { EngineClient, EngineNode } from '@muster/engine';
import { bytesToMove, copiesOnSelf, estimateSeconds, type Judgement, judge, type Limits, staying } from './guards.ts';
import { type ClusterView, readView } from './view.ts';

/** What a leave would do, before anything is touched. */
export interface Plan {
  readonly node: EngineNode;
  readonly shards: number;
  readonly bytes: number;
  readonly targets: readonly Target[];
  readonly judgements: readonly Judgement[];
  readonly estimateSeconds: number;
}

/** A node that stays, and what it holds already. */
interface Target {
  readonly name: string;
  readonly zone: string | undefined;
  readonly shards: number;
  readonly freeBytes: number;
}

export async function planLeave(engine: EngineClient, self: EngineNode, limits: Limits): Promise<Plan> {
  return planOf(await readView(engine, self), limits);
}

function planOf(view: ClusterView, limits: Limits): Plan {
  const counts = new Map<string, number>();
  for (const { node } of view.copies) if (node !== null) counts.set(node, (counts.get(node) ?? 0) + 1);
  return {
    node: view.self,
    shards: copiesOnSelf(view).length,
    bytes: bytesToMove(view),
    targets: staying(view).map(({ id, name, zone }) => ({
      name,
      zone,
      shards: counts.get(id) ?? 0,
      freeBytes: view.disks.get(id)?.freeBytes ?? 0,
    })),
    judgements: judge(view, limits),
    estimateSeconds: estimateSeconds(view),
  };
}
