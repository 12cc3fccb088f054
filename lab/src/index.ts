// What tests import: the lab of this machine, as it runs now.
import { awsEnvironment } from './aws.ts';
import * as engine from './engine.ts';
import { labHome } from './home.ts';
import { silent } from './report.ts';

export { type AutoScalingOptions, type AutoScalingServer, startAutoScaling } from './autoscaling.ts';
export type { EngineConnection } from './engine.ts';
export type { InstanceMetadata } from './metadata-service.ts';
export { LabProblem } from './problem.ts';
export { awsEnvironment };

export const engineConnection = (): Promise<engine.EngineConnection> => engine.engineConnection(labHome());

/** Ends one node's processes and returns when none is left; its data stays. */
export const stopNode = (name: string): Promise<void> => engine.stopNode(labHome(), name, silent);

/** Returns when the node has joined again. */
export const startNode = (name: string): Promise<void> => engine.startNode(labHome(), name, silent);
