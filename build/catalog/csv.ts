import Papa from 'papaparse';
import type { SampleValue } from './content.ts';

/** Texts that a spreadsheet would run as a formula. */
const formula = /^[=+\-@\t\r]/;

/**
 * The members of a record as the cells of a row. A list of texts becomes one text with spaces between, what
 * has members its JSON.
 */
export function cellsOf(record: object, names: readonly string[]): SampleValue[] {
  const members = new Map<string, unknown>(Object.entries(record));
  return names.map((name) => {
    const value = members.get(name) ?? null;
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(' ');
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as SampleValue);
  });
}

/**
 * A dataset as CSV (RFC 4180, CRLF, with a header). An empty cell is null. A text that a spreadsheet would
 * take for a formula begins with an apostrophe; numbers stay numbers, also negative ones.
 */
export function csvOf(names: readonly string[], rows: readonly (readonly SampleValue[])[]): string {
  const cells = rows.map((row) =>
    row.map((value) => (typeof value === 'string' && formula.test(value) ? `'${value}` : value)),
  );
  const text = Papa.unparse({ fields: [...names], data: cells }, { newline: '\r\n' });
  return text.endsWith('\r\n') ? text : `${text}\r\n`;
}
