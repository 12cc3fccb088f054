import { randomBytes } from 'node:crypto';
import { chown, copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificateAuthority, nodeCertificate } from './certificates.ts';
import { run, type User } from './command.ts';
import { type EngineVersion, engineTree } from './distribution.ts';
import { configFiles, type Phase } from './engine-config.ts';
import type { EngineLayout, EngineNode } from './engine-layout.ts';
import { assertOpenToAll, type Home } from './home.ts';
import { findJdk } from './jdk.ts';
import type { Report } from './report.ts';
import { installShutdownPlugin } from './shutdown-plugin.ts';

/** What starting a node takes besides its place in the layout. */
export interface Machinery {
  tree: string;
  jdk: string;
  user: User | undefined;
}

export async function findMachinery(home: Home, version: EngineVersion, report: Report): Promise<Machinery> {
  const jdk = await findJdk();
  const user = await unprivilegedUser();
  await mkdir(home.engineRun, { recursive: true });
  if (user) await assertOpenToAll(home.engineRun);
  const tree = await engineTree(version, home, report);
  if (user) await assertOpenToAll(tree);
  await installShutdownPlugin(tree, version, jdk, report);
  return { jdk, user, tree };
}

/** The engine refuses to run as root; then it gets Debian's user for programs that own nothing. */
async function unprivilegedUser(): Promise<User | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const nobody = /^nobody:[^:]*:(\d+):(\d+):/m.exec(await readFile('/etc/passwd', 'utf8'));
  return { uid: Number(nobody?.[1] ?? 65534), gid: Number(nobody?.[2] ?? 65534) };
}

/** Folders, certificates and configuration of nodes that are about to start; harmless when they are there. */
export async function prepare(
  layout: EngineLayout,
  nodes: EngineNode[],
  machinery: Machinery,
  phase: Phase,
): Promise<void> {
  const { tree, user } = machinery;
  const authority = await certificateAuthority(layout.authority);
  await mkdir(layout.repository, { recursive: true });
  if (user) await chown(layout.repository, user.uid, user.gid);
  for (const node of nodes) {
    for (const folder of [node.data, node.logs, node.temporary, join(node.config, 'tls')]) {
      await mkdir(folder, { recursive: true });
    }
    await cp(join(tree, 'config'), node.config, { recursive: true });
    await writeConfig(layout, node, phase);
    const { key, certificate } = await nodeCertificate(authority, layout.authority, node);
    await copyFile(authority.certificate, join(node.config, 'tls', 'ca.crt'));
    await copyFile(certificate, join(node.config, 'tls', 'node.crt'));
    await copyFile(key, join(node.config, 'tls', 'node.key'));
    if (user) await run('chown', ['-R', `${user.uid}:${user.gid}`, node.folder]);
  }
  await placeKeystores(layout, nodes, machinery);
}

export async function writeConfig(layout: EngineLayout, node: EngineNode, phase: Phase): Promise<void> {
  for (const [path, text] of Object.entries(configFiles(layout, node, phase))) {
    await writeFile(join(node.config, path), text);
  }
}

/** The superuser's first password reaches the engine through its keystore. Making one takes a JVM, so it is made once. */
async function placeKeystores(layout: EngineLayout, nodes: EngineNode[], machinery: Machinery): Promise<void> {
  const name = 'elasticsearch.keystore';
  const original = join(layout.folder, name);
  const maker = nodes[0];
  if (!(await readFile(original).catch(() => undefined)) && maker) {
    const password = randomBytes(24).toString('base64url');
    await writeFile(layout.passwordFile, password, { mode: 0o600 });
    await rm(join(maker.config, name), { force: true });
    await run(join(machinery.tree, 'bin', 'elasticsearch-keystore'), ['add', '-x', '-f', 'bootstrap.password'], {
      environment: engineEnvironment(maker, machinery),
      folder: maker.folder,
      user: machinery.user,
      input: password,
    });
    await writeFile(original, await readFile(join(maker.config, name)), { mode: 0o600 });
  }
  for (const node of nodes) {
    const copy = join(node.config, name);
    await rm(copy, { force: true });
    await writeFile(copy, await readFile(original), { mode: 0o600 });
    if (machinery.user) await chown(copy, machinery.user.uid, machinery.user.gid);
  }
}

export const engineEnvironment = (node: EngineNode, { jdk }: Machinery): Record<string, string> => ({
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LANG: 'C.UTF-8',
  ES_JAVA_HOME: jdk,
  ES_PATH_CONF: node.config,
  ES_TMPDIR: node.temporary,
});
