import { printable } from '../tell.ts';

/**
 * A column of a table: its head, its width in characters, its text, and how narrow it may become where the terminal is
 * narrow: 0 if it may be left out. Without that it keeps its width. Example: `['FORM', 10, ({ form }) => form, 4]`.
 */
export type Column<Row> = readonly [
  head: string,
  characters: number,
  text: (row: Row) => string | null,
  least?: number | undefined,
];

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
  const line = (texts: readonly string[]) => {
    const widths = widthsIn(output.columns ?? 0, columns);
    const cells = texts.map((text, at) => cell(text, widths[at] ?? 0));
    return cells
      .filter((_, at) => widths[at] !== 0)
      .join('  ')
      .trimEnd();
  };
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

/** A column that is narrower says nothing. */
const charactersMinimum = 4;

/**
 * The widths of columns on a terminal. The widest ones that may become narrower do so first. A terminal that does not
 * tell its width has room for all, and what does not fit goes on in the next line: nothing is cut that must be whole.
 */
function widthsIn<Row>(terminal: number, columns: readonly Column<Row>[]): readonly number[] {
  const widths = columns.map(([, characters]) => characters);
  if (terminal === 0) return widths;
  const excess = () => {
    const shown = widths.filter((width) => width > 0);
    return shown.reduce((sum, width) => sum + width + 2, -2) - terminal;
  };
  const flexible = columns.flatMap(([, characters, , least], at) =>
    least === undefined ? [] : [{ at, characters, least }],
  );
  for (const { at, characters, least } of flexible.sort((a, b) => b.characters - a.characters)) {
    if (excess() <= 0) break;
    const left = Math.max(least, characters - excess());
    widths[at] = left < charactersMinimum ? 0 : left;
  }
  return widths;
}

function cell(text: string, characters: number): string {
  const shown = printable(text);
  return shown.length > characters ? `${shown.slice(0, characters - 1)}…` : shown.padEnd(characters);
}
