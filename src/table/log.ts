import { lastSequenceOf, type LogList, type LogPart } from '../contract/log.ts';
import { feedOrder, paths } from '../contract/snapshot.ts';
import { CorruptSnapshot } from '../files/bytes.ts';
import type { ChunkCache } from './chunk-cache.ts';
import { lineEnd, lineStart, type Chunk } from './chunk.ts';
import { ahead, type MergedRow } from './merge.ts';
import { createBlockReader, type PartReader, type StoredBlock, type TableRow } from './table.ts';

/** The filing dates of some rows. */
export interface FiledDates {
  /** Least and greatest filing date; empty if the rows have none. */
  readonly filedFrom: string;
  readonly filedTo: string;
  /** Each filing date; left out if they are not known. */
  readonly labels?: readonly string[];
}

/** A gzip member of the log: where it is stored, and what is known of its rows. */
export type LogMember = StoredBlock & Required<FiledDates>;

/** A walk through the log, which reads one page of rows. */
export interface LogWalk {
  /** Begins strictly behind this sequence. */
  readonly after: number;
  readonly limit: number;
  /** Whether rows with such dates may be wanted; every row is if left out. */
  readonly wanted?: ((dates: FiledDates) => boolean) | undefined;
  /** Whether a row is wanted; every row is if left out. */
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

const space = 0x20;
/** Digits of a SHA-256. */
const digestLength = 64;

/** Where a member is: the number of its file, and its own number in the file. */
interface Place {
  readonly file: number;
  readonly at: number;
  readonly index: Chunk;
}

/** Opens the log of a list. */
export function openLog(parts: PartReader, list: LogList, cache: ChunkCache): Log {
  const { rowsPerFile, rowsPerMember, files } = list;
  const readMember = createBlockReader(parts, cache, undefined, true);
  // An index is stored as it is; the memory that it was read into may be used again.
  const readText = createBlockReader(parts, cache, (stored) => Buffer.from(stored));
  const lastSequence = lastSequenceOf(list);
  // Rows beside each other in a list are often beside each other in the log.
  let last: { readonly file: number; readonly at: number; readonly chunk: Chunk } | null = null;
  const membersOf = ({ rows }: LogPart) => Math.ceil(rows / rowsPerMember);

  function readIndex(file: number): Promise<Chunk> | Chunk {
    const part = files[file] as LogPart;
    const { sha256, bytes } = part.index;
    return readText(paths.file(sha256), { offset: 0, bytes, sha256, rows: membersOf(part) });
  }

  function read({ file, at, index }: Place): Promise<Chunk> | Chunk {
    const part = files[file] as LogPart;
    return readMember(paths.file(part.sha256), blockOf(list, part, index, at));
  }

  const firstOf = ({ file, at }: Pick<Place, 'file' | 'at'>) => file * rowsPerFile + at * rowsPerMember + 1;

  /** The members that may have wanted rows from a sequence to another one, in their order. */
  async function* places(from: number, to: number, wanted: LogWalk['wanted']): AsyncGenerator<Place> {
    const indexes: { readonly file: number; readonly read: Promise<Chunk> | Chunk }[] = [];
    // Behind the last entry there is nothing to read.
    let next = from > lastSequence ? files.length : Math.floor((from - 1) / rowsPerFile);
    let width = 1;
    for (;;) {
      for (; indexes.length < width && next < files.length && next * rowsPerFile < to; next++)
        if (!wanted || wanted(files[next] as LogPart))
          indexes.push({ file: next, read: ahead(readIndex(next)) });
      const first = indexes.shift();
      if (!first) return;
      width = readAhead;
      const { file } = first;
      const index = first.read instanceof Promise ? await first.read : first.read;
      const begin =
        file * rowsPerFile + 1 < from ? Math.floor((from - 1 - file * rowsPerFile) / rowsPerMember) : 0;
      for (let at = begin; at < index.ends.length && firstOf({ file, at }) <= to; at++)
        if (!wanted || wanted(datesIn(index, at))) yield { file, at, index };
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
      if (last?.file === file && last.at === at) return { chunk: last.chunk, line };
      const kept = (chunk: Chunk): TableRow => {
        last = { file, at, chunk };
        return { chunk, line };
      };
      const index = readIndex(file);
      if (index instanceof Promise)
        return index.then(async (found) => kept(await read({ file, at, index: found })));
      const chunk = read({ file, at, index });
      return chunk instanceof Promise ? chunk.then(kept) : kept(chunk);
    },
    async page({ after, limit, wanted, matches }) {
      const rows: MergedRow[] = [];
      const from = after + 1;
      const found = places(from, matches || wanted ? Infinity : after + limit, wanted);
      const chunks: { readonly first: number; readonly read: Promise<Chunk> | Chunk }[] = [];
      // Without a filter all members of the page are known. With one, the first member is often enough.
      let width = matches || wanted ? 1 : Infinity;
      while (rows.length < limit) {
        while (chunks.length < width) {
          const { value: place } = (await found.next()) as { value: Place | undefined };
          if (!place) width = chunks.length;
          else chunks.push({ first: firstOf(place), read: ahead(read(place)) });
        }
        const next = chunks.shift();
        if (!next) break;
        const chunk = next.read instanceof Promise ? await next.read : next.read;
        for (let line = Math.max(0, from - next.first); line < chunk.ends.length; line++) {
          if (rows.length === limit) break;
          if (!matches || matches({ chunk, line }))
            rows.push({ chunk, line, sort: feedOrder(next.first + line) });
        }
        width = Math.min(readAhead, limit - rows.length);
      }
      return rows;
    },
  };
}

/** What a line of the index of a file says: the offset of a member, its SHA-256, and the dates of its rows. */
export function memberOf(list: LogList, part: LogPart, index: Chunk, at: number): LogMember {
  return { ...blockOf(list, part, index, at), ...datesIn(index, at) };
}

/** Where a member is stored, for who reads it: its dates would take longer than all else here. */
function blockOf(list: LogList, part: LogPart, index: Chunk, at: number): StoredBlock {
  const offset = offsetIn(index, at);
  const end = at + 1 < index.ends.length ? offsetIn(index, at + 1) : part.bytes;
  const digest = digestStart(index, at);
  return {
    offset,
    bytes: end - offset,
    sha256: index.bytes.toString('latin1', digest, digest + digestLength),
    rows: Math.min(list.rowsPerMember, part.rows - at * list.rowsPerMember),
  };
}

function offsetIn(index: Chunk, at: number): number {
  const from = lineStart(index, at);
  return Number(index.bytes.toString('latin1', from, index.bytes.indexOf(space, from)));
}

const digestStart = (index: Chunk, at: number) => index.bytes.indexOf(space, lineStart(index, at)) + 1;

/** The dates in a line of the index. A walk asks for those of hundreds of lines, and for few of their members. */
function datesIn(index: Chunk, at: number): Required<FiledDates> {
  const from = digestStart(index, at) + digestLength + 1;
  const end = lineEnd(index, at);
  const labels = from < end ? index.bytes.toString('latin1', from, end).split(' ') : [];
  return { filedFrom: labels[0] ?? '', filedTo: labels.at(-1) ?? '', labels };
}

/** The line of the index for a member. `days` are the filing dates of its rows, each once, sorted. */
export function indexLine(offset: number, sha256: string, days: readonly string[]): string {
  return `${[offset, sha256, ...days].join(' ')}\n`;
}
