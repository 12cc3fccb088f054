package muster.lab.shutdown;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import muster.lab.shutdown.NodeAnswer.Part;
import org.elasticsearch.cluster.ClusterInfoService;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.SnapshotsInProgress;
import org.elasticsearch.cluster.SnapshotsInProgress.ShardState;
import org.elasticsearch.cluster.metadata.ShutdownPersistentTasksStatus;
import org.elasticsearch.cluster.metadata.ShutdownShardSnapshotsStatus;
import org.elasticsearch.cluster.routing.ShardRouting;
import org.elasticsearch.cluster.routing.allocation.AllocationDecision;
import org.elasticsearch.cluster.routing.allocation.AllocationService;
import org.elasticsearch.cluster.routing.allocation.RoutingAllocation.DebugMode;
import org.elasticsearch.cluster.routing.allocation.ShardAllocationDecision;
import org.elasticsearch.common.util.CachedSupplier;
import org.elasticsearch.persistent.PersistentTasks;
import org.elasticsearch.persistent.PersistentTasksExecutorRegistry;
import org.elasticsearch.snapshots.SnapshotsInfoService;

/** Where version 9 of the engine differs. */
final class EngineParts {
    /** Decisions of the allocator that let a shard go. */
    static final Set<AllocationDecision> GOES = EnumSet.of(AllocationDecision.YES, AllocationDecision.NOT_PREFERRED);

    private static final DebugMode MODE = DebugMode.EXCLUDE_YES_DECISIONS;

    static Function<ShardRouting, ShardAllocationDecision> explainer(
        AllocationService service,
        ClusterState state,
        ClusterInfoService sizes,
        SnapshotsInfoService snapshotSizes
    ) {
        // One preparation serves all shards of a node, and an answer that asks about none does without.
        var assigned = CachedSupplier.wrap(() -> service.explainAssignedShardAllocationFunction(state, MODE));
        return shard -> shard.unassigned()
            ? service.explainShardAllocation(shard, state, MODE)
            : assigned.get().apply(shard);
    }

    /** Tasks that the engine hands to another node by itself hold a node back; others it only counts. */
    static Part persistentTasks(String nodeId, ClusterState state) {
        var here = PersistentTasks.getAllTasks(state)
            .flatMap(project -> project.v2().tasks().stream())
            .filter(task -> nodeId.equals(task.getExecutorNode()))
            .toList();
        var handedOver = here.stream()
            .filter(task -> PersistentTasksExecutorRegistry.taskHasReassignmentOnShutdownDisabled(task.getTaskName()) == false)
            .count();
        var tasks = ShutdownPersistentTasksStatus.fromRemainingTasks(here.size(), Math.toIntExact(handedOver));
        return new Part(tasks.getStatus(), tasks);
    }

    /** A shard that is being written to a snapshot pauses first and moves then. */
    static Map<String, Part> more(String nodeId, ClusterState state) {
        long completed = 0;
        long paused = 0;
        long running = 0;
        for (var snapshot : SnapshotsInProgress.get(state).asStream().toList()) {
            if (snapshot.isClone()) continue;
            for (var shard : snapshot.shards().values()) {
                if (nodeId.equals(shard.nodeId()) == false) continue;
                if (shard.state() == ShardState.PAUSED_FOR_NODE_REMOVAL) paused++;
                else if (shard.state().completed()) completed++;
                else running++;
            }
        }
        var snapshots = ShutdownShardSnapshotsStatus.fromShardCounts(completed, paused, running);
        return Map.of("shard_snapshots", new Part(snapshots.status(), snapshots));
    }

    private EngineParts() {}
}
