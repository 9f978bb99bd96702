import { lastSequenceOf, type LogList, type LogPart } from '../format/log-files.ts';
import { feedSortKey } from '../format/snapshot.ts';
import { CorruptSnapshot } from '../files/bytes.ts';
import type { BlockCache } from './block-cache.ts';
import type { Block } from './block.ts';
import { boundsOf, isWithin, overlaps, rowsBetween, type DayBounds } from './log-index.ts';
import { createLogReader } from './log-reader.ts';
import type { MergedRow } from './merged-walk.ts';
import { foresee } from './passes.ts';
import type { PartReader, TableRow } from './table.ts';

/** A walk through the log, which reads one page of rows. */
export interface LogWalk {
  /** Begins strictly behind this sequence. */
  readonly after: number;
  readonly limit: number;
  /** Inclusive bounds of the filing date, `YYYY-MM-DD`: leaves out files and members that have no such row. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Whether a row is wanted, also one that these bounds leave in; every row is if left out. */
  readonly matches?: ((row: TableRow) => boolean) | undefined;
}

/** An open log. Only the list of its files is in memory; members and indexes come through the cache. */
export interface Log {
  readonly list: LogList;
  /** The entry with a sequence. Throws `CorruptSnapshot`. */
  entry(sequence: number): TableRow;
  /** Reads rows in the order of their sequences, with these as sort keys. Throws `CorruptSnapshot`. */
  page(walk: LogWalk): MergedRow[];
}

/** Indexes that are read in one round over a host: at first, and at most. */
const [indexesFirst, indexesMaximum] = [2, 32];

/** Where a member is: the number of its file, and its own number in the file. */
interface Place {
  readonly file: number;
  readonly at: number;
  /** How many wanted rows it is expected to have. */
  readonly expected: number;
}

/** Opens the log of a list. */
export function openLog(parts: PartReader, list: LogList, cache: BlockCache): Log {
  const { rowsPerFile, rowsPerMember, files } = list;
  const reader = createLogReader(parts, list, cache);
  const lastSequence = lastSequenceOf(list);
  // Rows beside each other in a list are often beside each other in the log.
  let last: { readonly file: number; readonly at: number; readonly block: Block } | null = null;

  const firstOf = (file: number, at: number) => file * rowsPerFile + at * rowsPerMember + 1;

  /**
   * The members with wanted rows from a sequence on, in their order. A file whose dates are all wanted needs no
   * index here. Over a host more and more indexes are read in one round.
   */
  function* placesFrom(from: number, bounds: DayBounds | null): Generator<Place> {
    // Behind the last entry there is nothing to read.
    const first = from > lastSequence ? files.length : Math.floor((from - 1) / rowsPerFile);
    const wanted = files.flatMap((part, file) => (file >= first && overlaps(part, bounds) ? [file] : []));
    let width = indexesFirst;
    for (const [number, file] of wanted.entries()) {
      const part = files[file] as LogPart;
      const needsIndex = bounds !== null && !isWithin(part, bounds);
      if (needsIndex && reader.isFar) {
        for (const next of wanted.slice(number, number + width)) reader.noteIndex(next);
        width = Math.min(indexesMaximum, 2 * width);
      }
      const index = needsIndex ? reader.index(file) : null;
      const skipped = Math.max(0, from - 1 - file * rowsPerFile);
      for (let at = Math.floor(skipped / rowsPerMember); at * rowsPerMember < part.rows; at++) {
        const rows = Math.min(rowsPerMember, part.rows - at * rowsPerMember);
        const likely = index === null || bounds === null ? rows : rowsBetween(index, at, rows, bounds);
        const expected = Math.min(likely, rows - Math.max(0, skipped - at * rowsPerMember));
        if (likely > 0) yield { file, at, expected };
      }
    }
  }

  /** Adds the wanted rows of a member to those of a page, as far as it has room. */
  function take({ file, at }: Place, { after, limit, matches }: LogWalk, rows: MergedRow[]): void {
    const block = reader.member(file, at);
    const first = firstOf(file, at);
    for (let line = Math.max(0, after + 1 - first); line < block.ends.length && rows.length < limit; line++)
      if (!matches || matches({ block, line })) rows.push({ block, line, sort: feedSortKey(first + line) });
  }

  /** Over a host as many members are read in one round as are expected to have the rows of a page. */
  function page(walk: LogWalk): MergedRow[] {
    const rows: MergedRow[] = [];
    const places = placesFrom(walk.after + 1, boundsOf(walk));
    const coming: Place[] = [];
    let expected = 0;
    let isOver = false;
    while (rows.length < walk.limit) {
      while (!isOver && rows.length + expected < walk.limit) {
        const { value: place } = places.next() as { value: Place | undefined };
        if (!place) isOver = true;
        else {
          coming.push(place);
          expected += place.expected;
          if (reader.isFar) foresee(() => reader.member(place.file, place.at));
        }
      }
      const place = coming.shift();
      if (!place) break;
      take(place, walk, rows);
      expected -= place.expected;
    }
    return rows;
  }

  return {
    list,
    entry(sequence) {
      const file = Math.floor((sequence - 1) / rowsPerFile);
      const row = (sequence - 1) % rowsPerFile;
      if (!(row < (files[file]?.rows ?? 0))) throw new CorruptSnapshot(`the log has no entry ${sequence}`);
      const at = Math.floor(row / rowsPerMember);
      const line = row % rowsPerMember;
      if (last?.file === file && last.at === at) return { block: last.block, line };
      const block = reader.member(file, at);
      last = { file, at, block };
      return { block, line };
    },
    page,
  };
}
