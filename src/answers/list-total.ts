import { formKeysAllowed } from '../contract/filing-filters.ts';
import type { ProfileRow } from '../format/profile-rows.ts';
import { findRow } from '../table/finder.ts';
import { rowBytes } from '../table/table.ts';
import { areCounted, countedTotal, sumOf, type CountSource } from './kept-counts.ts';
import type { RowFilter } from './row-filter.ts';

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

function totalOfCompany(source: CountSource, filter: RowFilter, company: string): number | null {
  const forms = formsOf(source, filter);
  const profile = findRow(source.tables('profiles'), company);
  if (profile === null) return null;
  const counts = (JSON.parse(rowBytes(profile).toString()) as ProfileRow).forms;
  return sumOf(counts.filter(({ form }) => forms === undefined || forms.includes(form)));
}
