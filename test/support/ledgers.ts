import { createFold, type Ledger } from '../../build/ledger/fold.ts';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/rows.ts';
import { foldSymbol } from '../../src/contract/shapes.ts';
import { batchAt } from './made-up.ts';

export * from './made-up.ts';

/** What one made-up batch brings. */
export interface MadeUpBatch {
  readonly filings?: readonly LedgerFiling[];
  readonly companies?: readonly LedgerCompany[];
}

/** A ledger in memory. */
export function foldedLedger(...batches: readonly MadeUpBatch[]): Ledger {
  const fold = createFold(foldSymbol);
  batches.forEach(({ filings = [], companies = [] }, at) => {
    const run = { target: 'made up', status: 'success', message: null, createdAt: batchAt(at + 1) };
    fold.add({ number: at + 1, sha256: String(at + 1).padStart(64, '0'), run, filings: structuredClone(filings) as LedgerFiling[], companies });
  });
  return fold.result() as Ledger;
}
