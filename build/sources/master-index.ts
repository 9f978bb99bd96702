import { basename } from 'node:path';
import { normalizeForm } from '../../src/domain/event-types.ts';
import { groupBy } from '../work/groups.ts';
import { dayOfDigits, refusalReason, type RefusedRow } from './source-rows.ts';
import { clean, linesOf, textOf } from './source-text.ts';

/** One row of an index: a filing, and one of the entities under which it is listed. */
export interface IndexRow {
  readonly cik: string;
  readonly name: string;
  readonly form: string;
  readonly filedAt: string;
  readonly accessionNo: string;
}

/** A `master` index. */
export interface MasterIndex {
  /** The last day whose filings it lists, `YYYY-MM-DD`. */
  readonly through: string;
  readonly rows: IndexRow[];
  readonly refused: RefusedRow[];
}

/** A filing of an index. */
export interface IndexFiling extends Pick<IndexRow, 'accessionNo' | 'form' | 'filedAt'> {
  /** Each form under which the index lists it, `form` first; nearly always one. */
  readonly forms: readonly string[];
  /** Each entity once, in the order of the index. An index does not tell the roles. */
  readonly entities: readonly { readonly cik: string; readonly name: string }[];
}

/** Returns the quarter of a day (`YYYY-MM-DD`), as EDGAR names its folder: `2026/QTR1`. */
export function quarterOf(day: string): string {
  return `${day.slice(0, 4)}/QTR${Math.ceil(Number(day.slice(5, 7)) / 3)}`;
}

/**
 * Returns the path of a day's index (`YYYY-MM-DD`) below `/Archives/edgar/`. It appears at about 22:00
 * Eastern time. Before that, and for days without filings, upstream answers 403. EDGAR changed the names
 * twice: `master.070194.idx` until 1994, `master.980330.idx` until 30 March 1998, `master.19980331.idx` since.
 */
export function dailyIndexFile(day: string): string {
  const [year = '', month = '', date = ''] = day.split('-');
  const digits =
    day < '1995'
      ? `${month}${date}${year.slice(2)}`
      : `${day < '1998-03-31' ? year.slice(2) : year}${month}${date}`;
  return `daily-index/${quarterOf(day)}/master.${digits}.idx`;
}

/**
 * Returns the path of a quarter's index (`2026/QTR1`). EDGAR makes it again every Saturday, without withdrawn
 * filings.
 */
export function quarterlyIndexFile(quarter: string): string {
  return `full-index/${quarter}/master.idx`;
}

/** The index of a quarter has 300,000 lines. */
const linesMaximum = 2_000_000;

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * Parses a `master` index of a day (dates `20251212`) or of a quarter (`2025-12-12`). A row that cannot be
 * understood is refused. Throws an `Error` that tells the reason if the file is not such an index, is cut off
 * within a row (a last row without the end of its line), lists nothing, or belongs to another day or quarter than its name says. An index that is cut
 * off between two rows looks complete: the format has neither a count nor an end.
 */
export function parseMasterIndex(body: Buffer, file: string): MasterIndex {
  const text = textOf(body, 'latin1');
  const begin = /^CIK\|Company Name\|Form Type\|Date Filed\|File ?name\s*\n-{20,}[^\S\n]*\n/im.exec(text);
  if (!begin) throw new Error('it is not a master index');
  const through = readThrough(text.slice(0, begin.index));
  const mismatch = whyOtherFile(through, file);
  if (mismatch !== null) throw new Error(mismatch);
  const index: MasterIndex = { through, rows: [], refused: [] };
  const lines = linesOf(text.slice(begin.index + begin[0].length), linesMaximum);
  for (const [at, each] of lines.entries()) {
    const line = each.trim();
    if (line === '') continue;
    const row = readRow(line, through);
    if (!('reason' in row)) index.rows.push(row);
    else if (at === lines.length - 1)
      throw new Error(`it is cut off: it ends with ${JSON.stringify(line.slice(0, 100))}`);
    else index.refused.push(row);
  }
  if (index.rows.length === 0) throw new Error('it lists no filing');
  return index;
}

/**
 * Groups rows into filings, in the order of the index. If an accession number has two forms or dates, `form`
 * and `filedAt` are those of the first row.
 */
export function filingsOfIndex(rows: Iterable<IndexRow>): IndexFiling[] {
  return [...groupBy(rows, ({ accessionNo }) => accessionNo).values()].map((group) => {
    const { accessionNo, form, filedAt } = group[0] as IndexRow;
    const names = new Map(group.toReversed().map(({ cik, name }) => [cik, name]));
    return {
      accessionNo,
      form,
      forms: [...new Set(group.map((row) => row.form))],
      filedAt,
      entities: [...new Set(group.map(({ cik }) => cik))].map((cik) => ({ cik, name: names.get(cik) ?? '' })),
    };
  });
}

/**
 * Returns the accession numbers that an index listed when it was fetched before and does not list now. A
 * daily index is never made again, so one that lost some is not complete. From a quarterly index, filings
 * were withdrawn.
 */
export function goneFromIndex(before: Iterable<IndexRow>, now: Iterable<IndexRow>): string[] {
  const listed = new Set([...now].map(({ accessionNo }) => accessionNo));
  return [...new Set([...before].map(({ accessionNo }) => accessionNo))]
    .filter((accessionNo) => !listed.has(accessionNo))
    .sort();
}

/** Reads the day in `Last Data Received: Jan 3, 2020`; the month may also be written in full. */
function readThrough(head: string): string {
  const [, month = '', date = '', year = ''] =
    /^Last Data Received:\s*([a-z]{3})[a-z]*\.?\s+(\d{1,2}),\s*(\d{4})/im.exec(head) ?? [];
  const number = months.indexOf(month.toLowerCase()) + 1;
  const day = dayOfDigits(`${year}${String(number).padStart(2, '0')}${date.padStart(2, '0')}`);
  if (day === null) throw new Error('it does not say through which day it goes');
  return day;
}

function whyOtherFile(through: string, file: string): string | null {
  const isOwn = /master\.\d+\./.test(file)
    ? basename(file) === basename(dailyIndexFile(through))
    : !/QTR\d/.test(file) || file.includes(quarterOf(through));
  return isOwn ? null : `it goes through ${through}`;
}

/** A name may contain the separator: it is everything between the first field and the last three. */
function readRow(line: string, through: string): IndexRow | RefusedRow {
  const fields = line.split('|');
  const [form = '', date = '', path = ''] = fields.slice(-3);
  const [, folder = '', accessionNo = ''] =
    /^edgar\/data\/(\d{1,10})\/(\d{10}-\d{2}-\d{6})\.txt$/.exec(path.trim()) ?? [];
  const cik = (fields[0] ?? '').trim();
  const row = {
    cik: cik.padStart(10, '0'),
    name: clean(fields.slice(1, -3).join('|')),
    form: normalizeForm(form),
    filedAt: dayOfDigits(date.trim()) ?? date.trim(),
    accessionNo,
  };
  const refuse = (reason: string): RefusedRow => ({ accessionNo, reason });
  if (fields.length < 5)
    return refuse(`it has ${fields.length} fields: ${JSON.stringify(line.slice(0, 100))}`);
  if (accessionNo === '') return refuse(`file name ${JSON.stringify(path.slice(0, 100))}`);
  const reason = refusalReason(accessionNo, row.form, row.filedAt, through);
  if (reason !== null) return refuse(reason);
  if (!/^\d{1,10}$/.test(cik) || Number(cik) === 0 || Number(cik) !== Number(folder))
    return refuse(
      `CIK ${JSON.stringify(cik.slice(0, 40))} and file name ${JSON.stringify(path.slice(0, 100))}`,
    );
  return row.name === '' ? refuse('it has no name') : row;
}
