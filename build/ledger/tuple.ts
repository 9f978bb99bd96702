import type { LedgerFiling } from './ledger-rows.ts';

/** A filing as a text that is shorter than its JSON, for a row that was checked. */
export function tupleOf(row: LedgerFiling): string {
  return JSON.stringify([
    row.accessionNo,
    row.form,
    row.filedAt,
    row.reportDate,
    row.acceptedAt,
    row.items,
    row.primaryDocument,
    row.primaryDocDescription,
    row.sizeBytes,
    row.isXbrl,
    row.isInlineXbrl,
    row.subjectCik,
    row.filerCiks,
    row.roles,
  ] satisfies Tuple);
}

/** Reads what `tupleOf` wrote. */
export function filingOfTuple(text: string): LedgerFiling {
  const [
    accession,
    form,
    filedAt,
    reportDate,
    acceptedAt,
    items,
    primaryDocument,
    primaryDocDescription,
    sizeBytes,
    isXbrl,
    isInlineXbrl,
    subjectCik,
    filerCiks,
    roles,
  ] = JSON.parse(text) as Tuple;
  return {
    accessionNo: accession,
    form,
    filedAt,
    reportDate,
    acceptedAt,
    items,
    primaryDocument,
    primaryDocDescription,
    sizeBytes,
    isXbrl,
    isInlineXbrl,
    subjectCik,
    filerCiks,
    ...(roles ? { roles } : {}),
  };
}

type Tuple = readonly [
  accessionNo: string,
  form: string,
  filedAt: string,
  reportDate: string | null,
  acceptedAt: string | null,
  items: readonly string[],
  primaryDocument: string | null,
  primaryDocDescription: string | null,
  sizeBytes: number | null,
  isXbrl: boolean,
  isInlineXbrl: boolean,
  subjectCik: string | null,
  filerCiks: readonly string[],
  /** Null, where JSON has no undefined. */
  roles: readonly string[] | null | undefined,
];
