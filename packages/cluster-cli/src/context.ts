import type { EngineClient } from '@muster/engine';
import type { Terminal } from './terminal.ts';

export const formats = ['text', 'json', 'yaml', 'cbor', 'smile'] as const;
export type Format = (typeof formats)[number];

/** What every command is given to work with. */
export interface Context {
  readonly engine: EngineClient;
  readonly terminal: Terminal;
  readonly format: Format;
  /** The version of this command, for the evidence. */
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where a node keeps its copy of what was decided. */
  readonly stateFolder: string;
}
