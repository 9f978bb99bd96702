import { gzipSync } from 'node:zlib';
import { blockBytes } from '../../src/contract/snapshot.ts';
import { compareKeys, makeLine, type Direction, type Keys } from '../../src/segments/line.ts';
import { blockBytesMaximum, type BlockEntry, type TableHead } from '../../src/segments/table.ts';
import { sha256Of } from '../../src/table/file.ts';

/** What an index tells of a row, so that reads can leave out blocks. */
export interface RowFacts {
  /** `YYYY-MM-DD`; empty if it has none. */
  readonly filedAt: string;
  /** Its form and items; empty in tables that are not filtered. */
  readonly labels: readonly string[];
}

/** Takes the bytes of a file, one piece after the other. */
export type Sink = (bytes: Buffer) => void;

/** A table that is being written. */
export interface TableWriter {
  /** Adds a line, its newline included. Throws if it does not stand behind the one before, or is too long. */
  add(keys: Keys, line: Buffer, facts: RowFacts): void;
  /** Writes what is left and returns the head of the table. */
  finish(): TableHead;
}

/** The fastest level: at eight to one it leaves little for slower ones, and every row is compressed several times. */
const compressionLevel = 1;

/**
 * Cuts lines into blocks of about 64 KiB, or `rowBlockBytes`, each compressed as a gzip member of its own, and their entries into the blocks of
 * the index in the same way. A block ends before the line that would make it longer, so that the same lines give the same
 * blocks wherever they come from.
 */
export function createTableWriter(direction: Direction, rows: Sink, index: Sink, rowBlockBytes: number = blockBytes): TableWriter {
  const root: BlockEntry[] = [];
  const entries = createBlockCutter(direction, index, blockBytes, (entry) => void root.push(entry));
  const lines = createBlockCutter(direction, rows, rowBlockBytes, ({ partition, sort, ...entry }) => {
    entries.add({ partition, sort }, Buffer.from(makeLine({ partition, sort }, JSON.stringify(entry))), entry);
  });
  let count = 0;
  return {
    add(keys, line, facts) {
      lines.add(keys, line, facts);
      count++;
    },
    finish() {
      lines.finish();
      entries.finish();
      return { direction, rows: count, root };
    },
  };
}

interface BlockCutter {
  add(keys: Keys, line: Buffer, facts: RowFacts): void;
  finish(): void;
}

function createBlockCutter(direction: Direction, sink: Sink, bytesMaximum: number, onBlock: (entry: BlockEntry) => void): BlockCutter {
  let pieces: Buffer[] = [];
  let first: Keys = { partition: '', sort: '' };
  let last: Keys | null = null;
  let bytes = 0;
  let offset = 0;
  let filedAt = '';
  const labels = new Set<string>();

  function endBlock(): void {
    if (pieces.length === 0) return;
    const stored = gzipSync(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces), { level: compressionLevel });
    sink(stored);
    const entry = { ...first, offset, bytes: stored.length, rows: pieces.length, filedAt, sha256: sha256Of(stored), labels: [...labels].sort() };
    offset += stored.length;
    [pieces, bytes, filedAt] = [[], 0, ''];
    labels.clear();
    onBlock(entry);
  }

  return {
    add(keys, line, facts) {
      if (last !== null && compareKeys(direction, last, keys) >= 0) throw new Error(`(${keys.partition}, ${keys.sort}) may not follow (${last.partition}, ${last.sort})`);
      if (line.length > blockBytesMaximum) throw new Error(`the line of (${keys.partition}, ${keys.sort}) is ${line.length} bytes long`);
      if (bytes + line.length > bytesMaximum) endBlock();
      if (pieces.length === 0) first = keys;
      last = keys;
      pieces.push(line);
      bytes += line.length;
      if (facts.filedAt > filedAt) filedAt = facts.filedAt;
      for (const label of facts.labels) labels.add(label);
    },
    finish: endBlock,
  };
}
