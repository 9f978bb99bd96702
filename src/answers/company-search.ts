import { allKey } from '../contract/snapshot.ts';
import { cikOfRank, isListedRank, prefixLetters, searchWords, standings } from '../contract/search.ts';
import { foldSymbol } from '../contract/shapes.ts';
import { findRecord } from '../segments/merge.ts';
import { findRow, openPartition, walkPartition, type Partition, type VisitedRow } from '../segments/partition.ts';
import { rowBytes, type Table } from '../segments/table.ts';
import { compileQuery, matchRow, type CompiledQuery, type Match, type Piece } from './company-match.ts';

/** The tables that search reads. */
export type SearchTable = 'search' | 'companies' | 'symbols' | 'profiles';

/** Where search reads. */
export interface SearchSource {
  /** The tables of this name of all segments, newest first. */
  tables(name: SearchTable): readonly Table[];
}

/**
 * A request looks at no more rows of the table `search` than this: the best ranked ones of what it has to walk. Behind them are
 * only hits that no better one is missing for: people and companies that are not listed, with few filings. Whoever asks for
 * two of the commonest first names may miss one of them that a third word, or the surname, brings back.
 */
export const searchRowsMaximum = 20_000;
/** Blocks of one table that a walk may need: rows are shorter than 200 bytes as a rule. */
const blocksMaximum = 64;
/** Words of a query that count. */
const wordsMaximum = 12;

/**
 * Companies that match `q`, each as the bytes of its `Company` JSON. The exact symbol or CIK first, then names that begin with
 * the query, then those with all of its words, then former names with all of them; within each group by rank. A word of six
 * letters finds every term that begins with it, a shorter one those that are equal to it, and of listed companies those that
 * begin with it. If nothing is found, the companies with most of the words, at least half of them.
 */
export async function searchCompanies(source: SearchSource, { q, limit }: { readonly q: string; readonly limit: number }): Promise<Buffer[]> {
  const [exact, found] = await Promise.all([findExact(source, foldSymbol(q)), findByWords(source.tables('search'), searchWords(q).slice(0, wordsMaximum), limit)]);
  const isPartial = found.some(({ missing }) => missing > 0);
  const ranks = exact && isPartial ? [] : found.map(({ rank }) => rank).filter((rank) => cikOfRank(rank) !== exact?.cik);
  const rows = await Promise.all(ranks.slice(0, exact ? limit - 1 : limit).map((sort) => findRow(source.tables('companies'), { partition: allKey, sort })));
  return [...(exact ? [exact.company] : []), ...rows.flatMap((place) => (place ? [rowBytes(place)] : []))];
}

const formsNeedle = Buffer.from(',"forms":');
const endOfObject = Buffer.from('}');

async function findExact(source: SearchSource, symbol: string): Promise<{ readonly cik: string; readonly company: Buffer } | null> {
  // A CIK leads to its own company or to nobody.
  const cik = /^\d{10}$/.test(symbol) ? symbol : await cikOfSymbol(source, symbol);
  const profile = cik === null ? null : await findRecord(source.tables('profiles'), cik);
  if (cik === null || !profile) return null;
  const bytes = rowBytes(profile);
  return { cik, company: Buffer.concat([bytes.subarray(0, bytes.indexOf(formsNeedle)), endOfObject]) };
}

async function cikOfSymbol(source: SearchSource, symbol: string): Promise<string | null> {
  const place = await findRecord(source.tables('symbols'), symbol);
  return place ? (JSON.parse(rowBytes(place).toString()) as { cik: string }).cik : null;
}

/** A word of the query that is looked up: it and its joins with the words beside it, each under its own first letters. */
interface Lookup {
  readonly word: number;
  readonly partitions: readonly Partition[];
  readonly blocks: number;
}

interface Hit extends Match {
  readonly rank: string;
}

interface Bounds {
  readonly limit: number;
  /** How many words of the query a hit may lack. */
  readonly missing: number;
}

async function findByWords(tables: readonly Table[], words: readonly string[], limit: number): Promise<Hit[]> {
  if (words.length === 0) return [];
  const query = compileQuery(words);
  const lookups = (await openLookups(tables, query)).sort((a, b) => a.blocks - b.blocks);
  const complete = await findAmong(lookups.slice(0, 1), query, { limit, missing: 0 });
  // A company that lacks at most half of the words has one of any that are more than half.
  const half = Math.floor(words.length / 2);
  return complete.length > 0 || half === 0 ? complete : findAmong(lookups.slice(0, half + 1), query, { limit, missing: half });
}

async function openLookups(tables: readonly Table[], { words, pieces }: CompiledQuery): Promise<Lookup[]> {
  const nameOf = ({ text }: Piece) => text.slice(0, prefixLetters);
  const opened = new Map(await Promise.all([...new Set(pieces.map(nameOf))].map(async (name) => [name, await openPartition(tables, name, blocksMaximum)] as const)));
  return words.map((_, word) => {
    const names = new Set(pieces.filter(({ mask }) => (mask & (1 << word)) !== 0).map(nameOf));
    const partitions = [...names].map((name) => opened.get(name) as Partition);
    return { word, partitions, blocks: partitions.reduce((sum, { blocks }) => sum + blocks, 0) };
  });
}

/** The best hits in what some words lead to, fewest blocks first. */
async function findAmong(lookups: readonly Lookup[], query: CompiledQuery, bounds: Bounds): Promise<Hit[]> {
  const hits = new Map<string, Hit>();
  const walked = new Set<Partition>();
  let rows = 0;
  for (const { word, partitions } of lookups) {
    for (const partition of partitions) {
      if (walked.has(partition)) continue;
      walked.add(partition);
      const walk = createWalk(query, bounds, word === 0);
      rows += await walkPartition(partition, searchRowsMaximum - rows, walk.visit);
      for (const hit of walk.hits) hits.set(hit.rank, hit);
    }
  }
  const best = [...hits.values()].sort((a, b) => a.missing - b.missing || a.group - b.group || (a.rank < b.rank ? -1 : 1)).slice(0, bounds.limit);
  return best.map((hit) => ({ ...hit, rank: Buffer.from(hit.rank, 'latin1').toString() }));
}

/**
 * Looks at the rows of one partition, in which those with the same standing stand by rank. Of hits with the same standing and
 * group it keeps the first `limit`. It ends the walk when so many hits are better than anything behind: a hit's group is no
 * better than its standing, in that partition that has the first word of the query as the name has it. What stands
 * with another word may still begin with the query, but is no present name where the standing says so.
 */
function createWalk(query: CompiledQuery, { limit, missing }: Bounds, isFirstWord: boolean): { readonly hits: readonly Hit[]; readonly visit: (row: VisitedRow) => boolean } {
  const hits: Hit[] = [];
  const counts = new Map<number, number>();
  let last: number = standings.begins;
  const isEnough = (standing: number) => {
    if (missing > 0 || (!isFirstWord && standing < standings.former)) return false;
    let better = 0;
    for (const { group } of hits) if (group < standing) better++;
    return better + (counts.get(keyOf(0, standing, standing)) ?? 0) >= limit;
  };
  return {
    hits,
    visit({ chunk, sort, from }) {
      const standing = sort.charCodeAt(0) - 0x30;
      if (standing !== last && isEnough(standing)) return false;
      last = standing;
      const rank = sort.slice(1);
      const match = matchRow(query, chunk.bytes, from, isListedRank(rank));
      if (match.missing > missing) return true;
      const key = keyOf(match.missing, match.group, standing);
      const count = counts.get(key) ?? 0;
      if (count === limit) return true;
      counts.set(key, count + 1);
      hits.push({ ...match, rank });
      return hits.length < limit || !isEnough(standing);
    },
  };
}

/** One number for hits that stand in a partition by rank. */
function keyOf(missing: number, group: number, standing: number): number {
  return (missing * 3 + group) * 3 + standing;
}
