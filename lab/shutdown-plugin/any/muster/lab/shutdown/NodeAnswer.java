package muster.lab.shutdown;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.metadata.ShutdownPluginsStatus;
import org.elasticsearch.cluster.metadata.ShutdownShardMigrationStatus;
import org.elasticsearch.cluster.metadata.SingleNodeShutdownMetadata;
import org.elasticsearch.cluster.metadata.SingleNodeShutdownMetadata.Status;
import org.elasticsearch.common.bytes.BytesReference;
import org.elasticsearch.common.xcontent.ChunkedToXContent;
import org.elasticsearch.common.xcontent.XContentHelper;
import org.elasticsearch.shutdown.PluginShutdownService;
import org.elasticsearch.xcontent.ToXContent;
import org.elasticsearch.xcontent.XContentFactory;
import org.elasticsearch.xcontent.XContentType;

/** What the API says about one node: its record, and how far each part of leaving has come. */
final class NodeAnswer {
    /** The engine's own classes write the parts, so their fields are those of the version at hand. */
    record Part(Status status, ToXContent body) {}

    static Map<String, Object> of(
        SingleNodeShutdownMetadata record,
        ShutdownShardMigrationStatus migration,
        PluginShutdownService plugins,
        ClusterState state
    ) throws IOException {
        var parts = new LinkedHashMap<String, Part>();
        parts.put("shard_migration", new Part(migration.getStatus(), ChunkedToXContent.wrapAsToXContent(migration)));
        parts.put("persistent_tasks", EngineParts.persistentTasks(record.getNodeId(), state));
        var ready = new ShutdownPluginsStatus(plugins.readyToShutdown(record.getNodeId(), record.getType()));
        parts.put("plugins", new Part(ready.getStatus(), ready));
        parts.putAll(EngineParts.more(record.getNodeId(), state));

        var answer = new LinkedHashMap<String, Object>();
        answer.put("node_id", record.getNodeId());
        answer.put("type", record.getType().toString());
        answer.put("reason", record.getReason());
        if (record.getAllocationDelay() != null) {
            answer.put("allocation_delay", record.getAllocationDelay().getStringRep());
        }
        // `shutdown_startedmillis` in older versions, `shutdown_started_millis` in newer ones.
        answer.put(SingleNodeShutdownMetadata.STARTED_AT_MILLIS_FIELD.getPreferredName(), record.getStartedAtMillis());
        answer.put("status", Status.combine(parts.values().stream().map(Part::status).toArray(Status[]::new)).toString());
        for (var part : parts.entrySet()) answer.put(part.getKey(), fields(part.getValue().body()));
        if (record.getTargetNodeName() != null) answer.put("target_node_name", record.getTargetNodeName());
        return answer;
    }

    private static Map<String, Object> fields(ToXContent body) throws IOException {
        try (var builder = XContentFactory.jsonBuilder()) {
            body.toXContent(builder, ToXContent.EMPTY_PARAMS);
            return XContentHelper.convertToMap(BytesReference.bytes(builder), true, XContentType.JSON).v2();
        }
    }

    private NodeAnswer() {}
}
