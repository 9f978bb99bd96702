import type { z } from 'zod';
import type { Company, CompanyProfile, FilingSummary } from '../../src/contract/records.ts';
import { rankOf } from '../../src/contract/search.ts';
import { tableDefinition, type RowOf, type SymbolRow, type TableName } from '../../src/contract/snapshot.ts';
import type { Keys } from '../../src/table/line.ts';
import { failAt, rowOf, type CheckedLine } from './table.ts';

/**
 * The row of a line. Throws `CorruptSnapshot` if it does not fit its schema, or is written in another way
 * than the schema has it.
 */
export function parseRow<Name extends TableName>(name: Name, line: CheckedLine): RowOf<Name> {
  return parseText(tableDefinition(name).row as z.ZodType<RowOf<Name>>, line, rowOf(line).toString());
}

/** A part of a row. */
export function parseText<Value>(schema: z.ZodType<Value>, line: CheckedLine, text: string): Value {
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
  // Members that the schema does not know, or that stand in another order, would be served as they are.
  if (JSON.stringify(result.data) !== text) failAt(line, 'is not written as its schema has it');
  return result.data;
}

/** Throws `CorruptSnapshot` for a note in a table that has none. */
export function refuseNote(line: CheckedLine): void {
  if (line.note !== null) failAt(line, 'has a note');
}

/** Throws `CorruptSnapshot` for keys that are not those of the row. */
export function checkKeys(line: CheckedLine, { partition, sort }: Keys): void {
  if (line.keys.partition !== partition || line.keys.sort !== sort)
    failAt(line, `holds the row of (${partition}, ${sort})`);
}

/** Which keys the rows have that newer segments replace; lists of filings are held against the feed. */
const fits: Partial<Record<TableName, (keys: Keys, row: never) => boolean>> = {
  summaries: ({ partition, sort }, row: FilingSummary) => partition === row.accessionNo && sort === '',
  profiles: ({ partition, sort }, row: CompanyProfile) => partition === row.cik && sort === '',
  companies: ({ sort }, row: Company) => sort === rankOf(row),
  symbols: ({ partition, sort }, row: SymbolRow) => partition === row.symbol && sort === '',
};

/** Checks a row that a newer segment replaces by itself. Throws `CorruptSnapshot`. */
export function checkReplaced(line: CheckedLine): void {
  const { name } = line.table;
  const row = parseRow(name, line);
  if (name !== 'summaries' && name !== 'company-filings') refuseNote(line);
  if (fits[name]?.(line.keys, row as never) === false) failAt(line, 'holds a row of other keys');
}
