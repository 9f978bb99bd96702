/** Part of an OpenAPI document. */
type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectAt = (value: unknown, ...path: readonly string[]): Json => {
  let at: unknown = value;
  for (const name of path) at = isObject(at) ? at[name] : undefined;
  return isObject(at) ? at : {};
};
const listAt = (value: Json, name: string): readonly unknown[] =>
  Array.isArray(value[name]) ? (value[name] as unknown[]) : [];

/** Lists of values that the promise allows to grow in answers: see `mayChange` in `versions.ts`. */
const growing: readonly string[] = ['code', 'eventType', 'role', 'exchange', 'changeType'];

/**
 * What would break clients of the old description if the new one were served, one line each. The rules are
 * those of oasdiff (https://www.oasdiff.com/docs/breaking-changes) that can happen to this service; none of the
 * packages of npm reads OpenAPI 3.1 without a program that it downloads.
 *
 * An answer may get members, a request optional parameters. An answer must not lose a member, a type or a
 * promise (required, not null, one of a list); a request must not lose a value that was accepted.
 */
export function breakingChanges(before: Json, after: Json): string[] {
  const found: string[] = [];
  const resolve = (document: Json, value: unknown): Json => {
    const schema = isObject(value) ? value : {};
    const reference = schema['$ref'];
    return typeof reference === 'string'
      ? resolve(document, objectAt(document, ...reference.replace('#/', '').split('/')))
      : schema;
  };

  for (const [path, operations] of Object.entries(objectAt(before, 'paths')))
    for (const method of Object.keys(operations as Json)) {
      const [old, now] = [before, after].map((document) => objectAt(document, 'paths', path, method)) as [
        Json,
        Json,
      ];
      const where = `${method.toUpperCase()} ${path}`;
      if (Object.keys(now).length === 0) found.push(`${where}: is gone`);
      else compareOperations(where, old, now);
    }
  return found;

  function compareOperations(where: string, old: Json, now: Json): void {
    if (old['operationId'] !== now['operationId'])
      found.push(`${where}: is called ${String(now['operationId'])}, not ${String(old['operationId'])}`);
    const parametersOf = (operation: Json) =>
      new Map(
        (listAt(operation, 'parameters') as Json[]).map((each) => [
          `${String(each['in'])} ${String(each['name'])}`,
          each,
        ]),
      );
    const [oldOnes, newOnes] = [parametersOf(old), parametersOf(now)];
    for (const [name, parameter] of oldOnes) {
      const kept = newOnes.get(name);
      if (!kept) found.push(`${where}: the parameter ${name} is gone`);
      else
        compareRequests(
          `${where} ${name}`,
          resolve(before, parameter['schema']),
          isListText(kept) ? { type: 'string' } : resolve(after, kept['schema']),
        );
    }
    for (const [name, parameter] of newOnes)
      if (parameter['required'] === true && oldOnes.get(name)?.['required'] !== true)
        found.push(`${where}: the parameter ${name} is required now`);
    compareSecurity(where, old, now);
    for (const [status, response] of Object.entries(objectAt(old, 'responses'))) {
      // Clients have to be ready for other errors, and for fewer.
      if (Number(status) >= 400) continue;
      const kept = objectAt(now, 'responses')[status];
      if (kept === undefined) {
        found.push(`${where}: no answer has the status ${status}`);
        continue;
      }
      for (const name of Object.keys(objectAt(response, 'headers')))
        if (!(name in objectAt(kept, 'headers')))
          found.push(`${where} ${status}: the header ${name} is gone`);
      for (const [type, content] of Object.entries(objectAt(response, 'content'))) {
        const same = objectAt(kept, 'content', type);
        if (Object.keys(same).length === 0) found.push(`${where} ${status}: is no ${type} any more`);
        else
          compareAnswers(
            `${where} ${status}`,
            '',
            objectAt(content, 'schema'),
            objectAt(same, 'schema'),
            new Set(),
          );
      }
    }
  }

  function compareSecurity(where: string, old: Json, now: Json): void {
    const waysOf = (operation: Json) =>
      (listAt(operation, 'security') as Json[]).map((way) => Object.keys(way).sort().join(' and '));
    const ways = waysOf(now);
    if (waysOf(old).length === 0 && ways.length > 0) found.push(`${where}: needs a key now`);
    for (const way of waysOf(old))
      if (ways.length > 0 && !ways.includes(way))
        found.push(`${where}: is not opened by ${way || 'nothing'} any more`);
  }

  /** Whether a parameter is a list whose values come in one text: it takes the texts that it took before. */
  function isListText({ style, explode, schema }: Json): boolean {
    return style === 'form' && explode === false && objectAt(schema as Json)['type'] === 'array';
  }

  /** A value that the old schema accepts must be accepted by the new one. */
  function compareRequests(where: string, old: Json, now: Json): void {
    if (now['type'] !== undefined && old['type'] !== now['type']) found.push(`${where}: takes another type`);
    if (Array.isArray(now['enum']))
      for (const value of Array.isArray(old['enum']) ? (old['enum'] as unknown[]) : ['any value'])
        if (!now['enum'].includes(value)) found.push(`${where}: does not take ${String(value)} any more`);
    for (const [bound, isTighter] of [
      ['minimum', (a: number, b: number) => b > a],
      ['minLength', (a: number, b: number) => b > a],
      ['maximum', (a: number, b: number) => b < a],
      ['maxLength', (a: number, b: number) => b < a],
    ] as const) {
      const [was, is] = [old[bound], now[bound]];
      if (typeof is === 'number' && (typeof was !== 'number' || isTighter(was, is)))
        found.push(`${where}: ${bound} is ${is} now`);
    }
    if (now['pattern'] !== undefined && now['pattern'] !== old['pattern'])
      found.push(`${where}: has to match another pattern`);
  }

  /** A value that the new schema allows must be one that the old one allowed, but for members that are new. */
  function compareAnswers(
    where: string,
    member: string,
    oldSchema: Json,
    newSchema: Json,
    seen: Set<string>,
  ): void {
    const reference = `${String(oldSchema['$ref'])} ${String(newSchema['$ref'])}`;
    if (oldSchema['$ref'] !== undefined && seen.has(reference)) return;
    const inside = new Set(seen).add(reference);
    const [old, now] = [resolve(before, oldSchema), resolve(after, newSchema)];
    const name = `${where} ${member || 'the answer'}`;
    const [oldTypes, newTypes] = [alternativesOf(before, old), alternativesOf(after, now)];
    if (oldTypes.size > 0)
      for (const type of newTypes.keys())
        if (!oldTypes.has(type) && !(type === 'integer' && oldTypes.has('number')))
          found.push(`${name}: may be ${type} now`);
    for (const [type, schema] of oldTypes) {
      const kept = newTypes.get(type);
      if (!kept) continue;
      const values = kept['enum'];
      if (Array.isArray(schema['enum']) && !growing.includes(member.split('.').at(-1) ?? '')) {
        const added = Array.isArray(values)
          ? values.filter((each) => !(schema['enum'] as unknown[]).includes(each))
          : ['any value'];
        for (const value of added) found.push(`${name}: may be ${String(value)} now`);
      }
      if (schema['const'] !== undefined && kept['const'] !== schema['const'])
        found.push(`${name}: is not ${String(schema['const'])} any more`);
      for (const rule of ['format', 'pattern'])
        if (schema[rule] !== undefined && kept[rule] !== schema[rule])
          found.push(`${name}: has another ${rule}`);
      for (const [property, each] of Object.entries(objectAt(schema, 'properties'))) {
        const path = member === '' ? property : `${member}.${property}`;
        const same = objectAt(kept, 'properties')[property];
        if (!isObject(same)) found.push(`${where} ${path}: is gone`);
        else compareAnswers(where, path, each as Json, same, inside);
      }
      for (const required of listAt(schema, 'required'))
        if (!listAt(kept, 'required').includes(required) && String(required) in objectAt(kept, 'properties'))
          found.push(`${where} ${member === '' ? '' : `${member}.`}${String(required)}: may be left out now`);
      if (isObject(schema['items']))
        compareAnswers(where, `${member}[]`, schema['items'], objectAt(kept, 'items'), inside);
    }
  }

  /** The types that a schema allows, each with the schema of its values. */
  function alternativesOf(document: Json, schema: Json): Map<string, Json> {
    const several = [...listAt(schema, 'anyOf'), ...listAt(schema, 'oneOf')];
    if (several.length > 0)
      return new Map(several.flatMap((each) => [...alternativesOf(document, resolve(document, each))]));
    const { type } = schema;
    if (Array.isArray(type)) return new Map(type.map((each) => [String(each), schema]));
    return new Map(typeof type === 'string' ? [[type, schema]] : []);
  }
}
