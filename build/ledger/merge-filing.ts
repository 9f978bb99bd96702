import type { Party } from '../../src/contract/records.ts';
import { eventTypeOfForm, ownershipFamilies } from '../../src/domain/event-types.ts';
import { sameFacts, samePeriods } from '../../src/domain/company-facts.ts';
import { foldSymbol } from '../../src/domain/scalars.ts';
import {
  filingOfMembers,
  none,
  sameFiling,
  sameList,
  type LedgerFiling,
  type TellerName,
} from './filing-columns.ts';
import type { LedgerCompany } from './ledger-rows.ts';
import { attributedCik } from './observation.ts';
import { ciksOf, partiesOf, readRoles, subjectFamilies, subjectRoles, writeRoles } from './parties.ts';

/** A source of what is said about filings. */
export type Source = 'header' | 'feed' | 'file';

/** What one source says of a filing: its header, the feed, or the submissions file of one entity. */
export interface Sighting {
  readonly source: Source;
  /** The members that the source tells; a submissions file tells all of them but roles. */
  readonly row: Partial<LedgerFiling>;
  /** The parties that the header or the feed names. A submissions file names its entity in the row. */
  readonly parties: readonly Party[];
}

/** What a submissions file says of a filing. */
export const fileSighting = (row: LedgerFiling): Sighting => ({ source: 'file', row, parties: nobody });

const nobody: readonly Party[] = Object.freeze([]);

/**
 * Returns the parties that a filing names: those of the header, or else of the feed; none if neither has told
 * anything.
 */
export function partiesTold(sightings: readonly Sighting[]): readonly Party[] {
  return (newestOf(sightings, 'header') ?? newestOf(sightings, 'feed'))?.parties ?? nobody;
}

const newestOf = (sightings: readonly Sighting[], source: Source) =>
  sightings.findLast((each) => each.source === source);

/** Returns the entity whose file listed a filing. The row must come from one file. */
export function seenBy(filing: LedgerFiling): string {
  return filing.subjectCik ?? (filing.filerCiks[0] as string);
}

/**
 * Merges a filing's row in the ledger with what sources say of it now, at least one thing of both. The columns
 * say which source counts for which member. Companies under which any source lists the filing are kept. The order
 * of sources does not matter; of one and the same source, what was added last counts.
 */
export function mergeFiling(
  known: LedgerFiling | undefined,
  sightings: readonly Sighting[],
  isListed: (cik: string) => boolean,
): LedgerFiling {
  const [first] = sightings;
  if (!known && sightings.length === 1 && first?.source === 'file') return first.row as LedgerFiling;
  const rows = sightings.filter(({ source }) => source === 'file').map(({ row }) => row as LedgerFiling);
  const files = [...new Map(rows.map((row) => [seenBy(row), row])).values()].sort((a, b) =>
    seenBy(a) < seenBy(b) ? -1 : 1,
  );
  const companies = {
    accessionNo: (known ?? first?.row)?.accessionNo as string,
    ...sidesOf(known, files, partiesTold(sightings)),
  };
  const owner = attributedCik(companies, isListed);
  const own = files.find((each) => seenBy(each) === owner);
  const tellers: Readonly<Record<TellerName, readonly (Partial<LedgerFiling> | undefined)[]>> = {
    header: [newestOf(sightings, 'header')?.row],
    feed: [newestOf(sightings, 'feed')?.row],
    own: [own],
    ownEvenEmpty: [own],
    known: [known],
    others: files.filter((each) => each !== own),
  };
  return filingOfMembers(({ name, tellers: names, same, empty }) => {
    if (names === undefined) return companies[name as keyof typeof companies];
    for (const teller of names)
      for (const row of tellers[teller]) {
        const value = row?.[name];
        if (value !== undefined && (!same(value, empty) || teller === 'ownEvenEmpty')) return value;
      }
    return empty;
  });
}

/**
 * Returns the CIK of the issuer or subject company, those of all other entities, and the roles that were told.
 * The header and the feed tell parties; where neither does, the files show which company is the subject.
 */
function sidesOf(
  known: LedgerFiling | undefined,
  files: readonly LedgerFiling[],
  parties: readonly Party[],
): Pick<LedgerFiling, 'subjectCik' | 'filerCiks' | 'roles'> {
  const subjectCik =
    parties.length > 0
      ? (parties.find(({ role }) => subjectRoles.has(role))?.cik ?? null)
      : subjectOf(known, files);
  const named = new Set([
    ...parties.map(({ cik }) => cik),
    ...files.flatMap(ciksOf),
    ...(known ? ciksOf(known) : []),
  ]);
  if (subjectCik !== null) named.delete(subjectCik);
  const toldNow = new Set(parties.flatMap(({ cik, role }) => (role === null ? [] : [cik])));
  const roles = writeRoles([...parties, ...readRoles(known ?? {}).filter(({ cik }) => !toldNow.has(cik))]);
  return { subjectCik, filerCiks: [...named].sort(), ...(roles ? { roles } : {}) };
}

/**
 * Whether submissions files tell the subject company of such a form. For other forms only the header and the
 * feed do.
 */
function tellsSubject(form: string): boolean {
  const family = eventTypeOfForm(form);
  return ownershipFamilies.has(family) || subjectFamilies.has(family);
}

/**
 * Returns the subject company that the files name now, or the known one, unless its own file now says that it
 * is not the subject. Roles that the feed or the header told count before what files show. If several are
 * named, it is the one with the lowest CIK, so that the choice does not depend on which files a run reads.
 */
function subjectOf(known: LedgerFiling | undefined, sightings: readonly LedgerFiling[]): string | null {
  const before = known?.subjectCik ?? null;
  const told = new Map(readRoles(known ?? {}).map(({ cik, role }) => [cik, role]));
  if (before !== null && told.has(before)) return before;
  const isKept = sightings.every((each) => seenBy(each) !== before || !tellsSubject(each.form));
  let subject = isKept ? before : null;
  for (const { subjectCik } of sightings)
    if (
      subjectCik !== null &&
      (subject === null || subjectCik < subject) &&
      subjectRoles.has(told.get(subjectCik) ?? 'subject')
    )
      subject = subjectCik;
  return subject;
}

/**
 * Whether two rows of a filing say the same, as far as it is published. One of them may only guess by a rule
 * what the other one was told.
 */
export function sayTheSame(a: LedgerFiling, b: LedgerFiling): boolean {
  const rolesOf = (filing: LedgerFiling) => partiesOf(filing, () => null).map(({ role }) => role);
  const { roles = none } = b;
  return sameFiling({ ...a, roles }, { ...b, roles }) && sameList(rolesOf(a), rolesOf(b));
}

/** A symbol of a company and its exchange, from a ticker file. */
export interface ListedSymbol {
  readonly ticker: string;
  readonly exchange: string | null;
}

/**
 * Merges a company's row in the ledger with its own file and the ticker files. Symbols that upstream dropped
 * are kept. A symbol that another company has now is left out, whoever names it.
 */
export function mergeCompany(
  entity: Readonly<LedgerCompany>,
  listed: readonly ListedSymbol[],
  known: LedgerCompany | undefined,
  holderOf: (symbol: string) => string | undefined,
): LedgerCompany {
  const isOwn = (ticker: string) => (holderOf(foldSymbol(ticker)) ?? entity.cik) === entity.cik;
  const current = [
    ...new Map(
      [...entity.tickers, ...listed.map(({ ticker }) => ticker)].map((ticker) => [
        foldSymbol(ticker),
        ticker,
      ]),
    ).values(),
  ].filter(isOwn);
  const kept = (known?.tickers ?? []).filter(isOwn);
  const tickers = current.length > 0 ? current : kept;
  const primary = listed.find(({ ticker }) => ticker === tickers[0]);
  const facts = entity.facts ?? known?.facts;
  const formerNamePeriods = entity.formerNamePeriods ?? known?.formerNamePeriods ?? [];
  return {
    cik: entity.cik,
    name: entity.name,
    tickers,
    exchange: tickers.length === 0 ? null : (entity.exchange ?? primary?.exchange ?? known?.exchange ?? null),
    formerNames: entity.formerNames,
    ...(facts ? { facts } : {}),
    ...(formerNamePeriods.length > 0 ? { formerNamePeriods } : {}),
  };
}

/** Whether two rows of a company are recorded alike. */
export function sameCompany(a: LedgerCompany, b: LedgerCompany): boolean {
  return (
    a.name === b.name &&
    a.exchange === b.exchange &&
    sameList(a.tickers, b.tickers) &&
    sameList(a.formerNames, b.formerNames) &&
    sameFacts(a.facts, b.facts) &&
    samePeriods(a.formerNamePeriods, b.formerNamePeriods)
  );
}
