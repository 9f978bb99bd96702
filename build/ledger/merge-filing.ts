import { eventTypeOfForm, ownershipFamilies } from '../../src/domain/event-types.ts';
import { sameFacts } from '../../src/domain/company-facts.ts';
import { foldSymbol } from '../../src/domain/scalars.ts';
import { attributedCik } from './observation.ts';
import { partiesOf, readRoles, subjectFamilies, subjectRoles } from './parties.ts';
import type { LedgerCompany, LedgerFiling } from './ledger-rows.ts';

/** Returns the entity whose file listed a filing. The row must come from one file. */
function seenBy(filing: LedgerFiling): string {
  return filing.subjectCik ?? (filing.filerCiks[0] as string);
}

/**
 * Merges a filing's row in the ledger with its rows in the files that list it now. Where they differ, the
 * file of the company that the filing belongs to is right; the others fill its gaps. The order of the
 * sightings does not matter.
 */
export function mergeFiling(
  known: LedgerFiling | undefined,
  sightings: readonly LedgerFiling[],
  isListed: (cik: string) => boolean,
): LedgerFiling {
  const sorted =
    sightings.length === 1 ? sightings : sightings.toSorted((a, b) => (seenBy(a) < seenBy(b) ? -1 : 1));
  const all = known ? [...sorted, known] : sorted;
  const first = sorted[0] as LedgerFiling;
  if (all.length === 1) return first;
  const subjectCik = subjectOf(known, sorted);
  const told = known?.roles;
  const named = new Set(
    all.flatMap((each) => (each.subjectCik === null ? each.filerCiks : [each.subjectCik, ...each.filerCiks])),
  );
  if (subjectCik !== null) named.delete(subjectCik);
  const roles = { accessionNo: first.accessionNo, subjectCik, filerCiks: [...named].sort() };
  const owner = attributedCik(roles, isListed);
  const base = sorted.find((each) => seenBy(each) === owner) ?? known ?? first;
  const fill = <Member extends keyof LedgerFiling>(member: Member) =>
    base[member] ?? all.find((each) => each[member] !== null)?.[member] ?? base[member];
  const { roles: _roles, ...others } = base;
  return {
    ...others,
    ...roles,
    ...(told ? { roles: told } : {}),
    reportDate: fill('reportDate'),
    acceptedAt: fill('acceptedAt'),
    primaryDocument: fill('primaryDocument'),
    primaryDocDescription: fill('primaryDocDescription'),
    sizeBytes: fill('sizeBytes'),
  };
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

/** Whether two rows of a filing are recorded alike. */
export function sameFiling(a: LedgerFiling, b: LedgerFiling): boolean {
  return (
    a.form === b.form &&
    a.filedAt === b.filedAt &&
    a.reportDate === b.reportDate &&
    a.acceptedAt === b.acceptedAt &&
    a.primaryDocument === b.primaryDocument &&
    a.primaryDocDescription === b.primaryDocDescription &&
    a.sizeBytes === b.sizeBytes &&
    a.isXbrl === b.isXbrl &&
    a.isInlineXbrl === b.isInlineXbrl &&
    a.subjectCik === b.subjectCik &&
    sameList(a.items, b.items) &&
    sameList(a.filerCiks, b.filerCiks) &&
    sameList(a.roles ?? none, b.roles ?? none)
  );
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

const none: readonly string[] = [];

function sameList<Value>(a: readonly Value[], b: readonly Value[]): boolean {
  return a === b || (a.length === b.length && a.every((each, at) => each === b[at]));
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
  return {
    cik: entity.cik,
    name: entity.name,
    tickers,
    exchange: tickers.length === 0 ? null : (entity.exchange ?? primary?.exchange ?? known?.exchange ?? null),
    formerNames: entity.formerNames,
    ...(facts ? { facts } : {}),
  };
}

/** Whether two rows of a company are recorded alike. */
export function sameCompany(a: LedgerCompany, b: LedgerCompany): boolean {
  return (
    a.name === b.name &&
    a.exchange === b.exchange &&
    sameList(a.tickers, b.tickers) &&
    sameList(a.formerNames, b.formerNames) &&
    sameFacts(a.facts, b.facts)
  );
}
