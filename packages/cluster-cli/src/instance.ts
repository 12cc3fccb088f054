import { type EngineNode, readNodes } from '@muster/engine';
import { Metadata } from '@muster/lifecycle/metadata';
import type { Context } from './context.ts';
import { CliError } from './failure.ts';

/** The metadata service of the machine that the command runs on. */
export function metadataOf({ env }: Context): Metadata {
  const { AWS_EC2_METADATA_SERVICE_ENDPOINT: endpoint } = env;
  return new Metadata(endpoint === undefined ? {} : { endpoint });
}

/** The engine node of this machine, by the attribute that it carries; never "the node that answered". */
export async function engineNodeOf({ engine }: Context, instanceId: string): Promise<EngineNode> {
  const node = (await readNodes(engine)).find((one) => one.instanceId === instanceId);
  if (node !== undefined) return node;
  throw new CliError(
    'notFound',
    `no engine node has the attribute instance_id ${instanceId}`,
    'Nothing was changed. Has the node joined (`cluster-cli cat nodes`)? Its settings need node.attr.instance_id.',
  );
}
