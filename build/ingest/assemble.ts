import { ciksOf, readRoles, subjectRoles, writeRoles } from '../ledger/parties.ts';
import type { LedgerFiling } from '../ledger/ledger-rows.ts';
import type { FeedFiling } from '../sources/current-feed.ts';
import type { Header } from '../sources/header.ts';
import type { Party } from '../sources/source-rows.ts';

/** What sources have told about one filing so far; null for a source that has told nothing. */
export interface Told {
  readonly feed: FeedFiling | null;
  readonly header: Header | null;
  /** Its row in the submissions file of one of its entities. */
  readonly row: LedgerFiling | null;
}

/** No source has told anything yet. */
export const nothingTold: Told = { feed: null, header: null, row: null };

/**
 * Returns the parties that a filing names: those of the header, or else of the feed; none if neither has told
 * anything.
 */
export function partiesTold({ header, feed }: Told): readonly Party[] {
  return header?.parties ?? feed?.parties ?? [];
}

/**
 * Returns the acceptance time (Eastern wall clock, 14 digits). The header is the best source, then the feed,
 * then the submissions file.
 */
function acceptanceTold({ header, feed, row }: Told): string | null {
  return header?.acceptedAt ?? feed?.accepted?.eastern ?? row?.acceptedAt ?? null;
}

/**
 * Whether all facts that are published are known: the documents from a submissions file, and the parties,
 * their roles and the acceptance time from the header or the feed.
 */
export function isWhole(told: Told): boolean {
  return (
    told.row !== null && partiesTold(told).length > 0 && (told.header !== null || told.feed?.accepted != null)
  );
}

/**
 * Makes the row of a filing from the ledger's row and what sources have told. Documents come from the
 * submissions file, parties and roles from the header or the feed. Entities under which the ledger or a file
 * lists the filing are kept. Null if nothing at all is known.
 */
export function assembleFiling(
  accessionNo: string,
  known: LedgerFiling | undefined,
  told: Told,
): LedgerFiling | null {
  const { feed, header, row } = told;
  const base = row ?? known ?? bareFiling(accessionNo, told);
  if (base === null) return null;
  const { roles: _roles, ...others } = base;
  return {
    ...others,
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
 * Returns the items of the first source that names any, because a source that names items names all of them.
 * A header that describes its items in words gives none.
 */
function itemsOf({ row, header, feed }: Told, known: LedgerFiling | undefined): readonly string[] {
  const named = [row?.items, header?.items, feed?.items, known?.items].find(
    (items) => items != null && items.length > 0,
  );
  return named ?? [];
}

/** Returns the CIK of the issuer or subject company, those of all other entities, and the roles that were told. */
function sidesOf(
  known: LedgerFiling | undefined,
  told: Told,
): Pick<LedgerFiling, 'subjectCik' | 'filerCiks' | 'roles'> {
  const parties = partiesTold(told);
  const subjectCik =
    parties.length > 0
      ? (parties.find(({ role }) => subjectRoles.has(role))?.cik ?? null)
      : (told.row?.subjectCik ?? known?.subjectCik ?? null);
  const named = new Set([...parties.map(({ cik }) => cik), ...namedBy(told.row), ...namedBy(known)]);
  if (subjectCik !== null) named.delete(subjectCik);
  const toldNow = new Set(parties.flatMap(({ cik, role }) => (role === null ? [] : [cik])));
  const roles = writeRoles([...parties, ...readRoles(known ?? {}).filter(({ cik }) => !toldNow.has(cik))]);
  return { subjectCik, filerCiks: [...named].sort(), ...(roles ? { roles } : {}) };
}

function namedBy(filing: LedgerFiling | null | undefined): readonly string[] {
  return filing ? ciksOf(filing) : [];
}

/** Makes a row from the header or the feed alone, without documents. */
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
