import Papa from 'papaparse';
import type { SampleField, SampleValue } from './content.ts';

/** Texts that a spreadsheet would run as a formula. */
const formula = /^[=+\-@\t\r]/;

/**
 * A dataset as CSV (RFC 4180, CRLF, with a header). An empty cell is null. A text that a spreadsheet would take for a
 * formula begins with an apostrophe; numbers stay numbers, also negative ones.
 */
export function csvOf(fields: readonly SampleField[], rows: readonly (readonly SampleValue[])[]): string {
  const cells = rows.map((row) => row.map((value) => (typeof value === 'string' && formula.test(value) ? `'${value}` : value)));
  const text = Papa.unparse({ fields: fields.map(({ name }) => name), data: cells }, { newline: '\r\n' });
  return text.endsWith('\r\n') ? text : `${text}\r\n`;
}
