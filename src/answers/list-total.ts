import { askedFilters, formKeysAllowed } from '../contract/filing-filters.ts';
import type { ProfileRow } from '../format/profile-rows.ts';
import { countPartitions } from '../format/snapshot.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { keptRow, visitRows } from '../table/merged-walk.ts';
import { findRow } from '../table/merge.ts';
import { rowBytes, rowText } from '../table/table.ts';
import { dayFrom } from '../time/units.ts';
import type { RowFilter } from './row-filter.ts';

/** What totals are read from. */
type TotalSource = Pick<Snapshot, 'tables' | 'forms' | 'formCounts'> & {
  readonly manifest: Pick<Snapshot['manifest'], 'filingCount' | 'newestFiledAt'>;
};

/** Counts of more days than this are not added up for a request. */
const daysMaximum = 31;

/**
 * How many filings match a filter, where counts that the build made tell it; else null. `company` is the CIK of the
 * company that the list is of, or null for all. Counts are kept by form, of all filings and of each company, and by day
 * and event family. Throws `CorruptSnapshot`.
 */
export async function totalOf(
  source: TotalSource,
  filter: RowFilter,
  company: string | null,
): Promise<number | null> {
  const hasOwn = askedFilters(filter).some(({ filter: { ofForm } }) => ofForm === undefined);
  if (hasOwn || filter.isIssuer === true) return null;
  if (filter.since !== undefined || filter.until !== undefined)
    return company === null ? totalOfDays(source, filter) : null;
  const forms = formKeysAllowed({ forms: source.forms, formerKinds: [] }, filter);
  if (company === null)
    return forms === undefined
      ? source.manifest.filingCount
      : sumOf(forms.map((form) => source.formCounts.get(form) ?? 0));
  const profile = await findRow(source.tables('profiles'), company);
  if (profile === null) return null;
  const counts = (JSON.parse(rowBytes(profile).toString()) as ProfileRow).forms;
  return sumOf(
    counts.filter(({ form }) => forms === undefined || forms.includes(form)).map(({ count }) => count),
  );
}

/** How many filings of some days there are, of all families or of one; null for other filters and for many days. */
async function totalOfDays({ tables, manifest }: TotalSource, filter: RowFilter): Promise<number | null> {
  const { since, until = manifest.newestFiledAt ?? since } = filter;
  const byFamily = askedFilters(filter).every(({ filter: { name } }) => name === 'eventType');
  if (since === undefined || until === undefined || !byFamily) return null;
  if (until >= dayFrom(since, daysMaximum)) return null;
  let total = 0;
  const walk = {
    partitions: [countPartitions.days],
    from: since,
    endsAt: (sort: string) => sort.slice(0, until.length) > until,
  };
  await visitRows(
    tables('counts'),
    walk,
    () => 1,
    (row) => {
      const { sort } = keptRow(row);
      if (walk.endsAt(sort)) return false;
      const family = sort.slice(sort.indexOf(' ') + 1);
      if (filter.eventType?.includes(family) !== false) total += Number(rowText(row));
      return true;
    },
  );
  return total;
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
