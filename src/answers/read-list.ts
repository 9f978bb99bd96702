import { askedFilters, formOfKey } from '../contract/filing-filters.ts';
import { allPartition, feedSortKey, type BatchRow } from '../format/snapshot.ts';
import type { FeedLog } from '../query/cursor.ts';
import { readBoundedPage, readPage, type PageWalk, type ReadRows } from '../table/merge.ts';
import type { MergedRow } from '../table/merged-walk.ts';
import { together } from '../table/passes.ts';
import { notePage } from '../table/read-ahead.ts';
import { rowBytes, type Table, type TableRow } from '../table/table.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { CorruptSnapshot } from '../files/bytes.ts';
import { acceptanceBounds } from './acceptance.ts';
import type { RowFilter, RowTest } from './row-filter.ts';

/** A request for filings. */
export interface ListRequest extends RowFilter {
  /** The newest CIK of a company's chain, or several of them; null for the list of all companies. */
  readonly company: string | readonly string[] | null;
  /** Begin strictly behind this sort key. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** The part of a snapshot that lists are read from. */
export type ListSource = Pick<Snapshot, 'segments' | 'tables' | 'log' | 'forms' | 'formerKinds'> & {
  readonly manifest: Pick<Snapshot['manifest'], 'segments'>;
};

/** A change that was found by a list, with its sort key in that list. */
export type ListRow = MergedRow;

/** The bounds of the filing date of all filings that match and are not accepted oddly. */
export function withAcceptance(request: RowFilter): Pick<RowFilter, 'since' | 'until'> {
  const { since, until } = acceptanceBounds(request) ?? {};
  const inOrder = (...days: readonly (string | undefined)[]) => days.flatMap((day) => day ?? []).sort();
  return { since: inOrder(request.since, since).at(-1), until: inOrder(request.until, until)[0] };
}

/**
 * A page leaves out at most about this many rows that do not match. It ends there, and its cursor goes on. Among a
 * million filings these take 9 to 10 ms of a busy processor, as rows of partitions or as changes that are looked up.
 */
export const rowsLeftOut = 10_000;

/** Pages of two lists as one: each row once, in ascending (1) or descending order (-1) of their sort keys. */
export function mergedPage(pages: readonly ReadRows[], order: 1 | -1, limit: number): ReadRows {
  const isBefore = (a: string, b: string) => (order === 1 ? a < b : a > b);
  // Behind the first end one of the lists was not looked at.
  const [end = null] = pages
    .flatMap(({ goesOnAfter }) => goesOnAfter ?? [])
    .sort((a, b) => (isBefore(a, b) ? -1 : 1));
  const bySort = new Map(pages.flatMap(({ rows }) => rows).map((row) => [row.sort, row]));
  const sorts = [...bySort.keys()]
    .filter((sort) => end === null || !isBefore(end, sort))
    .sort((a, b) => (isBefore(a, b) ? -1 : 1));
  return {
    rows: sorts.slice(0, limit).map((sort) => bySort.get(sort) as MergedRow),
    goesOnAfter: sorts.length < limit ? end : null,
    leftOut: pages.reduce((sum, { leftOut }) => sum + leftOut, 0),
  };
}

/** Reads a page that leaves out at most so many rows; over a host what it needs is read in one round. */
export function readPageOf(tables: readonly Table[], walk: PageWalk, leftOutMost = Infinity): ReadRows {
  notePage(tables, walk);
  return readBoundedPage(tables, walk, leftOutMost);
}

/** Looks up the changes of the rows of a page, over a host in one round. */
export const allFound = (page: readonly MergedRow[], find: (row: MergedRow) => TableRow): ListRow[] =>
  together(page, (row) => {
    const { block, line } = find(row);
    return { block, line, sort: row.sort };
  });

/** Looking up a change takes about as long as reading so many rows of a partition: 0.12 ms. */
const rowsOfLookup = 125;

/**
 * Reads rows of partitions and looks up their changes, until as many as wanted match the filters that the
 * partitions did not decide, or about `leftOutMost` rows were left out.
 */
export function readMatching(
  read: (after: string | undefined, limit: number, leftOutMost: number) => ReadRows,
  find: (row: MergedRow) => TableRow,
  {
    after,
    limit,
    matches,
    leftOutMost,
  }: {
    readonly after: string | undefined;
    readonly limit: number;
    readonly matches: RowTest | undefined;
    readonly leftOutMost: number;
  },
): ReadRows {
  const found: ListRow[] = [];
  let leftOut = 0;
  for (let position = after; ; ) {
    const [missing, left] = [limit - found.length, leftOutMost - leftOut];
    const wanted = matches ? Math.min(missing, Math.ceil(left / rowsOfLookup)) : missing;
    const page = read(position, wanted, left);
    const rows = allFound(page.rows, find);
    const matching = matches ? rows.filter(matches) : rows;
    found.push(...matching);
    leftOut += page.leftOut + rowsOfLookup * (rows.length - matching.length);
    if (found.length === limit) return { rows: found, goesOnAfter: null, leftOut };
    if (rows.length < wanted) return { rows: found, goesOnAfter: page.goesOnAfter, leftOut };
    position = rows.at(-1)?.sort;
    if (leftOut >= leftOutMost) return { rows: found, goesOnAfter: position ?? null, leftOut };
  }
}

/** The row that a list leads to. `missing` says what is wrong if there is none. Throws `CorruptSnapshot`. */
export function requiredOf(row: TableRow | null, missing: () => string): TableRow {
  if (!row) throw new CorruptSnapshot(missing());
  return row;
}

/** The filter with the forms of these keys in place of the filters that the form decides. */
export function byForm(filter: RowFilter, formKeys: readonly string[] | undefined): RowFilter {
  if (formKeys === undefined) return filter;
  const decided = askedFilters(filter).flatMap(({ filter: { name, ofForm } }) => (ofForm ? [name] : []));
  const form = [...new Set(formKeys.map(formOfKey))];
  return { ...filter, ...Object.fromEntries(decided.map((name) => [name, undefined])), form };
}

/**
 * The facts of a snapshot that cursors are checked against. Each batch is looked up once: the buckets of a
 * watchlist mostly end in the same one.
 */
export function feedLogOf({ manifest, tables }: Pick<Snapshot, 'manifest' | 'tables'>): FeedLog {
  const batches = new Map<number, string | null>();

  function findBatch(sequence: number): string | null {
    // The newest batch that begins at or before the sequence.
    const at = manifest.segments.findIndex(({ lastSequence }) => lastSequence >= sequence);
    // The tables are those of the newest segment first. No other segment has the batch.
    const [row] = readPage(
      tables('batches')
        .slice(-at - 1)
        .slice(0, 1),
      {
        partitions: [allPartition],
        after: `${feedSortKey(sequence)} \uffff`,
        limit: 1,
      },
    );
    return row ? (JSON.parse(rowBytes(row).toString()) as BatchRow).sha256 : null;
  }

  return {
    ledgerId: manifest.ledger.id,
    batchOf(sequence) {
      if (sequence > manifest.lastSequence) return null;
      const known = batches.get(sequence) ?? findBatch(sequence);
      batches.set(sequence, known);
      return known;
    },
  };
}
