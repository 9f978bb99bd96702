import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { arrivalKey } from '../../build/ledger/observation.ts';
import { readFilings } from '../../build/ledger/read.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { createRandom } from '../support/generate.ts';
import { headsOf } from '../support/heads.ts';

/** One submissions file as it comes from upstream: the main one of an entity, or a further page. */
export interface SubmissionsBody {
  readonly cik: string;
  readonly kind: 'main' | 'page';
  readonly name: string;
  readonly body: Buffer;
}

const rowsMinimum = 1000;
const rowsMaximum = 4000;

/**
 * Submissions files made of the filings of a ledger: a main file and pages in turn, half of them with UTC
 * clocks.
 */
export async function bodiesOfLedger(directory: string): Promise<SubmissionsBody[]> {
  const filings: LedgerFiling[] = [];
  for (const { head } of await headsOf(directory))
    for await (const { rows } of readFilings(directory, head)) filings.push(...rows);
  // As upstream has them: by time, and not by accession number.
  filings.sort((a, b) => (arrivalKey(a) < arrivalKey(b) ? -1 : 1));
  const random = createRandom(11);
  const bodies: SubmissionsBody[] = [];
  for (let from = 0; from < filings.length; ) {
    const to = from + rowsMinimum + Math.floor(random() * (rowsMaximum - rowsMinimum));
    const number = bodies.length;
    const cik = String(320_000 + Math.floor(number / 2)).padStart(10, '0');
    const columns = toColumns(filings.slice(from, to), number % 4 < 2 ? 0 : 4);
    const isMain = number % 2 === 0;
    const content = isMain ? mainFile(cik, columns) : columns;
    bodies.push({
      cik,
      kind: isMain ? 'main' : 'page',
      name: isMain ? `CIK${cik}.json` : `CIK${cik}-submissions-001.json`,
      body: Buffer.from(JSON.stringify(content)),
    });
    from = to;
  }
  return bodies;
}

/** Recorded submissions files below a directory. */
export function recordedBodies(directory: string): SubmissionsBody[] {
  const shape = /^CIK(\d{10})(-submissions-\d{3})?\.json$/;
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((path) => ({ path, match: shape.exec(basename(path)) }))
    .filter(({ path, match }) => match && path.includes('submissions/'))
    .map(({ path, match }) => ({
      cik: match?.[1] ?? '',
      kind: match?.[2] === undefined ? ('main' as const) : ('page' as const),
      name: basename(path),
      body: readFileSync(join(directory, path)),
    }));
}

function mainFile(cik: string, recent: unknown) {
  return {
    cik,
    entityType: 'operating',
    sic: '3571',
    name: `Made Up ${Number(cik)} Inc.`,
    tickers: ['MADE'],
    exchanges: ['Nasdaq'],
    category: 'Large accelerated filer',
    insiderTransactionForOwnerExists: 0,
    insiderTransactionForIssuerExists: 1,
    formerNames: [{ name: 'OLD NAME INC', from: '2001-01-01T00:00:00.000Z', to: '2007-01-04T00:00:00.000Z' }],
    filings: {
      recent,
      files: [
        {
          name: `CIK${cik}-submissions-001.json`,
          filingCount: 2000,
          filingFrom: '1994-01-26',
          filingTo: '2014-04-25',
        },
      ],
    },
  };
}

/** The columns that upstream gives, among them those that nobody needs. */
function toColumns(filings: readonly LedgerFiling[], hoursAhead: number) {
  const column = <Value>(value: (filing: LedgerFiling, row: number) => Value) => filings.map(value);
  return {
    accessionNumber: column(({ accessionNo }) => accessionNo),
    filingDate: column(({ filedAt }) => filedAt),
    reportDate: column(({ reportDate }) => reportDate ?? ''),
    acceptanceDateTime: column(({ filedAt }, row) => acceptedAt(filedAt, row, hoursAhead)),
    act: column(({ subjectCik }) => (subjectCik === null ? '34' : '')),
    form: column(({ form }) => form),
    fileNumber: column(({ subjectCik }) => (subjectCik === null ? '001-36743' : '')),
    filmNumber: column((_, row) => String(25_000_000 + row)),
    items: column(({ items }) => items.join(',')),
    core_type: column(({ form, isXbrl }) => (isXbrl ? 'XBRL' : form)),
    size: column(({ sizeBytes }) => sizeBytes),
    isXBRL: column(({ isXbrl }) => Number(isXbrl)),
    isInlineXBRL: column(({ isInlineXbrl }) => Number(isInlineXbrl)),
    primaryDocument: column(({ primaryDocument }) => primaryDocument ?? ''),
    primaryDocDescription: column(({ primaryDocDescription }) => primaryDocDescription ?? ''),
  };
}

/**
 * A time of the working day in Eastern time, written so many hours ahead: which clock a file has can be told
 * from it.
 */
function acceptedAt(filedAt: string, row: number, hoursAhead: number): string {
  const minutes = 6 * 60 + ((row * 7) % (11 * 60)) + hoursAhead * 60;
  const two = (value: number) => String(value).padStart(2, '0');
  return `${filedAt}T${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(row % 60)}.000Z`;
}
