import {
  type AllocationSettings,
  type Disk,
  type EngineClient,
  type EngineNode,
  type Health,
  type IndexSettings,
  readAllocationSettings,
  readCoordination,
  readDisks,
  readHealth,
  readIndexSettings,
  readNodes,
  readRouting,
  readRunningSnapshots,
  readShardSizes,
  readShutdowns,
  type ShardPlace,
  type Shutdown,
  shardPlaces,
} from '@muster/engine';

/** The cluster as a decision sees it: everything that was read, nothing that was concluded. */
export interface ClusterView {
  readonly health: Pick<
    Health,
    'cluster_name' | 'status' | 'unassigned_shards' | 'relocating_shards' | 'initializing_shards'
  >;
  /** The engine node that is to leave. */
  readonly self: EngineNode;
  readonly nodes: readonly EngineNode[];
  readonly voters: readonly string[];
  readonly shutdowns: readonly Shutdown[];
  readonly copies: readonly ShardPlace[];
  readonly indices: ReadonlyMap<string, IndexSettings>;
  /** Bytes of the copies on the leaving node, by `index/shard`. */
  readonly bytes: ReadonlyMap<string, number>;
  readonly disks: ReadonlyMap<string, Disk>;
  readonly settings: AllocationSettings;
  /** Running snapshots, with the nodes that write for them. */
  readonly snapshots: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Reads all of it. The calls are few and none grows with the number of nodes but the routing table and the disks. */
export async function readView(engine: EngineClient, self: EngineNode): Promise<ClusterView> {
  const [health, nodes, coordination, shutdowns, routing, indices, bytes, disks, settings, snapshots] =
    await Promise.all([
      readHealth(engine),
      readNodes(engine),
      readCoordination(engine),
      readShutdowns(engine),
      readRouting(engine),
      readIndexSettings(engine),
      readShardSizes(engine, self.id),
      readDisks(engine),
      readAllocationSettings(engine),
      readRunningSnapshots(engine),
    ]);
  const { voters } = coordination;
  return {
    health,
    self,
    nodes,
    voters,
    shutdowns,
    copies: shardPlaces(routing),
    indices,
    bytes,
    disks,
    settings,
    snapshots,
  };
}
