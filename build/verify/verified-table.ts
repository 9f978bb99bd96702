import { indexLayout } from '../../src/format/index-layout.ts';
import { tableDefinition } from '../../src/format/snapshot.ts';
import { keysOf, makeLine, type Keys } from '../../src/table/line.ts';
import { inflateAndCheck, lineBytes } from '../../src/table/table.ts';
import { entriesOf } from '../../src/table/index-entry.ts';
import type { BlockEntry, IndexedBlock } from '../../src/table/table-head.ts';
import type { Block } from '../../src/table/block.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { readBlocks } from '../segments/table-files.ts';
import { checkLine, type CheckedLine, type VerifiedTable } from './checked-line.ts';

/**
 * Yields the lines of a table of one segment, with one block in memory at a time. Checks that the lines are
 * in strict order, that the blocks are cut by the rule and follow one another without a gap, and that the
 * index and its root match the lines. `onBlock` is told each block behind its last line. Throws `CorruptSnapshot`.
 */
export function* checkedLines(
  table: VerifiedTable,
  onBlock: (block: Block) => void = () => {},
): Generator<CheckedLine> {
  const { rows, index, head, rules } = table;
  const { direction, isFiltered, blockBytes: rowBlockBytes } = tableDefinition(table.name);
  if (head.direction !== direction)
    throw new CorruptSnapshot(`${rows} is ${head.direction}, not ${direction}`);
  const rowsCut: Cut = { path: rows, blockBytes: rowBlockBytes, offset: 0, before: null };
  const layout = indexLayout(rules);
  const indexCut: Cut = { path: index, blockBytes: layout.blockBytes, offset: 0, before: null };
  let count = 0;
  let last: CheckedLine | null = null;
  for (const [root, indexBlock] of withEntries(index, head.root)) {
    checkCut(indexCut, root, indexBlock);
    const ofIndexBlock = createFacts();
    let at = 0;
    for (const [entry, block] of withEntries(rows, parsedEntries(index, indexBlock))) {
      checkCut(rowsCut, entry, block);
      const ofBlock = createFacts();
      for (let line = 0; line < block.ends.length; line++) {
        const checked: CheckedLine = checkLine(table, block, line, last);
        last = checked;
        if (isFiltered) {
          const { filedAt, labels } = checked.facts;
          ofBlock.add(filedAt, filedAt, labels);
        }
        yield checked;
      }
      count += block.ends.length;
      const expected = toEntry(keysOf(block, 0), entry, block, ofBlock);
      const { partition, sort, ...rest } = expected;
      if (
        lineBytes({ block: indexBlock, line: at++ }).compare(
          Buffer.from(makeLine({ partition, sort }, JSON.stringify(rest))),
        ) !== 0
      ) {
        throw new CorruptSnapshot(
          `${index}: the entry of (${entry.partition}, ${entry.sort}) does not match its block`,
        );
      }
      onBlock(block);
      ofIndexBlock.add(expected.filedFrom, expected.filedTo, expected.labels);
    }
    const { labels, ...ofRoot } = toEntry(keysOf(indexBlock, 0), root, indexBlock, ofIndexBlock);
    if (JSON.stringify(root) !== JSON.stringify(layout.hasRootLabels ? { ...ofRoot, labels } : ofRoot))
      throw new CorruptSnapshot(`${index}: the root describes its block at ${root.offset} wrongly`);
  }
  if (count !== head.rows) throw new CorruptSnapshot(`${rows} has ${count} rows, not ${head.rows}`);
  for (const [{ path, offset }, { bytes }] of [
    [rowsCut, head.files.rows],
    [indexCut, head.files.index],
  ] as const) {
    if (offset !== bytes)
      throw new CorruptSnapshot(`${path} has ${bytes - offset} bytes after its last block`);
  }
}

/** The state of checking where the blocks of a file begin and end. */
interface Cut {
  readonly path: string;
  /** The length at which its blocks are cut, in bytes before compression. */
  readonly blockBytes: number;
  /** The offset at which the next block has to begin. */
  offset: number;
  /** The length of the previous block before compression; null before the first one. */
  before: number | null;
}

function checkCut(cut: Cut, entry: IndexedBlock, { bytes, ends }: Block): void {
  if (entry.offset !== cut.offset)
    throw new CorruptSnapshot(
      `${cut.path}: the block at ${entry.offset} does not begin where the one before ends, at ${cut.offset}`,
    );
  const firstLine = (ends[0] as number) + 1;
  if (
    (bytes.length > cut.blockBytes && ends.length > 1) ||
    (cut.before !== null && cut.before + firstLine <= cut.blockBytes)
  ) {
    throw new CorruptSnapshot(`${cut.path}: the block at ${entry.offset} is not cut by the rule`);
  }
  cut.offset += entry.bytes;
  cut.before = bytes.length;
}

/**
 * Yields blocks with their index entries. Any error in reading a block becomes a `CorruptSnapshot` that names
 * the file.
 */
function* withEntries<Entry extends IndexedBlock>(
  path: string,
  entries: readonly Entry[],
): Generator<readonly [Entry, Block]> {
  const blocks = readBlocks(path, entries, inflateAndCheck);
  try {
    for (const entry of entries) yield [entry, nextBlock(path, entry, blocks)];
  } finally {
    // Closes the file.
    blocks.return(undefined);
  }
}

function nextBlock(path: string, entry: IndexedBlock, blocks: Generator<Block>): Block {
  try {
    return blocks.next().value as Block;
  } catch (error) {
    throw error instanceof CorruptSnapshot
      ? error
      : new CorruptSnapshot(`${path}: the block at ${entry.offset}: ${(error as Error).message}`, {
          cause: error,
        });
  }
}

function parsedEntries(path: string, indexBlock: Block): readonly BlockEntry[] {
  try {
    return entriesOf(indexBlock);
  } catch (error) {
    throw new CorruptSnapshot(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

interface Facts {
  filedFrom: string;
  filedTo: string;
  readonly labels: Set<string>;
  add(filedFrom: string, filedTo: string, labels: readonly string[]): void;
}

function createFacts(): Facts {
  const facts: Facts = {
    filedFrom: '',
    filedTo: '',
    labels: new Set(),
    add(filedFrom, filedTo, labels) {
      if (filedTo > facts.filedTo) facts.filedTo = filedTo;
      if (filedFrom !== '' && (facts.filedFrom === '' || filedFrom < facts.filedFrom))
        facts.filedFrom = filedFrom;
      for (const label of labels) facts.labels.add(label);
    },
  };
  return facts;
}

/**
 * Makes the index entry that a block must have. Its length and digest were compared with its bytes when it
 * was read.
 */
function toEntry(
  first: Keys,
  { offset, bytes, sha256 }: IndexedBlock,
  { ends }: Block,
  { filedFrom, filedTo, labels }: Facts,
): BlockEntry {
  return {
    ...first,
    offset,
    bytes,
    rows: ends.length,
    filedFrom,
    filedTo,
    sha256,
    labels: [...labels].sort(),
  };
}
