import type { Direction } from '../../src/format/snapshot.ts';
import { checkKey, type Keys } from '../../src/table/line.ts';

// A run holds a row as a text: its sort key, its note and the row, with tabs between them. Neither keys nor
// JSON hold tabs, and a row may: it is the last. Nothing is read in it before the line is needed.

/** A table of runs. */
export interface RunTable {
  readonly direction: Direction;
  /** Whether every partition gets its rows in the order of their sort keys, none twice, as a feed does. */
  readonly comesInOrder?: true;
  /**
   * Where rows have no sort key and tell their partition themselves: the partition of a row. Then the runs do
   * not hold it beside the row.
   */
  readonly partitionOf?: (row: string) => string;
  /** Whether rows are looked up by their keys. The others have no list of keys in memory: it would take 100 MB for 20 million filings. */
  readonly isLookedUp?: true;
}

/** A row of a run: its partition, and its text, which `runText` made. */
export interface RunRow {
  readonly partition: string;
  readonly text: string;
}

/** A line of a run, with a row of null if it hides. Notes and rows are JSON or what the caller has for it. */
export interface RunLine {
  readonly keys: Keys;
  readonly row: string | null;
  readonly note: string | undefined;
}

const separator = '\t';

/** Makes the text of a row. Throws for a sort key that no table can have. */
export function runText(sort: string, row: string | null, note = ''): string {
  checkKey(sort);
  return sort + separator + note + separator + (row ?? '');
}

/** The sort key in a text. */
export const sortIn = (text: string): string => text.slice(0, text.indexOf(separator));

/** The row in a text; empty if it hides. */
export const rowIn = (text: string): string =>
  text.slice(text.indexOf(separator, text.indexOf(separator) + 1) + 1);

/** The partition of a row whose text tells it. */
export const partitionIn = ({ partitionOf }: Required<RunTable>, text: string): string =>
  partitionOf(rowIn(text));

/** The line of a row. */
export function runLine({ partitionOf }: RunTable, { partition, text }: RunRow): RunLine {
  const sortEnd = text.indexOf(separator);
  const noteEnd = text.indexOf(separator, sortEnd + 1);
  return {
    keys: { partition, sort: partitionOf ? '' : text.slice(0, sortEnd) },
    row: noteEnd + 1 === text.length ? null : text.slice(noteEnd + 1),
    note: noteEnd === sortEnd + 1 ? undefined : text.slice(sortEnd + 1, noteEnd),
  };
}
