import type { z } from 'zod';
import type { FilteredCompany } from '../../src/contract/company-filters.ts';
import type { Company, CompanyProfile } from '../../src/contract/records.ts';
import { isCik } from '../../src/domain/scalars.ts';
import { rankOf } from '../../src/format/search-rows.ts';
import {
  allPartition,
  tableDefinition,
  tableNames,
  type RowOf,
  type SymbolRow,
  type TableName,
} from '../../src/format/snapshot.ts';
import { hasKnownPlaceholders } from '../../src/rows/placeholders.ts';
import type { Keys } from '../../src/table/line.ts';
import { plainTextOf } from './plain-text.ts';
import { failAt, rowOf, type CheckedLine } from './checked-line.ts';

/**
 * Parses the row of a line. Throws `CorruptSnapshot` if it does not match its schema, or if its bytes are not
 * those that the schema writes.
 */
export function parseRow<Name extends TableName>(name: Name, line: CheckedLine): RowOf<Name> {
  const text = rowOf(line).toString();
  if (plainRows.get(name)?.(text)) return JSON.parse(text) as RowOf<Name>;
  return parseText(tableDefinition(name).row as z.ZodType<RowOf<Name>>, line, text);
}

const plainRows = new Map(tableNames.map((name) => [name, plainTextOf(tableDefinition(name).row)]));

/** Parses a part of a row. Throws like `parseRow`. */
export function parseText<Value>(
  schema: z.ZodType<Value>,
  line: Parameters<typeof failAt>[0],
  text: string,
): Value {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    failAt(line, `is not JSON: ${(error as Error).message}`);
  }
  const result = schema.safeParse(value);
  if (!result.success)
    failAt(
      line,
      `does not fit: ${result.error.issues[0]?.path.join('.')}: ${result.error.issues[0]?.message}`,
    );
  // Otherwise unknown members, or members in another order, would be served.
  if (JSON.stringify(result.data) !== text) failAt(line, 'is not written as its schema requires');
  return result.data;
}

/**
 * Reads members of a row whose text has to be one that a schema writes: the text, and then each member as
 * text, as `plainTextOf` gives them. Throws like `parseRow`.
 */
export type ReadMembers = (
  line: Parameters<typeof failAt>[0],
  text: string,
) => readonly (string | undefined)[];

/** Makes a function that reads members; see `plainTextOf`. */
export function readingMembers(schema: z.ZodType, members: readonly string[] = []): ReadMembers {
  const plain = plainTextOf(schema, members);
  return (line, text) => {
    const found = plain(text);
    if (found !== null) return found;
    const value = parseText(schema, line, text);
    return [text, ...members.map((path) => memberAt(value, path))];
  };
}

function memberAt(value: unknown, path: string): string | undefined {
  const names = path === '' ? [] : path.split('.');
  const member = names.reduce((inner, name) => (inner as Readonly<Record<string, unknown>>)[name], value);
  if (member === null || member === undefined) return undefined;
  return Array.isArray(member) ? JSON.stringify(member) : String(member);
}

/** Throws `CorruptSnapshot` if a line has a note, in tables that have none. */
export function checkNoNote(line: CheckedLine): void {
  if (line.hasNote) failAt(line, 'has a note');
}

/** Throws `CorruptSnapshot` if the keys of a line are not those of its row. */
export function checkKeys(line: CheckedLine, { partition, sort }: Keys): void {
  if (line.keys.partition !== partition || line.keys.sort !== sort)
    failAt(line, `holds the row of (${partition}, ${sort})`);
}

/** The keys that a row must have. Lists of filings and summaries are compared with the log instead. */
const hasOwnKeys: Partial<Record<TableName, (keys: Keys, row: never) => boolean>> = {
  profiles: ({ partition, sort }, row: CompanyProfile) => partition === row.cik && sort === '',
  companies: ({ partition, sort }, row: Company | FilteredCompany) =>
    partition === allPartition ? 'cik' in row && sort === rankOf(row) : !('cik' in row) && isCik(sort),
  symbols: ({ partition, sort }, row: SymbolRow) => partition === row.symbol && sort === '',
};

/** The tables whose rows may have notes. */
const notedTables: ReadonlySet<TableName> = new Set(['summaries', 'company-filings', 'company-changes']);

/** Checks the rows of tables whose keys are not compared with them. */
const checksOfRows = new Map(
  tableNames
    .filter((name) => !hasOwnKeys[name])
    .map((name) => [name, readingMembers(tableDefinition(name).row)]),
);

/** Throws `CorruptSnapshot` if the JSON of a summary has a placeholder that is not known. */
export function checkPlaceholders(line: CheckedLine, text: string): void {
  if (!hasKnownPlaceholders(text)) failAt(line, 'has a placeholder that is not known');
}

/**
 * Checks a row on its own, which is all that can be checked of a row that a newer segment replaces. Throws
 * `CorruptSnapshot`.
 */
export function checkRowAlone(line: CheckedLine): void {
  const { name } = line.table;
  const check = checksOfRows.get(name);
  if (check) {
    const text = rowOf(line).toString();
    check(line, text);
    if (name === 'summaries') checkPlaceholders(line, text);
  } else if (hasOwnKeys[name]?.(line.keys, parseRow(name, line) as never) === false)
    failAt(line, 'holds a row of other keys');
  if (!notedTables.has(name)) checkNoNote(line);
}
