import { isAccessionNo, isCalendarDate, isCik, isForm } from '../../src/domain/scalars.ts';
import { readDay } from '../../src/time/eastern.ts';
import type { LedgerFiling } from './ledger-rows.ts';

const isDate = (text: string) =>
  text.length === '2026-08-17'.length && (!Number.isNaN(readDay(text)) || isCalendarDate(text));
const [stampPattern, itemPattern] = [/^\d{14}$/, /^\d{1,2}\.\d{2}$/];

/**
 * Whether a filing of the right types surely breaks no rule of the ledger but that of length. The schema knows
 * all rules; it is asked about the few others, and about those with roles.
 */
export function isPlainFiling(row: LedgerFiling): boolean {
  return (
    isAccessionNo(row.accessionNo) &&
    isForm(row.form) &&
    isDate(row.filedAt) &&
    (row.reportDate === null || isDate(row.reportDate)) &&
    (row.acceptedAt === null || stampPattern.test(row.acceptedAt)) &&
    row.items.every((item) => itemPattern.test(item)) &&
    (row.sizeBytes === null || (Number.isSafeInteger(row.sizeBytes) && row.sizeBytes >= 0)) &&
    (row.subjectCik === null ? row.filerCiks.length > 0 : isCik(row.subjectCik)) &&
    row.filerCiks.every(isCik) &&
    row.roles === undefined
  );
}
