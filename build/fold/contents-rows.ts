import type { StoredOwnershipDocument } from '../../src/contract/ownership-document.ts';
import { filingPartition } from '../../src/format/filing-partition.ts';
import type { OwnershipRow } from '../../src/format/stored-contents.ts';
import { documentsOfRow, documentsRowOf, type DocumentsRow } from '../../src/format/stored-contents.ts';
import type { ContentsName } from '../../src/settings/settings.ts';
import type { HeldContents, LedgerContents, SaidContents } from '../ledger/contents.ts';

// Each kind of contents has a table of its name, with a row for each filing. In runs such a row is the partition key of
// the filing and the JSON of the row, with a tab between.

const separator = '\t';

/** The rows that tables have of the contents of a filing, as JSON. */
export type StoredContents = { readonly [Kind in ContentsName]?: string };

/**
 * The rows of contents, as runs hold them. Where the ledger has the filing, `ownership` stands in that, and not in the
 * row; contents that wait for their filing keep it.
 */
export function heldRows(
  { accessionNo, source, ownership: document, documents }: LedgerContents,
  isWaiting: boolean,
): StoredContents {
  const rows: { [Kind in ContentsName]?: string } = {};
  const held = (row: unknown) => filingPartition(accessionNo) + separator + JSON.stringify(row);
  if (document && source) {
    const stored: StoredOwnershipDocument = isWaiting ? document : { ...document, ownership: undefined };
    rows.ownership = held({ source, document: stored } satisfies OwnershipRow);
  }
  if (documents) rows.documents = held(documentsRowOf(documents));
  return rows;
}

/** The JSON of the row of a segment, of what runs hold for it. */
export const contentsRowOf = (held: string): string => held.slice(held.indexOf(separator) + 1);

/** The source in the JSON of a row, which begins with it. */
const sourceOfRow = (row: string) => (row.startsWith('{"source":"data_set"') ? 'data_set' : 'document');

/** Which contents a filing has, by their rows. */
export function heldOfRows({ ownership, documents }: StoredContents): HeldContents {
  return {
    ...(ownership === undefined ? {} : { ownership: sourceOfRow(ownership) }),
    ...(documents === undefined ? {} : { documents: true }),
  };
}

/** The contents that count beside those that are stored: a data set never replaces what the document itself says. */
export function countingOf(
  said: LedgerContents | null,
  { ownership: row }: StoredContents = {},
): LedgerContents | null {
  if (said?.source !== 'data_set' || row === undefined || sourceOfRow(row) !== 'document') return said;
  const { accessionNo, documents } = said;
  return documents ? { accessionNo, documents } : null;
}

/** The contents that wait for their filing, of the rows that are stored of them. */
export function waitingContents({ ownership, documents }: StoredContents): SaidContents {
  const { source, document } = ownership ? (JSON.parse(ownership) as OwnershipRow) : {};
  const rows = documents ? (JSON.parse(documents) as DocumentsRow) : null;
  return {
    ...(source && document?.ownership ? { source, ownership: document as LedgerContents['ownership'] } : {}),
    ...(rows && { documents: documentsOfRow(rows) }),
  };
}
