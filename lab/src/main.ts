import { styleText } from 'node:util';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { awsDown, awsEnvironment, awsIsRunning, awsStatus, awsUp } from './aws.ts';
import { type EngineVersion, engineVersions } from './distribution.ts';
import { engineConnection, engineDown, engineIsRunning, engineStatus, engineUp } from './engine.ts';
import { groupCommand } from './group-command.ts';
import { labHome } from './home.ts';
import { LabProblem } from './problem.ts';
import { reportTo } from './report.ts';

const parts = ['engine', 'aws'] as const;
type Part = (typeof parts)[number];

const partsArgument = () => new Argument('[parts...]', 'what to act on (default: all)').choices(parts);

/** No part named means all of them. */
const chosen = (named: string[]): Part[] => parts.filter((part) => named.length === 0 || named.includes(part));

/** For messages, which go to stderr; plain when that is no terminal. */
const styled = (style: 'bold' | 'green' | 'red', text: string) => styleText(style, text, { stream: process.stderr });

const print = (...lines: string[]) => process.stdout.write(lines.map((line) => `${line}\n`).join(''));

async function up(named: string[], options: { esVersion?: EngineVersion; nodes?: number }): Promise<void> {
  const home = labHome();
  const wanted = chosen(named);
  using report = reportTo(process.stderr);
  if (wanted.includes('engine')) {
    const began = Date.now();
    const { version, nodes } = await engineUp(home, { version: options.esVersion, nodeCount: options.nodes }, report);
    const seconds = Math.round((Date.now() - began) / 1000);
    report.done(ready('engine', `Elasticsearch ${version}, ${nodes.length} nodes, ${nodes[0]?.url} (${seconds} s)`));
  }
  if (wanted.includes('aws')) {
    await awsUp(home, report);
    report.done(ready('aws', awsEnvironment.AWS_ENDPOINT_URL));
  }
  report.done(`For your shell: ${styled('bold', 'eval "$(npm run --silent lab -- env)"')}`);
}

const ready = (part: Part, what: string): string => `${styled('green', '✓')} ${part} is ready: ${what}`;

async function down(named: string[], options: { wipe: boolean }): Promise<void> {
  const home = labHome();
  const wanted = chosen(named);
  using report = reportTo(process.stderr);
  if (wanted.includes('engine')) await engineDown(home, options, report);
  if (wanted.includes('aws')) await awsDown(home, options, report);
  report.done(`${wanted.join(' and ')}: stopped${options.wipe ? ', data removed' : '; data is kept'}`);
}

async function status(): Promise<void> {
  const home = labHome();
  const [engine, aws] = await Promise.all([engineStatus(home), awsStatus(home)]);
  print(`home    ${home.root}`);
  if (engine) {
    const health = engine.nodes.find((node) => node.health)?.health;
    const runs = engine.nodes.some(({ pids }) => pids.length > 0);
    print(`engine  ${engine.version}  ${health ? colourOf(health.status) : runs ? 'starting' : 'stopped'}`);
    for (const { name, zone, address, instanceId, pids, health: seen } of engine.nodes) {
      const state = seen ? 'joined' : pids.length > 0 ? 'starting' : 'stopped';
      print(
        `  ${name}  zone ${zone}  ${address}  ${instanceId}  ${state}  ${pids.map((pid) => `pid ${pid}`).join(' ')}`,
      );
    }
  } else {
    print('engine  not made yet');
  }
  print(
    `aws     ${aws.version}  ${aws.endpoint}  ${aws.answers ? 'ready' : aws.pids.length > 0 ? 'starting' : 'stopped'}`,
  );
}

const colourOf = (status: 'green' | 'yellow' | 'red'): string => styleText(status, status);

/** Secrets are printed here and nowhere else. */
async function environment(): Promise<void> {
  const home = labHome();
  const variables: Record<string, string> = {};
  if (await engineIsRunning(home)) variables.CLUSTER_CLI_PASSWORD = (await engineConnection(home)).password;
  if (await awsIsRunning(home)) {
    // Left alone, a profile or a session of the developer would win over the keys of the lab.
    print('unset AWS_PROFILE AWS_SESSION_TOKEN');
    Object.assign(variables, awsEnvironment);
  }
  if (Object.keys(variables).length === 0) {
    throw new LabProblem('LAB_NOT_UP', 'Nothing of the lab is running.', 'Run `npm run lab -- up` first.');
  }
  print(...Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`));
}

function nodeCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 9) return count;
  throw new InvalidArgumentError('A number from 1 to 9.');
}

const program = new Command('lab')
  .description('Everything Muster talks to, for real, on this machine: search engine nodes and an AWS endpoint.')
  .addHelpText(
    'after',
    `
Examples:
  npm run lab -- up                               the engine (3 nodes) and the AWS endpoint
  npm run lab -- up engine --es-version 8.19.8    another version of the engine, on fresh data
  npm run lab -- down                             stop every process, keep the engine's data
  npm run lab -- down engine --wipe               stop the engine and remove its data
  eval "$(npm run --silent lab -- env)"           let cluster-cli and the AWS SDK find the lab
  npm run lab -- group --help                     autoscaling groups by hand: create, scale, watch, …

Downloads and data live outside the checkout: in MUSTER_LAB_HOME, else in /var/cache/muster for root,
else in ~/.cache/muster. The engine listens on 127.0.1.1, 127.0.1.2, … (ports 9200 and 9300), AWS on 127.0.0.1:4566
(behind it 127.0.0.2:4566), instance metadata on 127.2.x.y:1338.`,
  );

program
  .command('up')
  .description('start what is not running yet and wait until it is ready; harmless when it already is')
  .addArgument(partsArgument())
  .addOption(
    new Option('--es-version <version>', "version of the engine (default: that of the lab's data, else 9.4.3)").choices(
      engineVersions,
    ),
  )
  .option('--nodes <count>', "number of engine nodes (default: that of the lab's data, else 3); may grow", nodeCount)
  .action(up);

program
  .command('down')
  .description('stop all processes; data is kept for the next `up`')
  .addArgument(partsArgument())
  .option('--wipe', 'also remove the data, passwords and certificates', false)
  .action(down);

program.command('status').description('show what runs').action(status);
program
  .command('env')
  .description('print `export` lines for a shell, with the password of user elastic')
  .action(environment);

program.addCommand(groupCommand());

// The reader of a pipe may have seen enough (`lab status | head -1`).
process.stdout.on('error', (error) => process.exit('code' in error && error.code === 'EPIPE' ? 0 : 1));

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof LabProblem)) throw error;
  process.stderr.write(`${styled('red', `${error.code}: `)}${error.message}\n${error.next}\n`);
  process.exitCode = 1;
}
