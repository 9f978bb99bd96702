import type { Waiting } from '../disk/lock.ts';
import { openBatch, withLedgerEnd } from '../ledger/batch.ts';
import type { LedgerContents } from '../ledger/contents.ts';
import type { Refusal } from '../ledger/ledger-rows.ts';
import { compareRefusals, runRecord } from '../ledger/refusals.ts';
import { fillContents } from './fill-contents.ts';
import type { KnownLedger } from './known.ts';

/** Contents for filings that the ledger has. */
export interface ContentsAddition {
  /** The target of the run in its record. */
  readonly target: string;
  /** Sorted by accession number, each filing once. */
  readonly contents: Iterable<LedgerContents> | AsyncIterable<LedgerContents>;
  /** What could not be read. It may grow while `contents` are gone through. */
  readonly refusals: readonly Refusal[];
  /** Returns the time of the run in its record, in UTC. */
  readonly instant: () => string;
}

/**
 * Appends contents as one batch; none if there is nothing new. Others may append meanwhile: only the end of the batch
 * takes its turn. Returns of how many filings the batch has contents.
 */
export async function appendContents(
  ledgerDirectory: string,
  known: Pick<KnownLedger, 'contents'>,
  addition: ContentsAddition,
  waiting: Waiting = {},
): Promise<number> {
  const batch = await openBatch(ledgerDirectory);
  try {
    const unfit: Refusal[] = [];
    const added = await fillContents(addition.contents, known, batch, (refusal) => void unfit.push(refusal));
    const refusals = [...addition.refusals, ...unfit].sort(compareRefusals);
    if (added + refusals.length === 0) return 0;
    const run = runRecord(addition.target, addition.instant(), refusals);
    await withLedgerEnd(ledgerDirectory, (end) => batch.finish(end, { run, refusals }), waiting);
    return added;
  } finally {
    await batch.discard();
  }
}
