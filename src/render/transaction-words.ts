import type { AppliedTransactionFilters, InsiderTransaction } from '../contract/insider-transactions.ts';
import { said, withFilters } from './words.ts';

/** What the filters of insider transactions are called. */
const words = {
  tickers: 'issuer',
  owner: 'owner',
  code: 'code',
  direction: 'direction',
  relationship: 'an owner who is',
  isDerivative: 'isDerivative',
  isPlanned: 'isPlanned',
  minValue: 'value of at least',
} as const;

/** The filters of insider transactions in words. */
export function transactionsNarrowed(filters: AppliedTransactionFilters): string {
  const names = Object.keys(words) as (keyof typeof words)[];
  return withFilters(
    names.flatMap((name) => said(words[name], filters[name])),
    filters,
  );
}

type FilingRows = [InsiderTransaction, ...InsiderTransaction[]];

/** The transactions of each filing, which follow each other. */
export function byFiling(rows: readonly InsiderTransaction[]): FilingRows[] {
  const groups: FilingRows[] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    if (last && last[0].accessionNo === row.accessionNo) last.push(row);
    else groups.push([row]);
  }
  return groups;
}
