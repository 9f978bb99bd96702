import { lastSequenceOf, type LogList, type LogPart } from '../format/log-files.ts';
import { feedSortKey } from '../format/snapshot.ts';
import { CorruptSnapshot } from '../files/bytes.ts';
import type { BlockCache } from './block-cache.ts';
import type { Block } from './block.ts';
import { boundsOf, overlaps, rowsBetween, type DayBounds } from './log-index.ts';
import { createLogReader } from './log-reader.ts';
import { ahead, type MergedRow } from './merge.ts';
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

  /** The members that hold the sequences from one to another one, which the log has. */
  function placesBetween(from: number, to: number): Place[] {
    const places: Place[] = [];
    for (let sequence = from; sequence <= to; ) {
      const file = Math.floor((sequence - 1) / rowsPerFile);
      const at = Math.floor((sequence - 1 - file * rowsPerFile) / rowsPerMember);
      const next = Math.min(firstOf(file, at + 1), (file + 1) * rowsPerFile + 1);
      places.push({ file, at, expected: next - sequence });
      sequence = next;
    }
    return places;
  }

  /**
   * The members with wanted rows from a sequence on, in their order. Reads several indexes at the same time if
   * the files are far, or if the first one was not enough.
   */
  async function* placesFrom(from: number, bounds: DayBounds | null): AsyncGenerator<Place> {
    const indexes: { readonly file: number; readonly read: Promise<Block> | Block }[] = [];
    // Behind the last entry there is nothing to read.
    let next = from > lastSequence ? files.length : Math.floor((from - 1) / rowsPerFile);
    let width = isFar && bounds !== null ? 2 : 1;
    for (;;) {
      for (; indexes.length < width && next < files.length; next++)
        if (overlaps(files[next] as LogPart, bounds))
          indexes.push({ file: next, read: ahead(reader.index(next)) });
      const begun = indexes.shift();
      if (!begun) return;
      width = Math.min(indexesMaximum, Math.max(indexesAhead, isFar ? 2 * width : 0));
      const { file } = begun;
      const index = begun.read instanceof Promise ? await begun.read : begun.read;
      const begin =
        file * rowsPerFile + 1 < from ? Math.floor((from - 1 - file * rowsPerFile) / rowsPerMember) : 0;
      for (let at = begin; at < index.ends.length; at++) {
        const rows = Math.min(rowsPerMember, (files[file] as LogPart).rows - at * rowsPerMember);
        const expected = bounds === null ? rows : rowsBetween(index, at, rows, bounds);
        if (expected > 0) yield { file, at, expected };
      }
    }
  }

  /** Adds the wanted rows of a member to those of a page, as far as it has room. */
  async function take({ first, read }: BegunMember, { after, limit, matches }: LogWalk, rows: MergedRow[]) {
    const block = read instanceof Promise ? await read : read;
    for (let line = Math.max(0, after + 1 - first); line < block.ends.length && rows.length < limit; line++)
      if (!matches || matches({ block, line })) rows.push({ block, line, sort: feedSortKey(first + line) });
  }

  /** A page of all rows: its members are known. */
  async function pageOfAll(walk: LogWalk): Promise<MergedRow[]> {
    const rows: MergedRow[] = [];
    const { after, limit } = walk;
    for (const member of placesBetween(after + 1, Math.min(after + limit, lastSequence)).map(begin))
      await take(member, walk, rows);
    return rows;
  }

  /** A page of the wanted rows: as many members are read at the same time as are expected to have the rows. */
  async function pageOfWanted(walk: LogWalk, bounds: DayBounds | null): Promise<MergedRow[]> {
    const rows: MergedRow[] = [];
    const places = placesFrom(walk.after + 1, bounds);
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
    async page(walk) {
      const bounds = boundsOf(walk);
      return walk.matches === undefined && bounds === null ? pageOfAll(walk) : pageOfWanted(walk, bounds);
    },
  };
}
