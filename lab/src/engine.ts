import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineVersion } from './distribution.ts';
import type { Phase } from './engine-config.ts';
import { type EngineLayout, type EngineNode, engineLayout, httpPort, transportPort } from './engine-layout.ts';
import { engineEnvironment, findMachinery, type Machinery, prepare, writeConfig } from './engine-preparation.ts';
import { type Health, healthSeenBy, readiness } from './engine-readiness.ts';
import { decideState, type EngineState, readState, type Wanted, writeState } from './engine-state.ts';
import { type Home, lockHome } from './home.ts';
import { assertFree } from './ports.ts';
import { LabProblem } from './problem.ts';
import { marksUnder, processesOf, startDetached, stopAll } from './processes.ts';
import type { Report } from './report.ts';

export interface EngineConnection {
  version: EngineVersion;
  clusterName: string;
  username: 'elastic';
  password: string;
  nodes: EngineNode[];
  /** Mounted by every node as `path.repo`: the place for snapshots of type `fs`. */
  repository: string;
}

export interface EngineStatus {
  version: EngineVersion;
  nodes: (EngineNode & { pids: number[]; health: Health | undefined })[];
}

const readyWithinMs = 180_000;

/** Brings the cluster up, or completes one that is partly up; one that is ready is left as it is. */
export async function engineUp(home: Home, wanted: Wanted, report: Report): Promise<EngineConnection> {
  await using _lock = await lockHome(home, report);
  const existing = await stateOf(home);
  const state = decideState(existing, wanted);
  const layout = engineLayout(home.engineRun, state.nodeCount);

  const missing = await nodesWithoutProcess(layout);
  for (const node of missing) await assertPortsFree(node);
  try {
    if (missing.length > 0) {
      const machinery = await findMachinery(home, state.version, report);
      await writeState(layout.stateFile, state);
      report.working('Preparing nodes');
      await prepare(layout, missing, machinery, phaseOf(state));
      for (const node of missing) await startNodeProcess(node, machinery);
    }
    const clusterUuid = await waitUntilReady(layout, report);
    await recordFormation(layout, state, clusterUuid);
  } catch (error) {
    // A lab that cannot be used is not left running; logs and data stay for a look.
    await Promise.all(missing.map(({ folder }) => stopAll(folder)));
    throw error;
  }
  return engineConnection(home);
}

/** Stops every process of the cluster; whatever the state file says, what runs is found by its mark. */
export async function engineDown(home: Home, options: { wipe: boolean }, report: Report): Promise<void> {
  await using _lock = await lockHome(home, report);
  const marks = await marksUnder(home.engineRun);
  if (marks.length > 0) report.working(`Stopping ${marks.length} engine nodes`);
  await Promise.all(marks.map((mark) => stopAll(mark)));
  if (options.wipe) await rm(home.engineRun, { recursive: true, force: true });
}

export async function stopNode(home: Home, name: string, report: Report): Promise<void> {
  await using _lock = await lockHome(home, report);
  const { node } = await findNode(home, name);
  await stopAll(node.folder);
}

/** Starts a stopped node again and returns once it has joined. Shards may still be on their way back to it. */
export async function startNode(home: Home, name: string, report: Report): Promise<void> {
  await using _lock = await lockHome(home, report);
  const { layout, node, state } = await findNode(home, name);
  if ((await processesOf(node.folder)).length === 0) {
    await assertPortsFree(node);
    const machinery = await findMachinery(home, state.version, report);
    await prepare(layout, [node], machinery, phaseOf(state));
    await startNodeProcess(node, machinery);
  }
  const deadline = Date.now() + readyWithinMs;
  while ((await healthSeenBy(node)) === undefined) {
    await assertRunning([node]);
    if (Date.now() > deadline) throw notReady([node], 'it has not joined');
    report.working(`Waiting for ${name} to join`);
    await sleep(500);
  }
}

export async function engineStatus(home: Home): Promise<EngineStatus | undefined> {
  const state = await stateOf(home);
  if (!state) return undefined;
  const { nodes } = engineLayout(home.engineRun, state.nodeCount);
  return {
    version: state.version,
    nodes: await Promise.all(
      nodes.map(async (node) => {
        const pids = (await processesOf(node.folder)).map(({ pid }) => pid);
        return { ...node, pids, health: pids.length > 0 ? await healthSeenBy(node) : undefined };
      }),
    ),
  };
}

export const engineIsRunning = async (home: Home): Promise<boolean> => (await marksUnder(home.engineRun)).length > 0;

/** How to reach the cluster. It may be told before `up` is through: what it says stays true. */
export async function engineConnection(home: Home): Promise<EngineConnection> {
  const state = await stateOf(home);
  const layout = engineLayout(home.engineRun, state?.nodeCount ?? 0);
  const password = await readFile(layout.passwordFile, 'utf8').catch(() => undefined);
  if (!state || password === undefined) throw notUp();
  const { clusterName, nodes, repository } = layout;
  return { version: state.version, clusterName, username: 'elastic', password, nodes, repository };
}

const stateOf = (home: Home): Promise<EngineState | undefined> => readState(engineLayout(home.engineRun, 0).stateFile);

const phaseOf = (state: EngineState): Phase => (state.clusterUuid === undefined ? 'forming' : 'formed');

async function findNode(home: Home, name: string) {
  const state = await stateOf(home);
  if (!state) throw notUp();
  const layout = engineLayout(home.engineRun, state.nodeCount);
  const node = layout.nodes.find((candidate) => candidate.name === name);
  if (node) return { layout, node, state };
  const names = layout.nodes.map((candidate) => candidate.name).join(', ');
  throw new LabProblem('LAB_UNKNOWN_NODE', `The lab has no node ${name}.`, `Its nodes are ${names}.`);
}

async function nodesWithoutProcess(layout: EngineLayout): Promise<EngineNode[]> {
  const running = await Promise.all(layout.nodes.map(({ folder }) => processesOf(folder)));
  return layout.nodes.filter((_, index) => running[index]?.length === 0);
}

async function assertPortsFree({ address }: EngineNode): Promise<void> {
  await assertFree(address, httpPort);
  await assertFree(address, transportPort);
}

const consoleLog = (node: EngineNode): string => join(node.logs, 'console.log');

const startNodeProcess = (node: EngineNode, machinery: Machinery): Promise<number> =>
  startDetached({
    mark: node.folder,
    program: join(machinery.tree, 'bin', 'elasticsearch'),
    args: [],
    folder: node.folder,
    environment: engineEnvironment(node, machinery),
    logFile: consoleLog(node),
    user: machinery.user,
  });

async function waitUntilReady(layout: EngineLayout, report: Report): Promise<string> {
  const password = await readFile(layout.passwordFile, 'utf8');
  const began = Date.now();
  let refusedSince: number | undefined;
  for (;;) {
    const now = await readiness(layout, password);
    if (now.state === 'ready') return now.clusterUuid;
    await assertRunning(layout.nodes);

    // While its security index is coming up a node may refuse a good password for a moment.
    refusedSince = now.state === 'refused' ? (refusedSince ?? Date.now()) : undefined;
    if (refusedSince !== undefined && Date.now() - refusedSince > 10_000) {
      throw new LabProblem(
        'LAB_PASSWORD_CHANGED',
        'The cluster refuses the password of user elastic that the lab made: it has been changed since.',
        'Change it back, or start over with `npm run lab -- down engine --wipe`.',
      );
    }
    if (Date.now() - began > readyWithinMs) throw notReady(layout.nodes, now.missing);
    report.working('Waiting for the engine', now.missing);
    await sleep(500);
  }
}

/** From now on no node is told how to found a cluster, so none that restarts alone can found a second one. */
async function recordFormation(layout: EngineLayout, state: EngineState, clusterUuid: string): Promise<void> {
  if (state.clusterUuid === clusterUuid) return;
  for (const node of layout.nodes) await writeConfig(layout, node, 'formed');
  await writeState(layout.stateFile, { ...state, clusterUuid });
}

async function assertRunning(nodes: EngineNode[]): Promise<void> {
  for (const node of nodes) {
    if ((await processesOf(node.folder)).length > 0) continue;
    // While a process turns into another program it has no environment for an instant, and the mark is in there.
    await sleep(200);
    if ((await processesOf(node.folder)).length > 0) continue;
    const log = await readFile(consoleLog(node), 'utf8').catch(() => '');
    throw new LabProblem(
      'LAB_NODE_ENDED',
      `Node ${node.name} has ended by itself. The last it said:\n${log.trim().split('\n').slice(-15).join('\n')}`,
      `Its whole log is ${consoleLog(node)}`,
    );
  }
}

const notReady = (nodes: EngineNode[], missing: string): LabProblem =>
  new LabProblem(
    'LAB_NOT_READY',
    `The engine was not ready after ${readyWithinMs / 1000} s: ${missing}.`,
    `Look at ${nodes.map(consoleLog).join(', ')}`,
  );

const notUp = (): LabProblem =>
  new LabProblem('LAB_NOT_UP', 'There is no engine in the lab.', 'Run `npm run lab -- up engine` first.');
