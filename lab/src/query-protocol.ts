import { XmlNode } from '@aws-sdk/xml-builder';
import { NormalizedSchema } from '@smithy/core/schema';
import type { StaticErrorSchema, StaticOperationSchema } from '@smithy/types';

/**
 * The server's side of the AWS Query protocol. Which members a shape has, and of which type, comes from the schemas that
 * the SDK's client carries for its own side, so that nothing here can differ from what the client reads and writes.
 */
export interface QueryProtocol {
  readonly operations: ReadonlyMap<string, { input: NormalizedSchema; output: NormalizedSchema }>;
  /** Status by error code; a code that the client does not know has 400, as Throttling and ValidationError have. */
  readonly statuses: ReadonlyMap<string, number>;
  readonly namespace: string;
}

/** `client` is all that a client package of the SDK exports. */
export function queryProtocol(client: object, namespace: string): QueryProtocol {
  const shapes = Object.values(client);
  return {
    namespace,
    operations: new Map(
      shapes
        .filter(isOperationSchema)
        .map(([, , name, , input, output]) => [
          name,
          { input: NormalizedSchema.of(input), output: NormalizedSchema.of(output) },
        ]),
    ),
    statuses: new Map(
      shapes.filter(isErrorSchema).flatMap((shape) => {
        const { awsQueryError: wire, httpError: status } = NormalizedSchema.of(shape).getMergedTraits();
        return Array.isArray(wire) && typeof status === 'number' ? [[String(wire[0]), status]] : [];
      }),
    ),
  };
}

const isOperationSchema = (value: unknown): value is StaticOperationSchema => Array.isArray(value) && value[0] === 9;
const isErrorSchema = (value: unknown): value is StaticErrorSchema => Array.isArray(value) && value[0] === -3;

/** `Tags.member.1.Key=a` and its like, as the tree that the dots describe. */
class Field {
  value: string | undefined;
  readonly parts = new Map<string, Field>();

  part(name: string): Field {
    const known = this.parts.get(name);
    if (known) return known;
    const made = new Field();
    this.parts.set(name, made);
    return made;
  }
}

export class MalformedInput extends Error {}

/** The input of an operation, with the types that its schema gives to what arrives as text. */
export function readInput(schema: NormalizedSchema, form: URLSearchParams): object {
  const root = new Field();
  for (const [path, value] of form) {
    let field = root;
    for (const name of path.split('.')) field = field.part(name);
    field.value = value;
  }
  return readStructure(schema, root);
}

function readStructure(schema: NormalizedSchema, field: Field): object {
  const members = [...schema.structIterator()].flatMap(([name, member]) => {
    const part = field.parts.get(name);
    return part ? [[name, readField(member, part)]] : [];
  });
  return Object.fromEntries(members);
}

function readField(schema: NormalizedSchema, field: Field): unknown {
  if (schema.isStructSchema()) return readStructure(schema, field);
  if (schema.isListSchema()) {
    const items = [...(field.parts.get('member')?.parts ?? [])].toSorted(([a], [b]) => Number(a) - Number(b));
    return items.map(([, item]) => readField(schema.getValueSchema(), item));
  }
  const { value = '' } = field;
  if (schema.isBooleanSchema()) return value === 'true';
  if (schema.isTimestampSchema()) return new Date(value);
  if (!schema.isNumericSchema()) return value;
  const number = Number(value);
  if (value === '' || Number.isNaN(number)) throw new MalformedInput(`${value} is not a number`);
  return number;
}

export function writeOutput(protocol: QueryProtocol, operation: string, output: object, requestId: string): string {
  const schema = protocol.operations.get(operation)?.output;
  const result = schema?.isStructSchema()
    ? write(`${operation}Result`, schema, output)
    : new XmlNode(`${operation}Result`);
  const metadata = new XmlNode('ResponseMetadata', [XmlNode.of('RequestId', requestId)]);
  return document(protocol, `${operation}Response`, [result, metadata]);
}

export function writeError(protocol: QueryProtocol, code: string, message: string, requestId: string): string {
  const error = new XmlNode('Error', [
    XmlNode.of('Type', statusOf(protocol, code) < 500 ? 'Sender' : 'Receiver'),
    XmlNode.of('Code', code),
    XmlNode.of('Message', message),
  ]);
  return document(protocol, 'ErrorResponse', [error, XmlNode.of('RequestId', requestId)]);
}

export const statusOf = (protocol: QueryProtocol, code: string): number => protocol.statuses.get(code) ?? 400;

const document = ({ namespace }: QueryProtocol, name: string, parts: XmlNode[]): string =>
  new XmlNode(name, parts).addAttribute('xmlns', namespace).toString();

function write(name: string, schema: NormalizedSchema, value: unknown): XmlNode {
  if (schema.isListSchema() && Array.isArray(value)) {
    const item = schema.getValueSchema();
    return new XmlNode(
      name,
      value.map((entry) => write('member', item, entry)),
    );
  }
  if (schema.isStructSchema() && typeof value === 'object' && value !== null) {
    const given = new Map<string, unknown>(Object.entries(value));
    const members = [...schema.structIterator()].filter(([member]) => given.get(member) !== undefined);
    return new XmlNode(
      name,
      members.map(([member, inner]) => write(member, inner, given.get(member))),
    );
  }
  return XmlNode.of(name, value instanceof Date ? value.toISOString() : String(value));
}
