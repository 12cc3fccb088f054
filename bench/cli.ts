import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { EngineClient } from '@muster/engine';
import { engineConnection } from '@muster/lab';
import * as z from 'zod/mini';

// The figures of docs/performance.md for cluster-cli: `npm run lab -- up engine`, `npm run build`, then `npm run bench`.
// Needs hyperfine, jq, curl and GNU time. Each command is timed beside what it is compared with, in one run.

const cli = 'packages/cluster-cli/bin/cluster-cli.cjs';
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const timings = z.object({ results: z.array(z.object({ median: z.number() })) });

/** Medians in milliseconds, of commands that take turns so that a noisy minute hits all of them. */
function medians(commands: readonly string[], rounds: number, shell: 'none' | 'default' = 'none'): number[] {
  const report = join(folder, 'hyperfine.json');
  const samples: number[][] = commands.map(() => []);
  for (let round = 0; round < rounds; round++) {
    const options = ['--style=none', '--warmup=1', '--runs=5', `--shell=${shell}`, `--export-json=${report}`];
    execFileSync('hyperfine', [...options, ...commands], { stdio: 'ignore' });
    const { results } = z.parse(timings, JSON.parse(readFileSync(report, 'utf8')));
    results.forEach(({ median }, at) => void samples[at]?.push(median * 1000));
  }
  return samples.map((list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN);
}

function peakMegabytes(command: string, ...args: string[]): number {
  const file = join(folder, 'peak');
  execFileSync('/usr/bin/time', ['--format=%M', `--output=${file}`, command, ...args], { stdio: 'ignore' });
  return Number(readFileSync(file, 'utf8')) / 1024;
}

interface Line {
  readonly what: string;
  readonly ours: string;
  readonly beside: string;
  readonly ratio: number;
  /** Absent: only for the record. */
  readonly limit: number | undefined;
}
const lines: Line[] = [];
const milliseconds = (value: number) => `${value.toFixed(0)} ms`;
function compare(what: string, [ours = 0, other = 0]: number[], beside: string, limit?: number): void {
  lines.push({
    what,
    ours: milliseconds(ours),
    beside: `${beside} ${milliseconds(other)}`,
    ratio: ours / other,
    limit,
  });
}

compare('`--version`', medians([`${cli} --version`, 'node -e 0'], 6), '`node -e 0`', 1.6);

const { nodes, username, password } = await engineConnection();
const address = { protocol: 'http', host: nodes[0]?.address ?? '', port: 9200 } as const;
async function* signIn() {
  yield { username, password, source: 'the lab' };
}
const engine = new EngineClient({ address, credentials: signIn(), opaqueId: 'bench' });
const minute = { limitMs: 120_000 };
const bodies = JSON.stringify({ settings: { number_of_shards: 10, number_of_replicas: 1 } });
process.stderr.write('making 1,000 shards on the real engine\n');
for (let index = 0; index < 50; index++) {
  await engine.request('PUT', `/bench-${index}`, { ...minute, body: bodies, query: { timeout: '100s' } });
}
await engine.request('GET', '/_cluster/health/bench-*', {
  ...minute,
  query: { wait_for_status: 'green', timeout: '110s' },
});
try {
  const curl = `curl --silent --fail http://${address.host}:9200/_cat/shards`;
  compare(
    '`cat shards`, 1,000 shards, real engine',
    medians([`${cli} cat shards`, curl], 6),
    '`curl …/_cat/shards`',
    0.75,
  );
} finally {
  await engine.request('DELETE', `/${Array.from({ length: 50 }, (_, index) => `bench-${index}`).join()}`, minute);
  engine.close();
}

process.stderr.write('100,000 shards from a generated routing table\n');
const server = spawn(process.execPath, ['bench/routing-table-server.ts'], { stdio: ['ignore', 'pipe', 'inherit'] });
try {
  const [port] = await once(createInterface({ input: server.stdout }), 'line');
  const ours = `${cli} --es-host 127.0.0.1 --es-port ${port} cat shards`;
  const rows = `.nodes as $n | .routing_table.indices | to_entries[] | .key as $i | .value.shards | to_entries[] | .key as $s | .value[] | [$i, $s, (if .primary then "p" else "r" end), .state, $n[.node].name] | @tsv`;
  const [cat = 0, fetch = 0, http = 0, jq = 0] = medians(
    [
      ours,
      `node bench/bare-fetch.cjs ${port}`,
      `node bench/bare-http.cjs ${port}`,
      `curl --silent http://127.0.0.1:${port} | jq -r '${rows}'`,
    ],
    4,
    'default',
  );
  const what = '`cat shards`, 100,000 shards';
  compare(what, [cat, fetch], 'Node: `fetch`, `JSON.parse`', 2);
  compare(what, [cat, http], 'Node: `node:http`, `JSON.parse`');
  compare(what, [cat, jq], '`curl` into `jq`, same rows', 1);
  const peak = peakMegabytes(cli, '--es-host', '127.0.0.1', '--es-port', String(port), 'cat', 'shards');
  lines.push({
    what: `${what}, peak memory`,
    ours: `${peak.toFixed(0)} MB`,
    beside: '200 MB',
    ratio: peak / 200,
    limit: 1,
  });
} finally {
  server.kill();
}

const table = [
  '| what | ours | beside | ratio | at most |',
  '|---|---|---|---|---|',
  ...lines.map(
    ({ what, ours, beside, ratio, limit }) =>
      `| ${what} | ${ours} | ${beside} | ${ratio.toFixed(2)} | ${limit ?? ''} |`,
  ),
];
process.stdout.write(`${table.join('\n')}\n`);
if (lines.some(({ ratio, limit }) => limit !== undefined && !(ratio <= limit))) process.exitCode = 1;
