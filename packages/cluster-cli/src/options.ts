import type { Address } from '@muster/engine';
import { InvalidArgumentError, Option } from 'commander';
import { type Format, formats } from './context.ts';

/** The options of every command, with the defaults that the specification promises. */
export interface GlobalOptions {
  readonly debug?: boolean;
  readonly quiet?: boolean;
  readonly username: string;
  readonly password?: string;
  readonly passwordSecret?: string;
  readonly esProtocol: Address['protocol'];
  readonly esHost: string;
  readonly esPort: number;
  readonly format: Format;
}

export function globalOptions(): Option[] {
  return [
    new Option('--debug', 'also say what is asked of the engine, and how long it took').conflicts('quiet'),
    new Option('--quiet', 'only warnings and errors; data is printed all the same'),
    new Option('--username <name>', 'user of the search engine').default('elastic'),
    new Option('--password <text>', 'its password (can be read by others on this machine: prefer the next)'),
    new Option('--password-secret <id>', 'secret in AWS Secrets Manager that holds the password').conflicts('password'),
    new Option('--es-protocol <name>', 'protocol').choices(['http', 'https']).default('http'),
    new Option('--es-host <name>', 'host').default('127.0.1.1').argParser(parseHost),
    new Option('--es-port <number>', 'port').default(9200).argParser(parsePort),
    new Option('--format <name>', 'output format').choices(formats).default('text'),
  ];
}

/** A number of the command line: whole, in its range, and nothing after it. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

const parsePort = wholeNumber(1, 65_535);

function parseHost(text: string): string {
  if (/^[A-Za-z0-9._-]+$|^[0-9A-Fa-f:.]+$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a host name or an address alone, without protocol, port or path.');
}
