package muster.lab.shutdown;

import java.io.IOException;
import java.util.List;
import org.elasticsearch.ResourceNotFoundException;
import org.elasticsearch.action.ActionListener;
import org.elasticsearch.action.ActionType;
import org.elasticsearch.action.support.ActionFilters;
import org.elasticsearch.action.support.master.AcknowledgedRequest;
import org.elasticsearch.action.support.master.AcknowledgedResponse;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.metadata.NodesShutdownMetadata;
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

/** {@code DELETE /_nodes/{id}/shutdown}: the node may hold shards again. */
public final class DeleteShutdown {
    static final ActionType<AcknowledgedResponse> TYPE = new ActionType<>("cluster:admin/shutdown/delete");

    static final class Request extends AcknowledgedRequest<Request> {
        final String nodeId;

        Request(TimeValue masterTimeout, TimeValue ackTimeout, String nodeId) {
            super(masterTimeout, ackTimeout);
            this.nodeId = nodeId;
        }

        Request(StreamInput in) throws IOException {
            super(in);
            nodeId = in.readString();
        }

        @Override
        public void writeTo(StreamOutput out) throws IOException {
            super.writeTo(out);
            out.writeString(nodeId);
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
            if (state.metadata().nodeShutdowns().contains(request.nodeId) == false) throw notThere(request);
            update("delete-node-shutdown-" + request.nodeId, request, listener);
        }

        @Override
        protected NodesShutdownMetadata changed(NodesShutdownMetadata records, Request request, ClusterState state) {
            // Somebody else may have deleted it while this one was waiting for its turn.
            if (records.contains(request.nodeId) == false) throw notThere(request);
            return records.removeSingleNodeMetadata(request.nodeId);
        }

        @Override
        protected boolean movesShards(Request request) {
            return true;
        }

        private static ResourceNotFoundException notThere(Request request) {
            return new ResourceNotFoundException("node [" + request.nodeId + "] is not currently shutting down");
        }
    }

    static final class Handler extends BaseRestHandler {
        @Override
        public String getName() {
            return "lab_delete_shutdown";
        }

        @Override
        public List<Route> routes() {
            return List.of(new Route(RestRequest.Method.DELETE, "/_nodes/{nodeId}/shutdown"));
        }

        @Override
        protected RestChannelConsumer prepareRequest(RestRequest rest, NodeClient client) {
            var request = new Request(
                RestUtils.getMasterNodeTimeout(rest),
                RestUtils.getAckTimeout(rest),
                rest.param("nodeId")
            );
            return channel -> client.execute(TYPE, request, new RestToXContentListener<>(channel));
        }
    }

    private DeleteShutdown() {}
}
