import Papa from 'papaparse';
import { sheetCell, sheetMark, type Cell } from './sheet.ts';

/**
 * Writes a dataset as CSV (RFC 4180: CRLF, with a header), for spreadsheets: programs have JSON. Null becomes an empty
 * cell.
 */
export function csvOf(names: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cells = rows.map((row) => row.map(sheetCell));
  const text = Papa.unparse({ fields: [...names], data: cells }, { newline: '\r\n' });
  return text.endsWith('\r\n') ? text : `${text}\r\n`;
}

/** The same as a file that somebody opens in a spreadsheet, with a byte order mark. */
export const csvFileOf: typeof csvOf = (names, rows) => sheetMark + csvOf(names, rows);
