import type { ContentsSource, StoredOwnershipDocument } from '../../src/contract/ownership-document.ts';
import type { OwnershipRow } from '../../src/format/snapshot.ts';
import type { LedgerContents } from '../ledger/contents.ts';

// In runs the row of a document about ownership is the accession number and the JSON of the row, with a tab between.

const separator = '\t';

/**
 * The row of a document, as runs hold it. Where the ledger has the filing, `ownership` stands in that, and not in the
 * row; contents that wait for their filing keep it.
 */
export function heldOwnership(
  { accessionNo, source, ownership: document }: LedgerContents,
  isWaiting: boolean,
): string {
  const stored: StoredOwnershipDocument = isWaiting ? document : { ...document, ownership: undefined };
  return accessionNo + separator + JSON.stringify({ source, document: stored } satisfies OwnershipRow);
}

/** The JSON of the row of a segment, of what runs hold for it. */
export const ownershipRowOf = (held: string): string => held.slice(held.indexOf(separator) + 1);

/** The source in the JSON of a row, which begins with it. */
export const sourceOfRow = (row: string): ContentsSource =>
  row.startsWith('{"source":"data_set"') ? 'data_set' : 'document';

/** The contents that wait for their filing, in the JSON of their row; null if they have it already, or there are none. */
export function waitingContents(accessionNo: string, row: string | undefined): LedgerContents | null {
  if (row === undefined) return null;
  const { source, document } = JSON.parse(row) as OwnershipRow;
  if (document.ownership === undefined) return null;
  return { accessionNo, source, ownership: document as LedgerContents['ownership'] };
}
