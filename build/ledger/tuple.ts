import type { LedgerFiling } from './ledger-rows.ts';

/** Stands between the values. Filings with other texts than these, which are rare, are written as JSON. */
const separator = '\t';
const usual = /^[ -~]+$/;

/**
 * A filing as a text on one line that is shorter than its JSON and is read in a third of the time, for a row that
 * was checked. Null is the empty text.
 */
export function tupleOf(row: LedgerFiling): string {
  const { primaryDocument, primaryDocDescription } = row;
  const isUsual =
    (primaryDocument === null || usual.test(primaryDocument)) &&
    (primaryDocDescription === null || usual.test(primaryDocDescription));
  if (!isUsual) return JSON.stringify(row);
  return `${row.accessionNo}\t${row.form}\t${row.filedAt}\t${row.reportDate ?? ''}\t${row.acceptedAt ?? ''}\t${row.items.join(' ')}\t${primaryDocument ?? ''}\t${primaryDocDescription ?? ''}\t${row.sizeBytes ?? ''}\t${row.isXbrl ? '1' : ''}\t${row.isInlineXbrl ? '1' : ''}\t${row.subjectCik ?? ''}\t${row.filerCiks.join(' ')}\t${row.roles?.join(' ') ?? ''}`;
}

/** Reads what `tupleOf` wrote. */
export function filingOfTuple(text: string): LedgerFiling {
  if (text.startsWith('{')) return JSON.parse(text) as LedgerFiling;
  const [
    accessionNo = '',
    form = '',
    filedAt = '',
    reportDate = '',
    acceptedAt = '',
    items = '',
    primaryDocument = '',
    primaryDocDescription = '',
    sizeBytes = '',
    isXbrl,
    isInlineXbrl,
    subjectCik = '',
    filerCiks = '',
    roles = '',
  ] = text.split(separator);
  return {
    accessionNo,
    form,
    filedAt,
    reportDate: reportDate || null,
    acceptedAt: acceptedAt || null,
    items: wordsOf(items),
    primaryDocument: primaryDocument || null,
    primaryDocDescription: primaryDocDescription || null,
    sizeBytes: sizeBytes === '' ? null : Number(sizeBytes),
    isXbrl: isXbrl === '1',
    isInlineXbrl: isInlineXbrl === '1',
    subjectCik: subjectCik || null,
    filerCiks: wordsOf(filerCiks),
    ...(roles === '' ? {} : { roles: wordsOf(roles) }),
  };
}

const none: readonly string[] = [];

const wordsOf = (text: string): readonly string[] =>
  text === '' ? none : text.includes(' ') ? text.split(' ') : [text];
