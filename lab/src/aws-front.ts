import type { ServerResponse } from 'node:http';
import { Agent, createServer, type IncomingMessage, type OutgoingHttpHeaders, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Timings } from '@muster/model';
import { AutoScalingLab, fail } from './autoscaling.ts';
import { ownAddress } from './metadata-service.ts';
import { mirror } from './ministack.ts';

/** Nothing boots behind these instances unless a test does it, so a person who watches need not wait long. */
const timings: Partial<Timings> = { boot: 5, start: 2, settle: 1, stop: 2, terminate: 3 };

export interface FrontOptions {
  readonly region: string;
  /** Where ministack listens. */
  readonly behind: { readonly host: string; readonly port: number };
  readonly place?: typeof ownAddress;
  readonly timings?: Partial<Timings>;
  readonly complain?: (message: string) => void;
}

/** One AWS: Auto Scaling is answered here by the model, everything else by ministack. */
export function awsFront({ region, behind, complain = () => {}, ...options }: FrontOptions) {
  const lab = new AutoScalingLab({ region, place: ownAddress, timings, ...options });
  const agent = new Agent({ keepAlive: true });
  mirror(lab.service, `http://${behind.host}:${behind.port}/`, region, complain);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.startsWith('/_lab/')) return lab.control(request, response);
    const service = serviceOf(request);
    const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
    // In these the operation stands in the body, which is short; anything else passes as a stream.
    const body = isForm ? await buffer(request) : undefined;
    if (service === 'autoscaling') return lab.call(String(body ?? ''), response);
    const form = body && new URLSearchParams(String(body));
    const operation = form?.get('Action') ?? operationOf(request);
    if (service !== 'unsigned') lab.requests.add(service, operation);
    const status = await pass(request, body, response);
    if (form && service === 'ec2' && status === 200) tellGroups(operation, form);
  }

  async function pass(request: IncomingMessage, body: Buffer | undefined, response: ServerResponse): Promise<number> {
    const { method, url: path } = request;
    const onward = send({ ...behind, agent, method, path, headers: endToEnd(request.headers) });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      onward.on('response', resolve);
      onward.on('error', reject);
    });
    // The other side may answer, and close, before it has read all: then its answer counts.
    const sent = body ? void onward.end(body) : pipeline(request, onward).catch(() => {});
    const answer = await answered.catch((error: unknown) => String(error));
    if (typeof answer === 'string') {
      response.writeHead(502, { 'Content-Type': 'text/plain' }).end(`Nothing behind the AWS front answers: ${answer}`);
      return 502;
    }
    response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
    await pipeline(answer, response);
    await sent;
    return answer.statusCode ?? 502;
  }

  /** A machine that is stopped or terminated behind its group's back: the group's health check finds out. */
  function tellGroups(operation: string, form: URLSearchParams): void {
    if (operation !== 'TerminateInstances' && operation !== 'StopInstances') return;
    for (const [name, instanceId] of form) {
      if (!name.startsWith('InstanceId.')) continue;
      try {
        lab.service.happen({ kind: 'instance-stopped', instanceId });
      } catch {
        // No group has it.
      }
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => fail(response, error));
  });
  server.on('close', () => {
    agent.destroy();
    lab.close().catch(complain);
  });
  return { server, lab };
}

/** The scope of the signature names the service: `Credential=<key>/<day>/<region>/<service>/aws4_request`. */
function serviceOf({ headers, url = '' }: IncomingMessage): string {
  const signature = headers.authorization ?? decodeURIComponent(/X-Amz-Credential=([^&]+)/.exec(url)?.[1] ?? '');
  return /\/([a-z0-9-]+)\/aws4_request/.exec(signature)?.[1] ?? 'unsigned';
}

/** JSON services name the operation in a header, CBOR ones in the path; for the rest its method must do. */
function operationOf({ headers, url = '', method = '' }: IncomingMessage): string {
  const target = headers['x-amz-target'];
  if (typeof target === 'string') return target.slice(target.lastIndexOf('.') + 1);
  return /^\/service\/[^/]+\/operation\/(\w+)/.exec(url)?.[1] ?? method;
}

/** Without what belongs to one connection only. */
function endToEnd(headers: IncomingMessage['headers']): OutgoingHttpHeaders {
  const { connection, expect, 'keep-alive': keepAlive, ...rest } = headers;
  return rest;
}
