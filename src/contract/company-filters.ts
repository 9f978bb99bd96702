import * as z from 'zod';
import type { CompanyProfile } from './records.ts';

/** The filters of the list of companies. */
export const companyFilterNames = ['sic', 'state', 'exchange', 'listed'] as const;
/** A filter of the list of companies. */
export type CompanyFilterName = (typeof companyFilterNames)[number];

/** The values by which filters of the list of companies find a company, folded; null where it has none. */
export const FilteredCompany = z.object({
  sic: z.string().nullable(),
  state: z.string().nullable(),
  exchange: z.string().nullable(),
  listed: z.enum(['true', 'false']).describe('Whether it has a ticker symbol.'),
});
export type FilteredCompany = z.infer<typeof FilteredCompany>;

/** The longest value that a filter of companies takes, in characters. */
export const companyFilterCharacters = 40;
const foldedValue = /^[A-Z0-9](?:[A-Z0-9 .&/-]*[A-Z0-9])?$/;

/** The spelling in which values of filters are compared: upper case, with single spaces. */
export function foldFilterValue(text: string): string {
  return text.trim().toUpperCase().replace(/\s+/g, ' ');
}

/** Whether a folded value is written so that a partition can be named by it. Codes of EDGAR always are. */
export function isFilterValue(folded: string): boolean {
  return folded.length <= companyFilterCharacters && foldedValue.test(folded);
}

/** The partition of the table `companies` with the companies that a value of a filter finds, by CIK. */
export function companyPartition(filter: CompanyFilterName, folded: string): string {
  return `${filter} ${folded}`;
}

/**
 * The rows of a company in the table `companies` beside the one in the order of ranks: the same row, under its
 * CIK, in the partition of each of its values. Each company is in one of the two partitions of `listed`.
 */
export function filterRowsOf({
  cik,
  ticker,
  sic,
  stateOfIncorporation,
  exchange,
}: Pick<CompanyProfile, 'cik' | 'ticker' | 'sic' | 'stateOfIncorporation' | 'exchange'>): {
  readonly keys: readonly { readonly partition: string; readonly sort: string }[];
  readonly row: FilteredCompany;
} {
  const row: FilteredCompany = {
    sic: valueOf(sic),
    state: valueOf(stateOfIncorporation),
    exchange: valueOf(exchange),
    listed: ticker === null ? 'false' : 'true',
  };
  const keys = companyFilterNames.flatMap((filter) => {
    const value = row[filter];
    return value === null ? [] : [{ partition: companyPartition(filter, value), sort: cik }];
  });
  return { keys, row };
}

function valueOf(text: string | null): string | null {
  const folded = foldFilterValue(text ?? '');
  return isFilterValue(folded) ? folded : null;
}
