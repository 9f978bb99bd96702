import { causePartitions } from '../contract/corrections.ts';
import {
  askedFilters,
  companyFilterPartition,
  formKeysAllowed,
  isOfMember,
  isOfSomeForms,
} from '../contract/filing-filters.ts';
import { changeCauses } from '../contract/records.ts';
import { oddAcceptance } from '../format/list-rows.ts';
import { allPartition, feedSortKey } from '../format/snapshot.ts';
import { needleOf, textOf } from '../rows/members.ts';
import { extentOf, filedAtOf } from '../rows/parts.ts';
import { readBoundedPage, type PageWalk, type ReadRows } from '../table/merge.ts';
import { foresee, noting, together } from '../table/passes.ts';
import { areFar, noteSeries } from '../table/read-ahead.ts';
import type { Table, TableRow } from '../table/table.ts';
import { partitionsFor } from './list-partitions.ts';
import {
  byForm,
  mergedPage,
  readMatching,
  withAcceptance,
  type ListRow,
  type ListSource,
} from './read-list.ts';
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
} from './row-filter.ts';

const acceptanceNeedle = needleOf('acceptanceDateTime');
/** The acceptance in a change; empty if there is none. */
const stampOfChange = (row: TableRow): string => textOf(extentOf(row), acceptanceNeedle);

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
 * Reads a page of changes by sequence, oldest first. A change that concerns several of the companies is one row. It ends
 * when about `leftOutMost` rows were left out, so that no request takes long. Throws `CorruptSnapshot`.
 */
export function readFeed(source: ListSource, request: FeedRequest, leftOutMost: number = Infinity): ReadRows {
  const { companies, limit, withoutProfile = 0 } = request;
  const formKeys = formKeysAllowed(source, request);
  if (formKeys?.length === 0) return { rows: [], goesOnAfter: null, leftOut: 0 };
  if (companies !== null)
    return readSegments(
      { ...source, segments: source.segments.slice(0, source.segments.length - withoutProfile) },
      'company-changes',
      { ...companyWalk(companies, request, formKeys), limit },
      leftOutMost,
    );
  const after = leastAfter(request);
  const { partitions, isTold, leastValue, others } = partitionsFor(
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
    const rows = source.log.page({
      after,
      limit,
      since,
      until,
      matches: dateFilter(request, filedAtOf),
    });
    return { rows, goesOnAfter: null, leftOut: 0 };
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
    (position = begins, rows, most) => {
      const from = { after: position, limit: rows };
      const own = readSegments(source, 'change-dates', { ...walk, ...from }, most);
      const page = accepted
        ? mergedPage([own, readSegments(source, 'change-dates', { ...oddWalk, ...from }, most)], 1, rows)
        : own;
      request.found?.(page.rows.map(({ sort }) => Number(sort)));
      return page;
    },
    ({ sort }) => source.log.entry(Number(sort)),
    {
      after: begins,
      limit,
      matches: both(memberFilter(others), acceptanceFilter(request, stampOfChange)),
      leftOutMost,
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
 * Notes, over a host, what `readFeed` will need for companies, before it is known whether they have a profile.
 */
export function noteFeed(source: ListSource, request: FeedRequest): void {
  const { companies, limit } = request;
  if (companies === null || !areFar(source.tables('company-changes'))) return;
  const formKeys = formKeysAllowed(source, request);
  if (formKeys?.length === 0) return;
  const walk = companyWalk(companies, request, formKeys);
  const tables = tablesBehind(source, 'company-changes', walk.after);
  foresee(() => noteSeries(tables, { ...walk, limit }, true));
}

type SequenceTable = 'change-dates' | 'company-changes';

/** The tables with sequences behind a sort key, oldest first. */
function tablesBehind({ segments, manifest }: ListSource, table: SequenceTable, after: string): Table[] {
  return segments
    .filter((_, at) => feedSortKey(manifest.segments[at]?.lastSequence ?? 0) > after)
    .map(({ tables }) => tables[table]);
}

/**
 * Reads a page by sequence that leaves out at most so many rows. Segments hold ascending ranges of sequences, so the
 * first one is mostly enough. Where it is not, the others are read one after the other, but over a host in one round.
 */
function readSegments(
  source: ListSource,
  table: SequenceTable,
  walk: PageWalk & { readonly after: string },
  leftOutMost: number,
): ReadRows {
  const tables = tablesBehind(source, table, walk.after);
  // The rows of `change-dates` lead on into the log, a round further.
  noteSeries(tables, walk, table === 'company-changes');
  const rows: ListRow[] = [];
  let leftOut = 0;
  const read = (each: Table) =>
    readBoundedPage([each], { ...walk, limit: walk.limit - rows.length }, leftOutMost - leftOut);
  for (const [at, each] of tables.entries()) {
    const later = at === 0 ? [] : tables.slice(at + 1);
    const page = noting(
      () => read(each),
      () => together(later, read),
    );
    rows.push(...page.rows);
    leftOut += page.leftOut;
    if (rows.length === walk.limit) break;
    if (page.goesOnAfter !== null) return { rows, goesOnAfter: page.goesOnAfter, leftOut };
  }
  return { rows, goesOnAfter: null, leftOut };
}

/** The least sequence behind which a request for changes begins. */
export function leastAfter({ companies, after }: Pick<FeedRequest, 'companies' | 'after'>): number {
  return companies === null ? after : Math.min(...companies.values());
}
