import Papa from 'papaparse';

/** One cell of a table: a text, a number, a truth value, or nothing. */
export type Cell = string | number | boolean | null;

/** Texts that a spreadsheet would run as a formula. */
const formula = /^[=+\-@\t\r]/;

/**
 * The members of a record as the cells of a row. A list of texts becomes one text with spaces between, what
 * has members its JSON.
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
 * A dataset as CSV (RFC 4180, CRLF, with a header). An empty cell is null. A text that a spreadsheet would
 * take for a formula begins with an apostrophe; numbers stay numbers, also negative ones.
 */
export function csvOf(names: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cells = rows.map((row) =>
    row.map((value) => (typeof value === 'string' && formula.test(value) ? `'${value}` : value)),
  );
  const text = Papa.unparse({ fields: [...names], data: cells }, { newline: '\r\n' });
  return text.endsWith('\r\n') ? text : `${text}\r\n`;
}

const plainFormat = { delimiter: ',', newline: '\n' } as const;

/** Rows of fields as lines that end with a newline, nothing guarded; the empty text if there are none. */
export function csvLines(rows: readonly string[][]): string {
  return rows.length === 0 ? '' : `${Papa.unparse(rows as string[][], plainFormat)}\n`;
}

/** The rows of such lines, empty ones left out. Throws an `Error` that names the row where a text is no CSV. */
export function csvRows(text: string): string[][] {
  const { data, errors } = Papa.parse<string[]>(text, { ...plainFormat, skipEmptyLines: true });
  if (errors[0]) throw new Error(`row ${(errors[0].row ?? 0) + 1}: ${errors[0].message}`);
  return data;
}
