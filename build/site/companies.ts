import { foldSymbol } from '../../src/contract/shapes.ts';
import { listCikOf } from '../../src/contract/successors.ts';
import type { Filing } from '../../src/contract/records.ts';
import type { FoldedCompany } from '../ledger/fold.ts';
import type { Catalogue } from '../views/catalogue.ts';

/** Companies that most readers know, in the order in which they stand for all others; missing ones are left out. */
const wellKnown = ['AAPL', 'MSFT', 'NVDA', 'GOOGL', 'AMZN', 'META', 'JNJ', 'WMT', 'PG', 'KO', 'CSCO', 'DIS'] as const;
const shownCompanies = 12;
/** The newest so many filings of a company are public. */
export const shownFilings = 400;

/** A company whose newest filings everybody may see. */
export interface DemoCompany {
  /** Its symbol, or its CIK if it has none: the last part of its addresses. */
  readonly symbol: string;
  readonly company: FoldedCompany;
  /** At most 400, newest first. */
  readonly filings: readonly Filing[];
  /** How many there are behind a key. */
  readonly total: number;
}

/** The companies of the explorer: the well-known ones of the snapshot, then those with most filings. */
export function demoCompanies({ companies, lists, ledger, publish }: Catalogue): DemoCompany[] {
  const known = wellKnown.flatMap((symbol) => ledger.companies.get(ledger.symbols.get(symbol) ?? '') ?? []);
  const isKnown = new Set(known);
  const busy = companies
    .filter((company) => !isKnown.has(company) && company.tickers.length > 0)
    .sort((a, b) => (lists.get(listCikOf(b.cik))?.length ?? 0) - (lists.get(listCikOf(a.cik))?.length ?? 0) || (a.cik < b.cik ? -1 : 1));
  const chosen = [...known, ...busy].slice(0, shownCompanies);
  return (chosen.length > 0 ? chosen : companies.slice(0, shownCompanies)).map((company) => {
    const filings = lists.get(listCikOf(company.cik)) ?? [];
    return { symbol: foldSymbol(company.tickers[0] ?? company.cik), company, filings: filings.slice(0, shownFilings).map(publish), total: filings.length };
  });
}

/** The page of a company in the explorer. */
export function companyPage(symbol: string): string {
  return `/explore/${encodeURIComponent(symbol)}`;
}
