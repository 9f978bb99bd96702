import type { LedgerCompany, LedgerFiling } from '../../build/ledger/rows.ts';
import type { BatchRows } from './ledger-model.ts';
import { batchAt } from './made-up.ts';

export * from './made-up.ts';

/** What one made-up batch brings. */
export interface MadeUpBatch {
  readonly filings?: readonly LedgerFiling[];
  readonly companies?: readonly LedgerCompany[];
}

/** Made-up batches, as a ledger has them. */
export function madeUp(...batches: readonly MadeUpBatch[]): BatchRows[] {
  return batches.map(({ filings = [], companies = [] }, at) => {
    const run = { target: 'made up', status: 'success', message: null, createdAt: batchAt(at + 1) };
    return {
      number: at + 1,
      sha256: String(at + 1).padStart(64, '0'),
      run,
      filings: structuredClone(filings),
      companies,
    };
  });
}
