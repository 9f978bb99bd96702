import { tableDefinition, tableNames, type TableName } from '../../src/format/snapshot.ts';
import type { LedgerCompany } from '../ledger/ledger-rows.ts';
import type { RunTable } from '../segments/run-line.ts';
import { partitionOfHeld } from './summary-row.ts';

/**
 * Name of the table that holds ledger rows of companies until `foldCompanies` makes profiles of them. It is
 * in runs only, never in a segment. Partition key: the newest CIK of the chain of successors; sort key: CIK.
 */
export const ledgerCompanies = 'ledger-companies';

/** A row of that table. `updatedAt` is when the last batch with this company was recorded, UTC. */
export interface LedgerCompanyRow extends LedgerCompany {
  readonly updatedAt: string;
}

/** Every table that a fold writes into runs. */
export const foldTables: Readonly<Record<TableName | typeof ledgerCompanies, RunTable>> = {
  ...(Object.fromEntries(
    tableNames.map((name) => [name, { direction: tableDefinition(name).direction }]),
  ) as Record<TableName, RunTable>),
  'change-dates': { direction: 'ascending', comesInOrder: true },
  'company-changes': { direction: 'ascending', comesInOrder: true },
  summaries: { direction: 'ascending', partitionOf: partitionOfHeld, isLookedUp: true },
  ownership: { direction: 'ascending', partitionOf: partitionOfHeld, isLookedUp: true },
  documents: { direction: 'ascending', partitionOf: partitionOfHeld, isLookedUp: true },
  symbols: { direction: 'ascending', isLookedUp: true },
  [ledgerCompanies]: { direction: 'ascending', isLookedUp: true },
};
