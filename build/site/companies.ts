import { foldSymbol } from '../../src/contract/shapes.ts';
import type { Filing } from '../../src/contract/records.ts';
import type { FoldedCompany } from '../ledger/fold.ts';
import type { Catalogue } from '../views/catalogue.ts';

/** Companies that most readers know, in the order in which they stand for all others; missing ones are left out. */
const wellKnown = ['AAPL', 'MSFT', 'NVDA', 'GOOGL', 'AMZN', 'META', 'JNJ', 'WMT', 'PG', 'KO', 'CSCO', 'DIS'] as const;
const shownCompanies = 12;
/** The newest so many filings of a company are public. */
export const shownFilings = 400;

/** A ticker symbol of digits alone is looked up as a CIK. */
const cikShape = /^\d{10}$/;

/** A company whose newest filings everybody may see. */
export interface DemoCompany {
  /** Its first symbol that leads to it, or its CIK if none does: the last part of its addresses, which no other company has. */
  readonly symbol: string;
  readonly company: FoldedCompany;
  /** At most 400, newest first. */
  readonly filings: readonly Filing[];
  /** How many there are behind a key. */
  readonly total: number;
}

/** The companies of the explorer: the well-known ones of the snapshot, then those with most filings. */
export function demoCompanies({ companies, lists, ledger, publish }: Catalogue): DemoCompany[] {
  // One company for each list: a predecessor is shown as its successor.
  const ranked = companies.filter(({ cik }) => lists.has(cik)).sort((a, b) => (lists.get(b.cik)?.length ?? 0) - (lists.get(a.cik)?.length ?? 0) || (a.cik < b.cik ? -1 : 1));
  const known = wellKnown.flatMap((symbol) => ranked.find(({ cik }) => cik === ledger.symbols.get(symbol)) ?? []);
  const listed = ranked.filter(({ tickers }) => tickers.length > 0);
  const chosen = new Set(known.length + listed.length > 0 ? [...known, ...listed] : ranked);
  return [...chosen].slice(0, shownCompanies).map((company) => {
    const filings = lists.get(company.cik) ?? [];
    const symbol = company.tickers.map(foldSymbol).find((each) => ledger.symbols.get(each) === company.cik && !cikShape.test(each));
    return { symbol: symbol ?? company.cik, company, filings: filings.slice(0, shownFilings).map(publish), total: filings.length };
  });
}

/** The page of a company in the explorer. */
export function companyPage(symbol: string): string {
  return `/explore/${encodeURIComponent(symbol)}`;
}
