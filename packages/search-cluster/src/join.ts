import {
  type EngineClient,
  EngineError,
  type EngineNode,
  explainAllocation,
  readNodes,
  readSettledHealth,
} from '@muster/engine';
import type { Clock } from '@muster/lifecycle';

export interface JoinOptions {
  readonly engine: EngineClient;
  readonly instanceId: string;
  readonly waitSeconds: number;
  /** How long nothing may move: rebalancing begins some time after a node has joined. One quiet instant proves nothing. */
  readonly settleSeconds: number;
  readonly clock: Clock;
  readonly report: (event: JoinEvent) => void;
  readonly signal: AbortSignal;
}

export type JoinEvent =
  | { readonly kind: 'waiting-to-join' }
  | { readonly kind: 'joined'; readonly node: EngineNode }
  | { readonly kind: 'settling'; readonly moving: number; readonly unassigned: number; readonly quietSeconds: number }
  | { readonly kind: 'unsure'; readonly cause: string };

/** `settled` completes the hook; a node that has joined is never given up, it may hold shards by now. */
export type JoinOutcome =
  | { readonly kind: 'settled'; readonly node: EngineNode }
  | { readonly kind: 'not-joined' }
  | { readonly kind: 'not-settled'; readonly node: EngineNode }
  | { readonly kind: 'interrupted' };

const pollMs = 2_000;

/** Waits until the node is part of the cluster and nothing moves because of it any more. */
export async function join({
  engine,
  instanceId,
  waitSeconds,
  settleSeconds,
  clock,
  report,
  signal,
}: JoinOptions): Promise<JoinOutcome> {
  const deadline = clock.now() + waitSeconds * 1000;
  let node: EngineNode | undefined;
  let quietSince: number | undefined;
  while (!signal.aborted) {
    if (clock.now() > deadline) return node === undefined ? { kind: 'not-joined' } : { kind: 'not-settled', node };
    try {
      const found = (await readNodes(engine)).find((one) => one.instanceId === instanceId);
      if (found === undefined) {
        report({ kind: 'waiting-to-join' });
        quietSince = undefined;
      } else {
        if (node === undefined) report({ kind: 'joined', node: found });
        node = found;
        const health = await readSettledHealth(engine);
        const moving = health.relocating_shards + health.initializing_shards;
        const awaited = health.unassigned_shards > 0 && (await mayTake(engine, found));
        quietSince = moving === 0 && !awaited ? (quietSince ?? clock.now()) : undefined;
        const quietSeconds = quietSince === undefined ? 0 : (clock.now() - quietSince) / 1000;
        if (quietSeconds >= settleSeconds) return { kind: 'settled', node };
        report({ kind: 'settling', moving, unassigned: health.unassigned_shards, quietSeconds });
      }
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      quietSince = undefined;
      report({ kind: 'unsure', cause: error.message });
    }
    await clock.sleep(pollMs, signal);
  }
  return { kind: 'interrupted' };
}

/** An unassigned copy that this node would take, now or as soon as it is less busy, is waited for. */
async function mayTake(engine: EngineClient, node: EngineNode): Promise<boolean> {
  const explanation = await explainAllocation(engine, undefined);
  const decision = explanation?.node_allocation_decisions?.find(({ node_name }) => node_name === node.name);
  return decision?.node_decision === 'yes' || decision?.node_decision === 'throttled';
}
