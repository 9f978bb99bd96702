import { fieldsOfFiling, filingOfFields, type LedgerFiling } from './ledger-rows.ts';

/** Stands between the fields. Filings with other texts than these, which are rare, are written as JSON. */
const separator = '\t';
const usual = /^[ -~]+$/;

/** A filing as a text on one line that is shorter than its JSON, for a row that was checked. */
export function tupleOf(row: LedgerFiling): string {
  const texts = [row.primaryDocument, row.primaryDocDescription];
  const isUsual = texts.every((text) => text === null || usual.test(text));
  return isUsual ? fieldsOfFiling(row).join(separator) : JSON.stringify(row);
}

/** Reads what `tupleOf` wrote. */
export const filingOfTuple = (text: string): LedgerFiling =>
  text.startsWith('{') ? (JSON.parse(text) as LedgerFiling) : filingOfFields(text.split(separator));
