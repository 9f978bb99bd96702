import { ciksOf } from '../ledger/parties.ts';
import type { LedgerFiling } from '../ledger/rows.ts';
import type { FeedFiling } from '../sources/current-feed.ts';
import type { Header } from '../sources/header.ts';
import type { Party } from '../sources/rows.ts';

/** What sources say of one filing so far; null where a source has not said anything. */
export interface Told {
  readonly feed: FeedFiling | null;
  readonly header: Header | null;
  /** Its row in the submissions file of one of its entities. */
  readonly row: LedgerFiling | null;
}

/** Nothing is told yet. */
export const nothingTold: Told = { feed: null, header: null, row: null };

/**
 * The entities that a filing names, as the header says, or else the feed; none if neither has said anything.
 */
export function partiesTold({ header, feed }: Told): readonly Party[] {
  return header?.parties ?? feed?.parties ?? [];
}

/**
 * When it was accepted: Eastern wall clock, 14 digits. The header knows best, then the feed, then the
 * submissions file.
 */
function acceptanceTold({ header, feed, row }: Told): string | null {
  return header?.acceptedAt ?? feed?.accepted?.eastern ?? row?.acceptedAt ?? null;
}

/**
 * Whether everything that is published of a filing is told: its documents by a submissions file, and by the
 * header or the feed who is named in what role, and when it was accepted.
 */
export function isWhole(told: Told): boolean {
  return (
    told.row !== null && partiesTold(told).length > 0 && (told.header !== null || told.feed?.accepted != null)
  );
}

/**
 * The row of a filing, from what the ledger knows of it and from what sources say. The submissions file knows
 * the documents, the header and the feed know the parties and their roles; no entity is lost that the ledger
 * or a file lists it under. Null if nothing at all is told.
 */
export function assembleFiling(
  accessionNo: string,
  known: LedgerFiling | undefined,
  told: Told,
): LedgerFiling | null {
  const { feed, header, row } = told;
  const base = row ?? known ?? bareFiling(accessionNo, told);
  if (base === null) return null;
  return {
    ...base,
    form: row?.form ?? header?.form ?? feed?.form ?? base.form,
    filedAt: row?.filedAt ?? header?.filedAt ?? feed?.filedAt ?? base.filedAt,
    reportDate: row?.reportDate ?? header?.reportDate ?? known?.reportDate ?? null,
    acceptedAt: acceptanceTold(told) ?? known?.acceptedAt ?? null,
    items: itemsOf(told, known),
    primaryDocument: row?.primaryDocument ?? known?.primaryDocument ?? null,
    primaryDocDescription: row?.primaryDocDescription ?? known?.primaryDocDescription ?? null,
    sizeBytes: row?.sizeBytes ?? known?.sizeBytes ?? null,
    ...sidesOf(known, told),
  };
}

/**
 * The first source that names items has them right; the feed cuts none, but knows no words of old headers.
 */
function itemsOf({ row, header, feed }: Told, known: LedgerFiling | undefined): readonly string[] {
  const named = [row?.items, header?.items, feed?.items, known?.items].find(
    (items) => items != null && items.length > 0,
  );
  return named ?? [];
}

/** The issuer or subject company, and all others. */
function sidesOf(
  known: LedgerFiling | undefined,
  told: Told,
): Pick<LedgerFiling, 'subjectCik' | 'filerCiks'> {
  const parties = partiesTold(told);
  const subjectCik =
    parties.length > 0
      ? (parties.find(({ role }) => role === 'issuer' || role === 'subject')?.cik ?? null)
      : (told.row?.subjectCik ?? known?.subjectCik ?? null);
  const named = new Set([...parties.map(({ cik }) => cik), ...namedBy(told.row), ...namedBy(known)]);
  if (subjectCik !== null) named.delete(subjectCik);
  return { subjectCik, filerCiks: [...named].sort() };
}

function namedBy(filing: LedgerFiling | null | undefined): readonly string[] {
  return filing ? ciksOf(filing) : [];
}

/** What the header or the feed tells alone: nothing of documents. */
function bareFiling(accessionNo: string, { header, feed }: Told): LedgerFiling | null {
  const source = header ?? feed;
  if (source === null) return null;
  return {
    accessionNo,
    form: source.form,
    filedAt: source.filedAt,
    reportDate: null,
    acceptedAt: null,
    items: [],
    primaryDocument: null,
    primaryDocDescription: null,
    sizeBytes: null,
    isXbrl: false,
    isInlineXbrl: false,
    subjectCik: null,
    filerCiks: [],
  };
}
