import { candidateMarkets } from '../../site/catalog/markets.ts';
import { intentPaths } from '../../site/catalog/paths.ts';
import type { JsonSchema } from '../../src/contract/json-schema.ts';
import { openApiDocument } from '../../src/openapi/document.ts';

/** A parameter of an operation as the clients take it. */
export interface ClientParameter {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly in: 'path' | 'query' | 'body';
  readonly schema: JsonSchema;
  /** Whether several values may be given, which are sent with commas between. */
  readonly isList: boolean;
  /** As in the document; undefined if it has none. */
  readonly example: unknown;
}

/** An operation as the clients offer it. */
export interface ClientOperation {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly ClientParameter[];
  /** The schema of the answer; null if the answer is a file. */
  readonly answer: JsonSchema | null;
  /** Whether it is a history, whose last page has no cursor. */
  readonly isPaged: boolean;
}

/** What the clients are generated from. */
export interface Description {
  readonly operations: readonly ClientOperation[];
  /** The named schemas of the document. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

interface DocumentOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly (Omit<ClientParameter, 'isList' | 'in'> & { readonly in: string })[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly schema: JsonSchema; readonly examples?: JsonSchema }>
    >;
  };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>> }>
  >;
}

/**
 * Reads what the clients need from the OpenAPI document of the service, the same that it publishes.
 * For example, `describe().operations[0]?.id` is `getRoot`.
 */
export function describe(): Description {
  const document = openApiDocument(null, undefined, intentPaths(candidateMarkets)) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
    readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
  };
  const { schemas } = document.components;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toOperation(path, method, operation, schemas)),
  );
  return { operations, schemas };
}

function toOperation(
  path: string,
  method: string,
  { operationId, summary, description, parameters: own = [], requestBody, responses }: DocumentOperation,
  schemas: Description['schemas'],
): ClientOperation {
  const contents = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {};
  const answer = contents['application/json']?.schema ?? null;
  const body = requestBody?.content['application/json'];
  const taken = own.flatMap((each): ClientParameter[] =>
    each.in === 'path' || each.in === 'query'
      ? [
          {
            ...each,
            in: each.in,
            schema: schemaOf(each),
            isList: each.schema['type'] === 'array',
            example: each.example,
          },
        ]
      : [],
  );
  return {
    id: operationId,
    method: method.toUpperCase() as 'GET' | 'POST',
    path,
    summary,
    description,
    // What is required comes first, because Python takes these by position.
    parameters: [
      ...taken.filter(({ required }) => required),
      ...(body ? [messageParameter(body.schema)] : []),
      ...taken.filter(({ required }) => !required),
    ],
    answer,
    isPaged: taken.some(({ name }) => name === 'cursor') && hasLastPage(answer, schemas),
  };
}

/**
 * The schema of one value. Which markets there are is content of a snapshot: a client must not need a new release for
 * one. Clients also take a list as one text with commas between.
 */
function schemaOf({ name, schema }: Pick<ClientParameter, 'name' | 'schema'>): JsonSchema {
  return name === 'market' || schema['type'] === 'array' ? { type: 'string' } : schema;
}

function messageParameter(schema: JsonSchema): ClientParameter {
  return {
    name: 'message',
    description: 'The body of the request.',
    required: true,
    in: 'body',
    schema,
    isList: false,
    example: undefined,
  };
}

/** Whether `meta.nextCursor` of an answer can be null. */
function hasLastPage(answer: JsonSchema | null, schemas: Description['schemas']): boolean {
  const meta = memberOf(answer, 'meta', schemas);
  const types = memberOf(meta, 'nextCursor', schemas)?.['type'];
  return Array.isArray(types) && types.includes('null');
}

function memberOf(
  schema: JsonSchema | null | undefined,
  name: string,
  schemas: Description['schemas'],
): JsonSchema | undefined {
  const { properties } = (schema ? resolve(schema, schemas) : {}) as {
    properties?: Readonly<Record<string, JsonSchema>>;
  };
  return properties?.[name];
}

/** The name of the schema that a reference leads to; undefined if it is no reference. */
export function referenceOf(schema: JsonSchema): string | undefined {
  const { $ref } = schema as { $ref?: string };
  return $ref?.slice('#/components/schemas/'.length);
}

/** The schemas of which a value has one; undefined if there is no choice. */
export function alternativesOf({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] | undefined {
  const several = anyOf ?? oneOf;
  return Array.isArray(several) ? (several as readonly JsonSchema[]) : undefined;
}

function resolve(schema: JsonSchema, schemas: Description['schemas']): JsonSchema {
  const name = referenceOf(schema);
  return name === undefined ? schema : (schemas[name] ?? {});
}

/** Breaks a text into lines of at most `characters`. Words are not cut. */
export function wrap(text: string, characters: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= characters)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The first line of each generated file. */
export const generatedNote =
  'Generated from the OpenAPI document of the service by `npm run clients`. Do not edit it.';
