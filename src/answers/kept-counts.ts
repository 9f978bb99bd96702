import { askedFilters, formKeysAllowed, formOfKey } from '../contract/filing-filters.ts';
import type { CountBy } from '../contract/counts.ts';
import { eventTypeOfForm } from '../domain/event-types.ts';
import { countPartitions, unknownMonth } from '../format/snapshot.ts';
import type { Snapshot } from '../snapshot/open.ts';
import type { ProfileRow } from '../format/profile-rows.ts';
import { findRow } from '../table/finder.ts';
import { keptRow, visitRows } from '../table/merged-walk.ts';
import { together } from '../table/passes.ts';
import { rowBytes, rowText } from '../table/table.ts';
import { dayFrom } from '../time/units.ts';
import type { RowFilter } from './row-filter.ts';

/** What counts are read from. */
export type CountSource = Pick<Snapshot, 'tables' | 'forms' | 'formCounts'> & {
  readonly manifest: Pick<Snapshot['manifest'], 'filingCount' | 'newestFiledAt'>;
};

/** So many filings of a form in a month, or of those of them with an item. */
export interface CountedCell {
  readonly month: string;
  readonly form: string;
  readonly items: readonly string[];
  readonly count: number;
}

/** Counts of more days than this are not added up one by one: those of months are. */
const daysMaximum = 31;
/** The counts of so many forms are read form by form, and those of more forms month by month. */
const formsMaximum = 40;
/** Behind all days and months. */
const end = '9999-12-31';

const filtersCounted: ReadonlySet<string> = new Set(['form', 'eventType', 'items']);

/**
 * How many filings of all companies match a filter, in cells, by the counts that the build keeps: by form and month, and
 * by item, form and month. A filing with several items asked is in several cells. Null where no counts tell it: for
 * other filters, and for parts of months. `by` says what the cells have to tell apart: the others may be empty. Throws
 * `CorruptSnapshot`.
 */
export function countedCells(
  source: CountSource,
  filter: RowFilter,
  by: CountBy | null,
): readonly CountedCell[] | null {
  if (!areCounted(filter)) return null;
  // No filing is later than the newest one, whatever else is asked.
  if (filter.since !== undefined && filter.since > (source.manifest.newestFiledAt ?? '')) return [];
  const forms = formsAsked(source, filter);
  const isOfForms = (form: string) => forms?.includes(form) !== false;
  const months = wholeMonths(source, filter);
  if (months === null) return null;
  const isInMonths = (month: string) => month >= months.from && month <= months.to;
  const { items } = filter;
  if (items !== undefined || by === 'item') {
    const found =
      items === undefined
        ? readCounts(source, countPartitions.itemsOfMonths, months.from, `${months.to}\uffff`).map(
            ({ sort: [month = '', item = '', ...form], count }) => ({ month, item, form, count }),
          )
        : together(items, (item) =>
            readCounts(source, countPartitions.monthsOfItems, `${item} `, `${item} \uffff`),
          )
            .flat()
            .map(({ sort, count }) => {
              const [item = '', ...rest] = sort;
              return { month: rest.at(-1) ?? '', item, form: rest.slice(0, -1), count };
            });
    return found
      .map(({ item, form, ...rest }) => ({ ...rest, form: form.join(' '), items: [item] }))
      .filter(({ month, form }) => isInMonths(month) && isOfForms(form));
  }
  const isOfAllTime = filter.since === undefined && filter.until === undefined;
  const cellOf = (month: string, form: string, count: number) => ({ month, form, items: [], count });
  if (isOfAllTime && by !== 'month')
    return [...source.formCounts].flatMap(([form, count]) =>
      isOfForms(form) ? [cellOf('', form, count)] : [],
    );
  if (forms === undefined && (by === null || by === 'month'))
    return readCounts(source, countPartitions.months, months.from, `${months.to}\uffff`).map(
      ({ sort: [month = ''], count }) => cellOf(month, '', count),
    );
  if (forms === undefined || forms.length > formsMaximum)
    return readCounts(source, countPartitions.formsOfMonths, months.from, `${months.to}\uffff`)
      .map(({ sort: [month = '', ...form], count }) => cellOf(month, form.join(' '), count))
      .filter(({ form }) => isOfForms(form));
  return together(forms, (form) =>
    readCounts(
      source,
      countPartitions.monthsOfForms,
      `${form} ${months.from}`,
      `${form} ${months.to}\uffff`,
    ).map(({ sort, count }) => cellOf(sort.at(-1) ?? '', form, count)),
  ).flat();
}

/**
 * How many filings of all companies are of some days, of all families or of those asked, by family; null for other
 * filters and for more than 31 days. Throws `CorruptSnapshot`.
 */
export function countedDays(
  source: CountSource,
  filter: RowFilter,
): readonly { readonly eventType: string; readonly count: number }[] | null {
  const { since, until = source.manifest.newestFiledAt ?? since, form, items, eventType } = filter;
  if (!areCounted(filter) || since === undefined || until === undefined) return null;
  if (form !== undefined || items !== undefined || until >= dayFrom(since, daysMaximum)) return null;
  const found = readCounts(source, countPartitions.days, since, `${until}\uffff`);
  return found
    .map(({ sort: [, family = ''], count }) => ({ eventType: family, count }))
    .filter((each) => eventType?.includes(each.eventType) !== false);
}

/**
 * How many filings of all companies match a filter, where counts that the build made tell it; else null. Throws
 * `CorruptSnapshot`.
 */
export function countedTotal(source: CountSource, filter: RowFilter): number | null {
  if ((filter.items?.length ?? 0) > 1) return null;
  const counted =
    countedDays(source, filter) ?? countedCells(source, filter, null) ?? countedParts(source, filter);
  return counted && sumOf(counted);
}

/**
 * How many filings match a filter, where counts that the build made tell it; else null. `company` is the CIK of the
 * company that the list is of, or null for all. Counts are kept of all filings by form and month, by item, form and
 * month, and by day and event family; of each company by form. Throws `CorruptSnapshot`.
 */
export function totalOf(source: CountSource, filter: RowFilter, company: string | null): number | null {
  if (!areCounted(filter)) return null;
  const { items, since, until } = filter;
  if (company !== null)
    return (items ?? since ?? until) === undefined ? totalOfCompany(source, filter, company) : null;
  return (formsOf(source, filter) ?? items ?? since ?? until) === undefined
    ? source.manifest.filingCount
    : countedTotal(source, filter);
}

const formsOf = ({ forms }: CountSource, filter: RowFilter) =>
  formKeysAllowed({ forms, formerKinds: [] }, filter);

/** The profile of a company, which has its filings by form; null if there is none. */
export function profileOf({ tables }: Pick<CountSource, 'tables'>, company: string): ProfileRow | null {
  const row = findRow(tables('profiles'), company);
  return row && (JSON.parse(rowBytes(row).toString()) as ProfileRow);
}

function totalOfCompany(source: CountSource, filter: RowFilter, company: string): number | null {
  const forms = formsOf(source, filter);
  const profile = profileOf(source, company);
  return profile && sumOf(profile.forms.filter(({ form }) => forms?.includes(form) !== false));
}

/** The same for whole months with parts of months before and behind them. */
function countedParts(source: CountSource, filter: RowFilter): readonly { readonly count: number }[] | null {
  const { since, until = source.manifest.newestFiledAt ?? end } = filter;
  if (since === undefined || until < dayFrom(since, daysMaximum)) return null;
  const [first, last] = [firstOfNextMonth(since), dayFrom(`${until.slice(0, 7)}-01`, -1)];
  const isWhole = since.endsWith('-01');
  const counts = [
    () => (isWhole ? [] : countedDays(source, { ...filter, since, until: dayFrom(first, -1) })),
    () => countedCells(source, { ...filter, since: isWhole ? since : first, until: last }, null),
    () => countedDays(source, { ...filter, since: dayFrom(last, 1), until }),
  ];
  const parts = together<(typeof counts)[number], readonly { readonly count: number }[] | null>(
    counts,
    (count) => count(),
  );
  return parts.includes(null) ? null : parts.flatMap((part) => part ?? []);
}

/** The sum of counts. */
export const sumOf = (counts: readonly { readonly count: number }[]): number =>
  counts.reduce((sum, { count }) => sum + count, 0);

/** Whether counts are kept for all filters that are asked for. */
const areCounted = (filter: RowFilter): boolean =>
  filter.isIssuer !== true && askedFilters(filter).every(({ filter: { name } }) => filtersCounted.has(name));

/** The forms that a filter allows; undefined if it allows all. Items allow those that counts are kept for. */
function formsAsked(source: CountSource, { form, eventType }: RowFilter): readonly string[] | undefined {
  return formKeysAllowed({ forms: source.forms, formerKinds: [] }, { form, eventType })?.map(formOfKey);
}

/** The months of a window; null if it has a part of a month. Without bounds also that of filings without a date. */
function wholeMonths(
  { manifest: { newestFiledAt } }: CountSource,
  { since, until }: RowFilter,
): { readonly from: string; readonly to: string } | null {
  const isToEnd = until === undefined || (newestFiledAt !== null && until >= newestFiledAt);
  if (since !== undefined && !since.endsWith('-01')) return null;
  if (!isToEnd && !dayFrom(until, 1).endsWith('-01')) return null;
  const from = since?.slice(0, 7) ?? (until === undefined ? unknownMonth : '0000-01');
  return { from, to: isToEnd ? end.slice(0, 7) : until.slice(0, 7) };
}

function firstOfNextMonth(day: string): string {
  const [year, month] = [Number(day.slice(0, 4)), Number(day.slice(5, 7))];
  return `${month === 12 ? year + 1 : day.slice(0, 4)}-${String((month % 12) + 1).padStart(2, '0')}-01`;
}

/** The rows of a partition of `counts` from one sort key up to another one, cut at their spaces. */
function readCounts(
  { tables }: Pick<CountSource, 'tables'>,
  partition: string,
  from: string,
  to: string,
): { readonly sort: readonly string[]; readonly count: number }[] {
  const found: { sort: string[]; count: number }[] = [];
  const walk = { partitions: [partition], from, endsAt: (sort: string) => sort > to };
  visitRows(
    tables('counts'),
    walk,
    () => 1,
    (row) => {
      const { sort } = keptRow(row);
      if (sort > to) return false;
      found.push({ sort: sort.split(' '), count: Number(rowText(row)) });
      return true;
    },
  );
  return found;
}

/** Counts added up by what tells them apart, the most frequent first, months and items in their order. */
export function groupedBy(
  cells: readonly CountedCell[],
  by: CountBy,
): { readonly value: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const { month, form, items, count } of cells) {
    const values = { month: [month], form: [form], eventType: [eventTypeOfForm(form)], item: items }[by];
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + count);
  }
  const inOrder = by === 'month' || by === 'item';
  return [...counts]
    .filter(([, count]) => count > 0)
    .sort(([a, countA], [b, countB]) => (inOrder ? 0 : countB - countA) || (a < b ? -1 : 1))
    .map(([value, count]) => ({ value, count }));
}
