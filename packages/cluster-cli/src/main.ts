import { main } from './cli.ts';

let stdout: typeof process.stdout | undefined;
const world = {
  env: process.env,
  get stdout() {
    stdout ??= process.stdout.on('error', endQuietly);
    return stdout;
  },
  get stderr() {
    return process.stderr;
  },
};

/** `cluster-cli cat shards | head`: the reader has seen enough, which is no fault. */
function endQuietly(error: Error): void {
  if ('code' in error && error.code === 'EPIPE') process.exit();
  throw error;
}

void main(process.argv.slice(2), world).then((code) => {
  process.exitCode = code;
});
