import type { ReconciledDay } from '../../src/contract/reconciled-days.ts';
import { dayFrom } from '../../src/time/units.ts';
import { filingsOfIndex, quarterOf, type IndexFiling, type IndexRow } from '../sources/master-index.ts';
import { isFilingDay } from '../../src/time/calendar.ts';
import type { Upstream } from '../ingest/upstream.ts';
import { checkWhole } from './withdrawn.ts';

/** What the rebuilt index of a quarter lists for one of its days. */
export interface CorrectedDay {
  readonly before: ReconciledDay;
  readonly filings: readonly IndexFiling[];
  /** Accession numbers of the filings that the daily index lists. */
  readonly inDaily: ReadonlySet<string>;
  /** Rows of the daily index that the index of the quarter no longer has. */
  readonly gone: readonly IndexRow[];
}

/** The days of a quarter by its rebuilt index. */
export interface CorrectedQuarter {
  readonly days: readonly CorrectedDay[];
  /** Days that could not be compared, with the reason. They stay due. */
  readonly failed: readonly { readonly day: string; readonly reason: string }[];
}

/**
 * Reads the rebuilt index of a quarter and returns what it lists for each day that is due. A filing belongs
 * to the day whose daily index lists it, or else to the day on which it was filed. A daily index that is not
 * in the cache is fetched again. `results` are the results of all days. Rejects if the quarterly index cannot
 * be fetched or is incomplete.
 */
export async function readQuarter(
  upstream: Pick<Upstream, 'dailyIndex' | 'dailyRows' | 'quarterlyIndex'>,
  quarter: string,
  due: readonly ReconciledDay[],
  results: readonly ReconciledDay[],
): Promise<CorrectedQuarter> {
  const index = await upstream.quarterlyIndex(quarter);
  if (index.kind === 'lost') throw new Error(index.reason);
  const { rows, through } = index.parsed;
  const listed = new Set(rows.map(({ accessionNo }) => accessionNo));
  const failed: { day: string; reason: string }[] = [];
  /** The day of each filing, by accession number, and the days that are compared. */
  const dayOf = new Map<string, string>();
  const compared = new Map<string, { before: ReconciledDay; inDaily: Set<string>; gone: IndexRow[] }>();
  let [rowsOfDays, goneRows] = [0, 0];
  const isDue = new Set(due.map(({ day }) => day));
  for (const before of results) {
    const { day } = before;
    if (quarterOf(day) !== quarter) continue;
    if (day > through) {
      if (isDue.has(day))
        failed.push({ day, reason: `the index of ${quarter} goes only through ${through}` });
      continue;
    }
    const daily = await rowsOfDay(upstream, before, isDue.has(day));
    if (!daily.isKnown) {
      failed.push({ day, reason: daily.reason });
      continue;
    }
    for (const { accessionNo } of daily.rows) if (!dayOf.has(accessionNo)) dayOf.set(accessionNo, day);
    if (!isDue.has(day)) continue;
    // A filing of another quarter may be in the index of that quarter.
    const gone = daily.rows.filter(
      ({ accessionNo, filedAt }) => !listed.has(accessionNo) && quarterOf(filedAt) === quarter,
    );
    rowsOfDays += daily.rows.length;
    goneRows += gone.length;
    compared.set(day, { before, gone, inDaily: new Set(daily.rows.map(({ accessionNo }) => accessionNo)) });
  }
  checkWhole(goneRows, rowsOfDays);
  const rowsByDay = new Map<string, IndexRow[]>([...compared.keys()].map((day) => [day, []]));
  for (const row of rows)
    rowsByDay.get(dayOf.get(row.accessionNo) ?? filingDayIn(quarter, row.filedAt))?.push(row);
  return {
    days: [...compared].map(([day, each]) => ({
      ...each,
      filings: filingsOfIndex(rowsByDay.get(day) as IndexRow[]),
    })),
    failed,
  };
}

type KnownRows =
  | { readonly isKnown: true; readonly rows: readonly IndexRow[] }
  | { readonly isKnown: false; readonly reason: string };

/** Returns the rows of a daily index, from the cache or, if they are needed, fetched again. */
async function rowsOfDay(
  upstream: Pick<Upstream, 'dailyIndex' | 'dailyRows'>,
  { day, indexed }: ReconciledDay,
  isNeeded: boolean,
): Promise<KnownRows> {
  if (indexed === 0) return { isKnown: true, rows: [] };
  const cached = await upstream.dailyRows(day);
  if (cached !== null) return { isKnown: true, rows: cached };
  if (!isNeeded) return { isKnown: true, rows: [] };
  const { now } = await upstream.dailyIndex(day);
  return now.kind === 'ok'
    ? { isKnown: true, rows: now.parsed.rows }
    : { isKnown: false, reason: now.reason };
}

/** Returns the first business day of a quarter from a day on; the last one before it if it is followed by none. */
function filingDayIn(quarter: string, day: string): string {
  const next = filingDayFrom(day, 1);
  return quarterOf(next) === quarter ? next : filingDayFrom(day, -1);
}

/** Returns the nearest business day from a day on, forwards (1) or backwards (-1). */
function filingDayFrom(day: string, step: 1 | -1): string {
  return isFilingDay(day) ? day : filingDayFrom(dayFrom(day, step), step);
}
