import type { StoredOwnershipDocument } from '../../src/contract/ownership-document.ts';
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

/** The contents that wait for their filing; null if they have it already, or if there are none. */
export function waitingContents(accessionNo: string, row: OwnershipRow | undefined): LedgerContents | null {
  if (row?.document.ownership === undefined) return null;
  return { accessionNo, source: row.source, ownership: row.document as LedgerContents['ownership'] };
}
