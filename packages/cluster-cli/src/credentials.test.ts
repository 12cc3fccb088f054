import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CredentialOptions, credentials } from './credentials.ts';
import { CapturedStream } from './run-captured.ts';
import { Terminal } from './terminal.ts';

function factFile(content: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'facts-')), 'muster.json');
  writeFileSync(file, content);
  return file;
}
const facts = (muster: object) => factFile(JSON.stringify({ muster }));

/** The candidates in order, as `password from source`; what was said goes to `messages`. */
async function candidates(options: Partial<CredentialOptions>) {
  const stderr = new CapturedStream();
  const terminal = new Terminal({ stdout: new CapturedStream(), stderr, env: {} });
  const found: string[] = [];
  for await (const { password, source } of credentials(
    { username: 'elastic', env: {}, factFiles: [], ...options },
    terminal,
  )) {
    found.push(`${password} from ${source}`);
  }
  return { found, messages: stderr.text };
}

test('[C-03] --password comes first, works, and warns', async () => {
  const env = { CLUSTER_CLI_PASSWORD: 'b' };
  const { found, messages } = await candidates({
    password: 'geheim',
    env,
    factFiles: [facts({ elastic_password: 'c' })],
  });
  expect(found).toEqual(['geheim from --password']);
  expect(messages).toMatch(/^warning: a password on the command line/);
  expect(messages).not.toContain('geheim');
});

test('[C-03] the environment comes before the agent facts', async () => {
  const env = { CLUSTER_CLI_PASSWORD: 'b' };
  const { found } = await candidates({ env, factFiles: [facts({ elastic_password: 'c' })] });
  expect(found).toEqual(['b from CLUSTER_CLI_PASSWORD']);
});

test('[C-03] on a node the agent facts answer by themselves', async () => {
  expect((await candidates({ factFiles: ['/nowhere/muster.json', facts({ elastic_password: 'c' })] })).found).toEqual([
    'c from the agent facts',
  ]);
});

test('with nothing to find there is nobody to sign in as', async () => {
  expect(await candidates({ factFiles: ['/nowhere/muster.json'] })).toEqual({ found: [], messages: '' });
});

test('facts that are no facts are an error, not an absence', async () => {
  await expect(candidates({ factFiles: [factFile('{"muster":')] })).rejects.toThrow('not readable as facts');
  await expect(candidates({ factFiles: [facts({ elastic_password: 7 })] })).rejects.toThrow('not readable as facts');
});

test('facts that cannot even be looked at are an error, not an absence', async () => {
  const loop = join(mkdtempSync(join(tmpdir(), 'facts-')), 'muster.json');
  symlinkSync(loop, loop);
  await expect(candidates({ factFiles: [loop] })).rejects.toThrow('ELOOP');
});

test('facts that cannot be read are an error that names the cause', async () => {
  await expect(candidates({ factFiles: [tmpdir()] })).rejects.toThrow('EISDIR');
});
