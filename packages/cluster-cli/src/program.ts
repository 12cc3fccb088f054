import { Argument, Command, Option, type OutputConfiguration } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import type { ApiOptions } from './commands/api.ts';
import type { ShardsOptions } from './commands/cat/shard-table.ts';
import type { TableName } from './commands/cat/tables.ts';
import type { ExplainOptions } from './commands/cluster/allocation-explain.ts';
import type { CommissionOptions } from './commands/cluster/commission-node.ts';
import type { DecommissionOptions } from './commands/cluster/decommission-node.ts';
import type { Context } from './context.ts';
import { type Exit, exitCodes } from './exit-codes.ts';
import { globalOptions, wholeNumber } from './options.ts';

export type Run = (context: Context) => Promise<Exit> | Promise<void>;

/** Hands over what was parsed: the command that was named, and what to do once there is a connection. */
export type Chosen = (command: Command, run: Run) => void;

/** The whole command line, parsing only. The reference page is generated from this tree. */
export function buildProgram(chosen: Chosen, output: OutputConfiguration = {}): Command {
  const program = new Command('cluster-cli')
    .exitOverride()
    .configureOutput(output)
    .description('Looks after a Muster search cluster.')
    .version(packageJson.version)
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(`--help` shows what there is)')
    .addHelpText('after', programHelp);
  for (const option of globalOptions()) program.addOption(option);

  const cat = program.command('cat').description('tables of shards, nodes, indices, repositories and snapshots');
  cat
    .command('shards')
    .description('all shards and the nodes they are on')
    .addOption(list('--index <names>', 'only these indices; `*` stands for anything'))
    .addOption(list('--node <names>', 'only shards on these nodes, or moving to them'))
    .addOption(list('--state <states>', 'only these states: unassigned, initializing, relocating, started'))
    .option('--unassigned', 'only shards that are on no node, with the reason')
    .addOption(
      new Option('--sort <column>', 'order of the rows; state means worst first').choices(['index', 'node', 'state']),
    )
    .option('--stats', 'also documents and size, which the engine must collect from every node')
    .addHelpText('after', examples('cat shards', 'cat shards --unassigned', "cat shards --index 'logs-*' --sort node"))
    .action((options: ShardsOptions, command: Command) =>
      chosen(command, async (context) => (await import('./commands/cat/shards.ts')).run(context, options)),
    );
  const tables: Record<TableName, string> = {
    nodes: 'the nodes, their roles and their load; `*` marks the elected master',
    indices: 'the indices, worst health first',
    repositories: 'the snapshot repositories',
    snapshots: 'the snapshots of all repositories, oldest first',
  };
  const tableCommand = (name: TableName) =>
    cat
      .command(name)
      .description(tables[name])
      .addHelpText('after', examples(`cat ${name}`, `--format json cat ${name}`))
      .action((_, command: Command) =>
        chosen(command, async (context) => (await import('./commands/cat/tables.ts')).run(context, name)),
      );
  tableCommand('nodes');
  tableCommand('indices');
  tableCommand('repositories');
  tableCommand('snapshots');

  const cluster = program.command('cluster').description('the cluster as a whole');
  const healthCommand = (parent: Command, name: string) =>
    parent
      .command(name)
      .description('health, a verdict and what to look at next; the exit code follows the status')
      .addHelpText('after', examples('cluster health', '--format json cluster health'))
      .action((_, command: Command) =>
        chosen(command, async (context) => (await import('./commands/cluster/health.ts')).run(context)),
      );
  healthCommand(cluster, 'health');
  healthCommand(program, 'cluster-health').summary('the same as `cluster health`');
  cluster
    .command('allocation-explain')
    .description('why a shard is where it is, or nowhere; without options: the first unassigned one')
    .option('--index <name>', 'index of the shard')
    .addOption(new Option('--shard <number>', 'number of the shard').argParser(wholeNumber(0, 1_024)))
    .addOption(new Option('--primary', 'explain the primary (this is assumed)').conflicts('replica'))
    .option('--replica', 'explain a replica')
    .addHelpText(
      'after',
      examples('cluster allocation-explain', 'cluster allocation-explain --index logs --shard 0 --replica'),
    )
    .action((options: ExplainOptions, command: Command) =>
      chosen(command, async (context) =>
        (await import('./commands/cluster/allocation-explain.ts')).run(context, options),
      ),
    );

  cluster
    .command('commission-node')
    .description(
      'waits until this node has joined and nothing moves because of it; holds and completes the launch hook',
    )
    .addOption(waitOption(172_800))
    .option('--complete-lifecycle-action <hook>', 'the hook to hold meanwhile and to complete in the end')
    .addHelpText('after', examples('cluster commission-node --complete-lifecycle-action launching'))
    .action((options: CommissionOptions, command: Command) =>
      chosen(command, async (context) => (await import('./commands/cluster/commission-node.ts')).run(context, options)),
    );
  cluster
    .command('decommission-node')
    .description('drains this node, so that its machine may end; shards are never dropped because time ran out')
    .requiredOption('--reason <text>', 'why; it is kept in the shutdown record and in the evidence')
    .option('--only-if-terminating', 'do nothing unless the autoscaling group is about to end this instance')
    .addOption(waitOption(3_600))
    .option(
      '--complete-lifecycle-action',
      'hold the terminating hook meanwhile, and complete it when the node is empty',
    )
    .option('--dry-run', 'only show what would move, where to, and what each guard says')
    .addHelpText(
      'after',
      examples(
        'cluster decommission-node --reason maintenance --dry-run',
        'cluster decommission-node --reason instance_refresh --only-if-terminating --complete-lifecycle-action',
      ),
    )
    .action((options: DecommissionOptions, command: Command) =>
      chosen(command, async (context) =>
        (await import('./commands/cluster/decommission-node.ts')).run(context, options),
      ),
    );

  program
    .command('api')
    .description('any call to the engine, its answer as it comes')
    .argument('<method>', 'GET, HEAD, POST, PUT or DELETE')
    .argument('<path>', 'path with optional query')
    .option('-d, --data <json>', 'body of the call')
    .addHelpText(
      'after',
      examples(
        'api GET /_cluster/health',
        "api GET '/_cat/nodes?v'",
        `api PUT /_cluster/settings -d '{"persistent": {"cluster.routing.allocation.enable": "primaries"}}'`,
      ),
    )
    .action((method: string, path: string, options: ApiOptions, command: Command) =>
      chosen(command, async (context) => (await import('./commands/api.ts')).run(context, method, path, options)),
    );

  program
    .command('completion')
    .description('prints the completion script of a shell')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', examples('completion fish > ~/.config/fish/completions/cluster-cli.fish'))
    .action((shell: string, _, command: Command) =>
      chosen(command, async () => (await import('./completion.ts')).printScript(program, shell)),
    );
  return program;
}

/** `cat shards`: the words that name a command, without the program's own. */
export function pathOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}

const waitOption = (seconds: number) =>
  new Option('--wait-until-complete <seconds>', 'how long to wait').argParser(wholeNumber(0, 172_800)).default(seconds);

function list(flags: string, description: string): Option {
  return new Option(flags, `${description} (several: a,b)`).argParser((text: string, before?: string[]) => [
    ...(before ?? []),
    ...text.split(',').filter((item) => item !== ''),
  ]);
}

function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ cluster-cli ${line}`).join('\n')}`;
}

const programHelp = `
Without --password or --password-secret the password comes from CLUSTER_CLI_PASSWORD or, on a node, from the agent
facts or the secrets store. Without any, the command reads what anonymous users may read.

Exit codes:
${Object.values(exitCodes)
  .map(([code, meaning]) => `  ${String(code).padStart(2)}  ${meaning}`)
  .join('\n')}
${examples('cluster health', 'cat shards --unassigned', '--es-protocol https --es-host search.example.com --es-port 443 cat nodes')}

Completion for your shell (fish, zsh, or bash with its package bash-completion):
  $ source <(cluster-cli completion bash)`;
