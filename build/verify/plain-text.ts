import type { z } from 'zod';
import {
  accessionNo,
  calendarDate,
  cik,
  easternInstant,
  easternStamp,
  itemCode,
  monthDay,
  sha256,
  sicCode,
  timestamp,
} from '../../src/domain/scalars.ts';

/**
 * Characters of texts that JSON writes as they are. Texts with others are read by `JSON.parse`, and so is
 * everything else that no pattern matches.
 */
const plainCharacter = '[^"\\\\\\u0000-\\u001f\\ud800-\\udfff]';
/** Days that exist, but for 29 February, of which the calendar has to be asked. */
const plainDay =
  '(?!0000)\\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)';

/** The scalars whose values need no escapes in JSON, by their definitions, which described copies share. */
const scalars = new Map<object, string>([
  [calendarDate.def, plainDay],
  ...[accessionNo, cik, easternInstant, easternStamp, itemCode, monthDay, sha256, sicCode, timestamp].map(
    (schema) => [schema.def, formatOf(schema)] as const,
  ),
]);

/** Finds members of a JSON text: the text, and then each member; undefined for null. Null if it is not plain. */
export type PlainText = (text: string) => readonly (string | undefined)[] | null;

/**
 * Makes a function that recognises plain JSON texts: those that a schema surely accepts, and writes in the
 * same way. For the others it gives null, also if the schema is one that no pattern can express. One match of
 * a pattern takes a tenth of the time of parsing, checking and writing a record. `members` are paths, such as
 * `filing.form`, of texts, numbers and lists (which are given as JSON), in the order of the schema; the empty
 * path is the whole value.
 */
export function plainTextOf(schema: z.ZodType, members: readonly string[] = []): PlainText {
  const found: string[] = [];
  const pattern = patternOf(schema, '', (path, inner) => {
    if (!members.includes(path)) return inner;
    found.push(path);
    return `(${inner})`;
  });
  if (pattern === null) return () => null;
  if (found.join() !== members.join())
    throw new Error(`the schema has the members ${found.join(', ')}, not ${members.join(', ')}`);
  const expression = new RegExp(`^${pattern}$`);
  return (text) => expression.exec(text);
}

/** Puts a pattern into a group if its member is wanted. */
type Capture = (path: string, inner: string) => string;

/** The pattern of the plain texts of a schema; null if it has a rule that is not known here. */
function patternOf(schema: z.ZodType, path: string, capture: Capture): string | null {
  const def = definitionOf(schema);
  const scalar = scalars.get(def);
  if (scalar !== undefined) return `"${capture(path, scalar)}"`;
  if (def.type === 'string') return stringPattern(def, path, capture);
  if (def.type === 'number') return numberPattern(def, path, capture);
  if (def.type === 'array') return arrayPattern(def, path, capture);
  if ((def.checks ?? []).length > 0) return null;
  switch (def.type) {
    case 'boolean':
      return '(?:true|false)';
    case 'literal':
      return oneOf(def.values);
    case 'enum':
      return oneOf(Object.values(def.entries));
    case 'nullable': {
      const inner = patternOf(def.innerType, path, capture);
      return inner === null ? null : `(?:null|${inner})`;
    }
    case 'object':
      return objectPattern(def.shape, path, capture);
    case 'union':
      return unionPattern(def.options, path, capture);
    default:
      return null;
  }
}

/** What is read of the definition of a schema. */
type Definition = { readonly checks?: readonly z.core.$ZodCheck[] } & (
  | { readonly type: 'boolean' | 'other' }
  | { readonly type: 'string'; readonly format?: string }
  | { readonly type: 'number'; readonly format?: string }
  | { readonly type: 'array'; readonly element: z.ZodType }
  | { readonly type: 'literal'; readonly values: readonly unknown[] }
  | { readonly type: 'enum'; readonly entries: Readonly<Record<string, unknown>> }
  | { readonly type: 'nullable' | 'optional'; readonly innerType: z.ZodType }
  | { readonly type: 'object'; readonly shape: Shape }
  | { readonly type: 'union'; readonly options: readonly z.ZodType[] }
);

type Shape = Readonly<Record<string, z.ZodType>>;

const definitionOf = (schema: z.ZodType) => (schema as unknown as { readonly def: Definition }).def;

/** The least value or length that checks ask for, 0 or 1; null if they ask for anything else. */
function leastOf(checks: readonly z.core.$ZodCheck[]): 0 | 1 | null {
  let least: 0 | 1 = 0;
  for (const { _zod } of checks) {
    const { check, value, inclusive, minimum } = _zod.def as unknown as Readonly<Record<string, unknown>>;
    const isLeast = (check === 'greater_than' && inclusive === true) || check === 'min_length';
    const bound = check === 'min_length' ? minimum : value;
    if (!isLeast || (bound !== 0 && bound !== 1)) return null;
    if (bound === 1) least = 1;
  }
  return least;
}

function stringPattern(
  { format, checks = [] }: Extract<Definition, { type: 'string' }>,
  path: string,
  capture: Capture,
): string | null {
  const least = leastOf(checks);
  if (format !== undefined || least === null) return null;
  return `"${capture(path, `${plainCharacter}${least === 1 ? '+' : '*'}`)}"`;
}

function numberPattern(
  { format, checks = [] }: Extract<Definition, { type: 'number' }>,
  path: string,
  capture: Capture,
): string | null {
  const least = leastOf(checks);
  // Negative numbers are not plain.
  if (format !== 'safeint' || least === null) return null;
  return capture(path, least === 1 ? '[1-9]\\d{0,14}' : '(?:0|[1-9]\\d{0,14})');
}

function arrayPattern(
  { element, checks = [] }: Extract<Definition, { type: 'array' }>,
  path: string,
  capture: Capture,
): string | null {
  const least = leastOf(checks);
  const inner = patternOf(element, `${path}[]`, capture);
  if (least === null || inner === null) return null;
  return capture(path, `\\[(?:${inner}(?:,${inner})*)${least === 1 ? '' : '?'}\\]`);
}

/**
 * A union takes the first option that fits, and drops members that this one does not know. So the options have
 * to be objects, each with a member that no later one has.
 */
function unionPattern(options: readonly z.ZodType[], path: string, capture: Capture): string | null {
  const shapes = options.map((option) => {
    const def = definitionOf(option);
    return def.type === 'object' ? def.shape : {};
  });
  const isTold = shapes.every((shape, at) =>
    shapes
      .slice(at + 1)
      .every((later) =>
        Object.entries(shape).some(
          ([name, member]) => !(name in later) && definitionOf(member).type !== 'optional',
        ),
      ),
  );
  const patterns = options.map((option) => patternOf(option, path, capture));
  return isTold && !patterns.includes(null) ? `(?:${patterns.join('|')})` : null;
}

function objectPattern(shape: Shape, path: string, capture: Capture): string | null {
  let pattern = '';
  for (const [name, schema] of Object.entries(shape)) {
    const def = definitionOf(schema);
    const isOptional = def.type === 'optional';
    const value = patternOf(
      isOptional ? def.innerType : schema,
      path === '' ? name : `${path}.${name}`,
      capture,
    );
    if (value === null || (isOptional && pattern === '')) return null;
    const member = `${pattern === '' ? '' : ','}${escaped(JSON.stringify(name))}:${value}`;
    pattern += isOptional ? `(?:${member})?` : member;
  }
  return `\\{${pattern}\\}`;
}

const oneOf = (values: readonly unknown[]) =>
  `(?:${values.map((value) => escaped(JSON.stringify(value))).join('|')})`;

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** The pattern of a text with a format, without its ends and groups. */
function formatOf(schema: z.ZodString): string {
  const [format] = schema.def.checks as readonly z.core.$ZodCheck[];
  const { pattern } = (format as z.core.$ZodCheck)._zod.def as unknown as { readonly pattern: RegExp };
  return pattern.source.slice(1, -1).replaceAll(/(?<!\\)\((?!\?)/g, '(?:');
}
