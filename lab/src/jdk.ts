import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LabProblem } from './problem.ts';

interface Jdk {
  folder: string;
  major: number;
}

const oldest = 21;
/** The release that the engine's builders bundle: the one both engine versions are known to run on. */
const preferred = 25;

/** Reads `JAVA_VERSION="25.0.3"` from the `release` file that every JDK has at its root. */
export function majorVersion(release: string): number | undefined {
  const major = /^JAVA_VERSION="(\d+)/m.exec(release)?.[1];
  return major === undefined ? undefined : Number(major);
}

export function chooseJdk(candidates: Jdk[]): Jdk | undefined {
  const usable = candidates.filter((jdk) => jdk.major >= oldest).toSorted((one, other) => other.major - one.major);
  return usable.find((jdk) => jdk.major === preferred) ?? usable[0];
}

export async function findJdk(environment = process.env, installed = '/usr/lib/jvm'): Promise<string> {
  if (environment.ES_JAVA_HOME) return environment.ES_JAVA_HOME;
  const names = await readdir(installed).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const folder = join(installed, name);
      const major = majorVersion(await readFile(join(folder, 'release'), 'utf8').catch(() => ''));
      return major === undefined ? [] : [{ folder, major }];
    }),
  );
  const jdk = chooseJdk(found.flat());
  if (jdk) return jdk.folder;
  throw new LabProblem(
    'LAB_NO_JDK',
    `The engine needs a JDK ${oldest} or newer; there is none under ${installed}.`,
    `Install one (temurin-${preferred}-jdk, or openjdk-${oldest}-jdk-headless of Debian 13), or set ES_JAVA_HOME to its folder.`,
  );
}
