import { eventTypeOfForm } from '../../src/contract/event-types.ts';
import type { Filing } from '../../src/contract/records.ts';
import { listCikOf, newestCikOf } from '../../src/contract/successors.ts';
import { historyOrder } from '../../src/contract/snapshot.ts';
import { withEasternOffset } from '../edgar/eastern.ts';
import type { FoldedCompany, FoldedFiling, Ledger } from '../ledger/fold.ts';
import { detailUrl, documentUrl } from './addresses.ts';

/** The folded ledger with the orders and groups that every view needs, made once. */
export interface Catalogue {
  readonly ledger: Ledger;
  /** All filings, newest first. */
  readonly newestFirst: readonly FoldedFiling[];
  /** Filings by list key, newest first, keys ascending. */
  readonly lists: ReadonlyMap<string, readonly FoldedFiling[]>;
  /** Companies by CIK, ascending. */
  readonly companies: readonly FoldedCompany[];
  /** The list key of a company: the newest CIK of predecessor and successor that the ledger holds. */
  listCikOf(cik: string): string;
  /** The record that is published for a filing. */
  publish(filing: FoldedFiling): Filing;
  /** The JSON of that record. Most tables hold it, so it is kept. */
  publishJson(filing: FoldedFiling): Json<Filing>;
}

/** The JSON of a record. */
export type Json<Value> = string & { readonly of?: Value };

/** Makes the JSON of a record. */
export function toJson<Value>(value: Value): Json<Value> {
  return JSON.stringify(value) as Json<Value>;
}

/** How much JSON of filings is kept, in characters: that of half a million. More of them take more time, and no more memory. */
const keptTextMaximum = 256 * 1024 * 1024;

/** The company that a filing is attributed to: the issuer or subject company, else the first filer. */
export function attributedCik(filing: Pick<FoldedFiling, 'accessionNo' | 'subjectCik' | 'filerCiks'>, isListed: (cik: string) => boolean): string {
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

/** Makes the catalogue of a ledger, which keeps so many characters of JSON. */
export function createCatalogue(ledger: Ledger, keptText = keptTextMaximum): Catalogue {
  const isListed = (cik: string) => (ledger.companies.get(cik)?.tickers.length ?? 0) > 0;
  const listKey = (cik: string) => listCikOf(cik, (each) => ledger.companies.has(each));
  const newestFirst = sortNewestFirst(ledger.filings);
  const companies = [...ledger.companies.values()].sort((a, b) => (a.cik < b.cik ? -1 : 1));
  const lists = new Map<string, FoldedFiling[]>();
  for (const { cik } of companies) {
    const key = listKey(cik);
    if (!lists.has(key)) lists.set(key, []);
  }
  for (const filing of newestFirst) for (const key of listKeys(filing, listKey)) lists.get(key)?.push(filing);
  const publishRecord = (filing: FoldedFiling) => publish(filing, ledger, isListed, listKey);
  return {
    ledger, newestFirst, companies,
    listCikOf: listKey,
    lists: new Map([...lists].sort(([a], [b]) => (a < b ? -1 : 1))),
    publish: publishRecord,
    publishJson: keepTexts(ledger, keptText, (filing) => toJson(publishRecord(filing))),
  };
}

/** Keeps the texts that were made first, as long as there is room. */
function keepTexts(ledger: Ledger, keptText: number, make: (filing: FoldedFiling) => Json<Filing>): (filing: FoldedFiling) => Json<Filing> {
  const texts = Array.from({ length: (ledger.batches.at(-1)?.lastSequence ?? 0) + 1 }, (): Json<Filing> | undefined => undefined);
  let left = keptText;
  return (filing) => {
    const kept = texts[filing.sequence];
    if (kept !== undefined) return kept;
    const text = make(filing);
    left -= text.length;
    if (left >= 0) texts[filing.sequence] = text;
    return text;
  };
}

/** The keys of the lists that a filing stands in, each once. `listKey` gives that of a company. */
export function listKeys(filing: FoldedFiling, listKey: (cik: string) => string): string[] {
  const keys = filing.filerCiks.map(listKey);
  if (filing.subjectCik !== null) keys.push(listKey(filing.subjectCik));
  return keys.length === 1 ? keys : [...new Set(keys)];
}

/** The place of a filing in the change feed of a list: later than its own where a later batch put it on that list. */
export function sequenceIn(filing: FoldedFiling, key: string): number {
  const { laterSequences, sequence } = filing;
  if (!laterSequences) return sequence;
  const named = [...filing.filerCiks, ...(filing.subjectCik === null ? [] : [filing.subjectCik])].filter((cik) => newestCikOf(cik) === newestCikOf(key));
  return Math.min(...named.map((cik) => laterSequences.get(cik) ?? sequence));
}

function sortNewestFirst(filings: readonly FoldedFiling[]): FoldedFiling[] {
  const orders = filings.map((filing) => historyOrder({ filedAt: filing.filedAt, acceptanceDateTime: filing.acceptedAt, accessionNo: filing.accessionNo }));
  const places = Uint32Array.from(filings.keys()).sort((a, b) => ((orders[a] as string) < (orders[b] as string) ? 1 : -1));
  return Array.from(places, (place) => filings[place] as FoldedFiling);
}

function publish(filing: FoldedFiling, ledger: Ledger, isListed: (cik: string) => boolean, listKey: (cik: string) => string): Filing {
  const cik = attributedCik(filing, isListed);
  const company = ledger.companies.get(cik);
  const eventType = eventTypeOfForm(filing.form);
  return {
    accessionNo: filing.accessionNo,
    cik,
    ticker: company?.tickers[0] ?? ledger.companies.get(listKey(cik))?.tickers[0] ?? null,
    companyName: company?.name ?? `CIK ${cik}`,
    form: filing.form,
    eventType,
    items: filing.items as string[],
    filedAt: filing.filedAt,
    reportDate: filing.reportDate,
    acceptanceDateTime: filing.acceptedAt,
    acceptedAt: filing.acceptedAt === null ? null : withEasternOffset(filing.acceptedAt),
    primaryDocument: filing.primaryDocument,
    primaryDocDescription: filing.primaryDocDescription,
    detailUrl: detailUrl(cik, filing.accessionNo),
    documentUrl: documentUrl({ ...filing, cik, eventType }),
    size: filing.sizeBytes,
    isXbrl: filing.isXbrl,
    isInlineXbrl: filing.isInlineXbrl,
    ingestedAt: filing.ingestedAt,
  };
}
