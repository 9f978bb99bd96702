import type { JsonSchema } from '../../src/contract/json-schema.ts';
import {
  alternativesOf,
  generatedNote,
  referenceOf,
  wrap,
  type ClientOperation,
  type ClientParameter,
  type Description,
} from './description.ts';

/**
 * Makes `generated.ts` of the TypeScript client: a type for each schema, and a table and an interface of the
 * operations. For example, `typescriptSource(describe())` contains `export interface Filing {`.
 */
export function typescriptSource({ operations, schemas }: Description): string {
  return [
    `// ${generatedNote}`,
    ...Object.entries(schemas).map(([name, schema]) => namedType(name, schema)),
    '/** Parameters of an operation that takes none. */\nexport type NoParameters = Readonly<Record<string, never>>;',
    ...operations.filter(({ parameters }) => parameters.length > 0).map(parametersType),
    operationsInterface(operations),
    operationsTable(operations),
    pagedType(operations),
  ]
    .join('\n\n')
    .concat('\n');
}

function comment(text: unknown, indent = ''): string {
  if (typeof text !== 'string' || text === '') return '';
  const lines = wrap(text.replaceAll('*/', '*\\/'), 100);
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

function namedType(name: string, schema: JsonSchema): string {
  const note = comment(schema['description']);
  return schema['type'] === 'object' && schema['properties']
    ? `${note}export interface ${name} ${typeOf(schema, '')}`
    : `${note}export type ${name} = ${typeOf(schema, '')};`;
}

const basicTypes: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

function typeOf(schema: JsonSchema, indent: string): string {
  const reference = referenceOf(schema);
  if (reference !== undefined) return reference;
  if ('const' in schema) return literal(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map(literal).join(' | ');
  const several = alternativesOf(schema);
  if (several) return several.map((each) => typeOf(each, indent)).join(' | ');
  const { type } = schema;
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each }, indent)).join(' | ');
  if (type === 'array') {
    const of = typeOf((schema['items'] ?? {}) as JsonSchema, indent);
    return `readonly ${/[ |]/.test(of) && !of.startsWith('{') ? `(${of})` : of}[]`;
  }
  if (type === 'object') return objectType(schema, indent);
  return basicTypes[String(type)] ?? 'unknown';
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value);
}

function objectType(schema: JsonSchema, indent: string): string {
  const {
    properties,
    required = [],
    additionalProperties,
  } = schema as {
    properties?: Readonly<Record<string, JsonSchema>>;
    required?: readonly string[];
    additionalProperties?: JsonSchema | false;
  };
  if (!properties)
    return additionalProperties
      ? `Readonly<Record<string, ${typeOf(additionalProperties, indent)}>>`
      : 'Readonly<Record<string, unknown>>';
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, each]) => {
    const type = typeOf(each, inner);
    const member = required.includes(name)
      ? `${nameOf(name)}: ${type}`
      : `${nameOf(name)}?: ${type} | undefined`;
    return `${comment(each['description'], inner)}${inner}readonly ${member};\n`;
  });
  return `{\n${members.join('')}${indent}}`;
}

function nameOf(name: string): string {
  return /^\w+$/.test(name) ? name : `'${name}'`;
}

const parametersName = ({ id, parameters }: ClientOperation) =>
  parameters.length === 0 ? 'NoParameters' : `${id.charAt(0).toUpperCase()}${id.slice(1)}Parameters`;

function parametersType(operation: ClientOperation): string {
  const members = operation.parameters.map(
    (each) =>
      `${comment(each.description, '  ')}  readonly ${each.name}${each.required ? '' : '?'}: ${parameterType(each)};\n`,
  );
  return `/** Parameters of \`${operation.id}\`. */\nexport interface ${parametersName(operation)} {\n${members.join('')}}`;
}

function parameterType({ schema, isList, required }: ClientParameter): string {
  const one = typeOf(schema, '  ');
  const type = isList ? `${one} | readonly string[]` : one;
  // With `exactOptionalPropertyTypes` a caller could not pass on a value that may be missing.
  return required ? type : `${type} | undefined`;
}

function operationsInterface(operations: readonly ClientOperation[]): string {
  const methods = operations.map((operation) => {
    const isOptional = !operation.parameters.some(({ required }) => required);
    const answer = operation.answer === null ? 'Uint8Array' : typeOf(operation.answer, '  ');
    return `${comment(`${operation.summary}. ${operation.description} Example: \`await client.${operation.id}(${exampleOf(operation)})\`.`, '  ')}  ${operation.id}(parameters${isOptional ? '?' : ''}: ${parametersName(operation)}, options?: Options): Promise<${answer}>;`;
  });
  return `/** A method for each operation of the service. Example: \`(client: Operations<RequestOptions>) => client.getStats()\`. */\nexport interface Operations<Options> {\n${methods.join('\n\n')}\n}`;
}

function exampleOf({ parameters }: ClientOperation): string {
  const given = parameters.filter(({ required, example }) => required && example !== undefined);
  return given.length === 0
    ? ''
    : `{ ${given.map(({ name, example }) => `${name}: ${literal(example)}`).join(', ')} }`;
}

function operationsTable(operations: readonly ClientOperation[]): string {
  const rows = operations.map(
    ({ id, method, path, answer }) =>
      `  ${id}: { method: '${method}', path: '${path}', answer: '${answer === null ? 'file' : 'json'}' },`,
  );
  return `/** How each operation is asked. Example: \`operations.getStats.path\` is \`/v1/sec/stats\`. */\nexport const operations = {\n${rows.join('\n')}\n} as const;`;
}

function pagedType(operations: readonly ClientOperation[]): string {
  const paged = operations.filter(({ isPaged }) => isPaged);
  return `/** The operations whose pages go back through history. Example: \`const id: PagedOperation = 'listLatestFilings'\`. */\nexport type PagedOperation =\n${paged.map(({ id }) => `  | '${id}'`).join('\n')};`;
}
