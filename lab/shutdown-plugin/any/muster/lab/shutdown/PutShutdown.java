package muster.lab.shutdown;

import static org.elasticsearch.xcontent.ConstructingObjectParser.constructorArg;
import static org.elasticsearch.xcontent.ConstructingObjectParser.optionalConstructorArg;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.elasticsearch.action.ActionListener;
import org.elasticsearch.action.ActionRequestValidationException;
import org.elasticsearch.action.ActionType;
import org.elasticsearch.action.support.ActionFilters;
import org.elasticsearch.action.support.master.AcknowledgedRequest;
import org.elasticsearch.action.support.master.AcknowledgedResponse;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.metadata.NodesShutdownMetadata;
import org.elasticsearch.cluster.metadata.SingleNodeShutdownMetadata;
import org.elasticsearch.cluster.metadata.SingleNodeShutdownMetadata.Type;
import org.elasticsearch.cluster.routing.RerouteService;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.common.io.stream.StreamInput;
import org.elasticsearch.common.io.stream.StreamOutput;
import org.elasticsearch.core.TimeValue;
import org.elasticsearch.injection.guice.Inject;
import org.elasticsearch.rest.BaseRestHandler;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.RestUtils;
import org.elasticsearch.rest.action.RestToXContentListener;
import org.elasticsearch.threadpool.ThreadPool;
import org.elasticsearch.transport.TransportService;
import org.elasticsearch.xcontent.ConstructingObjectParser;
import org.elasticsearch.xcontent.ParseField;

/** {@code PUT /_nodes/{id}/shutdown}: makes or changes the record; the engine's own allocator does the rest. */
public final class PutShutdown {
    static final ActionType<AcknowledgedResponse> TYPE = new ActionType<>("cluster:admin/shutdown/create");

    record Body(Type type, String reason, TimeValue allocationDelay, String targetNodeName) {
        // Strict, and under the name that the error messages of the real API carry.
        static final ConstructingObjectParser<Body, Void> PARSER = new ConstructingObjectParser<>(
            "put_node_shutdown_request",
            false,
            fields -> new Body(
                Type.parse((String) fields[0]),
                (String) fields[1],
                TimeValue.parseTimeValue((String) fields[2], null, "allocation_delay"),
                (String) fields[3]
            )
        );

        static {
            PARSER.declareString(constructorArg(), new ParseField("type"));
            PARSER.declareString(constructorArg(), new ParseField("reason"));
            PARSER.declareString(optionalConstructorArg(), new ParseField("allocation_delay"));
            PARSER.declareString(optionalConstructorArg(), new ParseField("target_node_name"));
        }

        boolean isSaidBy(SingleNodeShutdownMetadata record) {
            return record.getType() == type
                && record.getReason().equals(reason)
                && Objects.equals(record.getTargetNodeName(), targetNodeName)
                // A record of type restart that was given no delay tells its default: that one is always made anew.
                && Objects.equals(record.getAllocationDelay(), allocationDelay);
        }
    }

    static final class Request extends AcknowledgedRequest<Request> {
        final String nodeId;
        final Body body;

        Request(TimeValue masterTimeout, TimeValue ackTimeout, String nodeId, Body body) {
            super(masterTimeout, ackTimeout);
            this.nodeId = nodeId;
            this.body = body;
        }

        Request(StreamInput in) throws IOException {
            super(in);
            nodeId = in.readString();
            body = new Body(
                in.readEnum(Type.class),
                in.readString(),
                in.readOptionalTimeValue(),
                in.readOptionalString()
            );
        }

        @Override
        public void writeTo(StreamOutput out) throws IOException {
            super.writeTo(out);
            out.writeString(nodeId);
            out.writeEnum(body.type);
            out.writeString(body.reason);
            out.writeOptionalTimeValue(body.allocationDelay);
            out.writeOptionalString(body.targetNodeName);
        }

        @Override
        public ActionRequestValidationException validate() {
            var problems = new ActionRequestValidationException();
            if (nodeId.isBlank()) problems.addValidationError("the node id to shutdown is required");
            if (body.allocationDelay != null && body.type != Type.RESTART) {
                problems.addValidationError("allocation_delay is only allowed for RESTART-type shutdown requests");
            }
            if (body.type == Type.REPLACE && body.targetNodeName == null) {
                problems.addValidationError("target node name is required for REPLACE type shutdowns");
            }
            if (body.type != Type.REPLACE && body.targetNodeName != null) {
                problems.addValidationError(
                    "target node name is only valid for REPLACE type shutdowns, but was given type ["
                        + body.type + "] and target node name [" + body.targetNodeName + "]"
                );
            }
            // The engine's own way to go on a signal; not for callers, and the lab has no use for it.
            if (body.type == Type.SIGTERM) {
                problems.addValidationError("grace period is required for SIGTERM shutdowns");
            }
            return problems.validationErrors().isEmpty() ? null : problems;
        }
    }

    /** Public, because the engine makes it. */
    public static final class Action extends RecordsAction<Request> {
        @Inject
        public Action(
            TransportService transport,
            ClusterService cluster,
            ThreadPool threads,
            ActionFilters filters,
            RerouteService moves
        ) {
            super(TYPE.name(), transport, cluster, threads, filters, moves, Request::new);
        }

        @Override
        protected void change(Request request, ClusterState state, ActionListener<AcknowledgedResponse> listener) {
            // Asked for again, word for word: it keeps the time at which it began.
            var known = state.metadata().nodeShutdowns().get(request.nodeId);
            if (known != null && request.body.isSaidBy(known)) {
                listener.onResponse(AcknowledgedResponse.TRUE);
                return;
            }
            update("put-node-shutdown-" + request.nodeId, request, listener);
        }

        @Override
        protected NodesShutdownMetadata changed(NodesShutdownMetadata records, Request request, ClusterState state) {
            var record = SingleNodeShutdownMetadata.builder()
                .setNodeId(request.nodeId)
                .setType(request.body.type)
                .setReason(request.body.reason)
                .setAllocationDelay(request.body.allocationDelay)
                .setTargetNodeName(request.body.targetNodeName)
                .setStartedAtMillis(System.currentTimeMillis())
                // The id is not checked on purpose: a node may be marked while it is away.
                .setNodeSeen(state.nodes().nodeExists(request.nodeId))
                .build();
            return records.putSingleNodeMetadata(record);
        }

        @Override
        protected boolean movesShards(Request request) {
            return request.body.type != Type.RESTART;
        }
    }

    static final class Handler extends BaseRestHandler {
        @Override
        public String getName() {
            return "lab_put_shutdown";
        }

        @Override
        public List<Route> routes() {
            return List.of(new Route(RestRequest.Method.PUT, "/_nodes/{nodeId}/shutdown"));
        }

        @Override
        protected RestChannelConsumer prepareRequest(RestRequest rest, NodeClient client) throws IOException {
            try (var parser = rest.contentParser()) {
                var request = new Request(
                    RestUtils.getMasterNodeTimeout(rest),
                    RestUtils.getAckTimeout(rest),
                    rest.param("nodeId"),
                    Body.PARSER.apply(parser, null)
                );
                return channel -> client.execute(TYPE, request, new RestToXContentListener<>(channel));
            }
        }
    }

    private PutShutdown() {}
}
