import { allPartition } from '../contract/snapshot.ts';
import { cikOfRank, prefixLetters, searchWords, standings } from '../contract/search.ts';
import { foldSymbol, isCik } from '../contract/scalars.ts';
import { findRow } from '../table/merge.ts';
import { openPartition, walkPartition, type Partition, type VisitedRow } from '../table/partition.ts';
import { rowBytes, type Table } from '../table/table.ts';
import { compileQuery, groups, matchRow, scoreOf, type CompiledQuery } from './company-match.ts';

/** The tables that search reads. */
export type SearchTable = 'search' | 'companies' | 'symbols' | 'profiles';

/** Where search reads. */
export interface SearchSource {
  /** The tables of this name of all segments, newest first. */
  tables(name: SearchTable): readonly Table[];
}

/**
 * A request looks for all of its words in no more rows of the table `search` than this. Only the commonest
 * names and single letters stand in more. A query of nothing else finds all names in which two of its words
 * stand side by side as in the query or the other way round (they have a partition of their own), and of the
 * others those with the best rank.
 */
const searchRowsMaximum = 6000;
/** It looks for hits that lack some of the words in no more rows than this. */
const partialRowsMaximum = 3000;
/** Blocks of one table that a walk can need: a row is about 100 bytes long. */
const blocksMaximum = 32;
/** Words of a query that count; the others are left out. */
const wordsMaximum = 12;
const digitZero = 0x30;

/**
 * Companies that match `q`, each as the bytes of its `Company` JSON. The exact symbol or CIK first, then
 * names that begin with the query, then those with all of its words, then former names with all of them;
 * within each group by rank. A word of six letters finds every term that begins with it, a shorter one those
 * that are equal to it, and of listed companies those that begin with it. If nothing is found, the companies
 * with most of the words, at least half of them. The bytes are not copied: who keeps them keeps their blocks.
 * Throws `CorruptSnapshot`.
 */
export async function searchCompanies(
  source: SearchSource,
  { q, limit }: { readonly q: string; readonly limit: number },
): Promise<Buffer[]> {
  const [exact, found] = await Promise.all([
    findExact(source, foldSymbol(q)),
    findByWords(source.tables('search'), searchWords(q).slice(0, wordsMaximum), limit),
  ]);
  const isPartial = found.some(({ score }) => score >= scoreOf(1, 0));
  const ranks =
    exact && isPartial ? [] : found.map(({ rank }) => rank).filter((rank) => cikOfRank(rank) !== exact?.cik);
  const rows = await Promise.all(
    ranks
      .slice(0, exact ? limit - 1 : limit)
      .map((sort) => findRow(source.tables('companies'), allPartition, sort)),
  );
  return [...(exact ? [exact.company] : []), ...rows.flatMap((row) => (row ? [rowBytes(row)] : []))];
}

const formsNeedle = Buffer.from(',"forms":');
const endOfObject = Buffer.from('}');

async function findExact(
  source: SearchSource,
  symbol: string,
): Promise<{ readonly cik: string; readonly company: Buffer } | null> {
  // A CIK leads to its own company or to nobody.
  const cik = isCik(symbol) ? symbol : await cikOfSymbol(source, symbol);
  const profile = cik === null ? null : await findRow(source.tables('profiles'), cik);
  if (cik === null || !profile) return null;
  const bytes = rowBytes(profile);
  return { cik, company: Buffer.concat([bytes.subarray(0, bytes.indexOf(formsNeedle)), endOfObject]) };
}

async function cikOfSymbol(source: SearchSource, symbol: string): Promise<string | null> {
  const row = await findRow(source.tables('symbols'), symbol);
  return row ? (JSON.parse(rowBytes(row).toString()) as { cik: string }).cik : null;
}

/**
 * A word of the query that is looked up: it and its joins with the words beside it, each under its own first
 * letters.
 */
interface Lookup {
  readonly word: number;
  readonly partitions: readonly Partition[];
  readonly blocks: number;
}

interface Hit {
  readonly score: number;
  readonly rank: string;
}

interface Bounds {
  readonly limit: number;
  /** How many words of the query a hit may lack. */
  readonly missing: number;
  /** How many rows are looked at. */
  readonly rows: number;
}

async function findByWords(
  tables: readonly Table[],
  words: readonly string[],
  limit: number,
): Promise<Hit[]> {
  if (words.length === 0) return [];
  const query = compileQuery(words);
  const lookups = (await openLookups(tables, words)).sort((a, b) => a.blocks - b.blocks);
  const complete = await findAmong(lookups.slice(0, 1), query, {
    limit,
    missing: 0,
    rows: searchRowsMaximum,
  });
  // A company that lacks at most half of the words has one of any that are more than half.
  const half = Math.floor(words.length / 2);
  return complete.length > 0 || half === 0
    ? complete
    : findAmong(lookups.slice(0, half + 1), query, { limit, missing: half, rows: partialRowsMaximum });
}

async function openLookups(tables: readonly Table[], words: readonly string[]): Promise<Lookup[]> {
  // The joins against the order of the query find nothing that the words themselves do not find, but find it
  // among fewer.
  const named = words.map((word, at) => {
    const joins = [words[at - 1], words[at + 1]].flatMap((other) =>
      other === undefined ? [] : [`${word}${other}`, `${other}${word}`],
    );
    return [...new Set([word, ...joins].map((text) => text.slice(0, prefixLetters)))];
  });
  const opened = new Map(
    await Promise.all(
      [...new Set(named.flat())].map(
        async (name) => [name, await openPartition(tables, name, blocksMaximum)] as const,
      ),
    ),
  );
  return named.map((names, word) => {
    const partitions = names.map((name) => opened.get(name) as Partition);
    return { word, partitions, blocks: partitions.reduce((sum, { blocks }) => sum + blocks, 0) };
  });
}

/**
 * The best hits in what some words lead to, fewest blocks first. What one leaves of the rows to be looked at
 * the others share.
 */
async function findAmong(lookups: readonly Lookup[], query: CompiledQuery, bounds: Bounds): Promise<Hit[]> {
  const hits = new Map<string, Hit>();
  const partitions = new Map(
    lookups.flatMap((lookup) =>
      lookup.partitions.map((partition) => [partition, lookup.word === 0] as const),
    ),
  );
  let [rows, left] = [bounds.rows, partitions.size];
  for (const [partition, isFirstWord] of [...partitions].sort(([a], [b]) => a.blocks - b.blocks)) {
    const walk = createWalk(query, bounds, isFirstWord);
    rows -= await walkPartition(partition, Math.ceil(rows / left--), walk.visit);
    for (const hit of walk.hits) hits.set(hit.rank, hit);
  }
  return [...hits.values()]
    .sort((a, b) => a.score - b.score || Buffer.compare(Buffer.from(a.rank), Buffer.from(b.rank)))
    .slice(0, bounds.limit);
}

/**
 * Looks at the rows of one partition, where they stand by standing, then by rank. Of the hits with the same
 * standing and score it keeps the first `limit`. It ends the walk when so many are better than anything
 * behind: a hit's group is no better than the standing of the first word of the query in one of the
 * partitions that this word leads to. With another word it may begin with the query wherever that word stands
 * in it, but is no present name where the standing says so.
 */
function createWalk(
  query: CompiledQuery,
  { limit, missing }: Bounds,
  isFirstWord: boolean,
): { readonly hits: readonly Hit[]; readonly visit: (row: VisitedRow) => boolean } {
  const hits: Hit[] = [];
  const counts = new Map<number, number>();
  const scoreMaximum = scoreOf(missing, groups.formerName);
  let last: number = standings.begins;
  const isEnough = (standing: number) => {
    if (missing > 0 || hits.length < limit || (!isFirstWord && standing < standings.former)) return false;
    let better = counts.get(standing * 4) ?? 0;
    for (const { score } of hits) if (score < standing) better++;
    return better >= limit;
  };
  return {
    hits,
    visit({ chunk: { bytes }, sortFrom, sortTo, from }) {
      const standing = (bytes[sortFrom] as number) - digitZero;
      if (standing !== last && isEnough(standing)) return false;
      last = standing;
      const score = matchRow(query, bytes, from, bytes[sortFrom + 1] === digitZero);
      if (score > scoreMaximum) return true;
      const key = score * 3 + standing;
      const count = counts.get(key) ?? 0;
      if (count === limit) return true;
      counts.set(key, count + 1);
      hits.push({ score, rank: bytes.toString('utf8', sortFrom + 1, sortTo) });
      return !isEnough(standing);
    },
  };
}
