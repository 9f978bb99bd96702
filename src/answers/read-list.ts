import {
  askedFilters,
  companyFilterPartition,
  formKeysAllowed,
  isOfMember,
  isOfSomeForms,
  formOfKey,
} from '../contract/filing-filters.ts';
import { causePartitions } from '../contract/corrections.ts';
import { changeCauses } from '../contract/records.ts';
import { oddAcceptance } from '../format/list-rows.ts';
import { allPartition, feedSortKey, type BatchRow } from '../format/snapshot.ts';
import type { FeedLog } from '../query/cursor.ts';
import type { Find } from '../table/finder.ts';
import { readPage, type PageWalk } from '../table/merge.ts';
import { ahead, type MergedRow } from '../table/merged-walk.ts';
import { areFar, beginPage, beginSeries } from '../table/read-ahead.ts';
import { rowBytes, type Table, type TableRow } from '../table/table.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { CorruptSnapshot } from '../files/bytes.ts';
import { needleOf, textOf } from '../rows/members.ts';
import { extentOf, filedAtOf } from '../rows/parts.ts';
import { acceptanceBounds, earlierOf, laterOf } from './acceptance.ts';
import { partitionsFor } from './list-partitions.ts';
import {
  acceptanceFilter,
  acceptanceRange,
  both,
  causeLabels,
  dateFilter,
  dateOf,
  dateRange,
  datesWithin,
  isWholeBy,
  labelFilter,
  leastValueFilter,
  memberFilter,
  noteFilter,
  stampOf,
  type RowFilter,
  type RowTest,
} from './row-filter.ts';

const acceptanceNeedle = needleOf('acceptanceDateTime');
/** The acceptance in a change; empty if there is none. */
const stampOfChange = (row: TableRow): string => textOf(extentOf(row), acceptanceNeedle);

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
  return { since: laterOf(request.since, since), until: earlierOf(request.until, until) };
}

/** Rows of two lists as one page: each row once, in ascending (1) or descending order (-1) of their sort keys. */
export function mergedPage(rows: readonly MergedRow[], order: 1 | -1, limit: number): MergedRow[] {
  const bySort = new Map(rows.map((row) => [row.sort, row]));
  const sorts = [...bySort.keys()].sort((a, b) => (a < b ? -order : order));
  return sorts.slice(0, limit).map((sort) => bySort.get(sort) as MergedRow);
}

/** Reads a page; over a host what it needs is read at the same time. */
export async function readPageOf(tables: readonly Table[], walk: PageWalk): Promise<MergedRow[]> {
  if (areFar(tables)) await beginPage(tables, walk);
  return readPage(tables, walk);
}

/**
 * Looks up the changes of the rows of a page, all at the same time: one after the other would take as many
 * round trips to a remote host.
 */
export async function allFound(
  page: readonly MergedRow[],
  find: (row: MergedRow) => Promise<TableRow> | TableRow,
): Promise<ListRow[]> {
  const found = page.map((row) => ahead(find(row)));
  const rows = found.some((each) => each instanceof Promise)
    ? await Promise.all(found)
    : (found as TableRow[]);
  return rows.map(({ block, line }, at) => ({ block, line, sort: (page[at] as MergedRow).sort }));
}

/**
 * Reads rows of partitions and looks up their changes, until as many as wanted match the filters that the
 * partitions did not decide.
 */
export async function readMatching(
  read: (after: string | undefined, limit: number) => Promise<MergedRow[]>,
  find: (row: MergedRow) => Promise<TableRow> | TableRow,
  {
    after,
    limit,
    matches,
  }: {
    readonly after: string | undefined;
    readonly limit: number;
    readonly matches: RowTest | undefined;
  },
): Promise<ListRow[]> {
  const found: ListRow[] = [];
  for (let position = after; ; ) {
    const missing = limit - found.length;
    const page = await read(position, missing);
    const rows = await allFound(page, find);
    if (!matches) return rows;
    found.push(...rows.filter(matches));
    if (page.length < missing || found.length === limit) return found;
    position = page.at(-1)?.sort;
  }
}

/** A request for changes. */
export interface FeedRequest extends RowFilter {
  /**
   * The newest CIKs of the chains of companies, each with the sequence behind which its changes begin; null
   * for the feed of all companies.
   */
  readonly companies: ReadonlyMap<string, number> | null;
  /**
   * How many of the newest segments have no profile of the companies, if that is known: a segment with changes
   * of a company has its profile, too. 0 if left out.
   */
  readonly withoutProfile?: number | undefined;
  /** The sequence behind which the feed of all companies begins. */
  readonly after: number;
  readonly limit: number;
  /** Is told the sequences of rows as soon as they are known, while their changes are read. */
  readonly found?: (sequences: readonly number[]) => void;
}

/**
 * Reads changes by sequence, oldest first. A change that concerns several of the companies is one row. Throws
 * `CorruptSnapshot`.
 */
export async function readFeed(source: ListSource, request: FeedRequest): Promise<ListRow[]> {
  const { companies, limit, withoutProfile = 0 } = request;
  const formKeys = formKeysAllowed(source, request);
  if (formKeys?.length === 0) return [];
  if (companies !== null)
    return readSegments(
      { ...source, segments: source.segments.slice(0, source.segments.length - withoutProfile) },
      'company-changes',
      companyWalk(companies, request, formKeys),
      limit,
    );
  const after = leastAfter(request);
  const { partitions, isTold, leastValue, others } = await partitionsFor(
    source.tables('change-dates'),
    request,
    formKeys,
  );
  const { corrections } = request;
  const accepted = acceptanceFilter(request, stampOf);
  const isOfAll = partitions[0] === allPartition;
  const areAllWanted = isTold && corrections === undefined && !accepted;
  if (isOfAll && areAllWanted) {
    const { since, until } = request;
    return source.log.page({ after, limit, since, until, matches: dateFilter(request, filedAtOf) });
  }
  const tests = noteFilter(request, formKeys);
  const valued = leastValueFilter(leastValue);
  const walk = {
    preferred: valued,
    partitions: isOfAll ? causePartitions(corrections ?? changeCauses) : partitions,
    wanted: both(causeLabels(request), dateRange(withAcceptance(request))),
    matches: both(
      both(isTold && corrections === undefined ? undefined : tests, dateFilter(request, dateOf)),
      isOfAll ? accepted : valued,
    ),
    isWhole: isTold && !accepted && !valued ? isWholeBy(request) : undefined,
  };
  const oddWalk = {
    partitions: [oddAcceptance],
    wanted: both(causeLabels(request), dateRange(request)),
    matches: both(tests, dateFilter(request, dateOf)),
  };
  const begins = feedSortKey(after);
  return readMatching(
    async (position = begins, rows) => {
      const own = await readSegments(source, 'change-dates', { ...walk, after: position }, rows);
      const odd = accepted
        ? await readSegments(source, 'change-dates', { ...oddWalk, after: position }, rows)
        : [];
      const page = accepted ? mergedPage([...own, ...odd], 1, rows) : own;
      request.found?.(page.map(({ sort }) => Number(sort)));
      return page;
    },
    ({ sort }) => source.log.entry(Number(sort)),
    {
      after: begins,
      limit,
      matches: both(memberFilter(others), acceptanceFilter(request, stampOfChange)),
    },
  );
}

/**
 * A walk through the changes of companies, which begin behind the sequence of each. Each change is asked what it
 * says itself; the forms only tell which blocks may have one.
 */
function companyWalk(
  companies: ReadonlyMap<string, number>,
  filter: RowFilter,
  formKeys: readonly string[] | undefined,
): Omit<PageWalk, 'limit'> & { after: string } {
  const ofMembers = both(memberFilter(filter), acceptanceFilter(filter, stampOfChange));
  const asked = askedFilters(filter).find((each) => isOfSomeForms(each.filter) && isOfMember(each.filter));
  const partitionOf = (company: string) =>
    asked === undefined ? company : companyFilterPartition(company, asked.filter);
  return {
    partitions: [...companies.keys()].map(partitionOf),
    wanted: both(
      both(labelFilter(byForm(filter, formKeys)), dateRange(filter)),
      both(causeLabels(filter), acceptanceRange(filter)),
    ),
    matches: both(ofMembers, dateFilter(filter, filedAtOf)),
    isWhole: ofMembers ? undefined : datesWithin(filter),
    after: feedSortKey(Math.min(...companies.values())),
    afterIn: new Map([...companies].map(([cik, sequence]) => [partitionOf(cik), feedSortKey(sequence)])),
  };
}

/**
 * Begins to read, over a host, what `readFeed` will need for companies, before it is known whether they have a
 * profile.
 */
export function beginFeed(source: ListSource, request: FeedRequest): void {
  if (!areFar(source.tables('company-changes'))) return;
  const formKeys = formKeysAllowed(source, request);
  const { companies, limit } = request;
  if (formKeys?.length === 0 || companies === null) return;
  const walk = companyWalk(companies, request, formKeys);
  const tables = tablesBehind(source, 'company-changes', walk.after);
  void ahead(beginSeries(tables, { ...walk, limit }, true));
}

type SequenceTable = 'change-dates' | 'company-changes';

/** The tables with sequences behind a sort key, oldest first. */
function tablesBehind({ segments, manifest }: ListSource, table: SequenceTable, after: string): Table[] {
  return segments
    .filter((_, at) => feedSortKey(manifest.segments[at]?.lastSequence ?? 0) > after)
    .map(({ tables }) => tables[table]);
}

/**
 * Reads a page by sequence. Segments hold ascending ranges of sequences, so the first one is mostly enough.
 * Where it is not, the others are read at the same time: one after the other would take as many round trips
 * to a remote host.
 */
async function readSegments(
  source: ListSource,
  table: SequenceTable,
  walk: Omit<PageWalk, 'limit'> & { readonly after: string },
  limit: number,
): Promise<MergedRow[]> {
  const tables = tablesBehind(source, table, walk.after);
  // The rows of `change-dates` lead on into the log, a round trip further.
  if (areFar(tables)) await beginSeries(tables, { ...walk, limit }, table === 'company-changes');
  const [first, ...others] = tables;
  const rows = first ? await readPage([first], { ...walk, limit }) : [];
  const missing = limit - rows.length;
  if (missing === 0 || others.length === 0) return rows;
  const more = await Promise.all(others.map((each) => readPage([each], { ...walk, limit: missing })));
  return [...rows, ...more.flat()].slice(0, limit);
}

/** The least sequence behind which a request for changes begins. */
export function leastAfter({ companies, after }: Pick<FeedRequest, 'companies' | 'after'>): number {
  return companies === null ? after : Math.min(...companies.values());
}

/** The row that a list leads to. `missing` says what is wrong if there is none. Throws `CorruptSnapshot`. */
export function requiredOf(found: ReturnType<Find>, missing: () => string): Promise<TableRow> | TableRow {
  return found instanceof Promise ? found.then((row) => required(row, missing)) : required(found, missing);
}

function required(row: TableRow | null, missing: () => string): TableRow {
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
  const batches = new Map<number, Promise<string | null>>();

  async function findBatch(sequence: number): Promise<string | null> {
    // The newest batch that begins at or before the sequence.
    const at = manifest.segments.findIndex(({ lastSequence }) => lastSequence >= sequence);
    // The tables are those of the newest segment first. No other segment has the batch.
    const [row] = await readPage(
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
    async batchOf(sequence) {
      if (sequence > manifest.lastSequence) return null;
      const known = batches.get(sequence) ?? findBatch(sequence);
      batches.set(sequence, known);
      return known;
    },
  };
}
