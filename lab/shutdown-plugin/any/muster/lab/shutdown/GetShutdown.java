package muster.lab.shutdown;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.elasticsearch.action.ActionListener;
import org.elasticsearch.action.ActionRequestValidationException;
import org.elasticsearch.action.ActionResponse;
import org.elasticsearch.action.ActionType;
import org.elasticsearch.action.support.ActionFilters;
import org.elasticsearch.action.support.master.MasterNodeRequest;
import org.elasticsearch.action.support.master.TransportMasterNodeAction;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.cluster.ClusterInfoService;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.block.ClusterBlockException;
import org.elasticsearch.cluster.block.ClusterBlockLevel;
import org.elasticsearch.cluster.metadata.SingleNodeShutdownMetadata;
import org.elasticsearch.cluster.routing.allocation.AllocationService;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.common.Strings;
import org.elasticsearch.common.io.stream.StreamInput;
import org.elasticsearch.common.io.stream.StreamOutput;
import org.elasticsearch.core.TimeValue;
import org.elasticsearch.injection.guice.Inject;
import org.elasticsearch.rest.BaseRestHandler;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.RestUtils;
import org.elasticsearch.rest.action.RestToXContentListener;
import org.elasticsearch.shutdown.PluginShutdownService;
import org.elasticsearch.snapshots.SnapshotsInfoService;
import org.elasticsearch.tasks.Task;
import org.elasticsearch.threadpool.ThreadPool;
import org.elasticsearch.transport.TransportService;
import org.elasticsearch.xcontent.ToXContentObject;
import org.elasticsearch.xcontent.XContentBuilder;

/** {@code GET /_nodes/shutdown} and {@code GET /_nodes/{ids}/shutdown}: an id without a record is left out silently. */
public final class GetShutdown {
    static final ActionType<Response> TYPE = new ActionType<>("cluster:admin/shutdown/get");

    static final class Request extends MasterNodeRequest<Request> {
        /** None means all. */
        final String[] nodeIds;

        Request(TimeValue masterTimeout, String[] nodeIds) {
            super(masterTimeout);
            this.nodeIds = nodeIds;
        }

        Request(StreamInput in) throws IOException {
            super(in);
            nodeIds = in.readStringArray();
        }

        @Override
        public void writeTo(StreamOutput out) throws IOException {
            super.writeTo(out);
            out.writeStringArray(nodeIds);
        }

        @Override
        public ActionRequestValidationException validate() {
            return null;
        }
    }

    /** Travels as the plain fields of the answer, so nodes of two versions understand each other. */
    static final class Response extends ActionResponse implements ToXContentObject {
        private final List<Map<String, Object>> nodes;

        Response(List<Map<String, Object>> nodes) {
            this.nodes = nodes;
        }

        Response(StreamInput in) throws IOException {
            nodes = in.readCollectionAsList(StreamInput::readGenericMap);
        }

        @Override
        public void writeTo(StreamOutput out) throws IOException {
            out.writeCollection(nodes, StreamOutput::writeGenericMap);
        }

        @Override
        public XContentBuilder toXContent(XContentBuilder builder, Params params) throws IOException {
            builder.startObject().startArray("nodes");
            for (var node : nodes) builder.map(node);
            return builder.endArray().endObject();
        }
    }

    /** Public, because the engine makes it. */
    public static final class Action extends TransportMasterNodeAction<Request, Response> {
        private final AllocationService allocation;
        private final ClusterInfoService sizes;
        private final SnapshotsInfoService snapshotSizes;
        private final PluginShutdownService plugins;

        @Inject
        public Action(
            TransportService transport,
            ClusterService cluster,
            ThreadPool threads,
            ActionFilters filters,
            AllocationService allocation,
            ClusterInfoService sizes,
            SnapshotsInfoService snapshotSizes,
            PluginShutdownService plugins
        ) {
            // Asking every shard where it could go takes too long for a thread of the network.
            super(TYPE.name(), transport, cluster, threads, filters, Request::new, Response::new,
                threads.executor(ThreadPool.Names.MANAGEMENT));
            this.allocation = allocation;
            this.sizes = sizes;
            this.snapshotSizes = snapshotSizes;
            this.plugins = plugins;
        }

        @Override
        protected void masterOperation(Task task, Request request, ClusterState state, ActionListener<Response> listener)
            throws IOException {
            var evacuation = new Evacuation(state, EngineParts.explainer(allocation, state, sizes, snapshotSizes));
            var nodes = new ArrayList<Map<String, Object>>();
            for (var record : asked(request, state)) {
                nodes.add(NodeAnswer.of(record, evacuation.of(record), plugins, state));
            }
            listener.onResponse(new Response(nodes));
        }

        private static Collection<SingleNodeShutdownMetadata> asked(Request request, ClusterState state) {
            var records = state.metadata().nodeShutdowns();
            if (request.nodeIds.length == 0) return records.getAll().values();
            return Stream.of(request.nodeIds).map(records::get).filter(Objects::nonNull).toList();
        }

        @Override
        protected ClusterBlockException checkBlock(Request request, ClusterState state) {
            return state.blocks().globalBlockedException(ClusterBlockLevel.METADATA_WRITE);
        }
    }

    static final class Handler extends BaseRestHandler {
        @Override
        public String getName() {
            return "lab_get_shutdown";
        }

        @Override
        public List<Route> routes() {
            return List.of(
                new Route(RestRequest.Method.GET, "/_nodes/{nodeId}/shutdown"),
                new Route(RestRequest.Method.GET, "/_nodes/shutdown")
            );
        }

        @Override
        protected RestChannelConsumer prepareRequest(RestRequest rest, NodeClient client) {
            var nodeIds = Strings.commaDelimitedListToStringArray(rest.param("nodeId"));
            var request = new Request(RestUtils.getMasterNodeTimeout(rest), nodeIds);
            return channel -> client.execute(TYPE, request, new RestToXContentListener<>(channel));
        }
    }

    private GetShutdown() {}
}
