import { lastSequenceOf, type LogList, type LogPart } from '../format/log-files.ts';
import { feedSortKey } from '../format/snapshot.ts';
import { CorruptSnapshot } from '../files/bytes.ts';
import type { BlockCache } from './block-cache.ts';
import type { Block } from './block.ts';
import { boundsOf, isWithin, overlaps, rowsBetween, type DayBounds } from './log-index.ts';
import { createLogReader } from './log-reader.ts';
import { ahead, type MergedRow } from './merged-walk.ts';
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
  entry(sequence: number): Promise<TableRow> | TableRow;
  /** Reads rows in the order of their sequences, with these as sort keys. Throws `CorruptSnapshot`. */
  page(walk: LogWalk): Promise<MergedRow[]>;
}

/** Indexes that are read at the same time after the first ones were not enough, and the most of them. */
const [indexesAhead, indexesMaximum] = [8, 32];

/** Where a member is: the number of its file, and its own number in the file. */
interface Place {
  readonly file: number;
  readonly at: number;
  /** How many wanted rows it is expected to have. */
  readonly expected: number;
}

/** A member that is being read, with the sequence of its first row. */
interface BegunMember {
  readonly first: number;
  readonly expected: number;
  readonly read: Promise<Block> | Block;
}

/** Opens the log of a list. */
export function openLog(parts: PartReader, list: LogList, cache: BlockCache): Log {
  const { rowsPerFile, rowsPerMember, files } = list;
  const reader = createLogReader(parts, list, cache);
  const isFar = parts.borrow === undefined;
  const lastSequence = lastSequenceOf(list);
  // Rows beside each other in a list are often beside each other in the log.
  let last: { readonly file: number; readonly at: number; readonly block: Block } | null = null;

  const firstOf = (file: number, at: number) => file * rowsPerFile + at * rowsPerMember + 1;

  function begin({ file, at, expected }: Place): BegunMember {
    return { first: firstOf(file, at), expected, read: ahead(reader.member(file, at)) };
  }

  /**
   * The members with wanted rows from a sequence on, in their order. A file whose dates are all wanted needs no
   * index here. Several indexes are read at the same time if the files are far, or if the first was not enough.
   */
  async function* placesFrom(from: number, bounds: DayBounds | null): AsyncGenerator<Place> {
    const begun: { readonly file: number; readonly index: Promise<Block> | Block | null }[] = [];
    // Behind the last entry there is nothing to read.
    let next = from > lastSequence ? files.length : Math.floor((from - 1) / rowsPerFile);
    let width = isFar ? 2 : 1;
    for (;;) {
      for (; begun.length < width && begun[0]?.index !== null && next < files.length; next++) {
        const part = files[next] as LogPart;
        if (overlaps(part, bounds))
          begun.push({ file: next, index: isWithin(part, bounds) ? null : ahead(reader.index(next)) });
      }
      const first = begun.shift();
      if (!first) return;
      width = Math.min(indexesMaximum, Math.max(indexesAhead, isFar ? 2 * width : 0));
      const { file } = first;
      const index = first.index instanceof Promise ? await first.index : first.index;
      const { rows: rowsOfFile } = files[file] as LogPart;
      const skipped = Math.max(0, from - 1 - file * rowsPerFile);
      for (let at = Math.floor(skipped / rowsPerMember); at * rowsPerMember < rowsOfFile; at++) {
        const rows = Math.min(rowsPerMember, rowsOfFile - at * rowsPerMember);
        const wanted = index === null || bounds === null ? rows : rowsBetween(index, at, rows, bounds);
        const expected = Math.min(wanted, rows - Math.max(0, skipped - at * rowsPerMember));
        if (wanted > 0) yield { file, at, expected };
      }
    }
  }

  /** Adds the wanted rows of a member to those of a page, as far as it has room. */
  async function take({ first, read }: BegunMember, { after, limit, matches }: LogWalk, rows: MergedRow[]) {
    const block = read instanceof Promise ? await read : read;
    for (let line = Math.max(0, after + 1 - first); line < block.ends.length && rows.length < limit; line++)
      if (!matches || matches({ block, line })) rows.push({ block, line, sort: feedSortKey(first + line) });
  }

  /** Reads as many members at the same time as are expected to have the rows of a page. */
  async function page(walk: LogWalk): Promise<MergedRow[]> {
    const rows: MergedRow[] = [];
    const places = placesFrom(walk.after + 1, boundsOf(walk));
    const begun: BegunMember[] = [];
    let expected = 0;
    let isOver = false;
    while (rows.length < walk.limit) {
      while (!isOver && rows.length + expected < walk.limit) {
        const { value: place } = (await places.next()) as { value: Place | undefined };
        if (place) begun.push(begin(place));
        else isOver = true;
        expected += place?.expected ?? 0;
      }
      const member = begun.shift();
      if (!member) break;
      await take(member, walk, rows);
      expected -= member.expected;
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
      const kept = (block: Block): TableRow => {
        last = { file, at, block };
        return { block, line };
      };
      const block = reader.member(file, at);
      return block instanceof Promise ? block.then(kept) : kept(block);
    },
    page,
  };
}
