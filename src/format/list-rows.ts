import * as z from 'zod';
import {
  asFilterValue,
  ownFilters,
  valuesOf,
  type FilteredFiling,
  type FilterValue,
} from '../contract/filing-filters.ts';
import { Filing } from '../contract/records.ts';
import { LargestValues } from '../contract/transaction-filters.ts';

/** A filing in the list of a company: the sequence of its newest observation, and what filters ask of it. */
export const ListedFiling = z.object({
  sequence: z.int().min(1),
  ...filteredShape(),
  largestValues: LargestValues.optional(),
  issuer: z.literal(true).optional().describe('The company is its issuer; left out where it is not.'),
});
export type ListedFiling = z.infer<typeof ListedFiling>;

function filteredShape(): { [Name in keyof FilteredFiling]: z.ZodType<FilteredFiling[Name]> } {
  const value = z.union([z.string(), z.array(z.string())]).nullable();
  const own = ownFilters.map(({ name, valuesOf }) => [
    name,
    valuesOf ? value : Filing.shape[name as keyof Filing],
  ]);
  return { form: Filing.shape.form, ...Object.fromEntries(own) } as ReturnType<typeof filteredShape>;
}

// What the lists of all companies tell of a filing beside its sequence, so that filters are tested without reading it.

/**
 * The note beside a filing in `latest` and `change-dates`: the key of its form, and the values of `notedFilters`. In `change-dates` the cause of a correction follows.
 */
export type KindNote = readonly [formKey: string, ...values: FilterValue[]];

/** The filters whose values notes tell, in their order. */
export const notedFilters = ownFilters.filter(({ isByPartition }) => isByPartition !== true);

/** Makes the note of a filing. */
export const kindNote = (formKey: string, filing: FilteredFiling): KindNote => [
  formKey,
  ...notedFilters.map((filter) => asFilterValue(valuesOf(filing, filter))),
];

/** The cause in a note of `change-dates`; undefined for a first entry. */
export const causeInNote = (note: KindNote): FilterValue | undefined => note[1 + notedFilters.length];

/** The row of `change-dates`: the filing date, and in partitions by cause the acceptance; either may be empty. */
export const dayAndAcceptance = z.string().regex(/^(\d{4}-\d{2}-\d{2})? (\d{14})?$/);

/** What a row of `change-dates` says. */
export const writeDayAndAcceptance = (filedAt: string | null, acceptanceDateTime: string | null): string =>
  `${filedAt ?? ''} ${acceptanceDateTime ?? ''}`;

/**
 * The partition of `latest` and `change-dates`, and the label of blocks of `company-changes`, with filings that were
 * accepted after their filing date or long before it: few are.
 */
export const oddAcceptance = 'odd acceptance';

/** A filing date is the day of acceptance, or at most so many days later: holidays and weekends lie between. */
export const acceptanceLagDays = 10;

const dayMs = 86_400_000;

/**
 * Whether the acceptance of a filing does not bound its filing date: it was accepted after that day or more than
 * `acceptanceLagDays` days before, or the day is not known.
 */
export function isAcceptedOddly({
  filedAt,
  acceptanceDateTime: stamp,
}: Pick<Filing, 'filedAt' | 'acceptanceDateTime'>): boolean {
  if (stamp === null) return false;
  if (filedAt === null) return true;
  const accepted = `${stamp.slice(0, 4)}-${stamp.slice(4, 6)}-${stamp.slice(6, 8)}`;
  if (accepted === filedAt) return false;
  const days = (Date.parse(filedAt) - Date.parse(accepted)) / dayMs;
  return !(days >= 0 && days <= acceptanceLagDays);
}
