import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './command.ts';

interface Certificate {
  key: string;
  certificate: string;
}

const days = '3650';

/** The lab's own certificate authority, made once. */
export async function certificateAuthority(folder: string): Promise<Certificate> {
  return makeOnce(folder, 'ca', ['basicConstraints = critical, CA:TRUE', 'keyUsage = critical, keyCertSign, cRLSign']);
}

/** Nodes check each other's address against the certificate, so it must carry the one they are reached by. */
export async function nodeCertificate(
  authority: Certificate,
  folder: string,
  node: { name: string; address: string },
): Promise<Certificate> {
  const extensions = [
    'basicConstraints = critical, CA:FALSE',
    'extendedKeyUsage = serverAuth, clientAuth',
    `subjectAltName = IP:${node.address}`,
  ];
  return makeOnce(folder, node.name, extensions, authority);
}

async function makeOnce(
  folder: string,
  name: string,
  extensions: string[],
  issuer?: Certificate,
): Promise<Certificate> {
  const key = join(folder, `${name}.key`);
  const certificate = join(folder, `${name}.crt`);
  const made = await access(certificate).then(
    () => true,
    () => false,
  );
  if (made) return { key, certificate };

  await mkdir(folder, { recursive: true, mode: 0o700 });
  const request = join(folder, `${name}.cnf`);
  const subject = ['[req]', 'prompt = no', 'distinguished_name = subject', 'x509_extensions = extensions'];
  await writeFile(request, [...subject, '[subject]', `CN = ${name}`, '[extensions]', ...extensions, ''].join('\n'));
  const unfinished = `${certificate}.unfinished`;
  const signedBy = issuer ? ['-CA', issuer.certificate, '-CAkey', issuer.key] : [];
  const keyKind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc', '-keyout', key];
  await run('openssl', [
    'req',
    '-x509',
    '-config',
    request,
    ...signedBy,
    ...keyKind,
    '-days',
    days,
    '-out',
    unfinished,
  ]);
  await rename(unfinished, certificate);
  await rm(request);
  return { key, certificate };
}
