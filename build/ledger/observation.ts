import { eventTypeOfForm } from '../../src/contract/event-types.ts';
import type { Filing, Party } from '../../src/contract/records.ts';
import { listCikOf } from '../../src/contract/successors.ts';
import { withEasternOffset } from '../edgar/eastern.ts';
import { detailUrl, documentUrl } from './addresses.ts';
import { ciksOf, partiesOf } from './parties.ts';
import type { LedgerCompany, LedgerFiling } from './rows.ts';

/**
 * What a batch said about a filing that was not known before: its row, with the names, the symbol and the attribution
 * that the ledger knew up to that batch. It is made once and never changes.
 */
export interface Observation extends LedgerFiling {
  /** Place in the change feed, counted from 1. */
  readonly sequence: number;
  /** Number of this observation among those of the filing, counted from 1. */
  readonly revision: number;
  /** When its batch was recorded, UTC. */
  readonly observedAt: string;
  /** When the batch of the first observation of the filing was recorded, UTC. */
  readonly ingestedAt: string;
  /** Published members that differ from those of the observation before; none in revision 1. */
  readonly corrected: readonly (keyof Filing)[];
  /** The company that the filing is attributed to. */
  readonly cik: string;
  readonly ticker: string | null;
  readonly companyName: string;
  readonly parties: readonly Party[];
  /** Companies that the observation before named and this one does not. */
  readonly lostCiks: readonly string[];
}

/** What observing a batch needs to know of the batches before it. */
export interface Past {
  /** The newest observation of a filing. */
  observation(accessionNo: string): Observation | undefined;
  /** The newest row of a company. */
  company(cik: string): LedgerCompany | undefined;
}

/** What is observed of one batch. */
export interface ObservedBatch {
  readonly number: number;
  readonly run: { readonly createdAt: string };
  readonly filings: readonly LedgerFiling[];
  readonly companies: readonly LedgerCompany[];
}

/**
 * The observations of a batch in the order of the change feed: filings that are new, in the order of arrival, then
 * corrections by accession number. A row that changes nothing which is published of the filing itself gives none; a new
 * name or symbol of a company alone is no correction. Throws an `Error` for a batch that carries a filing twice.
 */
export function observe(batch: ObservedBatch, past: Past, lastSequence: number): Observation[] {
  const described = new Map(batch.companies.map((company) => [company.cik, company]));
  const companyOf = (cik: string) => described.get(cik) ?? past.company(cik);
  const observedAt = batch.run.createdAt;
  const fresh: LedgerFiling[] = [];
  const corrections: Observation[] = [];
  const carried = new Set<string>();
  for (const row of batch.filings) {
    if (carried.has(row.accessionNo)) throw new Error(`batch ${batch.number} carries ${row.accessionNo} twice`);
    carried.add(row.accessionNo);
    const before = past.observation(row.accessionNo);
    if (before === undefined) fresh.push(row);
    else corrections.push(...correctionOf(before, row, observedAt, companyOf));
  }
  fresh.sort(compareArrival);
  corrections.sort((a, b) => compareText(a.accessionNo, b.accessionNo));
  let sequence = lastSequence;
  const observations = fresh.map((row) => observationOf(row, companyOf, { sequence: ++sequence, revision: 1, observedAt, ingestedAt: observedAt, corrected: none, lostCiks: none }));
  for (const each of corrections) observations.push({ ...each, sequence: ++sequence });
  return observations;
}

type CompanyOf = (cik: string) => LedgerCompany | undefined;

const none: readonly never[] = Object.freeze([]);

/** The correction that a row makes, still without its place; none if it changes nothing of the filing itself. */
function correctionOf(before: Observation, row: LedgerFiling, observedAt: string, companyOf: CompanyOf): Observation[] {
  const named = ciksOf(row);
  const lostCiks = ciksOf(before).filter((cik) => !named.includes(cik));
  const { revision, ingestedAt } = before;
  const after = observationOf(row, companyOf, { sequence: 0, revision: revision + 1, observedAt, ingestedAt, corrected: none, lostCiks });
  const [old, young] = [publish(before), publish(after)];
  const corrected = (Object.keys(young) as (keyof Filing)[]).filter((name) => !isSame(old[name], young[name]));
  const isOwn = corrected.some((name) => (name === 'parties' ? sidesOf(old) !== sidesOf(young) : !ofCompanies.has(name)));
  return isOwn ? [{ ...after, corrected }] : [];
}

/** Members that follow from what is known of companies: they make no correction by themselves. */
const ofCompanies: ReadonlySet<keyof Filing> = new Set(['cik', 'ticker', 'companyName', 'detailUrl', 'documentUrl']);

const isSame = (a: unknown, b: unknown) => a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));
const sidesOf = ({ parties }: Filing) => parties.map(({ cik, role }) => `${cik} ${role}`).join();

/** A row with what is known of its companies, and its place among the observations. */
function observationOf(row: LedgerFiling, companyOf: CompanyOf, at: Pick<Observation, 'sequence' | 'revision' | 'observedAt' | 'ingestedAt' | 'corrected' | 'lostCiks'>): Observation {
  const cik = attributedCik(row, (each) => (companyOf(each)?.tickers.length ?? 0) > 0);
  const company = companyOf(cik);
  const ticker = company?.tickers[0] ?? companyOf(listCikOf(cik, (each) => companyOf(each) !== undefined))?.tickers[0] ?? null;
  const { sequence, revision, observedAt, ingestedAt, corrected, lostCiks } = at;
  const parties = partiesOf(row, (each) => companyOf(each)?.name ?? null);
  // Member by member: objects that are spread take twice the memory and the time, and there is one for each filing.
  const { accessionNo, form, filedAt, reportDate, acceptedAt, items, primaryDocument, primaryDocDescription, sizeBytes, isXbrl, isInlineXbrl, subjectCik, filerCiks } = row;
  return {
    accessionNo, form, filedAt, reportDate, acceptedAt, items, primaryDocument, primaryDocDescription, sizeBytes, isXbrl, isInlineXbrl, subjectCik, filerCiks,
    sequence, revision, observedAt, ingestedAt, corrected, lostCiks, cik, ticker, companyName: company?.name ?? `CIK ${cik}`, parties,
  };
}

/** The record that is published for an observation. */
export function publish(observation: Observation): Filing {
  const { accessionNo, cik, form } = observation;
  const eventType = eventTypeOfForm(form);
  return {
    accessionNo,
    cik,
    ticker: observation.ticker,
    companyName: observation.companyName,
    form,
    eventType,
    items: observation.items as string[],
    filedAt: observation.filedAt,
    reportDate: observation.reportDate,
    acceptanceDateTime: observation.acceptedAt,
    acceptedAt: observation.acceptedAt === null ? null : withEasternOffset(observation.acceptedAt),
    primaryDocument: observation.primaryDocument,
    primaryDocDescription: observation.primaryDocDescription,
    detailUrl: detailUrl(cik, accessionNo),
    documentUrl: documentUrl({ ...observation, eventType }),
    size: observation.sizeBytes,
    isXbrl: observation.isXbrl,
    isInlineXbrl: observation.isInlineXbrl,
    ingestedAt: observation.ingestedAt,
    parties: observation.parties as Party[],
  };
}

/** The company that a filing is attributed to: the issuer or subject company, else the first filer. */
export function attributedCik(filing: Pick<LedgerFiling, 'accessionNo' | 'subjectCik' | 'filerCiks'>, isListed: (cik: string) => boolean): string {
  return filing.subjectCik ?? firstFiler(filing, isListed);
}

/**
 * The first filer. Upstream's lists do not order joint filers, so it is the one whose login made the accession number
 * (its first ten digits), else the listed one, else the one with the lowest CIK.
 */
export function firstFiler(filing: { accessionNo: string; filerCiks: readonly string[] }, isListed: (cik: string) => boolean): string {
  const login = filing.accessionNo.slice(0, 10);
  const { filerCiks } = filing;
  if (filerCiks.length === 1 || filerCiks.includes(login)) return filerCiks.length === 1 ? (filerCiks[0] as string) : login;
  return filerCiks.find(isListed) ?? (filerCiks[0] as string);
}

/** Order of new filings within a batch: by filing date, acceptance, accession number; an unknown acceptance first. */
export function compareArrival(a: LedgerFiling, b: LedgerFiling): number {
  return compareText(a.filedAt, b.filedAt) || compareText(a.acceptedAt ?? '', b.acceptedAt ?? '') || compareText(a.accessionNo, b.accessionNo);
}

/** Order by UTF-16 code units, the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
