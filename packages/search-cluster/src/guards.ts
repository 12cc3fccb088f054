import type { EngineNode, ShardPlace } from '@muster/engine';
import { stayingNodes } from './safety.ts';
import type { ClusterView } from './view.ts';

export type Verdict = 'pass' | 'warn' | 'block';

/** One reason not to let a node go. Its name is what people see in the plan, in the log and in the docs. */
export interface Guard {
  readonly name: string;
  readonly why: string;
  readonly check: (view: ClusterView, limits: Limits) => Finding;
}

export interface Finding {
  readonly verdict: Verdict;
  readonly reason: string;
}

export interface Limits {
  /** Seconds that the hook can still be held; absent when no hook is. */
  readonly secondsLeft: number | undefined;
}

const pass = (reason: string): Finding => ({ verdict: 'pass', reason });
const warn = (reason: string): Finding => ({ verdict: 'warn', reason });
const block = (reason: string): Finding => ({ verdict: 'block', reason });

const dataRoles = ['data', 'data_content', 'data_hot', 'data_warm', 'data_cold', 'data_frozen'];
const holdsData = ({ roles }: EngineNode) => roles.some((role) => dataRoles.includes(role));

export const staying = ({ nodes, self, shutdowns }: ClusterView) => stayingNodes(nodes, shutdowns, self.id);

const dataNodesStaying = (view: ClusterView) => staying(view).filter(holdsData);

/** The copies on the leaving node; one that moves to it counts, because it will arrive. */
export const copiesOnSelf = ({ copies, self }: ClusterView): ShardPlace[] =>
  copies.filter(({ node, relocating_node }) => node === self.id || relocating_node === self.id);

const some = (names: Iterable<string>): string => {
  const list = [...new Set(names)].sort();
  return list.length <= 3 ? list.join(', ') : `${list.slice(0, 3).join(', ')} and ${list.length - 3} more`;
};

export const guards: readonly Guard[] = [
  {
    name: 'cluster-green',
    why: 'A cluster that misses a copy already must not be asked to give up a node.',
    check: ({ health }) =>
      health.status === 'green'
        ? pass('the cluster is green')
        : block(`the cluster is ${health.status}, ${health.unassigned_shards} shards are unassigned`),
  },
  {
    name: 'one-leave-at-a-time',
    why: 'Two nodes that leave together can take both copies of a shard.',
    check: ({ shutdowns, self, nodes }) => {
      const others = shutdowns.filter(({ nodeId }) => nodeId !== self.id && nodes.some(({ id }) => id === nodeId));
      if (others.length === 0) return pass('no other node is leaving');
      const names = others.map(({ nodeId }) => nodes.find(({ id }) => id === nodeId)?.name ?? nodeId);
      return block(`${some(names)} is leaving or restarting`);
    },
  },
  {
    name: 'master-quorum',
    why: 'A majority of the committed voting configuration must stay, or nobody can be elected.',
    check: (view) => {
      const { voters, self } = view;
      if (!voters.includes(self.id)) return pass('this node has no vote');
      const present = new Set(staying(view).map(({ id }) => id));
      const left = voters.filter((voter) => present.has(voter)).length;
      const counted = `${left} of ${voters.length} voters stay`;
      return left * 2 > voters.length ? pass(counted) : block(`only ${counted}: no majority`);
    },
  },
  {
    name: 'last-of-role',
    why: 'What only this node can do, nobody does when it is gone.',
    check: (view) => {
      const kept = new Set(staying(view).flatMap(({ roles }) => roles));
      const lost = view.self.roles.filter((role) => !kept.has(role));
      const vital = lost.filter(
        (role) => role === 'master' || (dataRoles.includes(role) && copiesOnSelf(view).length > 0),
      );
      // A plain data node can hold every tier, and the other way round no tier node can do all that a data node does.
      const missing = vital.filter((role) => role === 'master' || !kept.has('data'));
      if (missing.length > 0) return block(`no other node is ${some(missing)}`);
      return lost.length > 0
        ? warn(`no other node is ${some(lost)}`)
        : pass('every role of this node has another node');
    },
  },
  {
    name: 'last-of-zone',
    why: 'Without a node in its zone, that zone holds no copy; forced awareness then leaves copies unassigned.',
    check: (view) => {
      const { zone } = view.self;
      if (zone === undefined || !holdsData(view.self)) return pass('this node has no zone or no data');
      if (dataNodesStaying(view).some((node) => node.zone === zone)) return pass(`zone ${zone} keeps a data node`);
      const reason = `this is the last data node of zone ${zone}`;
      return view.settings.forcedZones.includes(zone) ? block(`${reason}, and awareness is forced`) : warn(reason);
    },
  },
  {
    name: 'copies-placeable',
    why: 'Two copies of a shard never share a node: an index with as many copies as nodes loses one for good.',
    check: (view) => {
      const places = dataNodesStaying(view).length;
      const tooMany = copiesOnSelf(view).filter(({ index }) => {
        const settings = view.indices.get(index);
        return settings !== undefined && !settings.expandsByItself && settings.replicas + 1 > places;
      });
      return tooMany.length === 0
        ? pass(`every copy finds a place on ${places} nodes`)
        : block(`${some(tooMany.map(({ index }) => index))} needs more copies than the ${places} nodes that stay`);
    },
  },
  {
    name: 'total-shards-per-node',
    why: 'A limit of shards a node can make the drain impossible however much room there is.',
    check: (view) => {
      const places = dataNodesStaying(view).length;
      const counts = new Map<string, number>();
      for (const { index } of view.copies) counts.set(index, (counts.get(index) ?? 0) + 1);
      const full = copiesOnSelf(view).filter(({ index }) => {
        const limit = view.indices.get(index)?.totalShardsPerNode;
        return limit !== undefined && (counts.get(index) ?? 0) > limit * places;
      });
      if (full.length > 0) return block(`${some(full.map(({ index }) => index))} may not have that many shards a node`);
      const { totalShardsPerNode: limit } = view.settings;
      return limit !== undefined && view.copies.length > limit * places
        ? block(`the cluster allows ${limit} shards a node, and ${view.copies.length} would be on ${places} nodes`)
        : pass('no limit is reached');
    },
  },
  {
    name: 'disk-room',
    why: 'The engine puts no shard on a disk above the low watermark: a drain without room stalls.',
    check: (view) => {
      if (!view.settings.diskThreshold) return pass('the engine does not watch disks here');
      const needed = bytesToMove(view);
      const room = dataNodesStaying(view).reduce((sum, { id }) => sum + roomOn(view, id), 0);
      const figures = `${gigabytes(needed)} to move, room for ${gigabytes(room)} below the low watermark`;
      return needed <= room ? pass(figures) : block(figures);
    },
  },
  {
    name: 'no-replica',
    why: 'The only copy of a shard moves safely, but until it has moved there is no second one.',
    check: (view) => {
      const alone = copiesOnSelf(view).filter(({ index }) => view.indices.get(index)?.replicas === 0);
      return alone.length === 0
        ? pass('every shard on this node has another copy')
        : warn(`${some(alone.map(({ index }) => index))} has no replica; it moves, and is served from here until then`);
    },
  },
  {
    name: 'snapshot-running',
    why: 'A shard that is being written to a snapshot cannot move before it is done.',
    check: ({ snapshots, self }) => {
      const writing = [...snapshots].filter(([, nodes]) => nodes.has(self.id)).map(([name]) => name);
      return writing.length === 0
        ? pass('no snapshot is written from here')
        : block(`snapshot ${some(writing)} is written from here`);
    },
  },
  {
    name: 'version-direction',
    why: 'The engine puts no copy on an older node than its primary: in an upgrade a replica can have nowhere to go.',
    check: (view) => {
      const versions = new Map(view.nodes.map(({ id, version }) => [id, version]));
      const primaries = new Map(
        view.copies.filter(({ primary }) => primary).map((copy) => [`${copy.index}/${copy.shard}`, copy]),
      );
      const places = dataNodesStaying(view);
      const stuck = copiesOnSelf(view).filter((copy) => {
        const primary = primaries.get(`${copy.index}/${copy.shard}`);
        const from = versions.get((copy.primary ? copy.node : primary?.node) ?? '') ?? view.self.version;
        const taken = copy.primary ? undefined : primary?.node;
        return !places.some(({ id, version }) => id !== taken && compareVersions(version, from) >= 0);
      });
      return stuck.length === 0
        ? pass('every copy can go to a node that is new enough')
        : block(`${some(stuck.map(({ index }) => index))} can only go to a newer node, and none can take it`);
    },
  },
  {
    name: 'time-enough',
    why: 'A hook can be held for 48 hours at most; a drain that takes longer must begin otherwise.',
    check: (view, { secondsLeft }) => {
      const estimate = estimateSeconds(view);
      if (secondsLeft === undefined) return pass(`about ${minutes(estimate)}, no deadline`);
      const figures = `about ${minutes(estimate)}, the hook can be held for ${minutes(secondsLeft)}`;
      return estimate <= secondsLeft ? pass(figures) : warn(figures);
    },
  },
];

export interface Judgement extends Finding {
  readonly name: string;
}

export function judge(view: ClusterView, limits: Limits): Judgement[] {
  return guards.map(({ name, check }) => ({ name, ...check(view, limits) }));
}

/** What can still be written to a node before the engine stops putting shards there. */
function roomOn({ disks, settings }: ClusterView, nodeId: string): number {
  const disk = disks.get(nodeId);
  if (disk === undefined) return 0;
  const { lowWatermark } = settings;
  const reserve = 'freeBytes' in lowWatermark ? lowWatermark.freeBytes : disk.totalBytes * (1 - lowWatermark.usedShare);
  return Math.max(0, disk.freeBytes - reserve);
}

export const bytesToMove = (view: ClusterView): number =>
  copiesOnSelf(view).reduce((sum, { index, shard }) => sum + (view.bytes.get(`${index}/${shard}`) ?? 0), 0);

/** Bytes by the engine's own limit of one node's recoveries; a limit of 0 is none, and then nothing is known. */
export function estimateSeconds(view: ClusterView): number {
  const rate = view.settings.recoveryBytesPerSecond;
  return rate > 0 ? bytesToMove(view) / rate : 0;
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(/[.-]/).map(Number));
  for (let at = 0; at < 3; at++) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const gigabytes = (bytes: number) => `${(bytes / 1024 ** 3).toFixed(1)} GB`;
const minutes = (seconds: number) => `${Math.ceil(seconds / 60)} minutes`;
