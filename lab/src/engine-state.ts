import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { type EngineVersion, engineVersions } from './distribution.ts';
import { LabProblem } from './problem.ts';

/** What the data on disk was made with. Which processes run is never written down: /proc knows. */
const EngineState = z.object({
  version: z.enum(engineVersions),
  nodeCount: z.int().positive(),
  /** Present once the cluster has formed. */
  clusterUuid: z.string().optional(),
});
export type EngineState = z.infer<typeof EngineState>;

export interface Wanted {
  version?: EngineVersion | undefined;
  nodeCount?: number | undefined;
}

/** What `up` makes of the wish and of the data that is already there. */
export function decideState(existing: EngineState | undefined, wanted: Wanted): EngineState {
  if (!existing) return { version: wanted.version ?? '9.4.3', nodeCount: wanted.nodeCount ?? 3 };
  const { version = existing.version, nodeCount = existing.nodeCount } = wanted;
  if (version !== existing.version) {
    throw new LabProblem(
      'LAB_VERSION_DIFFERS',
      `The lab's data belongs to Elasticsearch ${existing.version}, and you asked for ${version}.`,
      'To start over without that data, run `npm run lab -- down engine --wipe` first; to keep it, leave out --es-version.',
    );
  }
  if (nodeCount < existing.nodeCount) {
    throw new LabProblem(
      'LAB_NODES_DIFFER',
      `The lab has ${existing.nodeCount} nodes, and you asked for ${nodeCount}: the others hold data.`,
      'To start over with fewer nodes, run `npm run lab -- down engine --wipe` first.',
    );
  }
  return { ...existing, nodeCount };
}

export async function readState(file: string): Promise<EngineState | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return EngineState.parse(JSON.parse(text));
  } catch (cause) {
    throw new LabProblem(
      'LAB_STATE_UNREADABLE',
      `${file} is not what this version of the lab writes.`,
      'Run `npm run lab -- down engine --wipe` to start over.',
      { cause },
    );
  }
}

export async function writeState(file: string, state: EngineState): Promise<void> {
  await writeFile(`${file}.unfinished`, `${JSON.stringify(state, undefined, 2)}\n`);
  await rename(`${file}.unfinished`, file);
}
