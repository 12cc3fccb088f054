import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import * as sdk from '@aws-sdk/client-auto-scaling';
import {
  AutoScaling,
  type AutoScalingEvent,
  isOperation,
  type Operation,
  type Output,
  VirtualClock,
} from '@muster/model';
import { type Driver, directDriver, rules, Scene } from '@muster/model/rules';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerAutoScaling } from './autoscaling-wire.ts';
import { boundPort } from './ports.ts';

// One server and one client for all rows; each row has a service of its own behind them.
let service: AutoScaling;
let client: sdk.AutoScalingClient;
const asked: string[] = [];
const server = createServer(async (request, response) => {
  const form = new URLSearchParams(await text(request));
  asked.push(form.get('Action') ?? '');
  const { status, body } = answerAutoScaling(service, form);
  response.writeHead(status, { 'Content-Type': 'text/xml' }).end(body);
});

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  client = new sdk.AutoScalingClient({
    endpoint: `http://127.0.0.1:${boundPort(server)}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    // A refusal is what a row wants to see.
    maxAttempts: 1,
  });
});

afterAll(() => {
  client.destroy();
  server.close();
});

const commands = new Map<string, unknown>(Object.entries(sdk));

async function send(operation: Operation, input: object): Promise<object> {
  const Command = commands.get(`${operation}Command`);
  if (typeof Command !== 'function') throw new Error(`the SDK has no ${operation}`);
  const { $metadata, ...output } = await client.send(Reflect.construct(Command, [input]));
  return output;
}

const isOutput = <O extends Operation>(_operation: O, output: object): output is Output<O> => !Array.isArray(output);

function wireDriver(): Driver {
  const clock = new VirtualClock();
  const delivered: AutoScalingEvent[] = [];
  service = new AutoScaling({ clock });
  service.subscribe((event) => delivered.push(event));
  return {
    async call(operation, input) {
      const output = await send(operation, input);
      if (isOutput(operation, output)) return output;
      throw new Error(`that is no answer of ${operation}`);
    },
    happen: async (happening) => service.happen(happening),
    advance: async (seconds) => clock.advance(seconds),
    events: async () => delivered,
  };
}

type Call = { operation: string; answer?: unknown; refusal?: [code: string, message: string] };

/** Remembers every call and what came of it, as plain data. */
function recorded(driver: Driver, calls: Call[]): Driver {
  return {
    ...driver,
    async call(operation, input) {
      try {
        const answer = await driver.call(operation, input);
        calls.push({ operation, answer: JSON.parse(JSON.stringify(answer)) });
        return answer;
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        calls.push({ operation, refusal: [error.name.replace(/Fault$/, ''), error.message] });
        throw error;
      }
    },
  };
}

// The same seed and the same calls: ids, times and messages must be equal too, not only what the row itself looks at.
test.each(rules)('$id: $says', async ({ run }) => {
  const direct: Call[] = [];
  const wired: Call[] = [];
  const model = directDriver();
  const wire = wireDriver();
  await run(new Scene(recorded(model, direct)));
  await run(new Scene(recorded(wire, wired)));
  expect(wired).toEqual(direct);
  expect(await wire.events()).toEqual(await model.events());
});

test('the table asks for every operation of the model over the wire', () => {
  const known = [...commands.keys()].map((name) => name.replace(/Command$/, '')).filter(isOperation);
  expect(new Set(asked)).toEqual(new Set(known));
});
