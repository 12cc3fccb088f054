import type { Tag } from '@aws-sdk/client-auto-scaling';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { NewGroup } from './group.ts';

// The SDK takes longer to load than all the rest of the command, so only what needs it loads it.
const load = () => import('./group.ts');

const print = (...lines: string[]) => process.stdout.write(lines.map((line) => `${line}\n`).join(''));

function whole(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new InvalidArgumentError('A whole number, not below 0.');
}

function tag(text: string, before: Tag[]): Tag[] {
  const [key = '', ...rest] = text.split('=');
  if (key === '' || rest.length === 0) throw new InvalidArgumentError('A tag is written <key>=<value>.');
  return [...before, { Key: key, Value: rest.join('=') }];
}

const listed = (text: string): string[] => text.split(',').filter(Boolean);
const result = () => new Option('--result <result>', 'how it ends').choices(['CONTINUE', 'ABANDON']);

/** `lab group …`: autoscaling groups of the lab's AWS, by hand. */
export function groupCommand(): Command {
  const group = new Command('group').description("autoscaling groups of the lab's AWS, by hand").addHelpText(
    'after',
    `
Examples:
  npm run lab -- group create fleet --size 3                     three instances in three zones
  npm run lab -- group create search --size 3 --hook launching --hook terminating --heartbeat 300
  npm run lab -- group create search --size 3 --ids i-00000000000000001,i-00000000000000002,i-00000000000000003
  npm run lab -- group watch search                              the path of each instance, until Ctrl-C
  npm run lab -- group complete i-0123456789abcdef0              let an instance go on that waits at a hook
  npm run lab -- group scale fleet 5
  npm run lab -- group terminate i-0123456789abcdef0 --decrement
  npm run lab -- group refresh fleet --min-healthy 100 --max-healthy 200

A machine's metadata is at an address of its own: curl http://127.0.0.1:4566/_lab/metadata lists them.
Faults: curl -d '{"kind":"request-rate","rate":{"burst":0,"perSecond":0}}' http://127.0.0.1:4566/_lab/happen`,
  );

  group
    .command('create')
    .description('create a group')
    .argument('<name>')
    .option('--size <count>', 'desired capacity', whole, 1)
    .option('--min <count>', 'smallest size', whole, 0)
    .option('--max <count>', 'largest size (default: 10, or the size)', whole)
    .option('--zones <letters>', 'availability zones', listed, ['a', 'b', 'c'])
    .addOption(
      new Option('--hook <transition...>', 'a lifecycle hook, named after its transition')
        .choices(['launching', 'terminating'])
        .default([], 'none'),
    )
    .option('--heartbeat <seconds>', 'heartbeat timeout of the hooks', whole, 3600)
    .addOption(
      new Option('--default-result <result>', 'what a hook becomes when its time is up')
        .choices(['CONTINUE', 'ABANDON'])
        .default('ABANDON'),
    )
    .option('--retain', 'keep an instance whose termination was abandoned', false)
    .option('--warm-pool', 'with a warm pool of stopped instances', false)
    .option('--tag <key=value>', 'a tag for the group and its instances; may be repeated', tag, [])
    .option('--ids <ids>', 'instance ids of the first machines', listed, [])
    .action(async (name: string, options: NewGroup) => {
      await (await load()).createGroup(name, options);
      print(`${name} is created. Watch it: npm run lab -- group watch ${name}`);
    });

  group
    .command('scale')
    .description('set the desired capacity')
    .argument('<name>')
    .argument('<size>', 'desired capacity', whole)
    .action(async (name: string, size: number) => void (await (await load()).scaleGroup(name, size)));

  group
    .command('terminate')
    .description('terminate an instance through its group, hooks and all')
    .argument('<instance>')
    .option('--decrement', 'do not replace it', false)
    .action(async (instance: string, options: { decrement: boolean }) => {
      await (await load()).terminateInstance(instance, options.decrement);
    });

  group
    .command('refresh')
    .description('replace all instances')
    .argument('<name>')
    .option('--min-healthy <percent>', 'of the desired capacity', whole, 90)
    .option('--max-healthy <percent>', 'of the desired capacity', whole, 100)
    .action(async (name: string, options: { minHealthy: number; maxHealthy: number }) => {
      const { InstanceRefreshId: id } = await (await load()).refreshGroup(name, options.minHealthy, options.maxHealthy);
      print(`refresh ${id} is started. Watch it: npm run lab -- group watch ${name}`);
    });

  group
    .command('complete')
    .description('complete the hook that holds an instance')
    .argument('<instance>')
    .addOption(result().default('CONTINUE'))
    .action(async (instance: string, options: { result: 'CONTINUE' | 'ABANDON' }) => {
      const hooks = await (await load()).completeHooks(instance, options.result);
      print(`${hooks.join(', ')}: completed with ${options.result}`);
    });

  group
    .command('delete')
    .description('delete a group')
    .argument('<name>')
    .option('--force', 'with its instances, and without their hooks', false)
    .action(async (name: string, options: { force: boolean }) => {
      await (await load()).deleteGroup(name, options.force);
    });

  group
    .command('list')
    .description('show groups and their instances')
    .action(async () => void print(...(await (await load()).listGroups())));

  group
    .command('watch')
    .description('show the path of each instance through its states')
    .argument('<name>')
    .option('--for <seconds>', 'stop after this time (default: at Ctrl-C)', whole)
    .action(async (name: string, options: { for?: number }) => {
      await (await load()).watchGroup(name, options.for ?? Number.POSITIVE_INFINITY, process.stdout);
    });

  return group;
}
