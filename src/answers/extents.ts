import { rowExtent } from '../table/line.ts';
import type { TableRow } from '../table/table.ts';
import type { Extent } from './body.ts';

const filedAtNeedle = Buffer.from('"filedAt":"');
const filingNeedle = Buffer.from('"filing":');
const companyNeedle = Buffer.from(',"cik":"');
const formsNeedle = Buffer.from(',"forms":');
const tickersNeedle = Buffer.from(',"tickers":');
const summaryNeedle = Buffer.from(',"summary":');
const sequenceStart = '{"sequence":'.length;
const quote = 0x22;

/** The bytes of a row. */
export function extentOf({ chunk, line }: TableRow): Extent {
  const { from, to } = rowExtent(chunk, line);
  return { bytes: chunk.bytes, from, to };
}

/** The bytes of the filing in a change. The filing is the last member of the change. */
export function filingExtentOf(row: TableRow): Extent {
  const { bytes, from, to } = extentOf(row);
  return { bytes, from: bytes.indexOf(filingNeedle, from) + filingNeedle.length, to: to - 1 };
}

/**
 * The bytes of the event in a change, without its closing brace. The members of an event are the first
 * members of the filing.
 */
export function eventExtentOf(row: TableRow): Extent {
  const { bytes, from } = filingExtentOf(row);
  return { bytes, from, to: bytes.indexOf(companyNeedle, from) };
}

/** The sequence of the change that has the filing of a summary. */
export function sequenceOfSummary(row: TableRow): number {
  const { bytes, from } = extentOf(row);
  return Number(bytes.toString('latin1', from + sequenceStart, bytes.indexOf(summaryNeedle, from)));
}

/**
 * The bytes of a summary: those of the filing in its change, and what the row of the summary adds. A comma joins
 * the two parts to one object.
 */
export function summaryExtentsOf(change: TableRow, row: TableRow): [Extent, Extent] {
  const filing = filingExtentOf(change);
  const { bytes, from, to } = extentOf(row);
  return [
    { ...filing, to: filing.to - 1 },
    { bytes, from: bytes.indexOf(summaryNeedle, from) + 1, to },
  ];
}

/**
 * The bytes of a company in a profile, without its counts and filings: two parts, which a comma joins to one
 * object.
 */
export function companyExtentsOf(row: TableRow): [Extent, Extent] {
  const { bytes, from, to } = extentOf(row);
  const cutFrom = bytes.indexOf(formsNeedle, from);
  const goesOn = bytes.indexOf(tickersNeedle, cutFrom) + 1;
  return [
    { bytes, from, to: cutFrom },
    { bytes, from: goesOn, to },
  ];
}

/**
 * The text behind a needle in a row, up to the next `until` byte; empty if the row does not have the needle.
 * Needles contain a quote, so they never match inside a JSON string, where quotes are escaped.
 */
export function textBehind({ bytes, from, to }: Extent, needle: Buffer, until = quote): string {
  const at = bytes.indexOf(needle, from);
  if (at === -1 || at >= to) return '';
  const start = at + needle.length;
  return bytes.toString('latin1', start, bytes.indexOf(until, start));
}

/** The filing date of a change. */
export function filedAtOf(row: TableRow): string {
  return textBehind(extentOf(row), filedAtNeedle);
}

/** The greatest filing date of changes; null if there are none. */
export function newestFiledAt(rows: readonly TableRow[]): string | null {
  let newest = '';
  // Starts at the end, where the newest dates usually are. Rows whose block has no newer date are skipped.
  for (let at = rows.length - 1; at >= 0; at--) {
    const row = rows[at] as TableRow;
    if (row.chunk.filedTo !== undefined && row.chunk.filedTo <= newest) continue;
    const filedAt = filedAtOf(row);
    if (filedAt > newest) newest = filedAt;
  }
  return newest || null;
}
