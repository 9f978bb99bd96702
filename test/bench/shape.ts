import type { LedgerShape } from '../support/generate.ts';

/** Filings of one batch of a large ledger: as many as a process can hold easily. */
const batchFilings = 200_000;
/** Companies that are listed, at most. */
const listedMaximum = 10_000;
/**
 * From so many filings on, a ledger is one of all filers, most of whom are people: 900,000 from ten million
 * filings on.
 */
const ownersFrom = 5_000_000;
const [ownersShare, ownersMaximum] = [0.089, 890_000];

/**
 * What the ledger of so many filings holds, in a run whose large one holds `large`: a hundred filings for
 * each company, as for those that are listed; reporting owners in both ledgers or in none, so that what is
 * compared is alike; and contents, if the run wants them.
 */
export function shapeOf(filings: number, large: number, hasContents = false): LedgerShape {
  return {
    filings,
    companies: Math.min(listedMaximum, Math.max(10, Math.ceil(filings / 100))),
    batches: Math.max(5, Math.ceil(filings / batchFilings)),
    ...(large >= ownersFrom ? { owners: Math.min(ownersMaximum, Math.round(filings * ownersShare)) } : {}),
    ...(hasContents ? { contents: true } : {}),
  };
}
