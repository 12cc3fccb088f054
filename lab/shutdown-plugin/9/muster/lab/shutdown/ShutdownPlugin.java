package muster.lab.shutdown;

import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.elasticsearch.cluster.node.DiscoveryNodes;
import org.elasticsearch.features.NodeFeature;
import org.elasticsearch.plugins.ActionPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.rest.RestHandler;

public final class ShutdownPlugin extends Plugin implements ActionPlugin {
    @Override
    public Collection<?> createComponents(PluginServices services) {
        services.clusterService().addListener(new SeenNodes(services.clusterService()));
        return List.of();
    }

    @Override
    public Collection<ActionHandler> getActions() {
        return List.of(
            new ActionHandler(PutShutdown.TYPE, PutShutdown.Action.class),
            new ActionHandler(GetShutdown.TYPE, GetShutdown.Action.class),
            new ActionHandler(DeleteShutdown.TYPE, DeleteShutdown.Action.class)
        );
    }

    @Override
    public Collection<RestHandler> getRestHandlers(
        RestHandlersServices services,
        Supplier<DiscoveryNodes> nodes,
        Predicate<NodeFeature> features
    ) {
        return List.of(new PutShutdown.Handler(), new GetShutdown.Handler(), new DeleteShutdown.Handler());
    }
}
