import fc from 'fast-check';
import { expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { copyOf } from './commands/cluster/allocation-explain.ts';
import { buildProgram, pathOf } from './program.ts';
import { runCaptured } from './run-captured.ts';

/** Parses only: which command, with which options; `undefined` when the words are refused. */
function parse(argv: readonly string[]) {
  const found: { path: string; options: Record<string, unknown>; args: readonly string[] }[] = [];
  const silent = { writeOut: () => {}, writeErr: () => {} };
  const program = buildProgram((command) => {
    found.push({ path: pathOf(command), options: command.optsWithGlobals(), args: command.args });
  }, silent);
  try {
    program.parse(argv, { from: 'user' });
  } catch {
    return undefined;
  }
  return found[0];
}

test('[C-01] the defaults are those of the specification', () => {
  expect(parse(['cat', 'shards'])?.options).toEqual({
    username: 'elastic',
    esProtocol: 'http',
    esHost: '127.0.1.1',
    esPort: 9200,
    format: 'text',
  });
});

test('[C-01] global options stand before the subcommand, and behind it where people type them', () => {
  const options = [
    '--username',
    'u',
    '--es-protocol',
    'https',
    '--es-host',
    'h',
    '--es-port',
    '1',
    '--format',
    'yaml',
    '--debug',
  ];
  expect(parse([...options, 'cat', 'shards'])?.options).toEqual(parse(['cat', 'shards', ...options])?.options);
  expect(parse([...options, 'cat', 'shards'])?.options).toMatchObject({
    username: 'u',
    esProtocol: 'https',
    esHost: 'h',
    esPort: 1,
    format: 'yaml',
    debug: true,
  });
});

test.each([
  [['cat', 'shards', '--index', 'a,b', '--index', 'c'], { index: ['a', 'b', 'c'] }],
  [['cat', 'shards', '--unassigned', '--stats', '--sort', 'node'], { unassigned: true, stats: true, sort: 'node' }],
  [['cluster', 'allocation-explain', '--index', 'a', '--shard', '0'], { index: 'a', shard: 0 }],
  [['cluster', 'allocation-explain', '--replica'], { replica: true }],
  [['api', 'GET', '/x', '-d', '{}'], { data: '{}' }],
])('%j is understood', (argv, options) => {
  expect(parse(argv)?.options).toMatchObject(options);
});

test.each([
  [['cluster-health'], 'cluster-health'],
  [['cluster', 'health'], 'cluster health'],
  [['cat', 'snapshots'], 'cat snapshots'],
])('%j names the command %s', (argv, path) => {
  expect(parse(argv)?.path).toBe(path);
});

test.each([
  [['--es-port', '0', 'cat', 'shards']],
  [['--es-port', '65536', 'cat', 'shards']],
  [['--es-port', '92e2', 'cat', 'shards']],
  [['--es-host', 'http://x', 'cat', 'shards']],
  [['--es-protocol', 'ftp', 'cat', 'shards']],
  [['--format', 'xml', 'cat', 'shards']],
  [['--debug', '--quiet', 'cat', 'shards']],
  [['--password', 'a', '--password-secret', 'b', 'cat', 'shards']],
  [['cluster', 'allocation-explain', '--primary', '--replica']],
  [['cluster', 'allocation-explain', '--shard', '-1']],
  [['cat', 'shards', 'extra']],
  [['api', 'GET']],
  [[]],
])('%j is refused', (argv) => {
  expect(parse(argv)).toBeUndefined();
});

test('[C-07] shard 0 is a shard: it is not taken for "none"', () => {
  expect(copyOf({ index: 'a', shard: 0 })).toEqual({ index: 'a', shard: 0, primary: true });
  expect(copyOf({ index: 'a', shard: 0, replica: true })).toEqual({ index: 'a', shard: 0, primary: false });
  expect(copyOf({})).toBeUndefined();
  expect(() => copyOf({ index: 'a' })).toThrow('together');
  expect(() => copyOf({ shard: 0 })).toThrow('together');
});

test('a typo is answered with the right word, and ends with the code for usage', async () => {
  const { code, stdout, stderr } = await runCaptured(['cat', 'shrads']);
  expect(code).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toContain('Did you mean shards?');
  expect((await runCaptured(['--fromat', 'json', 'cat', 'shards'])).stderr).toContain('Did you mean --format?');
});

test('[F-28] --version prints the version of the module, and nothing else', async () => {
  expect(await runCaptured(['--version'])).toMatchObject({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' });
});

test('help is data: on stdout, with examples and exit codes', async () => {
  const { code, stdout } = await runCaptured(['--help']);
  expect(code).toBe(0);
  expect(stdout).toContain('$ cluster-cli cat shards --unassigned');
  expect(stdout).toContain('Exit codes:');
  expect((await runCaptured(['cat', 'shards', '--help'])).stdout).toContain('--unassigned');
});

test('any words at all either name a command or are refused: the parser never falls over', () => {
  const word = fc.oneof(
    fc.constantFrom('cat', 'shards', 'nodes', 'cluster', 'health', 'allocation-explain', 'api', 'GET', '/_cat', '--'),
    fc.constantFrom('--format', '--es-port', '--es-host', '--password', '--index', '--shard', '--primary', '-d', '-'),
    fc.constantFrom('json', '0', '-1', '9200', '', '*', '__proto__', 'constructor'),
    fc.string(),
  );
  const names =
    /^(cat (shards|nodes|indices|repositories|snapshots)|cluster (health|allocation-explain|commission-node)|cluster-health|api|completion)$/;
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), (argv) => {
      const parsed = parse(argv);
      if (parsed === undefined) return;
      expect(parsed.path).toMatch(names);
      expect(parsed.options.esPort).toSatisfy((port: unknown) => Number.isInteger(port) && Number(port) > 0);
    }),
    { numRuns: 10_000 },
  );
});
