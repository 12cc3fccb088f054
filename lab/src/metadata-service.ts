import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AutoScaling, Clock, Instance, State } from '@muster/model';
import { boundPort } from './ports.ts';

interface MetadataFaults {
  /** Every answer is late by this. */
  delayMs: number;
  /** Connections end without an answer. */
  down: boolean;
  /** As on a machine that no group has told where it goes: `autoscaling/target-lifecycle-state` is not there. */
  withoutTarget: boolean;
}

/** The instance metadata service of one machine. */
export interface InstanceMetadata {
  /** For AWS_EC2_METADATA_SERVICE_ENDPOINT: the machine's identity. */
  readonly endpoint: string;
  readonly faults: MetadataFaults;
  /** The service comes back at once and knows none of the session tokens it gave. */
  restart(): void;
  close(): Promise<void>;
}

export interface MetadataOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly account: string;
  readonly region: string;
  /** Where the service of an instance listens; `ordinal` counts the instances that were ever seen. */
  readonly place: (instanceId: string, ordinal: number) => { address: string; port: number };
}

type Machine = Pick<Instance, 'id' | 'zone' | 'launchedAt' | 'target' | 'tags'>;
type Answer = { status: number; body?: string; headers?: Record<string, string> };

const longestTokenSeconds = 21_600;
const tokenHeader = 'x-aws-ec2-metadata-token';
const ttlHeader = 'x-aws-ec2-metadata-token-ttl-seconds';

/**
 * The scheme of the running lab: an address for each instance, because machines that share a network namespace would
 * share 169.254.169.254 too. An id with a small number, as the engine's nodes have, keeps that number; others count on.
 */
export function ownAddress(instanceId: string, ordinal: number): { address: string; port: number } {
  const number = Number.parseInt(instanceId.slice(2), 16);
  const [high, low] = number < 255 ? [0, number] : [1 + Math.floor(ordinal / 254), 1 + (ordinal % 254)];
  return { address: `127.2.${high}.${low}`, port: 1338 };
}

async function startMetadata(machine: Machine, ordinal: number, options: MetadataOptions): Promise<InstanceMetadata> {
  const faults: MetadataFaults = { delayMs: 0, down: false, withoutTarget: false };
  const tokens = new Map<string, number>();
  const { address, port } = options.place(machine.id, ordinal);

  function answer(request: IncomingMessage): Answer {
    const now = options.clock.now();
    const { method, url = '' } = request;
    if (method === 'PUT' && url === '/latest/api/token') {
      const seconds = Number(request.headers[ttlHeader]);
      if (!Number.isInteger(seconds) || seconds < 1 || seconds > longestTokenSeconds) return { status: 400 };
      // A proxy in front of a program must not be able to hand its tokens on.
      if (request.headers['x-forwarded-for'] !== undefined) return { status: 403 };
      const token = randomBytes(30).toString('base64');
      tokens.set(token, now + seconds);
      return { status: 200, body: token, headers: { [ttlHeader]: String(seconds) } };
    }
    if (method !== 'GET') return { status: 405 };
    const until = tokens.get(String(request.headers[tokenHeader]));
    if (until === undefined || until <= now) return { status: 401 };
    const body = item(url.replace(/\/$/, ''));
    return body === undefined ? { status: 404 } : { status: 200, body };
  }

  function item(path: string): string | undefined {
    const tag = /^\/latest\/meta-data\/tags\/instance\/(.+)$/.exec(path)?.[1];
    if (tag !== undefined) return machine.tags[decodeURIComponent(tag)];
    switch (path) {
      case '/latest/dynamic/instance-identity/document':
        return identityDocument(machine, options, address);
      case '/latest/meta-data/instance-id':
        return machine.id;
      case '/latest/meta-data/local-ipv4':
        return address;
      case '/latest/meta-data/placement/availability-zone':
        return machine.zone;
      case '/latest/meta-data/placement/region':
        return options.region;
      case '/latest/meta-data/tags/instance':
        return Object.keys(machine.tags).join('\n');
      case '/latest/meta-data/autoscaling/target-lifecycle-state':
        return faults.withoutTarget ? undefined : machine.target;
      default:
        return undefined;
    }
  }

  const server = createServer(async (request, response) => {
    if (faults.delayMs > 0) await sleep(faults.delayMs);
    if (faults.down) {
      request.socket.destroy();
      return;
    }
    const { status, body = '', headers } = answer(request);
    response.writeHead(status, { 'Content-Type': 'text/plain', ...headers }).end(body);
  }).listen(port, address);
  await once(server, 'listening');
  // A test that forgot to close it can still end.
  server.unref();
  return {
    endpoint: `http://${address}:${boundPort(server)}`,
    faults,
    restart() {
      tokens.clear();
      server.closeAllConnections();
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const identityDocument = (machine: Machine, { account, region }: MetadataOptions, address: string): string =>
  JSON.stringify({
    accountId: account,
    architecture: 'x86_64',
    availabilityZone: machine.zone,
    imageId: 'ami-00000000000000000',
    instanceId: machine.id,
    instanceType: 't3.micro',
    pendingTime: new Date(machine.launchedAt * 1000).toISOString(),
    privateIp: address,
    region,
    version: '2017-09-30',
  });

/** A machine that is stopped or gone answers nothing. */
const isOn = (state: State): boolean =>
  !['Terminated', 'Warmed:Terminated', 'Warmed:Stopped', 'Warmed:Hibernated'].includes(state);

/** Starts and ends the metadata service of every instance of the groups, as their machines do. */
export class MetadataServices {
  readonly #options: MetadataOptions;
  readonly #ordinals = new Map<string, number>();
  readonly #services = new Map<string, Promise<InstanceMetadata>>();
  readonly #ended: Promise<void>[] = [];

  constructor(service: AutoScaling, options: MetadataOptions) {
    this.#options = options;
    service.observe({ onInstanceState: (instance, _from, to) => this.#follow(instance, to) });
  }

  /** `undefined` when there is no such machine, or it is off. */
  async of(instanceId: string): Promise<InstanceMetadata | undefined> {
    return this.#services.get(instanceId);
  }

  async endpoints(): Promise<Record<string, string>> {
    const services = [...this.#services].map(async ([id, service]) => [id, (await service).endpoint]);
    return Object.fromEntries(await Promise.all(services));
  }

  async close(): Promise<void> {
    for (const id of [...this.#services.keys()]) this.#end(id);
    await Promise.all(this.#ended);
  }

  #follow(instance: Readonly<Instance>, state: State): void {
    if (!isOn(state)) this.#end(instance.id);
    else if (!this.#services.has(instance.id)) {
      const ordinal = this.#ordinals.get(instance.id) ?? this.#ordinals.size;
      this.#ordinals.set(instance.id, ordinal);
      const started = startMetadata(instance, ordinal, this.#options);
      // Whoever asks for it is told why it could not start; until then that ends nothing else.
      started.catch(() => {});
      this.#services.set(instance.id, started);
    }
  }

  #end(instanceId: string): void {
    const service = this.#services.get(instanceId);
    this.#services.delete(instanceId);
    if (service !== undefined) {
      const closed = service.then((running) => running.close());
      this.#ended.push(closed.catch(() => {}));
    }
  }
}
