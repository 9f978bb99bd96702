import Papa from 'papaparse';

/** One cell of a CSV file. */
export type Cell = string | number | boolean | null;

/** What a spreadsheet would run as a formula. Some take spaces and invisible characters before it away. */
const formula = /^[\p{C}\p{Z}]*[=+\-@]|^[\t\r\n]/u;

/** Whether a spreadsheet would run a text. Where Chinese and Japanese are written, it takes `＝` and its kin as `=`. */
const isFormula = (text: string) => formula.test(text.normalize('NFKC'));

/**
 * Returns the named members of a record as cells. A list of texts becomes one text, separated by spaces; any
 * other object or list becomes JSON.
 */
export function cellsOf(record: object, names: readonly string[]): Cell[] {
  const members = new Map<string, unknown>(Object.entries(record));
  return names.map((name) => {
    const value = members.get(name) ?? null;
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(' ');
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cell);
  });
}

/**
 * Writes a dataset as CSV (RFC 4180: CRLF, with a header). Null becomes an empty cell. A text
 * that a spreadsheet would run as a formula gets an apostrophe before it. Numbers stay as they are, even
 * negative ones.
 */
export function csvOf(names: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cells = rows.map((row) =>
    row.map((value) => (typeof value === 'string' && isFormula(value) ? `'${value}` : value)),
  );
  const text = Papa.unparse({ fields: [...names], data: cells }, { newline: '\r\n' });
  return text.endsWith('\r\n') ? text : `${text}\r\n`;
}
