import type { SchemaElement } from 'hyparquet';

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

/** A column of a table, and how to get its value from a row: null, or as `valueOf` of its type gives it. */
export interface Column<Row> extends Field {
  value(row: Row): unknown;
}

/** The id of a column, its name, how to get its value from a row, and what it says. */
type Described<Row, Value> = readonly [
  id: number,
  name: string,
  value: (row: Row) => Value,
  doc?: string | undefined,
];

type Texts<Row> = Described<Row, string | null>;

/** Makes a column of any type. */
export const column = <Row>(
  type: PrimitiveType | ListType,
  isRequired: boolean,
  [id, name, value, doc]: Described<Row, unknown>,
): Column<Row> => ({ id, name, isRequired, type, doc, value });
/** Makes a column of texts, of which some may be null. */
export const text = <Row>(...described: Texts<Row>): Column<Row> => column('string', false, described);
/** Makes a column of texts. */
export const requiredText = <Row>(...described: Texts<Row>): Column<Row> => column('string', true, described);
/** Makes a column of dates `YYYY-MM-DD`. */
export const date = <Row>(...[id, name, value, doc]: Texts<Row>): Column<Row> =>
  column('date', false, [id, name, (row: Row) => daysOf(value(row)), doc]);
/** Makes a column of instants in ISO 8601. */
export const instant = <Row>(...[id, name, value, doc]: Texts<Row>): Column<Row> =>
  column('timestamptz', false, [id, name, (row: Row) => microsecondsOf(value(row)), doc]);
/** Makes a column of numbers that may have decimals. */
export const decimal = <Row>(...described: Described<Row, number | null>): Column<Row> =>
  column('double', false, described);
/** Makes a column of truth values. */
export const flag = <Row>(...described: Described<Row, boolean | null>): Column<Row> =>
  column('boolean', false, described);

/** Days since 1970 of a date `YYYY-MM-DD`; null for null. */
export function daysOf(date: string | null): number | null {
  return date === null ? null : Date.parse(date) / 86_400_000;
}

/** Microseconds since 1970 of an instant in ISO 8601; null for null. */
export function microsecondsOf(instant: string | null): bigint | null {
  return instant === null ? null : BigInt(Date.parse(instant)) * 1000n;
}

/** A whole number as a value of the type `long`; null for null. */
export function longOf(number: number | null): bigint | null {
  return number === null ? null : BigInt(number);
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
