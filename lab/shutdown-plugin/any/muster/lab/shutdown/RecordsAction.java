package muster.lab.shutdown;

import org.elasticsearch.action.ActionListener;
import org.elasticsearch.action.support.ActionFilters;
import org.elasticsearch.action.support.master.AcknowledgedRequest;
import org.elasticsearch.action.support.master.AcknowledgedResponse;
import org.elasticsearch.action.support.master.AcknowledgedTransportMasterNodeAction;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.ClusterStateUpdateTask;
import org.elasticsearch.cluster.block.ClusterBlockException;
import org.elasticsearch.cluster.block.ClusterBlockLevel;
import org.elasticsearch.cluster.metadata.Metadata;
import org.elasticsearch.cluster.metadata.NodesShutdownMetadata;
import org.elasticsearch.cluster.routing.RerouteService;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.common.Priority;
import org.elasticsearch.common.io.stream.Writeable;
import org.elasticsearch.common.util.concurrent.EsExecutors;
import org.elasticsearch.tasks.Task;
import org.elasticsearch.threadpool.ThreadPool;
import org.elasticsearch.transport.TransportService;

/** A change of the shutdown records. Whichever node is asked, the elected master makes it. */
abstract class RecordsAction<R extends AcknowledgedRequest<R>> extends AcknowledgedTransportMasterNodeAction<R> {
    private final RerouteService moves;

    RecordsAction(
        String name,
        TransportService transport,
        ClusterService cluster,
        ThreadPool threads,
        ActionFilters filters,
        RerouteService moves,
        Writeable.Reader<R> reader
    ) {
        super(name, transport, cluster, threads, filters, reader, EsExecutors.DIRECT_EXECUTOR_SERVICE);
        this.moves = moves;
    }

    /** Refuses what the records as they are rule out, and calls {@link #update} for the rest. */
    protected abstract void change(R request, ClusterState state, ActionListener<AcknowledgedResponse> listener);

    protected abstract NodesShutdownMetadata changed(NodesShutdownMetadata records, R request, ClusterState state);

    protected abstract boolean movesShards(R request);

    @Override
    protected final void masterOperation(
        Task task,
        R request,
        ClusterState state,
        ActionListener<AcknowledgedResponse> listener
    ) {
        change(request, state, listener);
    }

    protected final void update(String source, R request, ActionListener<AcknowledgedResponse> listener) {
        clusterService.submitUnbatchedStateUpdateTask(
            source,
            new ClusterStateUpdateTask(Priority.URGENT, request.masterNodeTimeout()) {
                @Override
                public ClusterState execute(ClusterState state) {
                    return withRecords(state, changed(state.metadata().nodeShutdowns(), request, state));
                }

                @Override
                public void clusterStateProcessed(ClusterState before, ClusterState after) {
                    // Like the real API it does not wait for the moves to be planned: it answers once the record stands.
                    if (movesShards(request)) moves.reroute(source, Priority.URGENT, ActionListener.noop());
                    listener.onResponse(AcknowledgedResponse.TRUE);
                }

                @Override
                public void onFailure(Exception problem) {
                    listener.onFailure(problem);
                }
            }
        );
    }

    static ClusterState withRecords(ClusterState state, NodesShutdownMetadata records) {
        var metadata = Metadata.builder(state.metadata()).putCustom(NodesShutdownMetadata.TYPE, records);
        return ClusterState.builder(state).metadata(metadata).build();
    }

    @Override
    protected final ClusterBlockException checkBlock(R request, ClusterState state) {
        return state.blocks().globalBlockedException(ClusterBlockLevel.METADATA_WRITE);
    }
}
