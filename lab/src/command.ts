import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { LabProblem } from './problem.ts';

export interface User {
  uid: number;
  gid: number;
}

interface CommandOptions {
  environment?: NodeJS.ProcessEnv;
  folder?: string;
  user?: User | undefined;
  /** Secrets go in here: an argument list is readable by everybody on the machine. */
  input?: string;
}

const debianPackageOf: Record<string, string> = {
  mvn: 'maven',
  openssl: 'openssl',
  python3: 'python3 python3-venv',
  ss: 'iproute2',
  unzip: 'unzip',
};

/** Runs a program to its end and returns what it printed. */
export function run(program: string, args: string[], options: CommandOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      ...(options.environment && { env: options.environment }),
      ...(options.folder && { cwd: options.folder }),
      ...options.user,
    });
    const output: string[] = [];
    const complaints: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => complaints.push(text));
    child.once('error', (cause) => reject(cannotStart(program, cause)));
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(output.join(''));
      const said = (complaints.join('') + output.join('')).trim().split('\n').slice(-15).join('\n');
      reject(
        new LabProblem(
          'LAB_COMMAND_FAILED',
          `${program} ${args[0] ?? ''} ended with ${signal ?? `code ${code}`}:\n${said}`,
          'The message above comes from that program; run the command again once its cause is removed.',
        ),
      );
    });
    // A program that ends without reading its input breaks the pipe; its exit code tells the story.
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
  });
}

function cannotStart(program: string, cause: Error): Error {
  if (!('code' in cause && cause.code === 'ENOENT')) return cause;
  const name = debianPackageOf[basename(program)];
  return new LabProblem(
    'LAB_COMMAND_MISSING',
    `The program ${program} is not installed.`,
    name ? `Run: apt-get install ${name}` : `Install ${program}.`,
    { cause },
  );
}
