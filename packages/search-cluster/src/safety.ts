import type { EngineNode, ShardPlace, Shutdown } from '@muster/engine';

/**
 * The rule behind everything here: a machine may die only when every shard of the cluster has a started copy on a node
 * that stays. A shard without any started copy counts too, wherever it was: its last data may lie on this very disk.
 */
export function shardsAtRisk(
  copies: readonly ShardPlace[],
  nodes: readonly EngineNode[],
  shutdowns: readonly Shutdown[],
  leavingId: string,
): string[] {
  const staying = new Set(stayingNodes(nodes, shutdowns, leavingId).map(({ id }) => id));
  const shards = new Map<string, boolean>();
  for (const { index, shard, state, node } of copies) {
    const name = `${index}/${shard}`;
    // A copy that moves is started where it is, and not yet where it goes.
    const isSafe = (state === 'STARTED' || state === 'RELOCATING') && node !== null && staying.has(node);
    shards.set(name, isSafe || (shards.get(name) ?? false));
  }
  return [...shards].filter(([, isSafe]) => !isSafe).map(([name]) => name);
}

/** All but this node and those that are leaving already; one that only restarts comes back. */
export function stayingNodes(
  nodes: readonly EngineNode[],
  shutdowns: readonly Shutdown[],
  leavingId: string,
): EngineNode[] {
  const leaving = new Set(shutdowns.filter(({ type }) => type !== 'RESTART').map(({ nodeId }) => nodeId));
  return nodes.filter(({ id }) => id !== leavingId && !leaving.has(id));
}
