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
 * Makes `_generated.py` of the Python client: a typed dict for each schema, and a class with a method for each
 * operation. For example, `pythonSource(describe())` contains `class Filing(TypedDict):`.
 */
export function pythonSource({ operations, schemas }: Description): string {
  const types = createTypes();
  for (const [name, schema] of Object.entries(schemas)) types.add(name, schema);
  const methods = operations.map((operation) => methodOf(operation, types));
  const paged = operations.filter(({ isPaged }) => isPaged);
  return `# ${generatedNote}
from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union, overload

from ._iterate import Rows

__all__ = [
${Object.keys(schemas)
  .map((name) => `    "${name}",\n`)
  .join('')}]

Values = Union[str, Sequence[str]]

${types.written().join('\n\n\n')}


class Operations:
    """A method for each operation of the service. Example: \`client.get_stats()\`."""

    def _call(self, method: str, path: str, values: Mapping[str, Any], timeout: Optional[float] = None) -> Any:
        raise NotImplementedError

    def _file(self, path: str, values: Mapping[str, Any], timeout: Optional[float] = None) -> bytes:
        raise NotImplementedError

${methods.join('\n\n')}


#: The operations whose pages go back through history.
PAGED_OPERATIONS = (
${paged.map(({ id }) => `    "${snakeCase(id)}",\n`).join('')})


class Histories(Operations):
    """The operations whose pages go back through history, as iterables."""

${iterables('pages', 'The pages of a history', paged, types, (answer) => answer)}

${iterables('rows', 'The rows of a history', paged, types, (answer) => rowOf(answer, schemas, types))}

    def _pages(self, operation: str, arguments: Sequence[Any], parameters: Mapping[str, Any]) -> Rows[Any]:
        raise NotImplementedError

    def _rows(self, operation: str, arguments: Sequence[Any], parameters: Mapping[str, Any]) -> Rows[Any]:
        raise NotImplementedError
`;
}

/** A method that takes the name of an operation and its parameters, with an overload for each operation. */
function iterables(
  name: 'pages' | 'rows',
  text: string,
  paged: readonly ClientOperation[],
  types: Types,
  elementOf: (answer: string) => string,
): string {
  const overloads = paged.map(
    (operation) => `    @overload
    def ${name}(
        self,
        operation: Literal["${snakeCase(operation.id)}"],
        ${takenBy(operation, types, ['cursor']).join(',\n        ')},
    ) -> Rows[${elementOf(answerOf(operation, types))}]: ...`,
  );
  const example = `for each in client.${name}("list_company_filings", "AAPL"): …`;
  return `${overloads.join('\n\n')}

    def ${name}(self, operation: str, *arguments: Any, **parameters: Any) -> Rows[Any]:
        """${text}. Example: \`${example}\`."""
        return self._${name}(operation, arguments, parameters)`;
}

function answerOf({ id, answer }: ClientOperation, types: Types): string {
  if (answer === null) return 'bytes';
  return types.typeOf(answer, `${id.charAt(0).toUpperCase()}${id.slice(1)}Answer`);
}

/** The type of the rows of a page, whose type is a named schema. */
function rowOf(answer: string, schemas: Description['schemas'], types: Types): string {
  const { properties } = schemas[answer] as { properties?: { data?: { items?: JsonSchema } } };
  return types.typeOf(properties?.data?.items ?? {}, answer);
}

/** The parameters of a method behind `self`. What is required is taken by position, the rest by name. */
function takenBy(
  { parameters }: ClientOperation,
  types: Types,
  leftOut: readonly string[] = [],
): readonly string[] {
  const [first, others] = [
    parameters.filter(({ required }) => required),
    parameters.filter(({ required, name }) => !required && !leftOut.includes(name)),
  ];
  return [
    ...first.map((each) => `${snakeCase(each.name)}: ${parameterType(each, types)}`),
    '*',
    ...others.map((each) => `${snakeCase(each.name)}: Optional[${parameterType(each, types)}] = None`),
    'timeout: Optional[float] = None',
  ];
}

/** Writes a name as Python does. For example, \`snakeCase('accessionNo')\` is \`accession_no\`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Collects the classes of a module. */
interface Types {
  /** Adds a named schema. */
  add(name: string, schema: JsonSchema): void;
  /** The type of a value. Objects without a name get a class named after where they stand. */
  typeOf(schema: JsonSchema, name: string): string;
  written(): readonly string[];
}

const basicTypes: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

function createTypes(): Types {
  const written: string[] = [];
  // Behind the classes: they are values, which need the classes that they name.
  const aliases: string[] = [];
  const types: Types = {
    add(name, schema) {
      if (schema['type'] === 'object' && schema['properties']) written.push(classOf(name, schema, types));
      else aliases.push(`${name} = ${types.typeOf(schema, name)}`);
    },
    typeOf(schema, name) {
      const reference = referenceOf(schema);
      if (reference !== undefined) return reference;
      if ('const' in schema) return `Literal[${literal(schema['const'])}]`;
      if (Array.isArray(schema['enum'])) return `Literal[${schema['enum'].map(literal).join(', ')}]`;
      const several = alternativesOf(schema);
      if (several) return union(several.map((each) => types.typeOf(each, name)));
      const { type } = schema;
      if (Array.isArray(type))
        return union(type.map((each) => types.typeOf({ ...schema, type: each }, name)));
      if (type === 'array')
        return `List[${types.typeOf((schema['items'] ?? {}) as JsonSchema, singular(name))}]`;
      if (type !== 'object') return basicTypes[String(type)] ?? 'Any';
      if (!schema['properties']) return 'Dict[str, Any]';
      written.push(classOf(name, schema, types));
      return name;
    },
    written: () => [...written, ...aliases],
  };
  return types;
}

const singular = (name: string) => name.replace(/ies$/, 'y').replace(/s$/, '');

function union(types: readonly string[]): string {
  const others = types.filter((each) => each !== 'None');
  const one = others.length === 1 ? (others[0] as string) : `Union[${others.join(', ')}]`;
  return others.length < types.length ? `Optional[${one}]` : one;
}

function literal(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return value === null ? 'None' : JSON.stringify(value);
}

function documentation(text: unknown, indent: string): string {
  if (typeof text !== 'string' || text === '') return '';
  const lines = wrap(text.replaceAll('\\', '\\\\'), 100);
  if (lines.length === 1) return `${indent}"""${lines[0]}"""\n`;
  return `${indent}"""${lines.map((line, at) => `${at === 0 ? '' : indent}${line}\n`).join('')}${indent}"""\n`;
}

function note(text: unknown): string {
  return typeof text === 'string' && text !== ''
    ? wrap(text, 100)
        .map((line) => `    #: ${line}\n`)
        .join('')
    : '';
}

function classOf(name: string, schema: JsonSchema, types: Types): string {
  const { properties = {}, required = [] } = schema as {
    properties?: Readonly<Record<string, JsonSchema>>;
    required?: readonly string[];
  };
  const member = ([key, each]: readonly [string, JsonSchema]) =>
    `${note(each['description'])}    ${key}: ${types.typeOf(each, `${name}${key.charAt(0).toUpperCase()}${key.slice(1)}`)}\n`;
  const isRequired = ([key]: readonly [string, JsonSchema]) => required.includes(key);
  const always = Object.entries(properties).filter(isRequired).map(member);
  const sometimes = Object.entries(properties)
    .filter((each) => !isRequired(each))
    .map(member);
  const head = documentation(schema['description'] ?? `Part of another record.`, '    ');
  if (sometimes.length === 0) return `class ${name}(TypedDict):\n${head}\n${always.join('')}`.trimEnd();
  // Python before 3.11 has no other way to say which members may be missing.
  const base = `class _Always${name}(TypedDict):\n${always.join('') || '    pass\n'}`;
  return `${base}\n\nclass ${name}(_Always${name}, total=False):\n${head}\n${sometimes.join('')}`.trimEnd();
}

function methodOf(operation: ClientOperation, types: Types): string {
  const { id, method, path, parameters, answer } = operation;
  const name = snakeCase(id);
  const type = answerOf(operation, types);
  const examples = parameters.flatMap(({ required, example }) =>
    required && example !== undefined ? [literal(example)] : [],
  );
  const lines = [
    `${operation.summary}. ${operation.description} Example: \`client.${name}(${examples.join(', ')})\`.`,
    ...parameters.map((each) => `${snakeCase(each.name)}: ${each.description}`),
  ];
  const text = lines
    .flatMap((line, at) => [
      ...(at === 1 ? [''] : []),
      ...wrap(line, 100).map((each, row) => (at > 0 && row > 0 ? `    ${each}` : each)),
    ])
    .map((line) => line.replaceAll('\\', '\\\\'));
  const values = `{${parameters.map((each) => `"${each.name}": ${snakeCase(each.name)}`).join(', ')}}`;
  const call =
    answer === null
      ? `self._file("${path}", ${values}, timeout)`
      : `self._call("${method}", "${path}", ${values}, timeout)`;
  return `    def ${name}(
        ${['self', ...takenBy(operation, types)].join(',\n        ')},
    ) -> ${type}:
        """${text.map((line, at) => (at === 0 || line === '' ? line : `        ${line}`)).join('\n')}
        """
        answer: ${type} = ${call}
        return answer`;
}

function parameterType({ schema, isList, name }: ClientParameter, types: Types): string {
  if (isList) return 'Values';
  // A body is a dict as it comes: its members depend on the method that it names.
  return schema['type'] === 'object' ? 'Mapping[str, Any]' : types.typeOf(schema, name);
}
