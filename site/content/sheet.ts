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

/** A spreadsheet keeps this many digits of a number, and shows longer ones in another way. */
const digitsShown = 11;

/** Whether a spreadsheet would show a text as another number: without its zeros, or in powers of ten. */
function isMisread(text: string): boolean {
  const number = Number(text);
  return (
    /\d/.test(text) &&
    Number.isFinite(number) &&
    (String(number) !== text || text.replace(/\D/g, '').length > digitsShown)
  );
}

/** The names of parties with their roles, for people to read: `APPLE INC (issuer); COOK TIMOTHY (reporting_owner)`. */
function partiesText(json: string): string {
  const parties = JSON.parse(json) as { cik: string; name: string | null; role: string | null }[];
  return parties
    .map(({ cik, name, role }) => `${name ?? cik}${role === null ? '' : ` (${role})`}`)
    .join('; ');
}

/** A cell as a spreadsheet takes it. */
function sheetCell(column: string, value: Cell): Cell {
  if (typeof value !== 'string' || value === '') return value;
  const text = column === 'parties' ? partiesText(value) : value;
  if (isMisread(text)) return `="${text}"`;
  return isFormula(text) ? `'${text}` : text;
}

/**
 * Writes a dataset as CSV (RFC 4180: CRLF, with a header), for spreadsheets: programs have JSON. Null becomes an empty
 * cell. A text that a spreadsheet would show as another number, as a CIK or an instant of 14 digits, is written as
 * `="0000320193"`; one that it would run as a formula gets an apostrophe before it. Numbers stay as they are, even
 * negative ones. Parties become their names.
 */
export function csvOf(names: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cells = rows.map((row) => row.map((value, at) => sheetCell(names[at] ?? '', value)));
  const text = Papa.unparse({ fields: [...names], data: cells }, { newline: '\r\n' });
  return text.endsWith('\r\n') ? text : `${text}\r\n`;
}
