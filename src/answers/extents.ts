import { rowExtent } from '../table/line.ts';
import type { TableRow } from '../table/table.ts';
import type { Extent } from './body.ts';

const filedAtNeedle = Buffer.from('"filedAt":"');
const filingNeedle = Buffer.from('"filing":');
const companyNeedle = Buffer.from(',"cik":"');
const quote = 0x22;

/** The bytes of a row. */
export function extentOf({ chunk, line }: TableRow): Extent {
  return { bytes: chunk.bytes, ...rowExtent(chunk, line) };
}

/** The bytes of the filing in a change: its last member. */
export function filingExtentOf(row: TableRow): Extent {
  const { bytes, from, to } = extentOf(row);
  return { bytes, from: bytes.indexOf(filingNeedle, from) + filingNeedle.length, to: to - 1 };
}

/**
 * The bytes of the filing in a change up to where its event ends: the members of an event stand first in a
 * filing.
 */
export function eventExtentOf(row: TableRow): Extent {
  const { bytes, from } = filingExtentOf(row);
  return { bytes, from, to: bytes.indexOf(companyNeedle, from) };
}

/**
 * The text behind a needle in a row, up to the next such byte; empty if the row has none. No string of JSON
 * holds a quote that is not escaped.
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
  // The newest ones stand last as a rule: blocks that have none as new need no look.
  for (let at = rows.length - 1; at >= 0; at--) {
    const row = rows[at] as TableRow;
    if (row.chunk.filedTo !== undefined && row.chunk.filedTo <= newest) continue;
    const filedAt = filedAtOf(row);
    if (filedAt > newest) newest = filedAt;
  }
  return newest || null;
}
