import { factsFrom } from '../../src/contract/facts.ts';
import type { Company, CompanyProfile } from '../../src/contract/records.ts';
import { foldSymbol } from '../../src/contract/shapes.ts';
import type { SearchRow, SymbolRow } from '../../src/contract/snapshot.ts';
import { relatedCiks } from '../../src/contract/successors.ts';
import { foldWords } from '../../src/contract/words.ts';
import type { FoldedCompany } from '../ledger/fold.ts';
import type { Observation } from '../ledger/observation.ts';
import type { Catalogue } from './catalogue.ts';
import { countByForm } from './counts.ts';

/** The filings that a company's lists hold, newest first. */
function filingsOf({ lists, listCikOf }: Catalogue, cik: string): readonly Observation[] {
  return lists.get(listCikOf(cik)) ?? [];
}

/** The record that search and profiles give of a company. */
export function companyOf(catalogue: Catalogue, company: FoldedCompany): Company {
  const filings = filingsOf(catalogue, company.cik);
  return {
    cik: company.cik,
    ticker: company.tickers[0] ?? null,
    name: company.name,
    exchange: company.exchange,
    updatedAt: company.updatedAt,
    filingCount: filings.length,
    latestFilingAt: filings[0]?.filedAt ?? null,
  };
}

/** The profile of a company. */
export function profileOf(catalogue: Catalogue, company: FoldedCompany): CompanyProfile {
  const filings = filingsOf(catalogue, company.cik);
  return {
    ...companyOf(catalogue, company),
    forms: countByForm(filings),
    latestFiling: filings[0] ? catalogue.publish(filings[0]) : null,
    latestIngestedAt: filings.reduce<string | null>((newest, { ingestedAt }) => (newest !== null && newest >= ingestedAt ? newest : ingestedAt), null),
    tickers: [...company.tickers],
    formerNames: [...company.formerNames],
    relatedCiks: relatedCiks(company.cik).filter((cik) => cik !== company.cik && catalogue.ledger.companies.has(cik)),
    ...factsFrom((name) => company.facts?.[name]),
  };
}

/** One profile for each company, by CIK. */
export function* companyProfiles(catalogue: Catalogue): Iterable<{ key: string; record: CompanyProfile }> {
  for (const company of catalogue.companies) yield { key: company.cik, record: profileOf(catalogue, company) };
}

/** What every symbol and every CIK leads to, by symbol. */
export function* symbolRows({ ledger, companies, listCikOf }: Catalogue): Iterable<{ key: string; record: SymbolRow }> {
  const rows = new Map<string, SymbolRow>();
  const add = (symbol: string, company: FoldedCompany) => rows.set(symbol, { symbol, cik: company.cik, listCik: listCikOf(company.cik), name: company.name });
  // A symbol of digits folds to what is a CIK, and a CIK leads to its own company or to nobody.
  for (const [symbol, cik] of ledger.symbols) if (!/^\d{10}$/.test(symbol)) add(symbol, ledger.companies.get(cik) as FoldedCompany);
  for (const company of companies) add(company.cik, company);
  for (const [key, record] of [...rows].sort(([a], [b]) => (a < b ? -1 : 1))) yield { key, record };
}

/** Companies with the words by which they are found: listed ones first, then by number of filings, name and CIK. */
export function* searchRows(catalogue: Catalogue): Iterable<{ key: string; record: SearchRow }> {
  const held = new Map<string, string[]>();
  for (const [symbol, cik] of catalogue.ledger.symbols) held.set(cik, [...(held.get(cik) ?? []), symbol]);
  const spaced = (words: readonly string[]) => ` ${words.join(' ')} `;
  const ranked = catalogue.companies.map((company) => ({ company, summary: companyOf(catalogue, company) })).sort((a, b) => compareRank(a.summary, b.summary));
  for (const { company, summary } of ranked) {
    yield {
      key: '',
      record: {
        company: summary,
        symbols: spaced([...new Set([company.cik, ...company.tickers.map(foldSymbol).filter((symbol) => catalogue.ledger.symbols.get(symbol) === company.cik), ...(held.get(company.cik) ?? [])])]),
        name: spaced(foldWords(company.name)),
        formerNames: company.formerNames.map((name) => spaced(foldWords(name))).join('|'),
      },
    };
  }
}

/** Order by rank: listed companies first, then by number of filings, most first, then by name and CIK. */
export function compareRank(a: Company, b: Company): number {
  return Number(b.ticker !== null) - Number(a.ticker !== null) || b.filingCount - a.filingCount || (a.name < b.name ? -1 : a.name > b.name ? 1 : a.cik < b.cik ? -1 : 1);
}
