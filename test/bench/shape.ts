import type { LedgerShape } from '../support/generate.ts';

/** Filings of one batch of a large ledger: as many as a process can hold easily. */
const batchFilings = 200_000;
/** Companies that are listed, at most. */
const listedMaximum = 10_000;
/** Most filers are people: 900,000 of all from ten million filings on. */
const [ownersShare, ownersMaximum] = [0.089, 890_000];
/** Share of all filings that have an ownership document which can be read: 52,175 of the 193,299 of 2025's last quarter. */
const contentsShare = 0.27;

/**
 * What the ledger of so many filings holds: a hundred filings for each company, as for those that are listed,
 * the people whom they name, and what ownership documents say.
 */
export function shapeOf(filings: number): LedgerShape {
  return {
    ...shapeWithoutContents(filings),
    owners: Math.min(ownersMaximum, Math.round(filings * ownersShare)),
    contents: contentsShare,
  };
}

/** The same as older releases had it: without contents, and without people. */
export function shapeWithoutContents(filings: number): LedgerShape {
  return {
    filings,
    companies: Math.min(listedMaximum, Math.max(10, Math.ceil(filings / 100))),
    batches: Math.max(5, Math.ceil(filings / batchFilings)),
  };
}
