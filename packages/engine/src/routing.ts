import * as z from 'zod/mini';
import type { EngineClient } from './client.ts';
import { malformed } from './errors.ts';
import { describe, parse } from './parse.ts';
import { requestRouting, routingPath } from './routing-request.ts';

export const shardStates = ['UNASSIGNED', 'INITIALIZING', 'RELOCATING', 'STARTED'] as const;
export type ShardState = (typeof shardStates)[number];

/** One copy of a shard as decisions see it: by node ids. */
export interface ShardPlace extends Copy {
  readonly index: string;
  readonly shard: string;
}

interface Copy {
  readonly state: ShardState;
  readonly primary: boolean;
  readonly node: string | null;
  readonly relocating_node: string | null;
  readonly unassigned_info?: { readonly reason: string };
}

const routingSchema = z.object({
  // A filter leaves out what is empty: `routing_table` is absent when the cluster has no index.
  nodes: z.optional(z.record(z.string(), z.object({ name: z.string(), transport_address: z.string() }))),
  routing_table: z.optional(z.object({ indices: z.optional(z.custom<Record<string, unknown>>(isObject)) })),
});

export type Routing = z.infer<typeof routingSchema>;

export async function readRouting(client: EngineClient): Promise<Routing> {
  return parseRouting(await requestRouting(client));
}

export function parseRouting(answer: unknown): Routing {
  return parse(`GET ${routingPath}`, routingSchema, answer);
}

/** One copy of a shard. Names, order and spelling of the values are those of the engine's own `_cat/shards`. */
export interface ShardRow {
  readonly index: string;
  readonly shard: string;
  readonly prirep: 'p' | 'r';
  readonly state: ShardState;
  readonly node: string | null;
  readonly 'unassigned.reason': string | null;
}

/**
 * The rows one by one, indices by name: at 100,000 shards a second copy of the table is what would cost memory.
 * The copies are checked by hand as they are walked: a schema over them takes four times as long as parsing the JSON.
 */
export function* shardRows(routing: Routing): Generator<ShardRow> {
  const indices = routing.routing_table?.indices ?? {};
  const names = new Map(Object.entries(routing.nodes ?? {}).map(([id, { name }]) => [id, name]));
  for (const index of Object.keys(indices).sort()) {
    const shards = membersOf(membersOf(indices[index], index).shards, `${index}.shards`);
    for (const shard in shards) {
      const copies = shards[shard];
      if (!Array.isArray(copies)) throw unreadable(`${index}.shards.${shard}`, copies);
      for (const copy of copies) {
        if (!isCopy(copy)) throw unreadable(`${index}.shards.${shard}`, copy);
        yield {
          index,
          shard,
          prirep: copy.primary ? 'p' : 'r',
          state: copy.state,
          node: copy.node === null ? null : placeOf(copy.node, copy.relocating_node),
          'unassigned.reason': copy.unassigned_info === undefined ? null : copy.unassigned_info.reason,
        };
      }
    }
  }

  function placeOf(id: string, target: string | null): string {
    const name = names.get(id) ?? id;
    if (target === null) return name;
    const address = routing.nodes?.[target]?.transport_address ?? '';
    return `${name} -> ${address.slice(0, address.lastIndexOf(':'))} ${target} ${names.get(target) ?? target}`;
  }
}

/** All copies at once, for decisions: they look at each more than once. */
export function shardPlaces(routing: Routing): ShardPlace[] {
  const places: ShardPlace[] = [];
  for (const [index, value] of Object.entries(routing.routing_table?.indices ?? {})) {
    for (const [shard, copies] of Object.entries(membersOf(membersOf(value, index).shards, `${index}.shards`))) {
      if (!Array.isArray(copies)) throw unreadable(`${index}.shards.${shard}`, copies);
      for (const copy of copies) {
        if (!isCopy(copy)) throw unreadable(`${index}.shards.${shard}`, copy);
        places.push({ index, shard, ...copy });
      }
    }
  }
  return places;
}

function membersOf(value: unknown, place: string): Record<string, unknown> {
  if (isObject(value)) return value;
  throw unreadable(place, value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const knownStates: ReadonlySet<unknown> = new Set(shardStates);

function isCopy(copy: unknown): copy is Copy {
  return (
    isObject(copy) &&
    knownStates.has(copy.state) &&
    typeof copy.primary === 'boolean' &&
    isTextOrNull(copy.node) &&
    isTextOrNull(copy.relocating_node) &&
    (copy.unassigned_info === undefined || isUnassignedInfo(copy.unassigned_info))
  );
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function isUnassignedInfo(info: unknown): boolean {
  return isObject(info) && typeof info.reason === 'string';
}

function unreadable(place: string, value: unknown) {
  return malformed(`GET ${routingPath}`, `\`routing_table.indices.${place}\` is not a shard copy: ${describe(value)}`);
}
