import * as z from 'zod/mini';
import type { EngineClient } from './client.ts';
import { parse } from './parse.ts';

const rowsSchema = z.array(z.record(z.string(), z.nullable(z.string())));

/** A row of one of the engine's own tables: column name to text. */
export type CatRow = Record<string, string | null>;

export interface CatTable {
  readonly path: string;
  readonly query: Record<string, string | undefined>;
}

/** One of the engine's `_cat` tables with exactly these columns. Sizes in bytes, so that a reader can compare them. */
export function catTable(name: string, columns: readonly string[], sort?: string): CatTable {
  return { path: `/_cat/${name}`, query: { h: columns.join(), bytes: 'b', s: sort } };
}

export async function readCat(client: EngineClient, table: CatTable): Promise<CatRow[]> {
  return parse(`GET ${table.path}`, rowsSchema, await client.json('GET', table.path, { query: table.query }));
}
