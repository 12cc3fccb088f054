import { main } from './cli.ts';

// `cluster-cli cat shards | head`: the reader has seen enough, which is no fault.
process.stdout.on('error', (error) => {
  if ('code' in error && error.code === 'EPIPE') process.exit();
  throw error;
});

const world = { env: process.env, stdout: process.stdout, stderr: process.stderr };
void main(process.argv.slice(2), world).then((code) => {
  process.exitCode = code;
});
