import { eventTypeOfForm, hasItems } from '../../src/contract/event-types.ts';
import type { Filing } from '../../src/contract/records.ts';
import { historyOrder } from '../../src/contract/snapshot.ts';
import { listCikOf, relatedCiks } from '../../src/contract/successors.ts';
import { withEasternOffset } from '../time/eastern.ts';
import { detailUrl, documentUrl } from './addresses.ts';
import { ciksOf, partiesOf } from './parties.ts';
import type { LedgerCompany, LedgerFiling } from './rows.ts';

/**
 * What a batch said about a filing that was not known before: the record that is published, with the names,
 * the symbol and the attribution that the ledger knew up to that batch. It is made once and never changes.
 */
export interface Observation {
  readonly filing: Filing;
  /** Position in the change feed, counted from 1. */
  readonly sequence: number;
  /** Number of this observation among those of the filing, counted from 1. */
  readonly revision: number;
  /** When its batch was recorded, UTC. */
  readonly observedAt: string;
  /** The record of the observation before; null in revision 1. */
  readonly before: Filing | null;
  /** Published members that differ from it; none in revision 1. */
  readonly corrected: readonly (keyof Filing)[];
}

/** The newest observation of a filing, as far as a later batch has to know it. */
export type KnownFiling = Pick<Observation, 'filing' | 'revision'>;

/** The newest row of a company, as far as observations depend on it. */
export type KnownCompany = Pick<LedgerCompany, 'name' | 'tickers'>;

/** What is known of companies when a batch is observed: its own rows, and those of the batches before it. */
export type CompanyOf = (cik: string) => KnownCompany | undefined;

const none: readonly never[] = Object.freeze([]);

/** The first observation of a filing. Its position in the feed is given by who puts them in order. */
export function firstObservation(
  row: LedgerFiling,
  companyOf: CompanyOf,
  observedAt: string,
  sequence: number,
): Observation {
  return {
    filing: publish(row, companyOf, observedAt),
    sequence,
    revision: 1,
    observedAt,
    before: null,
    corrected: none,
  };
}

/**
 * The correction that a row of a known filing makes. Null if it changes nothing which is published of the
 * filing itself: a new name or symbol of a company alone is no correction.
 */
export function correction(
  { filing: before, revision }: KnownFiling,
  row: LedgerFiling,
  companyOf: CompanyOf,
  observedAt: string,
  sequence: number,
): Observation | null {
  const filing = publish(row, companyOf, before.ingestedAt ?? observedAt);
  const corrected = (Object.keys(filing) as (keyof Filing)[]).filter(
    (name) => !isSame(before[name], filing[name]),
  );
  const isOwn = corrected.some((name) =>
    name === 'parties' ? sidesOf(before) !== sidesOf(filing) : !ofCompanies.has(name),
  );
  return isOwn ? { filing, sequence, revision: revision + 1, observedAt, before, corrected } : null;
}

/** Members that follow from what is known of companies: they make no correction by themselves. */
const ofCompanies: ReadonlySet<keyof Filing> = new Set([
  'cik',
  'ticker',
  'companyName',
  'detailUrl',
  'documentUrl',
]);

const isSame = (a: unknown, b: unknown) =>
  a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));
const sidesOf = ({ parties }: Filing) => parties.map(({ cik, role }) => `${cik} ${role}`).join();

/**
 * Every company that has to be known when a row is observed: those that it names, with their predecessors and
 * successors.
 */
export function companiesNeeded(row: LedgerFiling): string[] {
  return ciksOf(row).flatMap(relatedCiks);
}

/**
 * The record that is published for a row. The members of an event stand first, in the order of the contract.
 */
function publish(row: LedgerFiling, companyOf: CompanyOf, ingestedAt: string): Filing {
  const { accessionNo, form } = row;
  const cik = attributedCik(row, (each) => (companyOf(each)?.tickers.length ?? 0) > 0);
  const company = companyOf(cik);
  const ticker =
    company?.tickers[0] ??
    companyOf(listCikOf(cik, (each) => companyOf(each) !== undefined))?.tickers[0] ??
    null;
  const eventType = eventTypeOfForm(form);
  return {
    accessionNo,
    companyName: company?.name ?? `CIK ${cik}`,
    ticker,
    form,
    eventType,
    // Other forms have no items, and lists of items hold none of them.
    items: hasItems(form) ? (row.items as string[]) : [],
    filedAt: row.filedAt,
    detailUrl: detailUrl(cik, accessionNo),
    acceptanceDateTime: row.acceptedAt,
    cik,
    acceptedAt: row.acceptedAt === null ? null : withEasternOffset(row.acceptedAt),
    reportDate: row.reportDate,
    primaryDocument: row.primaryDocument,
    primaryDocDescription: row.primaryDocDescription,
    documentUrl: documentUrl({
      accessionNo,
      cik,
      eventType,
      filedAt: row.filedAt,
      primaryDocument: row.primaryDocument,
    }),
    size: row.sizeBytes,
    isXbrl: row.isXbrl,
    isInlineXbrl: row.isInlineXbrl,
    ingestedAt,
    parties: partiesOf(row, (each) => companyOf(each)?.name ?? null),
  };
}

/** The row of a published filing, as a batch would record it. */
export function rowOfFiling(filing: Filing): LedgerFiling {
  const {
    accessionNo,
    form,
    filedAt,
    reportDate,
    acceptanceDateTime,
    items,
    primaryDocument,
    primaryDocDescription,
    size,
    isXbrl,
    isInlineXbrl,
    parties,
  } = filing;
  // The roles of a subject company are given to nobody else.
  const subject = parties.find(({ role }) => role === 'issuer' || role === 'subject');
  return {
    accessionNo,
    form,
    filedAt: filedAt ?? '',
    reportDate,
    acceptedAt: acceptanceDateTime,
    items,
    primaryDocument,
    primaryDocDescription,
    sizeBytes: size,
    isXbrl,
    isInlineXbrl,
    subjectCik: subject?.cik ?? null,
    filerCiks: parties.filter((party) => party !== subject).map(({ cik }) => cik),
  };
}

/** The company that a filing is attributed to: the issuer or subject company, else the first filer. */
export function attributedCik(
  filing: Pick<LedgerFiling, 'accessionNo' | 'subjectCik' | 'filerCiks'>,
  isListed: (cik: string) => boolean,
): string {
  return filing.subjectCik ?? firstFiler(filing, isListed);
}

/**
 * The first filer. Upstream's lists do not order joint filers, so it is the one whose login made the
 * accession number (its first ten digits), else the listed one, else the one with the lowest CIK.
 */
export function firstFiler(
  filing: { accessionNo: string; filerCiks: readonly string[] },
  isListed: (cik: string) => boolean,
): string {
  const login = filing.accessionNo.slice(0, 10);
  const { filerCiks } = filing;
  if (filerCiks.length === 1 || filerCiks.includes(login))
    return filerCiks.length === 1 ? (filerCiks[0] as string) : login;
  return filerCiks.find(isListed) ?? (filerCiks[0] as string);
}

/**
 * The position of a new filing among those of its batch, as a sort key: by filing date, acceptance, accession
 * number; an unknown acceptance first.
 */
export function arrivalKey({ filedAt, acceptedAt, accessionNo }: LedgerFiling): string {
  return historyOrder({ filedAt, acceptanceDateTime: acceptedAt, accessionNo });
}
