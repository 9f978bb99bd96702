import { leftOutBySchema } from '../contract/compact-members.ts';
import { jsonSchemaOf, type JsonSchema } from '../contract/json-schema.ts';
import type { Parameter } from '../contract/parameters.ts';
import { isObject } from '../domain/scalars.ts';
import { tools, type Tool } from '../contract/tools.ts';

/** An argument with more values than this lists them in the first tool that takes it. */
const valuesListed = 10;

/** The first tool that takes an argument. */
const firstWith = (parameter: Parameter): Tool | undefined =>
  tools.find((tool) => tool.arguments.some((each) => each.parameter === parameter));

/**
 * The schema of an argument. A list may also come as an array, so that clients that check their calls allow
 * both.
 */
function schemaOf(parameter: Parameter, tool: Tool): JsonSchema {
  const { name, schema, description, brief = description, isList, values } = parameter;
  const { maxLength: _maxLength, minLength: _minLength, ...short } = schema;
  if (isList === true) {
    const items = { type: 'string', ...(values ? { enum: [...values] } : {}) };
    return { anyOf: [short, { type: 'array', items }], description: brief };
  }
  const all = schema['enum'];
  const first = firstWith(parameter);
  if (first === undefined || first === tool || !Array.isArray(all) || all.length <= valuesListed)
    return { ...short, description: brief };
  const { enum: _enum, ...open } = short as JsonSchema;
  return { ...open, description: `${brief} Values: \`${name}\` of ${first.name}.` };
}

/**
 * The schema of the structured content: the members of compact answers by name and type. Full answers have
 * more. How values are written, and what they mean, would be two thirds of the list: the OpenAPI document
 * says it.
 */
function contentSchemaOf(tool: Tool): JsonSchema {
  const { $defs = {}, ...root } = jsonSchemaOf(tool.response);
  const left = new Set(
    Object.keys($defs as object).filter((name) => repeated.has(name) || firstToolOf().get(name) !== tool),
  );
  const named = Object.entries($defs as Record<string, JsonSchema>)
    .filter(([name]) => !left.has(name))
    .map(([name, schema]) => [name, compactSchema(schema, leftOutBySchema.get(name))]);
  const used = usedBy(root, Object.fromEntries(named) as Record<string, JsonSchema>);
  return plain({ ...root, ...(Object.keys(used).length > 0 ? { $defs: used } : {}) }, left) as JsonSchema;
}

/** The first tool whose content has each named schema: it alone spells it out, and it is an object in all others. */
function firstToolOf(): ReadonlyMap<string, Tool> {
  return (firstTools ??= new Map(
    tools
      .toReversed()
      .flatMap((tool) => Object.keys(jsonSchemaOf(tool.response)['$defs'] ?? {}).map((name) => [name, tool])),
  ));
}

let firstTools: ReadonlyMap<string, Tool> | undefined;

/** Those of the named schemas that a schema refers to, or that one of these refers to. */
function usedBy(root: JsonSchema, named: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  const used = new Set<string>();
  const visit = (schema: JsonSchema): void => {
    for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/\$defs\/(\w+)"/g)) {
      const next = named[name];
      if (!next || used.has(name)) continue;
      used.add(name);
      visit(next);
    }
  };
  visit(root);
  return Object.fromEntries(Object.entries(named).filter(([name]) => used.has(name)));
}

/** The schemas of what repeats the arguments of a call, or another member with more detail. */
const repeated: ReadonlySet<string> = new Set([
  'AppliedFilters',
  'AppliedCompanyFilters',
  'AppliedCountFilters',
  'FormerNamePeriod',
  'AppliedTransactionFilters',
]);

function compactSchema(schema: JsonSchema, leftOut: ReadonlySet<string> | undefined): JsonSchema {
  if (leftOut === undefined) return schema;
  const members = Object.entries(schema['properties'] as JsonSchema);
  return {
    ...schema,
    properties: Object.fromEntries(members.filter(([name]) => !leftOut.has(name))),
  };
}

const aboutValues: ReadonlySet<string> = new Set([
  'description',
  'enum',
  'required',
  'pattern',
  'format',
  'minimum',
  'minItems',
  'minLength',
  'const',
]);

/**
 * A schema with names and types alone. A member may be called like a keyword: its schema is an object. `left` are the
 * named schemas that are not spelled out.
 */
function plain(schema: unknown, left: ReadonlySet<string>): unknown {
  if (Array.isArray(schema)) return schema.map((each) => plain(each, left));
  if (!isObject(schema)) return schema;
  if (left.has(String(schema['$ref']).replace('#/$defs/', ''))) return { type: 'object' };
  const types = typesOf(schema['anyOf']);
  if (types !== null) return { type: types };
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name, value]) => !aboutValues.has(name) || isObject(value))
      .map(([name, value]) => [name, plain(value, left)]),
  );
}

/** The types of alternatives of which each is plain text, number, truth value or null; else null. */
function typesOf(alternatives: unknown): string[] | null {
  if (!Array.isArray(alternatives)) return null;
  const types = alternatives.map((each: JsonSchema) => each['type']);
  return types.every((type) => typeof type === 'string' && type !== 'object' && type !== 'array')
    ? (types as string[])
    : null;
}

/** A tool as `tools/list` describes it. Making its schemas takes some milliseconds. */
export function listedTool(tool: Tool) {
  const { name, title, description, arguments: given } = tool;
  const required = given.filter((each) => each.required).map(({ parameter }) => parameter.name);
  return {
    name,
    title,
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        given.map(({ parameter }) => [parameter.name, schemaOf(parameter, tool)]),
      ),
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: false,
    },
    outputSchema: contentSchemaOf(tool),
    annotations: {
      title,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  };
}
