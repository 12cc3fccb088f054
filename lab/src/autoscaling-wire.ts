import { randomUUID } from 'node:crypto';
import * as client from '@aws-sdk/client-auto-scaling';
import { type AutoScaling, AutoScalingError, type Input, isOperation, type Operation } from '@muster/model';
import { MalformedInput, queryProtocol, readInput, statusOf, writeError, writeOutput } from './query-protocol.ts';

const protocol = queryProtocol(client, 'http://autoscaling.amazonaws.com/doc/2011-01-01/');

export interface WireAnswer {
  readonly status: number;
  readonly body: string;
  readonly requestId: string;
}

/** One request of the Auto Scaling API, as the SDK sends it, answered by the model. */
export function answerAutoScaling(service: AutoScaling, form: URLSearchParams): WireAnswer {
  const operation = form.get('Action') ?? '';
  const requestId = randomUUID();
  const refuse = (code: string, message: string): WireAnswer => ({
    status: statusOf(protocol, code),
    body: writeError(protocol, code, message, requestId),
    requestId,
  });
  const schema = protocol.operations.get(operation);
  if (!schema) return refuse('InvalidAction', `Auto Scaling has no operation ${operation || 'without a name'}.`);
  if (!isOperation(operation)) return refuse('InvalidAction', `The lab's Auto Scaling does not have ${operation}.`);
  try {
    const input = readInput(schema.input, form);
    if (!fits(operation, input)) return refuse('MalformedInput', `That is no input of ${operation}.`);
    const output = service.call(operation, input);
    return { status: 200, body: writeOutput(protocol, operation, output, requestId), requestId };
  } catch (error) {
    if (error instanceof AutoScalingError) return refuse(error.code, error.message);
    if (error instanceof MalformedInput) return refuse('MalformedInput', error.message);
    throw error;
  }
}

/** Read by the operation's own schema; whether members that must be there are, the model itself says. */
const fits = <O extends Operation>(_operation: O, input: object): input is Input<O> => !Array.isArray(input);
