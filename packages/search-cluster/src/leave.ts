import {
  deleteShutdown,
  type EngineClient,
  EngineError,
  type EngineNode,
  explainAllocation,
  putShutdown,
  readNodes,
  readRouting,
  readShutdowns,
  type ShardPlace,
  type Shutdown,
  shardPlaces,
} from '@muster/engine';
import type { Clock } from '@muster/lifecycle';
import { bytesToMove, copiesOnSelf, type Judgement, judge, type Limits } from './guards.ts';
import { shardsAtRisk } from './safety.ts';
import { type ClusterView, readView } from './view.ts';

export interface LeaveOptions {
  readonly engine: EngineClient;
  readonly self: EngineNode;
  readonly reason: string;
  readonly waitSeconds: number;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly report: (event: LeaveEvent) => void;
  /** Asks us to stop: Ctrl-C, or the hook is gone. */
  readonly signal: AbortSignal;
}

export type LeaveEvent =
  | { readonly kind: 'judged'; readonly judgements: readonly Judgement[] }
  | { readonly kind: 'registered' | 'resumed'; readonly shards: number; readonly bytes: number }
  | { readonly kind: 'moving'; readonly remaining: number }
  | { readonly kind: 'stalling'; readonly explanation: string; readonly seconds: number }
  | { readonly kind: 'not-empty'; readonly atRisk: readonly string[] }
  /** The engine could not be asked; the drain goes on without us, and so do we. */
  | { readonly kind: 'unsure'; readonly cause: string };

/** How it ended. Only `empty` allows the machine to die. */
export type LeaveOutcome =
  | { readonly kind: 'empty'; readonly leftBehind: readonly string[] }
  | { readonly kind: 'blocked'; readonly judgements: readonly Judgement[] }
  | { readonly kind: 'withdrawn'; readonly other: string }
  | { readonly kind: 'record-removed' }
  | { readonly kind: 'stalled'; readonly explanation: string }
  | { readonly kind: 'out-of-time'; readonly remaining: number }
  | { readonly kind: 'interrupted' };

/** The engine may call a drain stalled that goes on a minute later, when another shard has moved out of the way. */
const stallGraceSeconds = 300;
const pollMs = 500;
/** Between the two looks that must both find the node safe to end. */
const betweenLooksMs = 1_000;
/** The engine can say COMPLETE before it has planned a move; a copy that is left behind must stay so for a while. */
const leftBehindMs = 5_000;

// Decisions. Each is a snapshot in, an action with its reasons out.

interface Entry {
  /** `resume`: an earlier run put the record and was cut off; the guards have spoken then. */
  readonly action: 'refuse' | 'register' | 'resume';
  readonly judgements: readonly Judgement[];
}

export function decideEntry(view: ClusterView, limits: Limits): Entry {
  const judgements = judge(view, limits);
  const isLeaving = view.shutdowns.some(({ nodeId, type }) => nodeId === view.self.id && type === 'REMOVE');
  if (isLeaving) return { action: 'resume', judgements };
  return { action: judgements.some(({ verdict }) => verdict === 'block') ? 'refuse' : 'register', judgements };
}

/** Of two nodes that put their records at the same moment, the later one gives way; the id decides a tie. */
export function firstInLine(shutdowns: readonly Shutdown[], nodes: readonly EngineNode[]): Shutdown | undefined {
  const present = new Set(nodes.map(({ id }) => id));
  return [...shutdowns]
    .filter(({ nodeId }) => present.has(nodeId))
    .sort((a, b) => a.startedAt - b.startedAt || (a.nodeId < b.nodeId ? -1 : 1))[0];
}

type Step = 'wait' | 'stalling' | 'stalled' | 'verify' | 'record-removed';

export function decideStep(record: Shutdown | undefined, stalledForSeconds: number): Step {
  if (record === undefined) return 'record-removed';
  // The whole, not the shards alone: the engine moves persistent tasks too.
  switch (record.status) {
    case 'COMPLETE':
      return 'verify';
    case 'STALLED':
      return stalledForSeconds >= stallGraceSeconds ? 'stalled' : 'stalling';
    case 'IN_PROGRESS':
    case 'NOT_STARTED':
      return 'wait';
  }
}

/**
 * Drains the node and says when it is safe to end it. Whatever happens, nothing is lost by it: the engine moves the
 * shards, and as long as the outcome is not `empty` the node goes on serving.
 */
export async function leave(options: LeaveOptions): Promise<LeaveOutcome> {
  const { engine, self, reason, report } = options;
  const view = await readView(engine, self);
  const entry = decideEntry(view, options.limits);
  report({ kind: 'judged', judgements: entry.judgements });
  if (entry.action === 'refuse') return { kind: 'blocked', judgements: entry.judgements };

  if (entry.action === 'register') {
    await putShutdown(engine, self.id, { type: 'remove', reason });
    const first = firstInLine(await readShutdowns(engine), await readNodes(engine));
    if (first !== undefined && first.nodeId !== self.id) {
      await deleteShutdown(engine, self.id);
      return { kind: 'withdrawn', other: view.nodes.find(({ id }) => id === first.nodeId)?.name ?? first.nodeId };
    }
  }
  report({
    kind: entry.action === 'register' ? 'registered' : 'resumed',
    shards: copiesOnSelf(view).length,
    bytes: bytesToMove(view),
  });
  return untilEmpty(options);
}

/** Takes the record back: the node stays, and shards may come to it again. Harmless when there is none. */
export async function withdraw(engine: EngineClient, self: EngineNode): Promise<void> {
  await deleteShutdown(engine, self.id);
}

async function untilEmpty({ engine, self, waitSeconds, clock, report, signal }: LeaveOptions): Promise<LeaveOutcome> {
  const deadline = clock.now() + waitSeconds * 1000;
  let stalledSince: number | undefined;
  let remaining = Number.NaN;
  for (;;) {
    if (signal.aborted) return { kind: 'interrupted' };
    if (clock.now() > deadline) return { kind: 'out-of-time', remaining };
    try {
      const record = (await readShutdowns(engine)).find(({ nodeId }) => nodeId === self.id);
      stalledSince = record?.status === 'STALLED' ? (stalledSince ?? clock.now()) : undefined;
      const seconds = stalledSince === undefined ? 0 : (clock.now() - stalledSince) / 1000;
      if (record !== undefined && record.shards.remaining !== remaining) {
        remaining = record.shards.remaining;
        report({ kind: 'moving', remaining });
      }
      const step = decideStep(record, seconds);
      if (step === 'record-removed') return { kind: 'record-removed' };
      if (step === 'stalling') report({ kind: 'stalling', explanation: record?.shards.explanation ?? '', seconds });
      if (step === 'stalled') return { kind: 'stalled', explanation: await whyStalled(engine, self, record) };
      if (step === 'verify') {
        const first = await look(engine, self);
        await clock.sleep(first.leftBehind.length === 0 ? betweenLooksMs : leftBehindMs, signal);
        const second = await look(engine, self);
        const atRisk = [...new Set([...first.atRisk, ...second.atRisk])];
        const isStill = first.leftBehind.join() === second.leftBehind.join();
        if (atRisk.length === 0 && isStill) return { kind: 'empty', leftBehind: second.leftBehind };
        if (atRisk.length > 0) report({ kind: 'not-empty', atRisk });
      }
    } catch (error) {
      // An error is never an empty answer: it is looked at again until there is one, or the time is up.
      if (!(error instanceof EngineError)) throw error;
      report({ kind: 'unsure', cause: error.message });
    }
    await clock.sleep(pollMs, signal);
  }
}

/** One independent look: who holds what, by the routing table, and whether any shard would be lost with this node. */
async function look(engine: EngineClient, self: EngineNode): Promise<{ atRisk: string[]; leftBehind: string[] }> {
  const [routing, nodes, shutdowns] = await Promise.all([
    readRouting(engine),
    readNodes(engine),
    readShutdowns(engine),
  ]);
  const copies = shardPlaces(routing);
  const leftBehind = copies.filter(({ node }) => node === self.id).map(({ index, shard }) => `${index}/${shard}`);
  return { atRisk: shardsAtRisk(copies, nodes, shutdowns, self.id), leftBehind };
}

/** The engine's own words about the first shard that cannot leave, decider by decider. */
async function whyStalled(engine: EngineClient, self: EngineNode, record: Shutdown | undefined): Promise<string> {
  const said = record?.shards.explanation ?? 'the engine gives no reason';
  const stuck = shardPlaces(await readRouting(engine)).find(
    ({ node, state }) => node === self.id && state === 'STARTED',
  );
  if (stuck === undefined) return said;
  const explanation = await explainAllocation(engine, copyOf(stuck));
  const objections = (explanation?.node_allocation_decisions ?? []).flatMap(({ node_name, deciders }) =>
    (deciders ?? []).map((decider) => `${node_name}: ${decider.decider}: ${decider.explanation}`),
  );
  return [said, ...objections].join('\n');
}

const copyOf = ({ index, shard, primary }: ShardPlace) => ({ index, shard: Number(shard), primary });
