import { tableDefinition, type SegmentEntry, type TableName } from '../../src/format/snapshot.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { lineEnd, lineStart, type Block } from '../../src/table/block.ts';
import { entriesOf } from '../../src/table/index-entry.ts';
import { endOfKey, linePrefix, type Keys } from '../../src/table/line.ts';
import type { SegmentHead } from '../../src/table/segment.ts';
import { inflateAndCheck } from '../../src/table/table.ts';
import type { BlockEntry, IndexedBlock } from '../../src/table/table-head.ts';
import { factsOfLine, noFacts } from '../segments/row-facts.ts';
import { storedTable } from '../segments/segment-writer.ts';
import { readBlocks, type StoredLine } from '../segments/table-files.ts';
import { createTableWriter, type StoreBlock } from '../segments/table-writer.ts';

/** A segment whose files are those that the manifest names. */
export interface VerifiedSegment extends SegmentEntry {
  readonly head: SegmentHead;
}

/** A line of a table that is verified. */
export interface VerifiedLine extends StoredLine {
  /** Where it stands in the bytes of its block behind its partition key. */
  readonly restFrom: number;
}

/**
 * Yields the lines of a table of a segment, with about one block in memory. Gives them to the writer of tables,
 * and compares each block that this makes of them with the one that is stored, whatever compressor made it. So
 * the order of the lines, where blocks are cut, and every member of the index and its root are proven, once the
 * last line was taken. Throws `CorruptSnapshot`.
 */
export function* verifiedLines(
  directory: string,
  { name, head }: Pick<VerifiedSegment, 'name' | 'head'>,
  table: TableName,
): Generator<VerifiedLine> {
  const stored = storedTable(directory, name, head, table);
  const { direction, isFiltered, blockBytes } = tableDefinition(table);
  const [rows, index] = [compareBlocks(stored.rows), compareBlocks(stored.index)];
  const writer = createTableWriter(direction, rows.store, index.store, blockBytes);
  for (const indexBlock of index.read(stored.head.root)) {
    for (const block of rows.read(parsedEntries(stored.index, indexBlock))) {
      for (const line of linesOf(stored.rows, block)) {
        try {
          writer.add(line.keys, line, isFiltered ? factsOfLine(line) : noFacts);
        } catch (error) {
          throw naming(stored.rows, error);
        }
        yield line;
      }
    }
  }
  const { files, ...made } = head.tables[table] as SegmentHead['tables'][string];
  if (JSON.stringify(writer.finish()) !== JSON.stringify(made))
    throw new CorruptSnapshot(`${stored.index}: the root in segment.json is not what its blocks give`);
  rows.checkLength(files.rows.bytes);
  index.checkLength(files.index.bytes);
}

/** Reads the blocks of a file, and compares with each of them what a writer makes. */
interface ComparedBlocks {
  read(entries: readonly IndexedBlock[]): Generator<Block>;
  readonly store: StoreBlock;
  checkLength(bytes: number): void;
}

function compareBlocks(path: string): ComparedBlocks {
  /** Blocks that were read and not yet made again: one, and a second one while its first line is taken. */
  const waiting: { readonly content: Buffer; readonly stored: Buffer; readonly offset: number }[] = [];
  let end = 0;
  return {
    *read(entries) {
      let stored = Buffer.alloc(0);
      const inflate = (bytes: Buffer) => inflateAndCheck((stored = Buffer.from(bytes)));
      const blocks = readBlocks(path, entries, inflate);
      try {
        for (const { offset } of entries) {
          let block: Block;
          try {
            block = blocks.next().value as Block;
          } catch (error) {
            throw naming(`${path}: the block at ${offset}`, error);
          }
          waiting.push({ content: block.bytes, stored, offset });
          yield block;
        }
      } finally {
        blocks.return(undefined);
      }
    },
    store(block) {
      const read = waiting.shift();
      if (!read?.content.equals(block))
        throw new CorruptSnapshot(
          `${path}: the block at ${read?.offset ?? end} is not what the rule for blocks makes of its lines`,
        );
      if (read.offset !== end)
        throw new CorruptSnapshot(
          `${path}: the block at ${read.offset} does not begin where the one before ends, at ${end}`,
        );
      end += read.stored.length;
      return read.stored;
    },
    checkLength(bytes) {
      if (bytes !== end) throw new CorruptSnapshot(`${path} has ${bytes - end} bytes after its last block`);
    },
  };
}

function parsedEntries(path: string, indexBlock: Block): readonly BlockEntry[] {
  for (const line of linesOf(path, indexBlock)) void line;
  try {
    return entriesOf(indexBlock);
  } catch (error) {
    throw naming(path, error);
  }
}

/** Returns an error that names a file. */
function naming(path: string, error: unknown): CorruptSnapshot {
  if (error instanceof CorruptSnapshot) return error;
  return new CorruptSnapshot(`${path}: ${(error as Error).message}`, { cause: error });
}

const [quote, brace] = [0x22, 0x7d];
const lineOpening = Buffer.from('{"partition":"');
const sortNeedle = Buffer.from('"sort":"');
const [rowNeedle, noteNeedle] = [Buffer.from(',"row":'), Buffer.from(',"note":')];

/** Yields the lines of a block with their keys. Throws `CorruptSnapshot` for what is not written as a line. */
function* linesOf(path: string, block: Block): Generator<VerifiedLine> {
  const { bytes } = block;
  let partition = '';
  let prefix = linePrefix(partition);
  for (let line = 0; line < block.ends.length; line++) {
    const [from, to] = [lineStart(block, line), lineEnd(block, line)];
    // Most lines have the partition key of the line before: comparing bytes is cheaper than decoding.
    if (!hasAt(bytes, from, prefix)) {
      const begin = from + lineOpening.length;
      partition = bytes.toString('utf8', begin, Math.max(begin, bytes.indexOf(quote, begin)));
      prefix = linePrefix(partition);
    }
    const restFrom = from + prefix.length;
    const sortFrom = restFrom + sortNeedle.length;
    const sortTo = endOfKey(block, sortFrom);
    const behind = sortTo + 1;
    const rowAt = hasAt(bytes, behind, noteNeedle) ? bytes.indexOf(rowNeedle, behind) : behind;
    const isLine =
      hasAt(bytes, from, prefix) &&
      hasAt(bytes, restFrom, sortNeedle) &&
      sortTo < to &&
      rowAt !== -1 &&
      rowAt < to &&
      hasAt(bytes, rowAt, rowNeedle) &&
      bytes[to - 1] === brace;
    if (!isLine)
      throw new CorruptSnapshot(
        `${path}: ${bytes.toString('utf8', from, Math.min(to, from + 100))} is not a line of a table`,
      );
    const keys: Keys = { partition, sort: bytes.toString('utf8', sortFrom, sortTo) };
    yield { keys, block, line, restFrom };
  }
}

function hasAt(bytes: Buffer, at: number, expected: Buffer): boolean {
  for (let offset = 0; offset < expected.length; offset++)
    if (bytes[at + offset] !== expected[offset]) return false;
  return true;
}
