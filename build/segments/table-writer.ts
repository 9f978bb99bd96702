import { brotliCompressSync, brotliDecompressSync, constants, gzipSync } from 'node:zlib';
import { blockBytes, type Direction } from '../../src/format/snapshot.ts';
import { compareKeys, makeLine, type Keys } from '../../src/table/line.ts';
import { lineEnd, lineStart } from '../../src/table/block.ts';
import {
  blockBytesMaximum,
  type BlockEntry,
  type Inflate,
  type TableHead,
  type TableRow,
} from '../../src/table/table.ts';
import { sha256Of } from '../../src/files/bytes.ts';

/** What the index says about a row, so that a read can skip blocks. */
export interface RowFacts {
  /** Filing date, `YYYY-MM-DD`; empty if the row has none. */
  readonly filedAt: string;
  /**
   * The form and the items of the row, and `issuer` if the company is the issuer. `*` marks a row that hides
   * or replaces an older row, which may have had other labels. Tables that nobody filters have no labels.
   */
  readonly labels: readonly string[];
}

/** Takes the next bytes of a file. */
export type Sink = (bytes: Buffer) => void;

/** A table that is being written. */
export interface TableWriter {
  /**
   * Adds a line with its newline, and copies its bytes. Throws if its keys do not follow those of the line
   * before, or if the line is longer than `blockBytesMaximum`.
   */
  add(keys: Keys, row: TableRow, facts: RowFacts): void;
  /** Writes the last block and the index, and returns the head of the table. */
  finish(): TableHead;
}

/** Compresses a block. */
export type Compress = (block: Buffer) => Buffer;

/**
 * Compresses a block of a segment as a gzip member. Level 4 makes it 5 % smaller and takes 40 % longer, 3 µs
 * for each filing; level 2 takes as long as 3.
 */
export const compressLasting: Compress = (block) => gzipSync(block, { level: 3 });

/** Bytes of a block of a run. Blocks twice as long as those of a segment take a third less time. */
export const passingBlockBytes = 128 * 1024;
const fastest = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 0, [constants.BROTLI_PARAM_LGWIN]: 18 },
};
/**
 * Compresses a block of a run, which only the same build reads: Brotli at its fastest takes half as long as
 * gzip.
 */
export const compressPassing: Compress = (block) => brotliCompressSync(block, fastest);

/** Inflates a block of a run. */
export const inflatePassing: Inflate = (stored) =>
  brotliDecompressSync(stored, { maxOutputLength: blockBytesMaximum, chunkSize: passingBlockBytes + 1 });

/**
 * Makes a writer that cuts lines into blocks, compresses each block on its own, and writes an index with an
 * entry for each block. The index is cut and compressed in the same way. `rowBlockBytes` bounds a block of
 * rows before compression. A block ends before the line that would exceed the bound, so the same lines always
 * give the same blocks.
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
      const line = Buffer.from(makeLine({ partition, sort }, JSON.stringify(entry)));
      entries.add({ partition, sort }, line, 0, line.length, facts);
    },
  );
  let count = 0;
  return {
    add(keys, { block, line }, { filedAt, labels }) {
      lines.add(keys, block.bytes, lineStart(block, line), lineEnd(block, line) + 1, {
        filedFrom: filedAt,
        filedTo: filedAt,
        labels,
      });
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
  /** Adds the line from `from` up to `to`, its newline included. */
  add(keys: Keys, source: Buffer, from: number, to: number, facts: BlockFacts): void;
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
    add(keys, source, from, to, facts) {
      const length = to - from;
      if (last !== null && compareKeys(direction, last, keys) >= 0)
        throw new Error(`(${keys.partition}, ${keys.sort}) may not follow (${last.partition}, ${last.sort})`);
      if (length > blockBytesMaximum)
        throw new Error(`the line of (${keys.partition}, ${keys.sort}) is ${length} bytes long`);
      if (bytes + length > bytesMaximum) endBlock();
      if (length > room.length) room = Buffer.allocUnsafeSlow(length);
      if (rows === 0) first = keys;
      last = keys;
      source.copy(room, bytes, from, to);
      rows++;
      bytes += length;
      if (facts.filedTo > filedTo) filedTo = facts.filedTo;
      if (facts.filedFrom !== '' && (filedFrom === '' || facts.filedFrom < filedFrom))
        filedFrom = facts.filedFrom;
      for (const label of facts.labels) labels.add(label);
    },
    finish: endBlock,
  };
}
