import { brotliCompressSync, brotliDecompressSync, constants, gzipSync } from 'node:zlib';
import { blockBytes, type Direction } from '../../src/contract/snapshot.ts';
import { compareKeys, makeLine, type Keys } from '../../src/table/line.ts';
import { blockBytesMaximum, type BlockEntry, type Inflate, type TableHead } from '../../src/table/table.ts';
import { CorruptSnapshot, sha256Of } from '../../src/files/bytes.ts';

/** What an index tells of a row, so that reads can leave out blocks. */
export interface RowFacts {
  /** `YYYY-MM-DD`; empty if it has none. */
  readonly filedAt: string;
  /**
   * Its form and items, `issuer`, and `*` if it hides or replaces what may have others; in the feed of all
   * companies its filing date; empty in tables that are not filtered.
   */
  readonly labels: readonly string[];
}

/** Takes the bytes of a file, one piece after the other. */
export type Sink = (bytes: Buffer) => void;

/** A table that is being written. */
export interface TableWriter {
  /**
   * Adds a line, its newline included; the bytes are copied. Throws if it does not stand behind the one
   * before, or is too long.
   */
  add(keys: Keys, line: Buffer, facts: RowFacts): void;
  /** Writes what is left and returns the head of the table. */
  finish(): TableHead;
}

/** Makes the bytes of a block as they are stored. */
export type Compress = (block: Buffer) => Buffer;

/**
 * As a gzip member. What lasts is a tenth smaller than at the fastest level, for 4 µs more for each filing:
 * that makes room for the files of the change feed, which hold each of them once more.
 */
export const compressLasting: Compress = (block) => gzipSync(block, { level: 4 });

/** Blocks of what passes are longer: fewer calls, and a third less time. */
export const passingBlockBytes = 128 * 1024;
const fastest = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 0, [constants.BROTLI_PARAM_LGWIN]: 18 },
};
/** As what only the same build reads again: with Brotli, which is twice as fast as gzip at its fastest. */
export const compressPassing: Compress = (block) => brotliCompressSync(block, fastest);

/** Reads a block of that kind. Throws `CorruptSnapshot`. */
export const inflatePassing: Inflate = (part, entry, stored) => {
  try {
    return brotliDecompressSync(stored, {
      maxOutputLength: blockBytesMaximum,
      chunkSize: passingBlockBytes + 1,
    });
  } catch (error) {
    throw new CorruptSnapshot(
      `${part}: the block at ${entry.offset} cannot be inflated: ${(error as Error).message}`,
      { cause: error },
    );
  }
};

/**
 * Cuts lines into blocks of about 64 KiB, or fewer bytes where they are given, each compressed on its
 * own, and their entries into the blocks of the index in the same way. A block ends before the
 * line that would make it longer, so that the same lines give the same blocks wherever they come from.
 */
export function createTableWriter(
  direction: Direction,
  rows: Sink,
  index: Sink,
  rowBlockBytes = blockBytes,
  compress = compressLasting,
): TableWriter {
  const root: BlockEntry[] = [];
  const entries = createBlockCutter(direction, blockBytes, compress, index, (entry) => void root.push(entry));
  const lines = createBlockCutter(
    direction,
    rowBlockBytes,
    compress,
    rows,
    ({ partition, sort, ...entry }, facts) => {
      entries.add(
        { partition, sort },
        Buffer.from(makeLine({ partition, sort }, JSON.stringify(entry))),
        facts,
      );
    },
  );
  let count = 0;
  return {
    add(keys, line, { filedAt, labels }) {
      lines.add(keys, line, { filedFrom: filedAt, filedTo: filedAt, labels });
      count++;
    },
    finish() {
      lines.finish();
      entries.finish();
      return { direction, rows: count, root };
    },
  };
}

type BlockFacts = Pick<BlockEntry, 'filedFrom' | 'filedTo' | 'labels'>;

interface BlockCutter {
  add(keys: Keys, line: Buffer, facts: BlockFacts): void;
  finish(): void;
}

function createBlockCutter(
  direction: Direction,
  bytesMaximum: number,
  compress: Compress,
  sink: Sink,
  onBlock: (entry: BlockEntry, facts: BlockFacts) => void,
): BlockCutter {
  let room = Buffer.allocUnsafeSlow(bytesMaximum);
  let rows = 0;
  let bytes = 0;
  let offset = 0;
  let first: Keys = { partition: '', sort: '' };
  let last: Keys | null = null;
  let filedFrom = '';
  let filedTo = '';
  const labels = new Set<string>();

  function endBlock(): void {
    if (rows === 0) return;
    const stored = compress(room.subarray(0, bytes));
    sink(stored);
    const facts: BlockFacts = { filedFrom, filedTo, labels: [...labels].sort() };
    const entry: BlockEntry = {
      ...first,
      offset,
      bytes: stored.length,
      rows,
      filedFrom,
      filedTo,
      sha256: sha256Of(stored),
      labels: facts.labels,
    };
    offset += stored.length;
    [rows, bytes, filedFrom, filedTo] = [0, 0, '', ''];
    labels.clear();
    onBlock(entry, facts);
  }

  return {
    add(keys, line, facts) {
      if (last !== null && compareKeys(direction, last, keys) >= 0)
        throw new Error(`(${keys.partition}, ${keys.sort}) may not follow (${last.partition}, ${last.sort})`);
      if (line.length > blockBytesMaximum)
        throw new Error(`the line of (${keys.partition}, ${keys.sort}) is ${line.length} bytes long`);
      if (bytes + line.length > bytesMaximum) endBlock();
      if (line.length > room.length) room = Buffer.allocUnsafeSlow(line.length);
      if (rows === 0) first = keys;
      last = keys;
      line.copy(room, bytes);
      rows++;
      bytes += line.length;
      if (facts.filedTo > filedTo) filedTo = facts.filedTo;
      if (facts.filedFrom !== '' && (filedFrom === '' || facts.filedFrom < filedFrom))
        filedFrom = facts.filedFrom;
      for (const label of facts.labels) labels.add(label);
    },
    finish: endBlock,
  };
}
