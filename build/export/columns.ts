import type { SchemaElement } from 'hyparquet';
import { dayMs } from '../../src/time/units.ts';

/** A type of Iceberg without parts, of those that the tables use. */
export type PrimitiveType = 'string' | 'long' | 'int' | 'double' | 'boolean' | 'date' | 'timestamptz';

/** A field of a table or of a struct. Its id stays the same for ever: readers find fields by it, not by name. */
export interface Field {
  readonly id: number;
  readonly name: string;
  readonly isRequired: boolean;
  readonly doc?: string | undefined;
  readonly type: PrimitiveType | ListType;
}

/** A list. Its elements are never null. */
export interface ListType {
  readonly elementId: number;
  readonly element: PrimitiveType | readonly Field[];
}

/** A column of a table, and how to get its value from a row: null, or as Parquet files have it. */
export interface Column<Row> extends Field {
  value(row: Row): unknown;
}

/** Values as Parquet files have them; those of other types are as records have them. */
const stored: Readonly<Partial<Record<PrimitiveType, (value: never) => unknown>>> = {
  long: (number: number) => BigInt(number),
  date: (day: string) => Date.parse(day) / dayMs,
  timestamptz: (instant: string) => BigInt(Date.parse(instant)) * 1000n,
};

/** What makes values of a type as Parquet files have them; undefined if records have them so. Null stays null. */
function storing(type: Field['type']): ((said: never) => unknown) | undefined {
  if (typeof type === 'string') return stored[type];
  const { element } = type;
  if (typeof element === 'string') return undefined;
  const changed = element.flatMap(({ name, type: each }) => {
    const store = storing(each);
    return store ? [{ name, store }] : [];
  });
  if (changed.length === 0) return undefined;
  const structOf = (record: Readonly<Record<string, unknown>>) => ({
    ...record,
    ...Object.fromEntries(changed.map(({ name, store }) => [name, unlessNull(store, record[name])])),
  });
  return (said: readonly Readonly<Record<string, unknown>>[]) => said.map(structOf);
}

const unlessNull = (store: (said: never) => unknown, said: unknown) =>
  said === null || said === undefined ? null : store(said as never);

/** Makes a column. `said` is what a row says, as records have it: a day, an instant, a number. */
export function column<Row>(field: Field, said: (row: Row) => unknown): Column<Row> {
  const store = storing(field.type);
  return { ...field, value: store ? (row) => unlessNull(store, said(row)) : (row) => said(row) ?? null };
}

/** A member of a record that is a column or a field: its id, its name, its type, and whether it is never null. */
type Member<Name> = readonly [id: number, name: Name, type: Field['type'], isRequired?: typeof required];
/** Of a member that is never null. */
export const required = true;

/** The schemas of the members of a record, which describe them. */
type Shape<Name extends string> = Readonly<Record<Name, { readonly description?: string | undefined }>>;

/** Makes fields of members of a record. Each has the name and the description of its member. */
export const fieldsOf = <Name extends string>(
  shape: Shape<Name>,
  members: readonly Member<Name>[],
): Field[] =>
  members.map(([id, name, type, isRequired = false]) => ({
    id,
    name,
    isRequired,
    type,
    doc: shape[name].description,
  }));

/**
 * Makes columns of members of a record, which `of` gives of a row. Columns among the members, which say something else,
 * stay as they are.
 */
export function columnsOf<Row, Name extends string>(
  shape: Shape<Name>,
  of: (row: Row) => { readonly [Each in Name]?: unknown },
  members: readonly (Member<Name> | Column<Row>)[],
): Column<Row>[] {
  return members.flatMap((each) =>
    'value' in each
      ? each
      : fieldsOf(shape, [each]).map((field) => column(field, (row: Row) => of(row)[each[1]])),
  );
}

/** The field as the metadata of an Iceberg table has it. */
export function icebergField({ id, name, isRequired, doc, type }: Field): Readonly<Record<string, unknown>> {
  return { id, name, required: isRequired, type: icebergType(type), ...(doc === undefined ? {} : { doc }) };
}

function icebergType(type: Field['type']): unknown {
  if (typeof type === 'string') return type;
  const { elementId, element } = type;
  return {
    type: 'list',
    'element-id': elementId,
    'element-required': true,
    element: typeof element === 'string' ? element : { type: 'struct', fields: element.map(icebergField) },
  };
}

/** The greatest id of fields and of what they hold. */
export function greatestId(fields: readonly Field[]): number {
  const idsOf = ({ id, type }: Field): number[] =>
    typeof type === 'string'
      ? [id]
      : [id, type.elementId, ...(typeof type.element === 'string' ? [] : type.element.flatMap(idsOf))];
  return Math.max(...fields.flatMap(idsOf));
}

const physical: Readonly<Record<PrimitiveType, Omit<SchemaElement, 'name'>>> = {
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  long: { type: 'INT64' },
  int: { type: 'INT32' },
  double: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  timestamptz: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
};

/** The schema of a Parquet file with these columns. Each element has the id of its field. */
export function parquetSchema(fields: readonly Field[]): SchemaElement[] {
  return [{ name: 'table', num_children: fields.length }, ...fields.flatMap(parquetElements)];
}

function parquetElements({ id, name, isRequired, type }: Field): SchemaElement[] {
  const own = { name, field_id: id, repetition_type: isRequired ? 'REQUIRED' : 'OPTIONAL' } as const;
  if (typeof type === 'string') return [{ ...own, ...physical[type] }];
  const { elementId, element } = type;
  const ofElement = { name: 'element', field_id: elementId, repetition_type: 'REQUIRED' } as const;
  return [
    { ...own, num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    ...(typeof element === 'string'
      ? [{ ...ofElement, ...physical[element] }]
      : [{ ...ofElement, num_children: element.length }, ...element.flatMap(parquetElements)]),
  ];
}
