import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { count, sha256 } from '../contract/scalars.ts';
import type { ChunkCache } from './chunk-cache.ts';
import { bisect, lineEnd, lineStart, toChunk, type Chunk } from './chunk.ts';
import { CorruptSnapshot, sha256Of } from '../files/bytes.ts';
import type { Direction } from '../contract/snapshot.ts';
import { compareKeys, compareLine, keyBytes, keysOf, rowExtent, type Keys } from './line.ts';

/** A block may hold one row that is longer than all others: no more than this comes out of one. */
export const blockBytesMaximum = 2 * 1024 * 1024;

/**
 * What an index tells of a block: the keys of its first line, where its bytes lie, their digest as they are
 * stored, and what its rows hold.
 */
export const BlockEntry = z.object({
  partition: z.string(),
  sort: z.string(),
  offset: count,
  bytes: z.int().min(1),
  rows: z.int().min(1),
  filedFrom: z.string().describe('Least filing date of its rows; empty if they have none.'),
  filedTo: z.string().describe('Greatest filing date of its rows; empty if they have none.'),
  sha256,
  labels: z
    .array(z.string())
    .readonly()
    .describe(
      'What its rows have, each once, in order: forms, items and `issuer`, or filing dates; `*` if one of them hides, or replaces a row that may have others.',
    ),
});
/** See the schema of the same name. */
export type BlockEntry = Readonly<z.infer<typeof BlockEntry>>;

/** What a segment's head tells of a table. */
export const TableHead = z.object({
  direction: z.enum(['ascending', 'descending']),
  rows: count,
  root: z
    .array(BlockEntry)
    .readonly()
    .describe(
      'The blocks of the index, which is a table, too: its rows are the entries of the blocks of rows.',
    ),
});
/** See the schema of the same name. */
export type TableHead = Readonly<z.infer<typeof TableHead>>;

/**
 * Reads ranges of named parts. The one interface between tables and where their bytes are: a folder, a host
 * of files, a bucket.
 */
export interface PartReader {
  /**
   * Reads that have begun, for whoever wants the same. Left out where all requests share theirs. Those of a
   * worker share nothing with others: a request may end at any time, and what it began to read then never
   * comes.
   */
  readonly underWay?: () => ReadsUnderWay;
  /**
   * Bytes `offset` up to `offset + length`. Rejects if they cannot be had; may resolve to fewer where the
   * part is shorter. `sha256` is the digest that they have to have: a reader that keeps copies, or can ask
   * again, goes by it. Whoever reads compares it all the same.
   */
  read(part: string, offset: number, length: number, sha256?: string): Promise<Buffer>;
  /**
   * The same at once, into memory that the next call uses again; null where that is not possible now. Only a
   * reader of local files has it: a block takes longer to check and inflate than to read.
   */
  borrow?(part: string, offset: number, length: number): Buffer | null;
}

/**
 * Reads that have begun: blocks by their SHA-256, and pieces of parts by a name that the reader gives them.
 */
export interface ReadsUnderWay {
  readonly blocks: Map<string, Promise<Chunk>>;
  readonly pieces: Map<string, Promise<Buffer>>;
}

/** A row of a table: a line of a block. */
export interface TableRow {
  readonly chunk: Chunk;
  readonly line: number;
}

/**
 * An open table. Nothing of it is in memory but its head; blocks come through the cache, known by their
 * digest.
 */
export interface Table {
  readonly head: TableHead;
  /**
   * Blocks from the one in which the keys lie or would lie, up to the first that begins where `endsAt` says
   * that it is over. `wanted` leaves out blocks of which the index tells that nothing in them matters. Throws
   * `CorruptSnapshot`.
   */
  blocksFrom(
    keys: Keys,
    wanted?: (entry: BlockEntry) => boolean,
    endsAt?: (first: Keys) => boolean,
  ): AsyncGenerator<BlockEntry>;
  /**
   * The one block in which a row with these keys can lie; null if they stand before all. Throws
   * `CorruptSnapshot`.
   */
  blockOf(keys: Keys): Promise<BlockEntry> | BlockEntry | null;
  /** The lines of a block. Throws `CorruptSnapshot`. */
  read(entry: BlockEntry): Promise<Chunk> | Chunk;
}

/** Gives the bytes of a block that was checked. Throws `CorruptSnapshot`. */
export type Inflate = (part: string, entry: BlockEntry, stored: Buffer) => Buffer;

/**
 * Opens a table. `part` names its rows, `indexPart` its index. `inflate` is for tables that are no part of a
 * snapshot; the blocks of those are gzip members.
 */
export function openTable(
  parts: PartReader,
  part: string,
  indexPart: string,
  head: TableHead,
  cache: ChunkCache,
  inflate: Inflate = inflateBlock,
): Table {
  const readRows = blockReader(parts, part, cache, inflate);
  const readIndex = blockReader(parts, indexPart, cache, inflate);
  // Keys that stand at the beginning of a block lie in it; others in the block before: -1 if they stand
  // before all blocks.
  const rootBlockOf = (keys: Keys) =>
    bisect(head.root.length, (at) => compareKeys(head.direction, head.root[at] as BlockEntry, keys) > 0) - 1;
  const indexLineOf = (chunk: Chunk, keys: Keys) => {
    const wanted = keyBytes(keys);
    return bisect(chunk.ends.length, (line) => compareLine(head.direction, chunk, line, wanted) > 0) - 1;
  };

  return {
    head,
    read: readRows,
    blockOf(keys) {
      const page = head.root[rootBlockOf(keys)];
      if (!page) return null;
      const chunk = readIndex(page);
      const find = (index: Chunk) => entryAt(index, indexLineOf(index, keys));
      return chunk instanceof Promise ? chunk.then(find) : find(chunk);
    },
    async *blocksFrom(keys, wanted, endsAt) {
      const { root } = head;
      const first = Math.max(0, rootBlockOf(keys));
      for (let at = first; at < root.length; at++) {
        const entry = root[at] as BlockEntry;
        if (endsAt?.(entry)) return;
        if (wanted && !wanted(entry)) continue;
        const found = readIndex(entry);
        const chunk = found instanceof Promise ? await found : found;
        const from = at === first ? Math.max(0, indexLineOf(chunk, keys)) : 0;
        for (let line = from; line < chunk.ends.length; line++) {
          const block = entryAt(chunk, line);
          if (endsAt?.(block)) return;
          if (!wanted || wanted(block)) yield block;
        }
      }
    },
  };
}

function blockReader(
  parts: PartReader,
  part: string,
  cache: ChunkCache,
  inflate: Inflate,
): (entry: BlockEntry) => Promise<Chunk> | Chunk {
  const ofAll = new Map<string, Promise<Chunk>>();

  function take(entry: BlockEntry, stored: Buffer): Chunk {
    checkStored(part, entry, stored);
    const chunk = toLines(part, entry, inflate(part, entry, stored));
    cache.set(entry.sha256, chunk, entry.bytes);
    return chunk;
  }

  const fetch = async (entry: BlockEntry) =>
    take(entry, await parts.read(part, entry.offset, entry.bytes, entry.sha256));

  return (entry) => {
    const known = cache.get(entry.sha256);
    if (known) return known;
    try {
      const borrowed = parts.borrow?.(part, entry.offset, entry.bytes);
      if (borrowed) return take(entry, borrowed);
    } catch (error) {
      // Who reads ahead hears of it when it is the block's turn.
      return Promise.reject(error as Error);
    }
    // Requests that want the same block at the same time share one read.
    const underWay = parts.underWay?.().blocks ?? ofAll;
    const pending = underWay.get(entry.sha256) ?? fetch(entry).finally(() => underWay.delete(entry.sha256));
    underWay.set(entry.sha256, pending);
    return pending;
  };
}

/** Throws `CorruptSnapshot`, which names part and offset, for bytes that are not those of the block. */
export function checkStored(part: string, entry: BlockEntry, stored: Buffer): void {
  if (stored.length !== entry.bytes || sha256Of(stored) !== entry.sha256)
    throw new CorruptSnapshot(
      `${part}: the ${entry.bytes} bytes at ${entry.offset} are not those that the index names`,
    );
}

/**
 * Inflates a block that was checked. It takes 60 µs: in another thread, and in pieces of 16 KiB, it would
 * take six times as long, and more of this thread, too. The length, which ends a gzip member, makes the bytes
 * one piece that fits. Throws `CorruptSnapshot`.
 */
export function inflateBlock(part: string, entry: BlockEntry, stored: Buffer): Buffer {
  try {
    const length = Math.min(stored.readUInt32LE(stored.length - 4), blockBytesMaximum);
    return gunzipSync(stored, { maxOutputLength: blockBytesMaximum, chunkSize: Math.max(length + 1, 64) });
  } catch (error) {
    throw new CorruptSnapshot(
      `${part}: the block at ${entry.offset} cannot be inflated: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

/**
 * The lines of the inflated bytes of a block. Throws `CorruptSnapshot` if they are not as many as its entry
 * says.
 */
export function toLines(part: string, entry: BlockEntry, bytes: Buffer): Chunk {
  const chunk = toChunk(bytes, entry.sha256);
  if (chunk.ends.length === entry.rows && bytes[bytes.length - 1] === 0x0a)
    return { ...chunk, filedFrom: entry.filedFrom, filedTo: entry.filedTo };
  throw new CorruptSnapshot(
    `${part}: the block at ${entry.offset} has ${chunk.ends.length} rows, not ${entry.rows}`,
  );
}

/** Entries of the index blocks that are in memory: each is parsed once. */
const parsed = new WeakMap<Chunk, (BlockEntry | undefined)[]>();

/** The entry in a line of a block of an index. */
function entryAt(chunk: Chunk, line: number): BlockEntry {
  let entries = parsed.get(chunk);
  if (!entries) parsed.set(chunk, (entries = Array.from({ length: chunk.ends.length }, () => undefined)));
  return (entries[line] ??= parseEntry(chunk, line));
}

/** The entries in a block of an index. */
export function entriesOf(chunk: Chunk): readonly BlockEntry[] {
  return Array.from(chunk.ends, (_, line) => entryAt(chunk, line));
}

function parseEntry(chunk: Chunk, line: number): BlockEntry {
  const { from, to } = rowExtent(chunk, line);
  return {
    ...keysOf(chunk, line),
    ...(JSON.parse(chunk.bytes.toString('utf8', from, to)) as Omit<BlockEntry, keyof Keys>),
  };
}

/** The first line of a block at or behind keys, in the order of the table. */
export function firstLineFrom(direction: Direction, chunk: Chunk, keys: Keys): number {
  const wanted = keyBytes(keys);
  return bisect(chunk.ends.length, (line) => compareLine(direction, chunk, line, wanted) >= 0);
}

/** The bytes of the row of a line; null where it hides. */
export function rowBytes({ chunk, line }: TableRow): Buffer {
  const { from, to } = rowExtent(chunk, line);
  return chunk.bytes.subarray(from, to);
}

/** The bytes of a whole line, its newline included. */
export function lineBytes({ chunk, line }: TableRow): Buffer {
  return chunk.bytes.subarray(lineStart(chunk, line), lineEnd(chunk, line) + 1);
}
