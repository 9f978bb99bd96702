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
 * Reads the rows that `csvLines` wrote and skips empty lines. Throws an `Error` that names the row if the
 * text is not valid CSV.
 */
export function csvRows(text: string): string[][] {
  const { data, errors } = Papa.parse<string[]>(text, { ...plainFormat, skipEmptyLines: true });
  if (errors[0]) throw new Error(`row ${(errors[0].row ?? 0) + 1}: ${errors[0].message}`);
  return data;
}
