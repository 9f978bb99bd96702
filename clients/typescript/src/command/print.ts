import { printable } from '../tell.ts';

/** A column of a table: its head, its width in characters, and its text. Example: `['FORM', 10, ({ form }) => form]`. */
export type Column<Row> = readonly [head: string, characters: number, text: (row: Row) => string | null];

/** Prints rows: as a table on a terminal, as JSON Lines elsewhere. Example: `createPrinter(process.stdout, true, columns).row(filing)`. */
export interface Printer<Row> {
  row(row: Row): Promise<void>;
}

/** Where rows are printed. Example: `const output: Output = process.stdout`. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string, written: (error?: Error | null) => void): boolean;
}

/** Makes a printer. A row is written before the next one is read, so a slow pipe holds up the reader. Example: `createPrinter(process.stdout, false, columns)`. */
export function createPrinter<Row>(
  output: Output,
  isTable: boolean,
  columns: readonly Column<Row>[],
): Printer<Row> {
  let isFirst = true;
  const line = (texts: readonly string[]) =>
    texts
      .map((text, at) => cell(text, columns[at]?.[1] ?? 0))
      .join('  ')
      .slice(0, output.columns)
      .trimEnd();
  const asJson = (row: Row) => (output.isTTY ? printable(JSON.stringify(row)) : JSON.stringify(row));
  return {
    async row(row) {
      const head = isFirst && isTable ? `${line(columns.map(([name]) => name))}\n` : '';
      isFirst = false;
      const text = isTable ? line(columns.map(([, , textOf]) => textOf(row) ?? '')) : asJson(row);
      await print(output, `${head}${text}\n`);
    },
  };
}

/** Writes a text of this program. Example: `await print(process.stdout, 'text\n')`. */
export function print(output: Output, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

function cell(text: string, characters: number): string {
  const shown = printable(text);
  return shown.length > characters ? `${shown.slice(0, characters - 1)}…` : shown.padEnd(characters);
}
