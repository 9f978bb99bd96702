import { formKeysAllowed } from '../contract/filing-filters.ts';
import { oddAcceptance, type ListedFiling } from '../format/list-rows.ts';
import { feedSortKey } from '../format/snapshot.ts';
import { createFinder } from '../table/finder.ts';
import { sortIn, type MergedRow, type VisitedRow, type Walk } from '../table/merged-walk.ts';
import { beginIndexes } from '../table/read-ahead.ts';
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
  type ListRow,
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

/** A page of a history. */
export interface HistoryPage {
  readonly rows: readonly ListRow[];
  /** Behind this sort key the list goes on, if the page ended because it looked at many rows; else null. */
  readonly goesOnAfter: string | null;
}

/** Reads the newest observations of filings, newest filing first. Throws `CorruptSnapshot`. */
export async function readHistory(source: ListSource, request: ListRequest): Promise<readonly ListRow[]> {
  return (await readHistoryPage(source, request, Infinity)).rows;
}

/**
 * Reads a page of a history. It ends after about `lookedAtMost` rows that were tested, so that no request takes long.
 * Throws `CorruptSnapshot`.
 */
export async function readHistoryPage(
  source: ListSource,
  request: ListRequest,
  lookedAtMost: number,
): Promise<HistoryPage> {
  const { company, limit } = request;
  // The newest observations of all filings follow the present rules.
  const forms = formKeysAllowed({ forms: source.forms, formerKinds: [] }, request);
  if (forms?.length === 0) return { rows: [], goesOnAfter: null };
  const look = lookingAt(lookedAtMost);
  const accepted = acceptanceFilter(request, (row: VisitedRow) => stampInSort(sortIn(row)));
  const after = behindUntil(request.after, request.until);
  if (company === null) {
    const rows = await readAllHistory(source, request, { after, forms, look, accepted });
    return { rows, goesOnAfter: rows.length < limit ? look.goesOnAfter() : null };
  }
  const filter = byForm(request, forms);
  const companies = [company].flat();
  const matches = look.testing(both(memberFilter(filter), accepted));
  const walk = { partitions: companies, wanted: labelFilter(filter), matches, after, limit };
  const [only = '', ...others] = companies;
  const tables = source.tables('company-filings');
  // The rows of the list lead there.
  if (others.length === 0) beginIndexes(source.tables('company-changes'), only, '', companyIndexBlocks);
  const page = await readPageOf(tables, { ...walk, endsAt: look.orEndsAt(beforeSince(request.since)) });
  const find =
    others.length === 0
      ? companyChangeFinder(source, only)
      : (sequence: number) => source.log.entry(sequence);
  const rows = await allFound(page, (row) => find((JSON.parse(rowText(row)) as ListedFiling).sequence));
  return { rows, goesOnAfter: rows.length < limit ? look.goesOnAfter() : null };
}

/** Reads a page of the history of all companies. */
async function readAllHistory(
  source: ListSource,
  request: ListRequest,
  {
    after,
    forms,
    look,
    accepted,
  }: {
    readonly after: string | undefined;
    readonly forms: readonly string[] | undefined;
    readonly look: Look;
    readonly accepted: ((row: VisitedRow) => boolean) | undefined;
  },
): Promise<ListRow[]> {
  const tables = source.tables('latest');
  const { partitions, isTold, leastValue, others } = await partitionsFor(tables, request, forms);
  const tests = noteFilter(request, forms);
  const valued = leastValueFilter(leastValue);
  const matches = look.testing(both(both(isTold ? undefined : tests, valued), accepted));
  const dates = withAcceptance(request);
  const read = async (position: string | undefined, limit: number) => {
    const walk = { limit, wanted: matches && (() => true) };
    const page = await readPageOf(tables, {
      ...walk,
      partitions,
      preferred: valued,
      matches,
      after: behindUntil(position, dates.until),
      endsAt: look.orEndsAt(beforeSince(dates.since)),
    });
    if (!accepted) return page;
    const odd = await readPageOf(tables, {
      ...walk,
      partitions: [oddAcceptance],
      matches: both(tests, accepted),
      after: position,
      endsAt: beforeSince(request.since),
    });
    const end = look.goesOnAfter();
    const isBefore = ({ sort }: MergedRow) => end === null || page.length === limit || sort >= end;
    return mergedPage([...page, ...odd.filter(isBefore)], -1, limit);
  };
  return readMatching(read, (row) => source.log.entry(sequenceIn(row)), {
    after,
    limit: request.limit,
    matches: memberFilter(others),
  });
}

/** Rows that were tested for a page of a history. */
interface Look {
  /** Counts what a test is asked. */
  testing(test: ((row: VisitedRow) => boolean) | undefined): ((row: VisitedRow) => boolean) | undefined;
  /** Ends a walk also when enough rows were tested. */
  orEndsAt(endsAt: Walk['endsAt']): Walk['endsAt'];
  /** The sort key of the last row that was tested, if so many were that the walk ended; else null. */
  goesOnAfter(): string | null;
}

function lookingAt(most: number): Look {
  let looked = 0;
  let last: string | null = null;
  return {
    testing: (test) =>
      test &&
      ((row) => {
        looked++;
        if (looked >= most) last = sortIn(row);
        return test(row);
      }),
    orEndsAt: (endsAt) => (sort) => looked >= most || endsAt?.(sort) === true,
    goesOnAfter: () => last,
  };
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

/** Makes a lookup of changes of a company by their sequence, each in the segment that has it. */
function companyChangeFinder(
  { manifest, segments }: ListSource,
  company: string,
): (sequence: number) => Promise<TableRow> | TableRow {
  const finders = segments.map((segment) => createFinder([segment.tables['company-changes']]));
  return (sequence) => {
    const at = manifest.segments.findIndex(({ lastSequence }) => lastSequence >= sequence);
    const sort = feedSortKey(sequence);
    return requiredOf(
      finders[at]?.(company, sort) ?? null,
      () => `a list names the change ${sort}, which does not exist`,
    );
  };
}
