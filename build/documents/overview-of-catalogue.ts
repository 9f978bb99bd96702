import { eventTypeOfForm } from '../../src/contract/event-types.ts';
import type { Company } from '../../src/contract/records.ts';
import { foldSymbol } from '../../src/contract/shapes.ts';
import type { FoldedBatch } from '../ledger/fold.ts';
import type { Observation } from '../ledger/observation.ts';
import { ownershipFamilies } from '../ledger/parties.ts';
import { describeRefusal } from '../ledger/rows.ts';
import type { Catalogue } from '../views/catalogue.ts';
import { companyOf, compareRank, profileOf } from '../views/companies.ts';
import { countByEventType, countByForm } from '../views/counts.ts';
import { contractAccession, exampleSymbols } from './examples.ts';
import { firstDayOf, overviewLimits, type DayCount, type Overview, type ShownBatch, type ShownCompany } from './overview.ts';

/** Companies that most readers know, in the order in which they stand before all others; missing ones are left out. */
const wellKnown = ['AAPL', 'MSFT', 'NVDA', 'GOOGL', 'AMZN', 'META', 'JNJ', 'WMT', 'PG', 'KO', 'CSCO', 'DIS'] as const;

/** A ticker symbol of digits alone is looked up as a CIK. */
const cikShape = /^\d{10}$/;

/** The overview of a ledger that is in memory. */
export function overviewOf(catalogue: Catalogue): Overview {
  const { ledger, newestFirst, publish } = catalogue;
  const ranked = catalogue.companies.map((company) => companyOf(catalogue, company)).sort(compareRank);
  const newest = (wanted: (filing: Observation) => boolean, count: number) => firstOf(newestFirst, wanted, count).map(publish);
  const newestFiledAt = newestFirst[0]?.filedAt ?? null;
  return {
    isSample: ledger.isSample,
    latestRun: ledger.latestRun,
    newestFiledAt,
    oldestFiledAt: newestFirst.at(-1)?.filedAt ?? null,
    companyCount: catalogue.companies.length,
    filingCount: newestFirst.length,
    lastSequence: ledger.batches.at(-1)?.lastSequence ?? 0,
    forms: countByForm(newestFirst),
    eventTypes: countByEventType(newestFirst, eventTypeOfForm),
    days: newestFiledAt === null ? [] : daysOf(newestFirst, firstDayOf(newestFiledAt)),
    newestFilings: newest(() => true, overviewLimits.rows),
    newestInsiderFilings: newest(({ form }) => ownershipFamilies.has(eventTypeOfForm(form)), overviewLimits.rows),
    newestReports: firstOf(newestFirst.slice(0, overviewLimits.lookedAt), ({ form, items }) => items.length > 0 && eventTypeOfForm(form) === 'current_report', overviewLimits.reports).map(publish),
    listedCompanies: ranked.filter(({ ticker }) => ticker !== null).slice(0, overviewLimits.rows),
    shownCompanies: shownCompanies(catalogue, ranked),
    exampleCompanies: exampleCompanies(catalogue, ranked),
    exampleAccession: (ledger.filings.find(({ accessionNo }) => accessionNo === contractAccession) ?? ledger.observations[0])?.accessionNo ?? null,
    batches: newestBatches(ledger.batches),
    refusals: { count: ledger.refusals.length, first: ledger.refusals.slice(0, overviewLimits.refusals).map(describeRefusal) },
  };
}

/** The first so many rows that are wanted. */
function firstOf<Row>(rows: readonly Row[], wanted: (row: Row) => boolean, count: number): Row[] {
  const found: Row[] = [];
  for (const row of rows) {
    if (found.length === count) break;
    if (wanted(row)) found.push(row);
  }
  return found;
}

/** Filings of the days from `first` on by day and family. */
function daysOf(newestFirst: readonly Observation[], first: string): DayCount[] {
  const counts = new Map<string, { filedAt: string; eventType: string; count: number }>();
  for (const { filedAt, form } of newestFirst) {
    if (filedAt < first) break;
    const eventType = eventTypeOfForm(form);
    const counted = counts.get(`${filedAt} ${eventType}`);
    if (counted) counted.count++;
    else counts.set(`${filedAt} ${eventType}`, { filedAt, eventType, count: 1 });
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
}

/** The companies of the explorer: the well-known ones of the snapshot, then the best-ranked that are listed, or of all if none is. */
function shownCompanies(catalogue: Catalogue, ranked: readonly Company[]): ShownCompany[] {
  const { lists, ledger, publish } = catalogue;
  // One company for each list: a predecessor is shown as its successor.
  const candidates = ranked.filter(({ cik }) => lists.has(cik)).map(({ cik }) => cik);
  const known = wellKnown.map((symbol) => ledger.symbols.get(symbol)).filter((cik) => cik !== undefined && lists.has(cik)) as string[];
  const listed = candidates.filter((cik) => (ledger.companies.get(cik)?.tickers.length ?? 0) > 0);
  const chosen = new Set(known.length + listed.length > 0 ? [...known, ...listed] : candidates);
  return [...chosen].slice(0, overviewLimits.shownCompanies).flatMap((cik) => {
    const company = ledger.companies.get(cik);
    if (!company) return [];
    const symbol = company.tickers.map(foldSymbol).find((each) => ledger.symbols.get(each) === cik && !cikShape.test(each)) ?? cik;
    return [{ symbol, company: profileOf(catalogue, company), filings: (lists.get(cik) ?? []).slice(0, overviewLimits.shownFilings).map(publish) }];
  });
}

/** The companies that the contract's examples name. For each that is missing, the best-ranked one that is not chosen yet. */
function exampleCompanies({ ledger }: Catalogue, ranked: readonly Company[]): Company[] {
  const named = exampleSymbols.map((symbol) => ranked.find(({ cik }) => cik === ledger.symbols.get(symbol)));
  const others = ranked.slice(0, 2 * overviewLimits.exampleCompanies).filter((company) => !named.includes(company));
  return named.flatMap((company) => company ?? others.shift() ?? []);
}

function newestBatches(batches: readonly FoldedBatch[]): ShownBatch[] {
  const newest = batches.slice(-overviewLimits.batches - 1);
  const shown = newest.map(({ number, sha256, createdAt, lastSequence }, at) => ({ number, sha256, createdAt, changes: lastSequence - (newest[at - 1]?.lastSequence ?? 0) }));
  // The first of more is only there to subtract from.
  return shown.slice(-overviewLimits.batches).reverse();
}
