package muster.lab.shutdown;

import static org.elasticsearch.cluster.metadata.ShutdownShardMigrationStatus.NODE_ALLOCATION_DECISION_KEY;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.metadata.ShutdownShardMigrationStatus;
import org.elasticsearch.cluster.metadata.SingleNodeShutdownMetadata;
import org.elasticsearch.cluster.metadata.SingleNodeShutdownMetadata.Status;
import org.elasticsearch.cluster.metadata.SingleNodeShutdownMetadata.Type;
import org.elasticsearch.cluster.routing.RoutingNode;
import org.elasticsearch.cluster.routing.ShardRouting;
import org.elasticsearch.cluster.routing.ShardRoutingState;
import org.elasticsearch.cluster.routing.allocation.AllocationDecision;
import org.elasticsearch.cluster.routing.allocation.ShardAllocationDecision;

/**
 * How far a node's shards have moved away, read from one state of the cluster. The words of the explanations are those
 * of the real API: callers show them.
 */
final class Evacuation {
    private final ClusterState state;
    private final Function<ShardRouting, ShardAllocationDecision> explain;

    Evacuation(ClusterState state, Function<ShardRouting, ShardAllocationDecision> explain) {
        this.state = state;
        this.explain = explain;
    }

    ShutdownShardMigrationStatus of(SingleNodeShutdownMetadata record) {
        var nodeId = record.getNodeId();
        if (record.getType() == Type.RESTART) {
            return plain(Status.COMPLETE, "no shard relocation is necessary for a node restart");
        }
        if (state.nodes().nodeExists(nodeId) == false && record.getNodeSeen() == false) {
            return plain(Status.NOT_STARTED, "node is not currently part of the cluster");
        }
        var lost = lostWith(nodeId);
        if (lost.isEmpty() == false) {
            var first = lost.getFirst();
            var text = about(first, "is unassigned");
            return new ShutdownShardMigrationStatus(Status.STALLED, lost.size(), text, explain.apply(first));
        }
        var node = state.getRoutingNodes().node(nodeId);
        // A node without data, or one that has left with nothing on it.
        return node == null ? new ShutdownShardMigrationStatus(Status.COMPLETE, 0, 0, 0) : of(node);
    }

    private ShutdownShardMigrationStatus of(RoutingNode node) {
        var here = new Counts(node);
        if (here.total() == 0) return here.as(Status.COMPLETE);
        // While anything moves, it is not worth asking the rest why they do not.
        if (here.relocating > 0) return here.as(Status.IN_PROGRESS);
        if (here.started == 0) {
            return here.as(
                Status.IN_PROGRESS,
                "all remaining shards are currently INITIALIZING and must finish before they can be moved off this node",
                null
            );
        }

        int staying = 0;
        int waiting = 0;
        ShardRouting waits = null;
        for (var shard : node.shardsWithState(ShardRoutingState.STARTED).toList()) {
            var answer = explain.apply(shard).getMoveDecision();
            if (answer.canRemain() || EngineParts.GOES.contains(answer.getAllocationDecision())) continue;
            if (answer.getAllocationDecision() == AllocationDecision.THROTTLED) {
                waiting++;
                if (waits == null) waits = shard;
            } else if (hasSafeCopy(shard)) {
                staying++;
            } else {
                var text = about(shard, "cannot move");
                return new ShutdownShardMigrationStatus(Status.STALLED, here.total(), text, explain.apply(shard));
            }
        }
        if (staying == here.total()) {
            return plain(
                Status.COMPLETE,
                "[" + staying + "] shards cannot be moved away from this node but have at least one copy on another"
                    + " node in the cluster"
            );
        }
        if (waiting == here.total()) {
            return here.as(Status.IN_PROGRESS, about(waits, "is waiting to be moved"), explain.apply(waits));
        }
        return here.as(Status.IN_PROGRESS);
    }

    /** Shards that were last on this node and now have no copy that works: shutting down has cost data already. */
    private List<ShardRouting> lostWith(String nodeId) {
        var lost = new ArrayList<ShardRouting>();
        for (var shard : state.getRoutingNodes().unassigned()) {
            var wasHere = nodeId.equals(shard.unassignedInfo().lastAllocatedNodeId());
            if (wasHere && (shard.primary() || hasSafeCopy(shard) == false)) lost.add(shard);
        }
        return lost;
    }

    /** A copy on a node that is leaving as well saves nothing. */
    private boolean hasSafeCopy(ShardRouting shard) {
        var leaving = state.metadata().nodeShutdowns();
        for (var copy : state.getRoutingNodes().assignedShards(shard.shardId())) {
            var same = copy.role() == shard.role();
            if (same && copy.started() && leaving.contains(copy.currentNodeId()) == false) return true;
        }
        return false;
    }

    private static ShutdownShardMigrationStatus plain(Status status, String explanation) {
        return new ShutdownShardMigrationStatus(status, 0, explanation, null);
    }

    private static String about(ShardRouting shard, String what) {
        return "shard [" + shard.id() + "] [" + (shard.primary() ? "primary" : "replica") + "] of index ["
            + shard.getIndexName() + "] " + what + ", see [" + NODE_ALLOCATION_DECISION_KEY
            + "] for details or use the cluster allocation explain API";
    }

    private static final class Counts {
        final int started;
        final int relocating;
        final int initializing;

        Counts(RoutingNode node) {
            started = node.numberOfShardsWithState(ShardRoutingState.STARTED);
            relocating = node.numberOfShardsWithState(ShardRoutingState.RELOCATING);
            initializing = node.numberOfShardsWithState(ShardRoutingState.INITIALIZING);
        }

        int total() {
            return started + relocating + initializing;
        }

        ShutdownShardMigrationStatus as(Status status) {
            return as(status, null, null);
        }

        ShutdownShardMigrationStatus as(Status status, String explanation, ShardAllocationDecision decision) {
            return new ShutdownShardMigrationStatus(status, started, relocating, initializing, explanation, decision);
        }
    }
}
