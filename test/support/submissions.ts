/** One row of a submissions file as upstream writes it: the empty text is its null. */
export interface UpstreamRow {
  accessionNumber: string;
  filingDate: string;
  reportDate: string;
  acceptanceDateTime: string;
  act: string;
  form: string;
  fileNumber: string;
  filmNumber: string;
  items: string;
  core_type: string;
  size: number;
  isXBRL: number;
  isInlineXBRL: number;
  primaryDocument: string;
  primaryDocDescription: string;
}

/** An 8-K of an invented company; `number` makes the accession number and, modulo 28, the day. */
export function upstreamRow(number: number, members: Partial<UpstreamRow> = {}): UpstreamRow {
  const filingDate = members.filingDate ?? `2026-03-${String((number % 28) + 1).padStart(2, '0')}`;
  return {
    accessionNumber: accessionOf(number),
    filingDate,
    reportDate: filingDate,
    acceptanceDateTime: utcAcceptance(filingDate),
    act: '34',
    form: '8-K',
    fileNumber: '001-00001',
    filmNumber: '26000001',
    items: '8.01',
    core_type: '8-K',
    size: 1000 + number,
    isXBRL: 1,
    isInlineXBRL: 1,
    primaryDocument: `d${number}.htm`,
    primaryDocDescription: '8-K',
    ...members,
  };
}

/** The accession number that `upstreamRow` gives. */
export function accessionOf(number: number): string {
  return `0000000001-26-${String(number).padStart(6, '0')}`;
}

/**
 * An acceptance time that can only be UTC: read as Eastern it is past the cutoff, and the filing would have
 * the next day.
 */
export const utcAcceptance = (day: string) => `${day}T21:00:00.000Z`;

/** One that can only be the Eastern wall clock: read as UTC, EDGAR is closed. */
export const easternAcceptanceOf = (day: string) => `${day}T06:30:00.000Z`;

/** Columns of rows. */
export function columnsOf(rows: readonly Partial<UpstreamRow>[]): Record<string, unknown[]> {
  const names = Object.keys(upstreamRow(0)) as (keyof UpstreamRow)[];
  return Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])]));
}

/** The main submissions file of an entity. */
export function submissionsOf(
  cik: string,
  rows: readonly Partial<UpstreamRow>[],
  members: Readonly<Record<string, unknown>> = {},
  files: readonly unknown[] = [],
): Record<string, unknown> {
  return {
    cik,
    entityType: 'operating',
    sic: '1000',
    name: `Company ${Number(cik)}`,
    insiderTransactionForOwnerExists: 0,
    insiderTransactionForIssuerExists: 1,
    tickers: [`T${Number(cik)}`],
    exchanges: ['NYSE'],
    category: 'Non-accelerated filer<br>Smaller reporting company',
    formerNames: [],
    ...members,
    filings: { recent: columnsOf(rows), files },
  };
}

/** How the main file names an extra page. */
export function extraPage(
  cik: string,
  number: number,
  rows: readonly Partial<UpstreamRow>[],
): { name: string; filingCount: number; filingFrom: string; filingTo: string } {
  const days = rows.map(({ filingDate = '' }) => filingDate).sort();
  return {
    name: `CIK${cik}-submissions-${String(number).padStart(3, '0')}.json`,
    filingCount: rows.length,
    filingFrom: days[0] ?? '',
    filingTo: days.at(-1) ?? '',
  };
}
