import type { AppliedTransactionFilters, InsiderTransaction } from '../contract/insider-transactions.ts';
import { datesText } from './words.ts';

/** The filters of insider transactions in words. */
export function transactionsNarrowed(filters: AppliedTransactionFilters): string {
  const { tickers, owner, code, direction, relationship, isDerivative, isPlanned, minValue } = filters;
  const said = [
    tickers !== null && `issuer ${tickers.replaceAll(',', ' or ')}`,
    owner !== null && `owner ${owner}`,
    code !== null && `code ${code.replaceAll(',', ' or ')}`,
    direction !== null && `direction ${direction}`,
    relationship !== null && `an owner who is ${relationship}`,
    isDerivative !== null && `isDerivative ${isDerivative}`,
    isPlanned !== null && `isPlanned ${isPlanned}`,
    minValue !== null && `value of at least ${minValue}`,
  ].filter((each) => each !== false);
  return `${said.length > 0 ? ` with ${said.join(' and ')}` : ''}${datesText(filters)}`;
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
