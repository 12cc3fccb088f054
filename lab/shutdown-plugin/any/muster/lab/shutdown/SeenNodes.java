package muster.lab.shutdown;

import java.util.HashMap;
import java.util.Map;
import org.elasticsearch.cluster.ClusterChangedEvent;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.ClusterStateListener;
import org.elasticsearch.cluster.ClusterStateUpdateTask;
import org.elasticsearch.cluster.metadata.NodesShutdownMetadata;
import org.elasticsearch.cluster.metadata.SingleNodeShutdownMetadata;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.common.Priority;

/**
 * A node may be marked while it is away. Once it has joined, its record says so: a node that comes, drains and goes is
 * COMPLETE, one that never came is NOT_STARTED.
 */
final class SeenNodes implements ClusterStateListener {
    private final ClusterService cluster;

    SeenNodes(ClusterService cluster) {
        this.cluster = cluster;
    }

    @Override
    public void clusterChanged(ClusterChangedEvent event) {
        if (event.localNodeMaster() == false || seenNow(event.state()).isEmpty()) return;
        cluster.submitUnbatchedStateUpdateTask("shutdown-seen-nodes", new ClusterStateUpdateTask(Priority.NORMAL) {
            @Override
            public ClusterState execute(ClusterState state) {
                var seen = seenNow(state);
                if (seen.isEmpty()) return state;
                var records = new HashMap<>(state.metadata().nodeShutdowns().getAll());
                records.putAll(seen);
                return RecordsAction.withRecords(state, new NodesShutdownMetadata(records));
            }

            @Override
            public void onFailure(Exception problem) {
                // The next change of the cluster's state comes by here again.
            }
        });
    }

    /** Records of nodes that were away so far and are here, as they must be from now on. */
    private static Map<String, SingleNodeShutdownMetadata> seenNow(ClusterState state) {
        var seen = new HashMap<String, SingleNodeShutdownMetadata>();
        state.metadata().nodeShutdowns().getAll().forEach((nodeId, record) -> {
            if (record.getNodeSeen() || state.nodes().nodeExists(nodeId) == false) return;
            seen.put(nodeId, SingleNodeShutdownMetadata.builder(record).setNodeSeen(true).build());
        });
        return seen;
    }
}
