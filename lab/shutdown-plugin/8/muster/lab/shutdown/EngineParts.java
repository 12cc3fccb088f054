package muster.lab.shutdown;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import muster.lab.shutdown.NodeAnswer.Part;
import org.elasticsearch.cluster.ClusterInfoService;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.metadata.ShutdownPersistentTasksStatus;
import org.elasticsearch.cluster.routing.ShardRouting;
import org.elasticsearch.cluster.routing.allocation.AllocationDecision;
import org.elasticsearch.cluster.routing.allocation.AllocationService;
import org.elasticsearch.cluster.routing.allocation.RoutingAllocation;
import org.elasticsearch.cluster.routing.allocation.RoutingAllocation.DebugMode;
import org.elasticsearch.cluster.routing.allocation.ShardAllocationDecision;
import org.elasticsearch.snapshots.SnapshotsInfoService;

/** Where version 8 of the engine differs. */
final class EngineParts {
    /** Decisions of the allocator that let a shard go. */
    static final Set<AllocationDecision> GOES = EnumSet.of(AllocationDecision.YES);

    static Function<ShardRouting, ShardAllocationDecision> explainer(
        AllocationService service,
        ClusterState state,
        ClusterInfoService sizes,
        SnapshotsInfoService snapshotSizes
    ) {
        var allocation = new RoutingAllocation(
            service.getAllocationDeciders(),
            state,
            sizes.getClusterInfo(),
            snapshotSizes.snapshotShardSizes(),
            System.nanoTime()
        );
        allocation.setDebugMode(DebugMode.EXCLUDE_YES_DECISIONS);
        return shard -> service.explainShardAllocation(shard, allocation);
    }

    /** This version always calls them complete. */
    static Part persistentTasks(String nodeId, ClusterState state) {
        var tasks = new ShutdownPersistentTasksStatus();
        return new Part(tasks.getStatus(), tasks);
    }

    static Map<String, Part> more(String nodeId, ClusterState state) {
        return Map.of();
    }

    private EngineParts() {}
}
