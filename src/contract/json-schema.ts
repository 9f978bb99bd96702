import * as z from 'zod';

/** A JSON Schema, or any part of one. */
export type JsonSchema = { [member: string]: unknown };

/** The JSON Schema (2020-12) of one schema, with the named schemas that it uses under `$defs`. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const made = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => simplify(jsonSchema as JsonSchema),
  }) as JsonSchema;
  const { $schema: _schema, $ref, $defs, ...rest } = made;
  const { [String($ref).slice('#/$defs/'.length)]: root, ...others } = ($defs ?? {}) as Record<
    string,
    JsonSchema
  >;
  // MCP requires `type: object` at the top of a tool's schema, so the top must not be a `$ref`.
  return { ...rest, ...root, ...(Object.keys(others).length > 0 ? { $defs: others } : {}) };
}

/**
 * What `namedJsonSchemas` made of which schemas: they are constants, and each publication asks for the same
 * ones.
 */
const made: {
  readonly schemas: readonly z.ZodType[];
  readonly prefix: string;
  readonly named: Readonly<Record<string, JsonSchema>>;
}[] = [];

/**
 * The JSON Schemas of named schemas and of all named schemas that they use, by name. They refer to each other
 * with `prefix` and the name. Callers share what is returned, so none may change it.
 */
export function namedJsonSchemas(
  schemas: readonly z.ZodType[],
  prefix: string,
): Readonly<Record<string, JsonSchema>> {
  const known = made.find(
    (each) =>
      each.prefix === prefix &&
      each.schemas.length === schemas.length &&
      each.schemas.every((schema, at) => schema === schemas[at]),
  );
  if (known) return known.named;
  const named = makeNamed(schemas, prefix);
  made.push({ schemas, prefix, named });
  return named;
}

function makeNamed(schemas: readonly z.ZodType[], prefix: string): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const schema of schemas) addNamed(schema, registry);
  const { schemas: named } = z.toJSONSchema(registry, {
    io: 'input',
    uri: (id) => `${prefix}${id}`,
    override: ({ jsonSchema }) => simplify(jsonSchema as JsonSchema),
  });
  return Object.fromEntries(
    Object.entries(named)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, schema]) => {
        const { $schema: _schema, $id: _id, id: _name, ...rest } = schema as JsonSchema;
        return [name, rest];
      }),
  );
}

/** The name of a schema from its `.meta({ id })`; undefined if it has none. */
export function schemaName(schema: z.ZodType): string | undefined {
  return z.globalRegistry.get(schema)?.id;
}

function addNamed(schema: z.ZodType, registry: z.core.$ZodRegistry<{ id: string }>): void {
  const id = schemaName(schema);
  if (id !== undefined && !registry.has(schema)) registry.add(schema, { id });
  const { def } = schema as unknown as {
    def: {
      shape?: Record<string, z.ZodType>;
      element?: z.ZodType;
      innerType?: z.ZodType;
      options?: readonly z.ZodType[];
    };
  };
  for (const inner of [...Object.values(def.shape ?? {}), def.element, def.innerType, ...(def.options ?? [])])
    if (inner) addNamed(inner, registry);
}

/** Removes what zod adds: `z.int()` bounds every integer by 2^53, and a nullable text becomes `anyOf`. */
function simplify(schema: JsonSchema): void {
  unbound(schema);
  delete schema['id'];
  const options = schema['anyOf'] as JsonSchema[] | undefined;
  const [value, nothing] = options ?? [];
  if (
    options?.length === 2 &&
    nothing?.['type'] === 'null' &&
    typeof value?.['type'] === 'string' &&
    value['enum'] === undefined
  ) {
    delete schema['anyOf'];
    Object.assign(schema, { ...value, ...schema, type: [value['type'], 'null'] });
    unbound(schema);
    // A list of allowed values has to allow null, too.
    if (Array.isArray(schema['enum'])) schema['enum'] = [...schema['enum'], null];
  }
}

function unbound(schema: JsonSchema): void {
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
}
