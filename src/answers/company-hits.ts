import type { PartialReason } from '../contract/envelopes.ts';
import { prefixLetters, tellsCompanies, wordPositions } from '../format/search-rows.ts';
import { rowBehindKeys } from '../table/line.ts';
import { visitRows, type VisitedRow } from '../table/merged-walk.ts';
import { once, together } from '../table/passes.ts';
import { growingAhead, notePartitions, openPartition, type Partition } from '../table/partition.ts';
import type { Table } from '../table/table.ts';
import { compileQuery, groups, matchRow, scoreOf, type CompiledQuery } from './company-match.ts';

/**
 * The most rows of the table `search` in which one request looks for all of its words. Only single letters
 * and the most frequent words of names have more rows. A query of only such words finds all names in which
 * two of its words are neighbours, in either order, because joined words have a partition of their own. Of
 * the other names it finds those with the best rank.
 */
const searchRowsMaximum = 6000;
/** The most rows in which a request looks for companies that lack some of its words. */
const partialRowsMaximum = 3000;
/** The most blocks of one table that are counted to tell which partition has the fewest. */
const blocksMaximum = 32;
const digitZero = 0x30;

/**
 * A word of the query with the partitions to look it up in: that of the word, and those of the word joined
 * with its neighbours. A partition is named by the first letters.
 */
interface Lookup {
  readonly word: number;
  readonly isTelling: boolean;
  readonly partitions: readonly Partition[];
  readonly blocks: number;
}

/** A company that a search found. */
export interface Hit {
  readonly score: number;
  readonly rank: string;
  /** The number of the segment that has it: 0 for the newest. */
  readonly age: number;
}

interface Bounds {
  readonly limit: number;
  /** How many words of the query a hit may lack. */
  readonly missing: number;
  /** How many rows may be read. */
  readonly rows: number;
}

/** Hits, and whether rows were left unread in which there may be others. */
interface Found {
  readonly hits: readonly Hit[];
  readonly isCut: boolean;
}

/**
 * Finds the companies whose names have the words of a query, best first; if no name has all of them, those that have
 * most. `limit` is the most that are returned. Throws `CorruptSnapshot`.
 */
export function findByWords(
  tables: readonly Table[],
  words: readonly string[],
  limit: number,
): { readonly hits: readonly Hit[]; readonly partialBecause: readonly PartialReason[] } {
  const { hits, isCut } = findLacking(tables, words, 0, { limit, rows: searchRowsMaximum });
  const telling = words.filter(tellsCompanies);
  const unseen = (isCut: boolean): PartialReason[] => [
    ...(words.length > 0 && telling.length === 0 ? (['few_letters'] as const) : []),
    ...(isCut ? (['many_names'] as const) : []),
  ];
  const half = Math.floor(telling.length / 2);
  // Without such a half the complete names have just been looked for.
  const isWhole = hits.length > 0 || (half === 0 && telling.length === words.length);
  if (isWhole) return { hits, partialBecause: unseen(isCut) };
  const some = findLacking(tables, telling, half, { limit, rows: partialRowsMaximum });
  return {
    hits: some.hits,
    partialBecause: [
      ...(some.hits.length > 0 ? (['missing_words'] as const) : []),
      ...unseen(isCut || some.isCut),
    ],
  };
}

/** Whether a name has all of the words. Throws `CorruptSnapshot`. */
export function hasCompanies(tables: readonly Table[], words: readonly string[]): boolean {
  return findLacking(tables, words, 0, { limit: 1, rows: partialRowsMaximum }).hits.length > 0;
}

/** The best hits that lack at most `missing` of the words. */
function findLacking(
  tables: readonly Table[],
  words: readonly string[],
  missing: number,
  bounds: Pick<Bounds, 'limit' | 'rows'>,
): Found {
  if (words.length === 0) return { hits: [], isCut: false };
  // Partitions of words with few letters do not have all companies.
  const lookups = openLookups(tables, words).sort(
    (a, b) => Number(b.isTelling) - Number(a.isTelling) || a.blocks - b.blocks,
  );
  // A company that lacks at most `missing` words has at least one of any `missing + 1` words.
  return findAmong(tables, lookups.slice(0, missing + 1), compileQuery(words), { ...bounds, missing });
}

function openLookups(tables: readonly Table[], words: readonly string[]): Lookup[] {
  // A join against the order of the query leads to names that have the two words in that order.
  // The partitions of the single words hold these names, too, but among far more rows.
  const named = words.map((word, at) => {
    const joins = [words[at - 1], words[at + 1]].flatMap((other) =>
      other === undefined ? [] : [`${word}${other}`, `${other}${word}`],
    );
    return [...new Set([word, ...joins].map((text) => text.slice(0, prefixLetters)))];
  });
  const opened = new Map(
    together(
      [...new Set(named.flat())],
      (name) => [name, openPartition(tables, name, blocksMaximum)] as const,
    ),
  );
  return named.map((names, word) => {
    const partitions = names.map((name) => opened.get(name) as Partition);
    return {
      word,
      isTelling: tellsCompanies(words[word] as string),
      partitions,
      blocks: partitions.reduce((sum, { blocks }) => sum + blocks, 0),
    };
  });
}

/**
 * The best hits in the partitions of some words. Partitions with few blocks are read first; the others share
 * the rows of the limit that are left.
 */
function findAmong(
  tables: readonly Table[],
  lookups: readonly Lookup[],
  query: CompiledQuery,
  bounds: Bounds,
): Found {
  let isCut = false;
  const hits = new Map<string, Hit>();
  const partitions = new Map(
    lookups.flatMap((lookup) =>
      lookup.partitions.map((partition) => [partition, lookup.word === 0] as const),
    ),
  );
  notePartitions([...partitions.keys()]);
  let [rows, left] = [bounds.rows, partitions.size];
  for (const [partition, isFirstWord] of [...partitions].sort(([a], [b]) => a.blocks - b.blocks)) {
    const own = { ...bounds, rows: Math.ceil(rows / left--) };
    const name = [partition.name, ...Object.values(own), ...query.words].join(' ');
    const search = once(name, () => {
      const begun = createSearch(query, own, isFirstWord);
      visitRows(tables, { partitions: [partition.name] }, growingAhead, begun.visit);
      return begun;
    });
    rows -= search.rows();
    isCut ||= search.isCut();
    for (const hit of search.hits) hits.set(hit.rank, hit);
  }
  return {
    isCut,
    hits: [...hits.values()]
      .sort((a, b) => a.score - b.score || Buffer.compare(Buffer.from(a.rank), Buffer.from(b.rank)))
      .slice(0, bounds.limit),
  };
}

/**
 * Makes a visitor for the rows of one partition, which are in order of the position of the word, then of
 * rank. Of the hits with the same position and score it keeps the first `limit`. It ends the walk when no
 * later row can be among the best `limit` hits, and behind `rows` rows. Rows of this table have no notes.
 *
 * In a partition of the first word of the query, a hit's group is never better than the position of the word.
 * In a partition of another word, a name may begin with the query whatever the position of that other word
 * is, so the walk ends early only at rows whose position is `former`.
 */
function createSearch(
  query: CompiledQuery,
  { limit, missing, rows: rowsMaximum }: Bounds,
  isFirstWord: boolean,
): {
  readonly hits: readonly Hit[];
  /** How many rows were visited. */
  readonly rows: () => number;
  /** Whether there were more rows, which were not visited. */
  readonly isCut: () => boolean;
  readonly visit: (row: VisitedRow) => boolean;
} {
  const hits: Hit[] = [];
  let rows = 0;
  let isCut = false;
  const counts = new Map<number, number>();
  const scoreMaximum = scoreOf(missing, groups.formerName);
  let last: number = wordPositions.begins;
  const isEnough = (position: number) => {
    if (missing > 0 || hits.length < limit || (!isFirstWord && position < wordPositions.former)) return false;
    let better = counts.get(position * 4) ?? 0;
    for (const { score } of hits) if (score < position) better++;
    return better >= limit;
  };
  return {
    hits,
    rows: () => rows,
    isCut: () => isCut,
    visit({ age, block: { bytes }, sortFrom, sortTo }) {
      isCut = rows === rowsMaximum;
      if (isCut) return false;
      rows++;
      const position = (bytes[sortFrom] as number) - digitZero;
      if (position !== last && isEnough(position)) return false;
      last = position;
      const score = matchRow(query, bytes, sortTo + rowBehindKeys, bytes[sortFrom + 1] === digitZero);
      if (score > scoreMaximum) return true;
      const key = score * 3 + position;
      const count = counts.get(key) ?? 0;
      if (count === limit) return true;
      counts.set(key, count + 1);
      hits.push({ score, rank: bytes.toString('utf8', sortFrom + 1, sortTo), age });
      return !isEnough(position);
    },
  };
}
