import { gunzipSync, inflateRawSync } from 'node:zlib';
import type { BlockCache } from './block-cache.ts';
import { bisect, lineEnd, lineStart, toBlock, type Block } from './block.ts';
import { CorruptSnapshot, sha256Of } from '../files/bytes.ts';
import type { Direction } from '../format/snapshot.ts';
import { entriesOf, entryAt } from './index-entry.ts';
import { compareKeys, compareLine, keyBytes, rowExtent, type Keys } from './line.ts';
import { inPasses, lack, mayPause, note, readBefore, together } from './passes.ts';
import type { BlockEntry, IndexedBlock, StoredBlock, TableHead } from './table-head.ts';

/** Upper bound of an inflated block. A block is longer than 64 KiB if it holds one very long row. */
export const blockBytesMaximum = 2 * 1024 * 1024;

/**
 * Reads ranges of named parts. The only interface between tables and the storage of their bytes: a folder, a
 * host of files, or a bucket.
 */
export interface PartReader {
  /**
   * Reads under way that the current request may share. If left out, all requests share their reads. In a
   * worker each request has its own: when the platform ends a request, its reads never finish.
   */
  readonly underWay?: () => ReadsUnderWay;
  /**
   * Reads the bytes from `offset` to `offset + length`. Rejects if they are unavailable; may resolve to fewer
   * if the part is shorter. `sha256` is the digest that the bytes must have: a reader that keeps copies or
   * can ask again checks it. The caller has to check it in any case.
   */
  read(part: string, offset: number, length: number, sha256?: string): Promise<Buffer>;
  /**
   * Reads at once, into memory that the next call may reuse. Only readers of local files have it: there, checking and
   * inflating a block takes longer than reading it. Throws `CorruptSnapshot`.
   */
  readNow?(part: string, offset: number, length: number): Buffer;
  /**
   * Null if the reader of a block may go on; else a promise that resolves when it is its turn again. A long
   * answer pauses where it reads, so that other requests get their turns.
   */
  pause?(): Promise<void> | null;
}

/** Reads under way: blocks by their SHA-256, and pieces of parts by a name that the reader gives them. */
export interface ReadsUnderWay {
  readonly blocks: Map<string, Promise<Block>>;
  readonly pieces: Map<string, Promise<Buffer>>;
}

/** A row of a table: a line of a block. */
export interface TableRow {
  readonly block: Block;
  readonly line: number;
}

/**
 * An open table. Only its head is in memory; blocks come through the cache, by their digest. Over a host all of it is
 * used in passes (`inPasses`).
 */
export interface Table {
  readonly head: TableHead;
  /**
   * Yields blocks, beginning with the one that may hold the keys, until `endsAt` is true for the first keys
   * of a block. `wanted` leaves out blocks by their index entry. Throws `CorruptSnapshot`.
   */
  blocksFrom(
    keys: Keys,
    wanted?: (entry: IndexedBlock) => boolean,
    endsAt?: (first: Keys) => boolean,
  ): Generator<BlockEntry>;
  /**
   * The blocks of the index that may tell of the first row at these keys or behind them: one or two, none of an empty
   * table. Reads nothing.
   */
  indexFrom(keys: Keys): readonly IndexedBlock[];
  /**
   * The one block that may hold a row with these keys; null if the keys come before all blocks. Throws
   * `CorruptSnapshot`.
   */
  blockOf(keys: Keys): BlockEntry | null;
  /** The lines of a block. Throws `CorruptSnapshot`. */
  read(entry: BlockEntry): Block;
  /** Whether a read takes a round trip to a host: then it pays to note early what will be needed. */
  readonly isFar: boolean;
  /** Notes that a block will be needed. */
  note(entry: BlockEntry): void;
  /** Notes the blocks of the index that `blocksFrom` would read, at most `blocksMaximum`. */
  noteIndex(
    keys: Keys,
    endsAt: (first: Keys) => boolean,
    blocksMaximum: number,
    wanted?: (entry: IndexedBlock) => boolean,
  ): void;
  /** Reads the index, and the rows if wanted, and keeps them in memory. Throws `CorruptSnapshot`. */
  hold(what: 'index' | 'rows'): Promise<void>;
}

/** Decompresses a stored block. Throws any error for bytes that it cannot decompress. */
export type Inflate = (stored: Buffer) => Buffer;

/** Opens a table. `part` names its rows, `indexPart` its index. */
export function openTable(
  parts: PartReader,
  part: string,
  indexPart: string,
  head: TableHead,
  cache: BlockCache,
): Table {
  const blocks = createBlockReader(parts, cache);
  /** Blocks that stay in memory, by their digests. */
  const held = new Map<string, Block>();
  const readIndex = (entry: IndexedBlock) => held.get(entry.sha256) ?? blocks.read(indexPart, entry);
  const readRows = (entry: IndexedBlock) => held.get(entry.sha256) ?? blocks.read(part, entry);
  // The last block that begins at or before the keys may hold them; -1 if the keys come before all blocks.
  const rootBlockOf = (keys: Keys) =>
    bisect(head.root.length, (at) => compareKeys(head.direction, head.root[at] as IndexedBlock, keys) > 0) -
    1;
  const indexLineOf = (block: Block, keys: Keys) => {
    const wanted = keyBytes(keys);
    return bisect(block.ends.length, (line) => compareLine(head.direction, block, line, wanted) > 0) - 1;
  };

  return {
    head,
    read: readRows,
    isFar: parts.readNow === undefined,
    note(entry) {
      if (!held.has(entry.sha256)) blocks.note(part, entry);
    },
    noteIndex(keys, endsAt, blocksMaximum, wanted) {
      let noted = 0;
      for (let at = Math.max(0, rootBlockOf(keys)); at < head.root.length; at++) {
        const entry = head.root[at] as IndexedBlock;
        if (noted === blocksMaximum || endsAt(entry)) break;
        if (wanted && !wanted(entry)) continue;
        noted++;
        if (!held.has(entry.sha256)) blocks.note(indexPart, entry);
      }
    },
    hold: (what) =>
      inPasses(() => {
        const index = together(head.root, readIndex);
        const rows = what === 'rows' ? together(index.flatMap(entriesOf), readRows) : [];
        for (const block of [...index, ...rows]) held.set(block.sha256, block);
      }),
    indexFrom(keys) {
      const at = Math.max(0, rootBlockOf(keys));
      return head.root.slice(at, at + 2);
    },
    blockOf(keys) {
      const entry = head.root[rootBlockOf(keys)];
      if (!entry) return null;
      const index = readIndex(entry);
      return entryAt(index, indexLineOf(index, keys));
    },
    *blocksFrom(keys, wanted, endsAt) {
      const { root } = head;
      const first = Math.max(0, rootBlockOf(keys));
      for (let at = first; at < root.length; at++) {
        const entry = root[at] as IndexedBlock;
        if (endsAt?.(entry)) return;
        if (wanted && !wanted(entry)) continue;
        const block = readIndex(entry);
        const from = at === first ? Math.max(0, indexLineOf(block, keys)) : 0;
        for (let line = from; line < block.ends.length; line++) {
          const listed = entryAt(block, line);
          if (endsAt?.(listed)) return;
          if (!wanted || wanted(listed)) yield listed;
        }
      }
    },
  };
}

/** Reads blocks of parts, each by its digest. */
export interface BlockReader {
  /**
   * Reads a block. `stored` are bytes that were read before the digest was known; if they differ from it, the block is
   * read again. Throws `CorruptSnapshot`.
   */
  read(part: string, entry: StoredBlock, stored?: Buffer): Block;
  /** Notes that a block will be needed. */
  note(part: string, entry: StoredBlock): void;
}

/** Makes a reader of blocks, which come through the cache by their digest. `isBare`: see `Block`. */
export function createBlockReader(
  parts: PartReader,
  cache: BlockCache,
  inflate: Inflate = inflateMember,
  isBare = false,
): BlockReader {
  const sharedReads = new Map<string, Promise<Block>>();

  function take(part: string, entry: StoredBlock, stored: Buffer): Block {
    const lines = blockOf(part, entry, stored, inflate);
    const block = isBare ? { ...lines, isBare } : lines;
    cache.set(entry.sha256, block, entry.bytes);
    return block;
  }

  async function fetch(part: string, entry: StoredBlock): Promise<Block> {
    return take(part, entry, await parts.read(part, entry.offset, entry.bytes, entry.sha256));
  }

  /** Fetches a block. Requests that want the same one at the same time share the read. */
  function fetchShared(part: string, entry: StoredBlock): Promise<Block> {
    const underWay = parts.underWay?.().blocks ?? sharedReads;
    const pending =
      underWay.get(entry.sha256) ?? fetch(part, entry).finally(() => underWay.delete(entry.sha256));
    underWay.set(entry.sha256, pending);
    return pending;
  }

  return {
    read(part, entry, stored) {
      if (parts.readNow) mayPause(parts.pause);
      const known = readBefore<Block>(entry.sha256) ?? cache.get(entry.sha256);
      if (known) return known;
      if (parts.readNow) return take(part, entry, parts.readNow(part, entry.offset, entry.bytes));
      if (stored && isStored(entry, stored)) return take(part, entry, stored);
      return lack(entry.sha256, () => fetchShared(part, entry));
    },
    note(part, entry) {
      if (!parts.readNow && !cache.has(entry.sha256)) note(entry.sha256, () => fetchShared(part, entry));
    },
  };
}

/** Checks the stored bytes of a block, inflates them and finds their lines. Throws `CorruptSnapshot`. */
export function blockOf(
  part: string,
  entry: StoredBlock,
  stored: Buffer,
  inflate: Inflate = inflateMember,
): Block {
  checkStored(part, entry, stored);
  return toLines(part, entry, inflateBlock(part, entry, stored, inflate));
}

/**
 * Checks the stored bytes of a block. Throws `CorruptSnapshot`, which names part and offset, if length or
 * digest differ.
 */
function checkStored(part: string, entry: StoredBlock, stored: Buffer): void {
  if (!isStored(entry, stored))
    throw new CorruptSnapshot(
      `${part}: the ${entry.bytes} bytes at ${entry.offset} are not those that the index names`,
    );
}

const isStored = ({ bytes, sha256 }: StoredBlock, stored: Buffer) =>
  stored.length === bytes && sha256Of(stored) === sha256;

/**
 * Inflates a block whose digest was checked. It takes 60 µs here; in another thread, in pieces of 16 KiB, it
 * would take six times the time and more time of this thread, too. Throws `CorruptSnapshot`.
 */
function inflateBlock(part: string, entry: StoredBlock, stored: Buffer, inflate: Inflate): Buffer {
  try {
    return inflate(stored);
  } catch (error) {
    throw new CorruptSnapshot(
      `${part}: the block at ${entry.offset} cannot be inflated: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

/** Length of the header of a gzip member that has no optional fields, and of what follows its data. */
const [headerBytes, trailerBytes] = [10, 8];

/**
 * Inflates a gzip member whose digest was checked. What its checksum says of its content is not checked again:
 * that would take a fifth of the time. `verify` does it with `inflateAndCheck`.
 */
function inflateMember(stored: Buffer): Buffer {
  const hasOptionalFields = stored[3] !== 0;
  if (hasOptionalFields || stored.length < headerBytes + trailerBytes) return inflateAndCheck(stored);
  return inflateRawSync(stored.subarray(headerBytes, -trailerBytes), outputOf(stored));
}

/** Inflates a gzip member, and checks its content by its checksum. Throws if it does not match. */
export function inflateAndCheck(stored: Buffer): Buffer {
  return gunzipSync(stored, outputOf(stored));
}

/** A gzip member ends with its inflated length, so one output buffer of the right size is allocated. */
function outputOf(stored: Buffer): { readonly maxOutputLength: number; readonly chunkSize: number } {
  const length = Math.min(stored.readUInt32LE(stored.length - 4), blockBytesMaximum);
  return { maxOutputLength: blockBytesMaximum, chunkSize: Math.max(length + 1, 64) };
}

/**
 * Finds the lines of an inflated block. Throws `CorruptSnapshot` if the number of lines is not the one in its
 * entry.
 */
function toLines(part: string, entry: StoredBlock, bytes: Buffer): Block {
  const block = toBlock(bytes, entry.sha256);
  if (block.ends.length === entry.rows && bytes[bytes.length - 1] === 0x0a)
    return {
      ...block,
      ...(entry.filedFrom === undefined ? {} : { filedFrom: entry.filedFrom }),
      ...(entry.filedTo === undefined ? {} : { filedTo: entry.filedTo }),
    };
  throw new CorruptSnapshot(
    `${part}: the block at ${entry.offset} has ${block.ends.length} rows, not ${entry.rows}`,
  );
}

/** The first line of a block at or behind keys, in the order of the table. */
export function firstLineFrom(direction: Direction, block: Block, keys: Keys): number {
  const wanted = keyBytes(keys);
  return bisect(block.ends.length, (line) => compareLine(direction, block, line, wanted) >= 0);
}

/** The bytes of the row of a line; `null` as text if the line hides. */
export function rowBytes({ block, line }: TableRow): Buffer {
  const { from, to } = rowExtent(block, line);
  return block.bytes.subarray(from, to);
}

/** The row of a line that has ASCII alone, such as a number or a date, as text. */
export function rowText({ block, line }: TableRow): string {
  const { from, to } = rowExtent(block, line);
  return block.bytes.toString('latin1', from, to);
}

/** The bytes of a whole line, its newline included. */
export function lineBytes({ block, line }: TableRow): Buffer {
  return block.bytes.subarray(lineStart(block, line), lineEnd(block, line) + 1);
}
