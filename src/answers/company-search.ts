import { allPartition } from '../format/snapshot.ts';
import type { PartialReason } from '../contract/envelopes.ts';
import { cikOfRank, searchWords, symbolsMeant } from '../format/search-rows.ts';
import { isCik } from '../domain/scalars.ts';
import type { Company } from '../contract/records.ts';
import { limitBounds, type Query } from '../contract/parameters.ts';
import { firstRows, pageOfRows, type Page } from '../render/page.ts';
import { createFinder, findRow } from '../table/finder.ts';
import { companyExtentsOf } from '../rows/parts.ts';
import { both, together } from '../table/passes.ts';
import { noteIndexes } from '../table/read-ahead.ts';
import { rowBytes, type Table } from '../table/table.ts';
import { cikOfSymbol } from './company-answers.ts';
import { findByWords, hasCompanies } from './company-hits.ts';
import { correctedWords } from './misspelt.ts';

/** The source of the tables for search. */
export interface SearchSource {
  /** The tables of this name of all segments, newest first. */
  tables(name: 'search' | 'companies' | 'symbols' | 'profiles'): readonly Table[];
}

/** Only the first words of a query count, as many as this. */
const wordsMaximum = 12;

/** What a search found. */
export interface FoundCompanies {
  /** Each as the bytes of its `Company` JSON, best first. */
  readonly companies: readonly Buffer[];
  /** Empty if these are all companies that match, or the best of them. */
  readonly partialBecause: readonly PartialReason[];
  /** A query that finds companies and differs from this one by a letter of a word; null if none was looked for or found. */
  readonly didYouMean: string | null;
}

/**
 * Finds companies that match `q`.
 *
 * The company with exactly this symbol or CIK comes first (`symbolsMeant`). Then come names that begin with
 * the query, names that have all of its words, and former names that have all of them; within each group the
 * order is by rank. A word of the query matches words of a name that begin with it. If no word of the query has three
 * letters, it matches equal words only, unless the company is listed. If no name has all words, the companies with most
 * of them are returned, at least half of them; words of fewer than three letters do not count there
 * (`tellsCompanies`). Then, and where nothing was found, words that no name has are corrected (`correctedWords`).
 *
 * The bytes are not copied: a caller that keeps them keeps their blocks in memory. Throws `CorruptSnapshot`.
 */
export function searchCompanies(
  source: SearchSource,
  { q, limit }: { readonly q: string; readonly limit: number },
): FoundCompanies {
  // The companies that are found are mostly listed, and these come first.
  noteIndexes(source.tables('companies'), allPartition, '', 1);
  const tables = source.tables('search');
  const words = searchWords(q).slice(0, wordsMaximum);
  const [exact, { hits, partialBecause }] = both(
    () => findExact(source, symbolsMeant(q)),
    () => findByWords(tables, words, limit),
  );
  const isGuess = partialBecause.includes('missing_words');
  const others = exact && isGuess ? [] : hits.filter(({ rank }) => cikOfRank(rank) !== exact?.cik);
  // A build that writes the rows of a company for search writes its other rows, too: no newer segment has any.
  const findFrom = source.tables('companies').map((_, age, tables) => createFinder(tables.slice(age)));
  const rows = together(
    others.slice(0, exact ? limit - 1 : limit),
    ({ rank, age }) => findFrom[age]?.(allPartition, rank) ?? null,
  );
  return {
    companies: [...(exact ? [exact.company] : []), ...rows.flatMap((row) => (row ? [rowBytes(row)] : []))],
    // Who gave a symbol or CIK has found the company.
    partialBecause: exact ? [] : partialBecause,
    didYouMean: !exact && (hits.length === 0 || isGuess) ? corrected(tables, words) : null,
  };
}

/** What a search found, with the companies parsed. Throws `CorruptSnapshot`. */
export function foundCompanies(
  source: SearchSource,
  asked: { readonly q: string; readonly limit: number },
): Omit<FoundCompanies, 'companies'> & { readonly companies: readonly Company[] } {
  const { companies, ...found } = searchCompanies(source, asked);
  return { ...found, companies: companies.map((bytes) => JSON.parse(bytes.toString()) as Company) };
}

/**
 * Companies that match `q`: an exact symbol or CIK first, then names that begin with it, other names, former
 * names.
 */
export function searchPage(source: SearchSource, query: Query): Page {
  const { q = '', limit = limitBounds.default } = query;
  const { companies, partialBecause, didYouMean } = searchCompanies(source, { q, limit });
  return pageOfRows(
    companies.map((bytes) => [{ bytes, from: 0, to: bytes.length }]),
    (count) => {
      const meta = {
        count,
        query: q,
        partial: partialBecause.length > 0,
        partialBecause,
        didYouMean,
        notInvestmentAdvice: true,
      };
      return { envelope: { data: firstRows(count), meta }, end: null };
    },
  );
}

/** A query that differs by a letter of a word, and whose words a name has. Null if there is none. */
function corrected(tables: readonly Table[], words: readonly string[]): string | null {
  const near = correctedWords(tables, words);
  return near !== null && hasCompanies(tables, near) ? near.join(' ') : null;
}

const endOfObject = Buffer.from('}');

/** The company with the first of these symbols or CIKs that one has; null if none has. */
function findExact(
  source: SearchSource,
  symbols: readonly string[],
): { readonly cik: string; readonly company: Buffer } | null {
  // Ten digits are always a CIK, never a symbol.
  const ciks = together(symbols, (symbol) => (isCik(symbol) ? symbol : cikOfSymbol(source, symbol)));
  const cik = ciks.find((each) => each !== null) ?? null;
  const profile = cik === null ? null : findRow(source.tables('profiles'), cik);
  if (cik === null || !profile) return null;
  const [{ bytes, from, to }] = companyExtentsOf(profile);
  return { cik, company: Buffer.concat([bytes.subarray(from, to), endOfObject]) };
}
