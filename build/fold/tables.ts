import { tableDefinition, tableNames, type Direction } from '../../src/contract/snapshot.ts';
import type { LedgerCompany } from '../ledger/rows.ts';

/**
 * Rows of companies as the ledger has them, on their way to profiles: by the newest CIK of the chain, then by
 * CIK.
 */
export const ledgerCompanies = 'ledger-companies';

/** A row of that table: the company, and when the last batch that carried it was recorded. */
export interface LedgerCompanyRow extends LedgerCompany {
  readonly updatedAt: string;
}

/** Every table that a fold writes into runs, with its direction. */
export const foldTables: Readonly<Record<string, Direction>> = {
  ...Object.fromEntries(tableNames.map((name) => [name, tableDefinition(name).direction])),
  [ledgerCompanies]: 'ascending',
};
