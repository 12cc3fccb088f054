import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { AutoScaling, type Happening, type Timings, VirtualClock } from '@muster/model';
import { z } from 'zod';
import { answerAutoScaling } from './autoscaling-wire.ts';
import { type InstanceMetadata, type MetadataOptions, MetadataServices } from './metadata-service.ts';
import { boundPort } from './ports.ts';
import { RequestCounts } from './requests.ts';

export interface AutoScalingOptions {
  /** Time stands still and moves by `clock.advance` only; otherwise it is the time of this machine. */
  readonly virtual?: boolean;
  readonly timings?: Partial<Timings>;
  readonly account?: string;
  readonly region?: string;
  readonly place?: MetadataOptions['place'];
}

/** One Auto Scaling of the lab: the model, its time, its machines' metadata, and what was asked of it. */
export class AutoScalingLab {
  readonly clock: VirtualClock;
  readonly service: AutoScaling;
  readonly metadata: MetadataServices;
  readonly requests = new RequestCounts();
  readonly #isVirtual: boolean;
  readonly #heart: NodeJS.Timeout | undefined;

  constructor(options: AutoScalingOptions = {}) {
    const { virtual = false, account = '000000000000', region = 'eu-central-1', timings = {} } = options;
    const { place = () => ({ address: '127.0.0.1', port: 0 }) } = options;
    this.#isVirtual = virtual;
    this.clock = virtual ? new VirtualClock() : new VirtualClock(Date.now() / 1000);
    this.service = new AutoScaling({ clock: this.clock, account, region, timings });
    this.metadata = new MetadataServices(this.service, { clock: this.clock, account, region, place });
    // What falls due between two requests happens within this time.
    this.#heart = virtual ? undefined : setInterval(() => this.#keepUp(), 50).unref();
  }

  readonly answer: RequestListener = (request, response) => {
    this.#answer(request, response).catch((error: unknown) => fail(response, error));
  };

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.startsWith('/_lab/')) return this.control(request, response);
    this.call(await text(request), response);
  }

  /** A request of the Auto Scaling API. */
  call(body: string, response: ServerResponse): void {
    const form = new URLSearchParams(body);
    this.requests.add('autoscaling', form.get('Action') ?? '');
    this.#keepUp();
    const { status, body: xml, requestId } = answerAutoScaling(this.service, form);
    this.#keepUp();
    response.writeHead(status, { 'Content-Type': 'text/xml', 'x-amzn-RequestId': requestId }).end(xml);
  }

  /** What no AWS has: counts, faults, and where an instance's metadata is. */
  async control(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const json = (status: number, value: unknown) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
    const [, instanceId] = /^\/_lab\/metadata\/([\w-]+)$/.exec(request.url ?? '') ?? [];
    const asked = `${request.method} ${instanceId === undefined ? request.url : '/_lab/metadata/:instance'}`;
    switch (asked) {
      case 'GET /_lab/health':
        return void json(200, { time: this.clock.now() });
      case 'GET /_lab/requests':
        return void json(200, this.requests);
      case 'DELETE /_lab/requests':
        this.requests.clear();
        return void json(200, this.requests);
      case 'GET /_lab/metadata':
        return void json(200, await this.metadata.endpoints());
      case 'POST /_lab/happen': {
        const happening = Happenings.safeParse(parseJson(await text(request)));
        if (!happening.success) return void json(400, { message: z.prettifyError(happening.error) });
        this.#keepUp();
        this.service.happen(happening.data);
        this.#keepUp();
        return void json(200, {});
      }
      case 'POST /_lab/metadata/:instance': {
        const faults = Faults.safeParse(parseJson(await text(request)));
        const service = await this.metadata.of(instanceId ?? '');
        if (!faults.success) return void json(400, { message: z.prettifyError(faults.error) });
        if (!service) return void json(404, { message: `No machine ${instanceId} is running.` });
        const { restart, ...lasting } = faults.data;
        Object.assign(service.faults, lasting);
        if (restart) service.restart();
        return void json(200, service.faults);
      }
      default:
        return void json(404, { message: `The lab has no ${asked}.` });
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#heart);
    await this.metadata.close();
  }

  #keepUp(): void {
    if (!this.#isVirtual) this.clock.advanceTo(Date.now() / 1000);
  }
}

export interface AutoScalingServer extends AsyncDisposable {
  /** For the SDK's client. */
  readonly endpoint: string;
  /** The model itself: `happen` switches faults on, `subscribe` sees events. */
  readonly service: AutoScaling;
  /** Virtual time moves by `advance(seconds)`. */
  readonly clock: VirtualClock;
  readonly requests: RequestCounts;
  /** The metadata service of a running instance, with its faults. */
  metadataFor(instanceId: string): Promise<InstanceMetadata>;
  close(): Promise<void>;
}

/** Auto Scaling for a test, in its own process: the real SDK's client talks to `endpoint`. */
export async function startAutoScaling(options: AutoScalingOptions = {}): Promise<AutoScalingServer> {
  const lab = new AutoScalingLab(options);
  const server = createServer(lab.answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await Promise.all([once(server, 'close'), lab.close()]);
  };
  return {
    endpoint: `http://127.0.0.1:${boundPort(server)}`,
    service: lab.service,
    clock: lab.clock,
    requests: lab.requests,
    async metadataFor(instanceId) {
      const found = await lab.metadata.of(instanceId);
      if (!found) throw new Error(`There is no running instance ${instanceId}.`);
      return found;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A fault of the lab itself is shown to who asked; the SDK tries a 500 again and then prints it. */
export function fail(response: ServerResponse, error: unknown): void {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (response.headersSent) response.destroy();
  else response.writeHead(500, { 'Content-Type': 'text/plain' }).end(message);
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const Faults = z.object({
  delayMs: z.number().min(0).exactOptional(),
  down: z.boolean().exactOptional(),
  withoutTarget: z.boolean().exactOptional(),
  restart: z.boolean().exactOptional(),
});

const share = z.number().min(0).max(1);
const Happenings: z.ZodType<Happening> = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['instance-stopped', 'instance-impaired', 'spot-interruption']), instanceId: z.string() }),
  z.object({ kind: z.enum(['zone-full', 'zone-recovered']), zone: z.string() }),
  z.object({
    kind: z.literal('template-version'),
    template: z.string(),
    latest: z.number(),
    default: z.number().exactOptional(),
  }),
  z.object({ kind: z.literal('alarm'), policyArn: z.string(), metric: z.number(), threshold: z.number() }),
  z.object({ kind: z.literal('next-instances'), group: z.string(), ids: z.array(z.string()) }),
  z.object({ kind: z.literal('contention'), calls: z.number() }),
  z.object({
    kind: z.literal('request-rate'),
    // JSON has no undefined.
    rate: z
      .object({ burst: z.number(), perSecond: z.number() })
      .nullable()
      .transform((rate) => rate ?? undefined),
  }),
  z.object({
    kind: z.literal('delivery'),
    faults: z.object({ loss: share, duplication: share, delay: z.tuple([z.number(), z.number()]) }),
  }),
]);
