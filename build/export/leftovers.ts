import { join } from 'node:path';
import { documentsTable } from './documents-table.ts';
import { holdingsTable, transactionsTable } from './ownership-tables.ts';
import { referenceTable } from './reference-table.ts';
import { removeLeftoversOf } from './table-folder.ts';
import { changesTable, companiesTable, filingsTable, partiesTable, type TableDefinition } from './tables.ts';

const tables = [
  changesTable,
  filingsTable,
  partiesTable,
  transactionsTable,
  holdingsTable,
  documentsTable,
  companiesTable,
  referenceTable,
] as readonly TableDefinition<never>[];

/** Removes from the tables in a folder what an export wrote that failed, as far as that can be done. */
export async function removeLeftovers(directory: string): Promise<void> {
  for (const each of tables) await removeLeftoversOf(join(directory, each.name), each).catch(() => {});
}
