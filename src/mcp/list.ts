import { hourMs } from '../contract/time.ts';
import { jsonSchemaOf, type JsonSchema } from '../contract/json-schema.ts';
import type { Parameter } from '../contract/parameters.ts';
import { tools, type Tool } from '../contract/tools.ts';

/** A tool as `tools/list` describes it. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: Record<string, JsonSchema>;
    readonly required?: string[];
    readonly additionalProperties: false;
  };
  readonly outputSchema: JsonSchema & { readonly type: 'object' };
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: true;
    readonly destructiveHint: false;
    readonly idempotentHint: true;
    readonly openWorldHint: false;
  };
}

/**
 * The schema of an argument. A list may also come as an array, so that clients that check their calls allow
 * both.
 */
function schemaOf({ schema, description, isList }: Parameter): JsonSchema {
  return isList === true
    ? { anyOf: [schema, { type: 'array', items: { type: 'string' }, minItems: 1 }], description }
    : { ...schema, description };
}

function listed({ name, title, description, arguments: given, response }: Tool): ListedTool {
  const required = given.filter((each) => each.required).map(({ parameter }) => parameter.name);
  return {
    name,
    title,
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(given.map(({ parameter }) => [parameter.name, schemaOf(parameter)])),
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: false,
    },
    outputSchema: jsonSchemaOf(response) as ListedTool['outputSchema'],
    annotations: {
      title,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  };
}

/** Every tool as `tools/list` describes it, made once from the contract. */
export const listedTools: readonly ListedTool[] = tools.map(listed);

/**
 * How long the list may be cached, in milliseconds, and by whom: tools change only with a release of the
 * service.
 */
export const listCache = { ttlMs: hourMs, cacheScope: 'public' } as const;
