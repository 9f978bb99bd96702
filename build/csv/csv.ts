import Papa from 'papaparse';

const plainFormat = { delimiter: ',', newline: '\n' } as const;

/**
 * Writes rows as CSV lines, each ended by a newline. Formulas are not escaped. Returns the empty text if
 * there are no rows.
 */
export function csvLines(rows: readonly string[][]): string {
  return rows.length === 0 ? '' : `${Papa.unparse(rows as string[][], plainFormat)}\n`;
}

/**
 * Reads the rows that `csvLines` wrote, one after the other, and skips empty lines. Throws an `Error` that
 * names the row if the text is not valid CSV.
 */
export function* csvRows(text: string): Generator<string[]> {
  let quote = text.indexOf('"');
  for (let [at, row] = [0, 1]; at < text.length; row++) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    if (quote !== -1 && quote < at) quote = text.indexOf('"', at);
    if (quote === -1 || quote > end) {
      // A line without a quote is cut at its commas, in a tenth of the time.
      if (end > at) yield text.slice(at, end).split(',');
      at = end + 1;
      continue;
    }
    const parser = new Papa.Parser({ ...plainFormat, preview: 1 });
    const { data, errors, meta } = parser.parse(text.slice(at), 0, false) as Papa.ParseResult<string[]>;
    if (errors[0]) throw new Error(`row ${row}: ${errors[0].message}`);
    yield* data;
    at += Math.max(1, meta.cursor);
  }
}
