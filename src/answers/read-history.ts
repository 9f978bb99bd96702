import { formKeysAllowed } from '../contract/filing-filters.ts';
import { oddAcceptance, type ListedFiling } from '../format/list-rows.ts';
import { feedSortKey } from '../format/snapshot.ts';
import { createFinder, type Find } from '../table/finder.ts';
import { keysOf } from '../table/line.ts';
import type { PageWalk, ReadRows } from '../table/merge.ts';
import { sortIn, type VisitedRow, type Walk } from '../table/merged-walk.ts';
import { noteIndexes } from '../table/read-ahead.ts';
import { rowText, type TableRow } from '../table/table.ts';
import { sequenceIn } from '../rows/parts.ts';
import { partitionsFor } from './list-partitions.ts';
import {
  allFound,
  byForm,
  mergedPage,
  readMatching,
  readPageOf,
  requiredOf,
  withAcceptance,
  type ListRequest,
  type ListSource,
} from './read-list.ts';
import {
  acceptanceFilter,
  both,
  labelFilter,
  leastValueFilter,
  memberFilter,
  noteFilter,
} from './row-filter.ts';

/** Blocks of an index that hold the rows of a company: more than one if it has tens of thousands. */
const companyIndexBlocks = 4;

/**
 * Reads a page of the newest observations of filings, newest filing first. It ends when about `leftOutMost` rows were left
 * out, so that no request takes long. Throws `CorruptSnapshot`.
 */
export function readHistory(
  source: ListSource,
  request: ListRequest,
  leftOutMost: number = Infinity,
): ReadRows {
  const { company, limit } = request;
  // The newest observations of all filings follow the present rules.
  const forms = formKeysAllowed({ forms: source.forms, formerKinds: [] }, request);
  if (forms?.length === 0) return { rows: [], goesOnAfter: null, leftOut: 0 };
  const accepted = acceptanceFilter(request, (row: VisitedRow) => stampInSort(sortIn(row)));
  if (company === null) return readAllHistory(source, request, { forms, accepted, leftOutMost });
  const filter = byForm(request, forms);
  const companies = [company].flat();
  const walk: PageWalk = {
    partitions: companies,
    wanted: labelFilter(filter),
    matches: both(memberFilter(filter), accepted),
    after: behindUntil(request.after, request.until),
    endsAt: beforeSince(request.since),
    limit,
  };
  // The rows of the lists lead there.
  for (const each of companies) noteIndexes(source.tables('company-changes'), each, '', companyIndexBlocks);
  const { rows, ...page } = readPageOf(source.tables('company-filings'), walk, leftOutMost);
  return { rows: allFound(rows, companyChangeFinder(source)), ...page };
}

/** Reads a page of the history of all companies. */
function readAllHistory(
  source: ListSource,
  request: ListRequest,
  {
    forms,
    accepted,
    leftOutMost,
  }: {
    readonly forms: readonly string[] | undefined;
    readonly accepted: ((row: VisitedRow) => boolean) | undefined;
    readonly leftOutMost: number;
  },
): ReadRows {
  const tables = source.tables('latest');
  const { partitions, isTold, leastValue, others } = partitionsFor(tables, request, forms);
  const tests = noteFilter(request, forms);
  const valued = leastValueFilter(leastValue);
  const matches = both(both(isTold ? undefined : tests, valued), accepted);
  const dates = withAcceptance(request);
  const walk = {
    partitions,
    preferred: valued,
    wanted: matches && (() => true),
    matches,
    endsAt: beforeSince(dates.since),
  };
  const oddWalk = {
    partitions: [oddAcceptance],
    wanted: () => true,
    matches: both(tests, accepted),
    endsAt: beforeSince(request.since),
  };
  const read = (position: string | undefined, limit: number, most: number) => {
    const after = behindUntil(position, dates.until);
    const own = readPageOf(tables, { ...walk, after, limit }, most);
    if (!accepted) return own;
    const odd = readPageOf(tables, { ...oddWalk, after: position, limit }, most);
    return mergedPage([own, odd], -1, limit);
  };
  return readMatching(read, (row) => source.log.entry(sequenceIn(row)), {
    after: behindUntil(request.after, request.until),
    limit: request.limit,
    matches: memberFilter(others),
    leftOutMost,
  });
}

/** The later one of two places in a history: behind a sort key, and behind what is filed after a day. */
function behindUntil(after: string | undefined, until: string | undefined): string | undefined {
  const bound = until === undefined ? undefined : `${until}\uffff`;
  return bound !== undefined && (after === undefined || after > bound) ? bound : after;
}

/** Whether a sort key is of a filing before a day. The key begins with the filing date, and the newest row comes first. */
const beforeSince = (since: string | undefined): Walk['endsAt'] =>
  since === undefined ? undefined : (sort) => sort < since;

/** The acceptance in the sort key of a history. */
const stampInSort = (sort: string) => sort.slice(sort.indexOf(' ') + 1, sort.lastIndexOf(' '));

/**
 * Makes a lookup of the changes that rows of `company-filings` lead to. Each is found among the changes of the company in
 * whose list the row is, in the segment that has it: there the changes of a company are neighbours.
 */
function companyChangeFinder({ manifest, segments }: ListSource): (row: TableRow) => TableRow {
  const finders = new Map<string, Find[]>();
  return (row) => {
    const { partition } = keysOf(row.block, row.line);
    let ofCompany = finders.get(partition);
    if (!ofCompany) {
      ofCompany = segments.map((segment) => createFinder([segment.tables['company-changes']]));
      finders.set(partition, ofCompany);
    }
    const { sequence } = JSON.parse(rowText(row)) as ListedFiling;
    const at = manifest.segments.findIndex(({ lastSequence }) => lastSequence >= sequence);
    const sort = feedSortKey(sequence);
    return requiredOf(
      ofCompany[at]?.(partition, sort) ?? null,
      () => `a list names the change ${sort}, which does not exist`,
    );
  };
}
