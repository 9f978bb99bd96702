import { closeSync, openSync, readSync } from 'node:fs';
import { brotliCompressSync, brotliDecompressSync, constants, crc32 } from 'node:zlib';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { bisect } from '../../src/table/block.ts';
import { compareKeys, type Keys } from '../../src/table/line.ts';
import { blockBytesMaximum } from '../../src/table/table.ts';
import { copyOf } from '../../src/domain/copy-of.ts';
import { partitionIn, runLine, sortIn, type RunLine, type RunRow, type RunTable } from './run-line.ts';

/** A block whose rows are looked up: where it begins in the file, and its first keys. */
interface RunBlock {
  readonly offset: number;
  readonly first: Keys;
}

/** One table of a run: the blocks between `from` and `to` in its file. */
export interface StoredRun {
  readonly path: string;
  readonly isCompressed: boolean;
  readonly from: number;
  readonly to: number;
  /** Its blocks, if rows of the table are looked up; otherwise none. */
  readonly blocks: readonly RunBlock[];
}

/**
 * Bytes before each block: its length, and the check sum of its bytes. A disk may lose bits; nobody else writes into a file
 * that exists for minutes. They are in the file, because a large build has a million blocks.
 */
const headBytes = 8;
/**
 * Characters of rows in a block. A merge has a block of each run open, and a look-up makes lines of a whole block. With 128
 * KiB a merge of 200 runs took a sixth longer.
 */
const blockCharacters = 32 * 1024;
const fastest = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 0, [constants.BROTLI_PARAM_LGWIN]: 18 },
};
const decompression = {
  maxOutputLength: 3 * (blockCharacters + blockBytesMaximum),
  chunkSize: blockCharacters + 1,
};

/**
 * Writes the rows of a table, in their order, behind `offset` bytes of the file of a run. `write` takes the
 * next bytes of it. A block is lines of a partition, a tab and the text of a row; a partition is left out
 * where it is that of the line before, or follows from the row. Only this build reads it, so it is compressed,
 * if at all, by Brotli at its fastest, which takes half as long as gzip.
 */
export function writeRun(
  path: string,
  rows: Iterable<RunRow>,
  definition: RunTable,
  offset: number,
  isCompressed: boolean,
  write: (bytes: Buffer) => void,
): StoredRun {
  const blocks: RunBlock[] = [];
  let end = offset;
  let first: Keys | null = null;
  let last = '';
  let lines: string[] = [];
  let characters = 0;

  function endBlock(): void {
    if (lines.length === 0) return;
    const bytes = Buffer.from(lines.join(''));
    const stored = isCompressed ? brotliCompressSync(bytes, fastest) : bytes;
    const head = Buffer.allocUnsafe(headBytes);
    head.writeUInt32LE(stored.length, 0);
    head.writeUInt32LE(crc32(stored), 4);
    write(head);
    write(stored);
    if (first) blocks.push({ offset: end, first });
    end += headBytes + stored.length;
    [first, last, lines, characters] = [null, '', [], 0];
  }

  for (const { partition, text } of rows) {
    if (characters > 0 && characters + text.length > blockCharacters) endBlock();
    if (definition.isLookedUp && lines.length === 0) first = firstKeys(definition, partition, text);
    lines.push(definition.partitionOf || partition === last ? `\t${text}\n` : `${partition}\t${text}\n`);
    last = partition;
    characters += text.length + 2;
  }
  endBlock();
  return { path, isCompressed, from: offset, to: end, blocks };
}

const firstKeys = ({ partitionOf }: RunTable, partition: string, text: string): Keys => ({
  partition: copyOf(partition),
  sort: partitionOf ? '' : copyOf(sortIn(text)),
});

/**
 * Reads the lines of a table of a run in their order, and holds one block in memory, as text. Throws
 * `CorruptSnapshot`.
 */
export function* readRun(run: StoredRun, definition: RunTable): Generator<RunLine> {
  for (let offset = run.from; offset < run.to; ) {
    const { text, end } = readBlock(run, offset);
    const next = createLineReader(text, definition);
    for (let line = next(); line !== null; line = next()) yield line;
    offset = end;
  }
}

/**
 * Returns a function that gives the lines of a block, one after the other, and then null. A merge has hundreds of
 * blocks open, so a line is made when it is its turn.
 */
function createLineReader(text: string, definition: RunTable): () => RunLine | null {
  let partition = '';
  let at = 0;
  return () => {
    if (at >= text.length) return null;
    const tab = text.indexOf('\t', at);
    const end = text.indexOf('\n', tab);
    const row = text.slice(tab + 1, end);
    if (definition.partitionOf) partition = partitionIn(definition as Required<RunTable>, row);
    else if (tab > at) partition = text.slice(at, tab);
    at = end + 1;
    return runLine(definition, { partition, text: row });
  };
}

function linesAt(run: StoredRun, offset: number, definition: RunTable): RunLine[] {
  const lines: RunLine[] = [];
  const next = createLineReader(readBlock(run, offset).text, definition);
  for (let line = next(); line !== null; line = next()) lines.push(line);
  return lines;
}

/**
 * Looks up lines of a table of a run by their keys. The lines of the last block stay in memory: a caller that
 * asks in the order of the table reads each block once. Throws `CorruptSnapshot`. The table has to be one that is looked up.
 */
export function createRunFinder(run: StoredRun, definition: RunTable): (keys: Keys) => RunLine | null {
  const { direction, isLookedUp } = definition;
  if (!isLookedUp) throw new Error('nothing is looked up in this table of a run');
  let open: { readonly block: RunBlock; readonly lines: readonly RunLine[] } | null = null;
  return (keys) => {
    const { blocks } = run;
    const isBehind = (at: number) => compareKeys(direction, (blocks[at] as RunBlock).first, keys) > 0;
    const block = blocks[bisect(blocks.length, isBehind) - 1];
    if (!block) return null;
    if (open?.block !== block) open = { block, lines: linesAt(run, block.offset, definition) };
    const { lines } = open;
    const isFrom = (at: number) => compareKeys(direction, (lines[at] as RunLine).keys, keys) >= 0;
    const line = lines[bisect(lines.length, isFrom)];
    return line && compareKeys(direction, line.keys, keys) === 0 ? line : null;
  };
}

/**
 * Reads the block at an offset, and tells where it ends. Opens the file for one block alone: a merge of hundreds of runs
 * would hold as many descriptors.
 */
function readBlock({ path, isCompressed, to }: StoredRun, offset: number): { text: string; end: number } {
  const descriptor = openSync(path, 'r');
  let stored: Buffer;
  let crc: number;
  try {
    const head = read(headBytes, offset);
    crc = head.readUInt32LE(4);
    stored = read(head.readUInt32LE(0), offset + headBytes);
  } finally {
    closeSync(descriptor);
  }
  if (crc32(stored) !== crc) throw new CorruptSnapshot(`${path} has changed at ${offset}`);
  const text = isCompressed ? brotliDecompressSync(stored, decompression) : stored;
  return { text: text.toString(), end: offset + headBytes + stored.length };

  function read(length: number, at: number): Buffer {
    if (at + length > to) throw new CorruptSnapshot(`${path} has changed at ${offset}`);
    const bytes = Buffer.allocUnsafe(length);
    readSync(descriptor, bytes, 0, length, at);
    return bytes;
  }
}
