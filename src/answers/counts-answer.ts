import { AppliedCountFilters, type CountBy, type CountsResponse } from '../contract/counts.ts';
import { ApiError } from '../contract/errors.ts';
import type { Query } from '../contract/parameters.ts';
import { unknownMonth } from '../format/snapshot.ts';
import { listBody, pageOfRecords, type Page } from '../render/page.ts';
import { needleOf, offsetBehind, textOf, valuesAt } from '../rows/members.ts';
import { extentOf } from '../rows/parts.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { eventTypeOfForm } from '../domain/event-types.ts';
import { sortIn, visitRows } from '../table/merged-walk.ts';
import { applied } from './applied.ts';
import { nameCompanies } from './company-answers.ts';
import {
  countedCells,
  countedDays,
  countedTotal,
  groupedBy,
  profileOf,
  sumOf,
  type CountedCell,
} from './kept-counts.ts';
import { filterOf } from './lists.ts';
import type { RowFilter } from './row-filter.ts';

/** The filings of a company with more than this are not counted one by one. */
export const filingsCounted = 20_000;

/** How many filings match. Throws `invalid_parameter` where no count tells it, and `company_not_found`. */
export function countsPage(snapshot: Snapshot, query: Query): Page {
  const { ticker, by = null } = query;
  const filter = filterOf(query);
  const company = ticker === undefined ? null : nameCompanies(snapshot, 'ticker', [ticker]);
  company?.unknown();
  const { total, rows } = company
    ? countsOfCompany(snapshot, filter, company.chains[0] ?? '', by)
    : countsOfAll(snapshot, filter, by);
  const meta: CountsResponse['meta'] = {
    total,
    by,
    filters: applied(AppliedCountFilters, query, { since: filter.since, until: filter.until }),
    newestFiledAt: snapshot.manifest.newestFiledAt,
    notInvestmentAdvice: true,
  };
  return pageOfRecords(rows, (count) => listBody(count, meta, null));
}

/** Counts, in all and by what tells them apart. */
interface Counts {
  readonly total: number | null;
  readonly rows: CountsResponse['data'];
}

function countsOfAll(snapshot: Snapshot, filter: RowFilter, by: CountBy | null): Counts {
  const isOfSeveral = (filter.items?.length ?? 0) > 1;
  const total = isOfSeveral ? null : countedTotal(snapshot, filter);
  if (total === null && !isOfSeveral) throw untold();
  if (isOfSeveral && by !== null && by !== 'item') throw uncounted(by);
  if (by === null) return { total, rows: [] };
  const cells =
    by === 'eventType' && countedDays(snapshot, filter) !== null ? null : countedCells(snapshot, filter, by);
  if (cells !== null) return { total, rows: groupedBy(cells, by) };
  const days = by === 'eventType' ? countedDays(snapshot, filter) : null;
  if (days === null) throw untold();
  const families = new Map<string, number>();
  for (const { eventType, count } of days) families.set(eventType, (families.get(eventType) ?? 0) + count);
  const rows = [...families].map(([value, count]) => ({ value, count })).filter(({ count }) => count > 0);
  return { total, rows: rows.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)) };
}

const untold = () =>
  new ApiError(
    'invalid_parameter',
    'since and until: must be the first and the last day of a month here, for example since=2026-03-01 and until=2026-03-31, because counts of all companies are kept by month; other days go without form, items and by, and up to 31 of them by eventType',
  );

const uncounted = (by: CountBy) =>
  new ApiError(
    'invalid_parameter',
    `items: name one here, or ask by item or of one company, because a filing with several of them would be counted for each by ${by}`,
  );

function countsOfCompany(snapshot: Snapshot, filter: RowFilter, company: string, by: CountBy | null): Counts {
  const profile = profileOf(snapshot, company);
  const { since, until, items } = filter;
  const isByForm = (since ?? until ?? items) === undefined && by !== 'item' && by !== 'month';
  if (!isByForm && (profile?.filingCount ?? 0) > filingsCounted)
    throw new ApiError(
      'invalid_parameter',
      `ticker: this company has more than ${filingsCounted} filings, whose counts are kept by form alone; leave out since, until and items, and ask by form or eventType`,
    );
  const all: readonly CountedCell[] = isByForm
    ? (profile?.forms ?? []).map(({ form, count }) => ({ month: '', form, items: [], count }))
    : cellsOfCompany(snapshot, filter, company);
  const cells = all.filter(
    ({ form, items: own }) =>
      filter.form?.includes(form) !== false &&
      filter.eventType?.includes(eventTypeOfForm(form)) !== false &&
      (items === undefined || own.some((item) => items.includes(item))),
  );
  const shown =
    items === undefined || by !== 'item'
      ? cells
      : cells.map((cell) => ({ ...cell, items: cell.items.filter((item) => items.includes(item)) }));
  return { total: sumOf(cells), rows: by === null ? [] : groupedBy(shown, by) };
}

/** Each filing of a company between the bounds as a cell of its own. */
function cellsOfCompany(
  snapshot: Snapshot,
  { since = '', until = '\uffff' }: RowFilter,
  company: string,
): CountedCell[] {
  const cells: CountedCell[] = [];
  const walk = { partitions: [company], after: `${until}\uffff`, endsAt: (sort: string) => sort < since };
  visitRows(
    snapshot.tables('company-filings'),
    walk,
    () => 1,
    (row) => {
      const sort = sortIn(row);
      if (walk.endsAt(sort)) return false;
      const extent = extentOf(row);
      cells.push({
        month: sort.slice(0, sort.indexOf(' ')).slice(0, 7) || unknownMonth,
        form: textOf(extent, formNeedle),
        items: valuesAt(extent.bytes, offsetBehind(extent, itemsNeedle)),
        count: 1,
      });
      return true;
    },
  );
  return cells;
}

const [formNeedle, itemsNeedle] = [needleOf('form'), needleOf('items')];
