import * as z from 'zod/mini';
import type { EngineClient } from './client.ts';
import { malformed } from './errors.ts';
import { parse } from './parse.ts';

const path = '/_cluster/settings';
const layer = z.optional(z.record(z.string(), z.unknown()));
const settingsSchema = z.object({ persistent: layer, transient: layer, defaults: layer });

/** The settings of the cluster that decide where a shard may go. */
export interface AllocationSettings {
  /** Share of a disk, 0 to 1, or the bytes that must stay free, from which the engine puts no shard on a node. */
  readonly lowWatermark: { readonly usedShare: number } | { readonly freeBytes: number };
  readonly diskThreshold: boolean;
  /** Values of `zone` that must each hold a copy, when awareness is forced. */
  readonly forcedZones: readonly string[];
  /** Most copies that a node may hold at all; absent: no limit. */
  readonly totalShardsPerNode: number | undefined;
  readonly recoveryBytesPerSecond: number;
}

export async function readAllocationSettings(client: EngineClient): Promise<AllocationSettings> {
  // A filter does not see into flat names, so all of them come; they are some 60 KB.
  const query = { include_defaults: 'true', flat_settings: 'true' };
  const layers = parse(`GET ${path}`, settingsSchema, await client.json('GET', path, { query }));
  const settings = { ...layers.defaults, ...layers.persistent, ...layers.transient };
  const one = (name: string, otherwise: string): string => {
    const found = settings[name];
    return typeof found === 'string' ? found : otherwise;
  };
  const allocation = 'cluster.routing.allocation';
  const forced = settings[`${allocation}.awareness.force.zone.values`] ?? [];
  const total = Number(one(`${allocation}.total_shards_per_node`, '-1'));
  return {
    lowWatermark: watermark(one(`${allocation}.disk.watermark.low`, '85%')),
    diskThreshold: one(`${allocation}.disk.threshold_enabled`, 'true') === 'true',
    forcedZones: (Array.isArray(forced) ? forced.map(String) : String(forced).split(',')).map((zone) => zone.trim()),
    totalShardsPerNode: total > 0 ? total : undefined,
    recoveryBytesPerSecond: bytesOf(one('indices.recovery.max_bytes_per_sec', '40mb')),
  };
}

function watermark(text: string): AllocationSettings['lowWatermark'] {
  if (text.endsWith('%')) return { usedShare: Number(text.slice(0, -1)) / 100 };
  if (/^[0-9.]+$/.test(text)) return { usedShare: Number(text) };
  return { freeBytes: bytesOf(text) };
}

const units: Record<string, number> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3, tb: 1024 ** 4, pb: 1024 ** 5 };

/** `40mb` as the engine writes sizes; 0 stands for "no limit" there, and `-1` too. */
function bytesOf(text: string): number {
  const [, number, unit = 'b'] = /^(-?[0-9.]+)\s*([kmgtp]?b)?$/i.exec(text.trim()) ?? [];
  const factor = units[unit.toLowerCase()];
  if (number === undefined || factor === undefined)
    throw malformed(`GET ${path}`, `${JSON.stringify(text)} is no size`);
  return Number(number) * factor;
}
