import { lastSequenceOf, type LogList, type LogPart } from '../format/log-files.ts';
import { feedSortKey, paths } from '../format/snapshot.ts';
import { CorruptSnapshot } from '../files/bytes.ts';
import type { BlockCache } from './block-cache.ts';
import { lineEnd, lineStart, type Block } from './block.ts';
import { ahead, type MergedRow } from './merge.ts';
import { createBlockReader, type PartReader, type StoredBlock, type TableRow } from './table.ts';

/** A gzip member of the log: where it is stored, and what is known of its rows. */
export interface LogMember extends Required<StoredBlock> {
  /** Each filing date of its rows, sorted; empty for a row that has none. */
  readonly labels: readonly string[];
}

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

/** Indexes and members that are read at the same time, after the first ones were not enough. */
const readAhead = 8;

const [space, dash, zero] = [0x20, 0x2d, 0x30];
/** Bytes of `2026-08-01`. */
const dayLength = 10;
/** Digits of a SHA-256. */
const digestLength = 64;

/** Where a member is: the number of its file, and its own number in the file. */
interface Place {
  readonly file: number;
  readonly at: number;
  readonly index: Block;
}

/** Opens the log of a list. */
export function openLog(parts: PartReader, list: LogList, cache: BlockCache): Log {
  const { rowsPerFile, rowsPerMember, files } = list;
  const readMember = createBlockReader(parts, cache, undefined, true);
  // An index is stored as it is; the memory that it was read into may be used again.
  const readText = createBlockReader(parts, cache, (stored) => Buffer.from(stored));
  const lastSequence = lastSequenceOf(list);
  // Rows beside each other in a list are often beside each other in the log.
  let last: { readonly file: number; readonly at: number; readonly block: Block } | null = null;
  const membersOf = ({ rows }: LogPart) => Math.ceil(rows / rowsPerMember);

  function readIndex(file: number): Promise<Block> | Block {
    const part = files[file] as LogPart;
    const { sha256, bytes } = part.index;
    return readText(paths.file(sha256), { offset: 0, bytes, sha256, rows: membersOf(part) });
  }

  function read({ file, at, index }: Place): Promise<Block> | Block {
    const part = files[file] as LogPart;
    return readMember(paths.file(part.sha256), blockOf(list, part, index, at));
  }

  const firstOf = ({ file, at }: Pick<Place, 'file' | 'at'>) => file * rowsPerFile + at * rowsPerMember + 1;

  /** The members that may have wanted rows from a sequence to another one, in their order. */
  async function* places(from: number, to: number, bounds: DayBounds | null): AsyncGenerator<Place> {
    const indexes: { readonly file: number; readonly read: Promise<Block> | Block }[] = [];
    // Behind the last entry there is nothing to read.
    let next = from > lastSequence ? files.length : Math.floor((from - 1) / rowsPerFile);
    let width = 1;
    for (;;) {
      for (; indexes.length < width && next < files.length && next * rowsPerFile < to; next++)
        if (overlaps(files[next] as LogPart, bounds))
          indexes.push({ file: next, read: ahead(readIndex(next)) });
      const first = indexes.shift();
      if (!first) return;
      width = readAhead;
      const { file } = first;
      const index = first.read instanceof Promise ? await first.read : first.read;
      const begin =
        file * rowsPerFile + 1 < from ? Math.floor((from - 1 - file * rowsPerFile) / rowsPerMember) : 0;
      for (let at = begin; at < index.ends.length && firstOf({ file, at }) <= to; at++)
        if (bounds === null || mayHave(index, at, bounds)) yield { file, at, index };
    }
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
      const index = readIndex(file);
      if (index instanceof Promise)
        return index.then(async (found) => kept(await read({ file, at, index: found })));
      const block = read({ file, at, index });
      return block instanceof Promise ? block.then(kept) : kept(block);
    },
    async page(walk) {
      const { after, limit, matches } = walk;
      const bounds = boundsOf(walk);
      const isFiltered = matches !== undefined || bounds !== null;
      const rows: MergedRow[] = [];
      const from = after + 1;
      const found = places(from, isFiltered ? Infinity : after + limit, bounds);
      const blocks: { readonly first: number; readonly read: Promise<Block> | Block }[] = [];
      // Without a filter all members of the page are known. With one, the first member is often enough.
      let width = isFiltered ? 1 : Infinity;
      while (rows.length < limit) {
        while (blocks.length < width) {
          const { value: place } = (await found.next()) as { value: Place | undefined };
          if (!place) width = blocks.length;
          else blocks.push({ first: firstOf(place), read: ahead(read(place)) });
        }
        const next = blocks.shift();
        if (!next) break;
        const block = next.read instanceof Promise ? await next.read : next.read;
        for (let line = Math.max(0, from - next.first); line < block.ends.length; line++) {
          if (rows.length === limit) break;
          if (!matches || matches({ block, line }))
            rows.push({ block, line, sort: feedSortKey(next.first + line) });
        }
        width = Math.min(readAhead, limit - rows.length);
      }
      return rows;
    },
  };
}

/** What a line of the index of a file says: the offset of a member, its SHA-256, and the dates of its rows. */
export function memberOf(list: LogList, part: LogPart, index: Block, at: number): LogMember {
  return { ...blockOf(list, part, index, at), labels: daysIn(index, at) };
}

/** As `memberOf`, without each of the dates, for who reads the member. */
function blockOf(list: LogList, part: LogPart, index: Block, at: number): Required<StoredBlock> {
  const offset = offsetIn(index, at);
  const end = at + 1 < index.ends.length ? offsetIn(index, at + 1) : part.bytes;
  const digest = digestStart(index, at);
  return {
    offset,
    bytes: end - offset,
    sha256: index.bytes.toString('latin1', digest, digest + digestLength),
    rows: Math.min(list.rowsPerMember, part.rows - at * list.rowsPerMember),
    filedFrom: dayText(index, firstDay(index, at)),
    filedTo: dayText(index, lastDay(index, at)),
  };
}

function offsetIn(index: Block, at: number): number {
  const from = lineStart(index, at);
  return Number(index.bytes.toString('latin1', from, index.bytes.indexOf(space, from)));
}

const digestStart = (index: Block, at: number) => index.bytes.indexOf(space, lineStart(index, at)) + 1;

const daysStart = (index: Block, at: number) => digestStart(index, at) + digestLength + 1;

/** Each filing date in a line of the index. */
function daysIn(index: Block, at: number): string[] {
  const [from, end] = [daysStart(index, at), lineEnd(index, at)];
  return from < end ? index.bytes.toString('latin1', from, end).split(' ') : [];
}

/** Offset of the least filing date in a line of the index; -1 if a row has no date. */
function firstDay(index: Block, at: number): number {
  const from = daysStart(index, at);
  return from < lineEnd(index, at) && index.bytes[from] !== space ? from : -1;
}

/** Offset of the greatest filing date in a line of the index; -1 if no row has a date. */
function lastDay(index: Block, at: number): number {
  const end = lineEnd(index, at);
  return end - dayLength < daysStart(index, at) ? -1 : end - dayLength;
}

const dayText = ({ bytes }: Block, from: number) =>
  from === -1 ? '' : bytes.toString('latin1', from, from + dayLength);

/** A date at an offset as a number: 20260801. 0 if there is none. */
function dayNumber({ bytes }: Block, from: number): number {
  let number = 0;
  if (from !== -1)
    for (let at = from; at < from + dayLength; at++)
      if (bytes[at] !== dash) number = number * 10 + (bytes[at] as number) - zero;
  return number;
}

/**
 * The least and the greatest date of each line of an index, as numbers. Walks ask for those of hundreds of
 * lines.
 */
const daysOfIndexes = new WeakMap<Block, Int32Array>();

function daysOf(index: Block): Int32Array {
  let days = daysOfIndexes.get(index);
  if (!days) {
    days = new Int32Array(2 * index.ends.length);
    for (let at = 0; at < index.ends.length; at++) {
      days[2 * at] = dayNumber(index, firstDay(index, at));
      days[2 * at + 1] = dayNumber(index, lastDay(index, at));
    }
    daysOfIndexes.set(index, days);
  }
  return days;
}

/** Bounds of the filing date as numbers, and as they were asked for. */
interface DayBounds {
  readonly since: string;
  readonly until: string;
  readonly from: number;
  readonly to: number;
}

function boundsOf({ since = '', until = '\uffff' }: LogWalk): DayBounds | null {
  if (since === '' && until === '\uffff') return null;
  const numberOf = (day: string) => Number(day.replaceAll('-', ''));
  return { since, until, from: numberOf(since), to: until === '\uffff' ? Infinity : numberOf(until) };
}

/** Whether a file may have filing dates between the bounds. */
function overlaps({ filedFrom, filedTo }: LogPart, bounds: DayBounds | null): boolean {
  return bounds === null || (filedTo >= bounds.since && filedFrom <= bounds.until);
}

/** Whether a member may have a filing date between the bounds. */
function mayHave(index: Block, at: number, { since, until, from, to }: DayBounds): boolean {
  const days = daysOf(index);
  const [first, last] = [days[2 * at] as number, days[2 * at + 1] as number];
  if (last < from || first > to) return false;
  // The first or the last day is between the bounds, or both bounds lie between these two days.
  return first >= from || last <= to || daysIn(index, at).some((day) => day >= since && day <= until);
}

/** The line of the index for a member. `days` are the filing dates of its rows, each once, sorted. */
export function indexLine(offset: number, sha256: string, days: readonly string[]): string {
  return `${[offset, sha256, ...days].join(' ')}\n`;
}
