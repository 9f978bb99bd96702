import type { Direction } from '../../src/format/snapshot.ts';
import { checkKey, lineHead, lineTail, type Keys } from '../../src/table/line.ts';
import { toBlock } from '../../src/table/block.ts';
import { groupBy } from '../work/groups.ts';
import type { Line } from './table-files.ts';

/** A row in memory, as JSON. A row of null hides. */
export interface HeldRow {
  readonly row: string | null;
  readonly note: string | undefined;
}

/** Rows of one table in memory, in any order. */
export interface HeldLines {
  /** Adds a row. Throws for a key that no table can have, and for a row of more than 2.6 million characters. */
  add(keys: Keys, row: string | null, note?: string): void;
  /** Bytes that the rows and their keys take; 0 if there are none. */
  bytes(): number;
  /** The row that was added last to a partition that has at most one; null if there is none. */
  find(partition: string): HeldRow | null;
  /**
   * Yields the lines in the order of the table; of rows with the same keys the one that was added last. A
   * `clear` meanwhile changes nothing of what it yields.
   */
  sorted(): Generator<Line>;
  /** Forgets all rows. */
  clear(): void;
}

/** Memory is taken in pieces. Each is twice as long as the one before, up to a bound. */
const [pieceBytesMinimum, pieceBytesMaximum] = [64 * 1024, 8 * 1024 * 1024];
/** Shorter rows stay strings: most are shared by several tables. */
const textMaximum = 256;
/** Bytes that a row takes for its keys and its position, about. */
const rowOverhead = 64;
/** The most bytes that UTF-8 takes for a UTF-16 code unit. */
const bytesPerUnit = 3;
/** Characters of lines that are made at once. */
const blockCharacters = 64 * 1024;

/** The rows that were added since the last `clear`. */
interface Rows {
  /** Each partition key, with a number in the order of arrival. */
  readonly numbers: Map<string, number>;
  /** For each partition the row that was added last, and for each row the one before it, or -1. */
  readonly last: number[];
  readonly before: number[];
  readonly sorts: string[];
  /** Short rows; null for one that hides, a position in the pieces for a longer one. */
  readonly texts: (string | number | null)[];
  /** The length of each row in the pieces; 0 for others. */
  readonly lengths: number[];
  readonly notes: Map<number, string>;
  readonly pieces: Buffer[];
}

/**
 * Holds long rows in buffers outside of the JavaScript heap. On the heap, the garbage collector moved each of
 * them several times, which took longer than to sort and write it.
 */
export function createHeldLines(direction: Direction): HeldLines {
  let rows = noRows();
  /** The next long row is written into the last piece, at this offset. */
  let offset = 0;
  let bytes = 0;

  /** Adds a long row. Its position counts every piece as one of the greatest length. */
  function keep(text: string): void {
    const { pieces, texts, lengths } = rows;
    const most = text.length * bytesPerUnit;
    if (most > pieceBytesMaximum) throw new Error(`a row has ${text.length} characters`);
    if ((pieces.at(-1)?.length ?? 0) - offset < most) {
      const length = Math.min(pieceBytesMaximum, pieceBytesMinimum * 2 ** pieces.length);
      pieces.push(Buffer.allocUnsafeSlow(Math.max(most, length)));
      offset = 0;
    }
    texts.push((pieces.length - 1) * pieceBytesMaximum + offset);
    const length = (pieces.at(-1) as Buffer).write(text, offset);
    lengths.push(length);
    offset += length;
    bytes += length;
  }

  return {
    add({ partition, sort }, row, note) {
      let number = rows.numbers.get(partition);
      if (number === undefined) {
        checkKey(partition);
        rows.numbers.set(partition, (number = rows.numbers.size));
        rows.last.push(-1);
      }
      checkKey(sort);
      const at = rows.sorts.length;
      rows.before.push(rows.last[number] as number);
      rows.last[number] = at;
      rows.sorts.push(sort);
      if (row !== null && row.length > textMaximum) keep(row);
      else {
        rows.texts.push(row);
        rows.lengths.push(0);
      }
      if (note !== undefined) rows.notes.set(at, note);
      bytes += rowOverhead;
    },
    bytes: () => bytes,
    find(partition) {
      const number = rows.numbers.get(partition);
      if (number === undefined) return null;
      const at = rows.last[number] as number;
      const text = rows.texts[at] as string | number | null;
      return {
        row: typeof text === 'number' ? longRow(rows, at, text).toString() : text,
        note: rows.notes.get(at),
      };
    },
    sorted: () => sortedLines(rows, direction),
    clear() {
      rows = noRows();
      [offset, bytes] = [0, 0];
    },
  };
}

const noRows = (): Rows => ({
  numbers: new Map(),
  last: [],
  before: [],
  sorts: [],
  texts: [],
  lengths: [],
  notes: new Map(),
  pieces: [],
});

function longRow({ pieces, lengths }: Rows, row: number, position: number): Buffer {
  const from = position % pieceBytesMaximum;
  const piece = pieces[Math.floor(position / pieceBytesMaximum)] as Buffer;
  return piece.subarray(from, from + (lengths[row] as number));
}

function* sortedLines(rows: Rows, direction: Direction): Generator<Line> {
  const { sorts, texts, notes } = rows;
  let [keys, text]: [Keys[], string] = [[], ''];
  for (const { partition, at } of sortedRows(rows, direction)) {
    const row = texts[at] as string | number | null;
    const head = lineHead({ partition, sort: sorts[at] as string }, notes.get(at));
    if (typeof row === 'number') {
      yield* linesOf(keys, text);
      [keys, text] = [[], ''];
      const long = longRow(rows, at, row);
      const bytes = Buffer.allocUnsafe(head.length * bytesPerUnit + long.length + lineTail.length);
      const from = bytes.write(head, 0);
      const end = from + long.copy(bytes, from);
      bytes.write(lineTail, end);
      const ends = Int32Array.of(end + lineTail.length - 1);
      yield { keys: { partition, sort: sorts[at] as string }, block: { bytes, ends, sha256: '' }, line: 0 };
      continue;
    }
    keys.push({ partition, sort: sorts[at] as string });
    text += `${head}${row ?? 'null'}${lineTail}`;
    if (text.length < blockCharacters) continue;
    yield* linesOf(keys, text);
    [keys, text] = [[], ''];
  }
  yield* linesOf(keys, text);
}

/** The lines of a text. Encoding many short lines at once takes half the time. */
function* linesOf(keys: readonly Keys[], text: string): Generator<Line> {
  if (keys.length === 0) return;
  const block = toBlock(Buffer.from(text), '');
  for (let line = 0; line < keys.length; line++) yield { keys: keys[line] as Keys, block, line };
}

/** The rows in the order of the table; of rows with the same keys the one that was added last. */
function* sortedRows(
  { numbers, last, before, sorts }: Rows,
  direction: Direction,
): Generator<{ readonly partition: string; readonly at: number }> {
  const compare = (a: number, b: number) => {
    const [first, second] = [sorts[a] as string, sorts[b] as string];
    if (first === second) return a - b;
    return first < second === (direction === 'ascending') ? -1 : 1;
  };
  for (const partition of sortedKeys(numbers.keys())) {
    const newest = last[numbers.get(partition) as number] as number;
    if (before[newest] === -1) {
      yield { partition, at: newest };
      continue;
    }
    const found: number[] = [];
    for (let at = newest; at !== -1; at = before[at] as number) found.push(at);
    found.reverse().sort(compare);
    for (let index = 0; index < found.length; index++) {
      const at = found[index] as number;
      if (index + 1 < found.length && sorts[found[index + 1] as number] === sorts[at]) continue;
      yield { partition, at };
    }
  }
}

/**
 * Yields keys in their order. They are sorted by their beginnings first: accession numbers with the same login
 * mostly come in their order, and sorting what is sorted takes a tenth of the time.
 */
function* sortedKeys(keys: Iterable<string>): Generator<string> {
  const groups = groupBy(keys, (key) => key.slice(0, beginning));
  for (const begin of [...groups.keys()].sort()) {
    const group = groups.get(begin) as string[];
    yield* group.length === 1 ? group : group.sort();
  }
}

/** Digits of the login in an accession number, and of a CIK. */
const beginning = 10;
