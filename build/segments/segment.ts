import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  paths,
  tableDefinition,
  tableNames,
  type SegmentEntry,
  type TableName,
} from '../../src/contract/snapshot.ts';
import { lineBytes, type Table } from '../../src/table/table.ts';
import { SegmentHead, readSegmentHead, segmentName, segmentParts } from '../../src/table/segment.ts';
import { checkSegment } from '../../src/snapshot/follow.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { syncDirectory, writeSynced } from '../disk/files.ts';
import { factsOf, noFacts } from './facts.ts';
import { createFinder } from '../../src/table/finder.ts';
import type { Keys } from '../../src/table/line.ts';
import type { BatchRange } from './layout.ts';
import type { RowFacts } from './table-writer.ts';
import { createStoredTable, hides, type Line, type StoredTable } from './table-files.ts';

/** Where the segment of a range is written. */
export interface SegmentWriterInput {
  /** The directory of snapshots. */
  readonly directory: string;
  /** An empty folder in it. */
  readonly staging: string;
  /** The tables of the segments before the range, newest first. */
  older(table: TableName): readonly Table[];
  /** Called for each line that `write` took. */
  readonly onLine?: () => void;
}

/** A segment that is being written: its tables in any order, each from its first line to its last. */
export interface SegmentWriter {
  /** Adds a line, its newline included, to a table; the bytes are copied. Throws if it is out of order. */
  add(table: TableName, keys: Keys, line: Buffer, facts: RowFacts): void;
  /** Adds lines to a table: of equal keys the newest one, and without those that hide nothing. */
  write(table: TableName, lines: Iterable<Line>): Promise<void>;
  /** Syncs all, and gives the segment its name. */
  finish(range: BatchRange, lastSequence: number): Promise<SegmentEntry>;
}

/**
 * Writes the segment of a range of batches, aside first: staged, synced and renamed, so that it exists whole
 * or not at all. A row that hides stays only where an older segment shows what it hides, so that the segment
 * follows from the ledger alone, and not from the steps in which it came about.
 */
export function createSegmentWriter({
  directory,
  staging,
  older,
  onLine,
}: SegmentWriterInput): SegmentWriter {
  mkdirSync(staging, { recursive: true });
  mkdirSync(join(directory, paths.segments), { recursive: true });
  const writers = new Map<TableName, ReturnType<typeof createStoredTable>>();

  function writerOf(table: TableName): ReturnType<typeof createStoredTable> {
    let writer = writers.get(table);
    if (!writer) {
      const { direction, blockBytes } = tableDefinition(table);
      const files = {
        rows: join(staging, `${table}.jsonl.gz`),
        index: join(staging, `${table}.index.jsonl.gz`),
      };
      writers.set(table, (writer = createStoredTable(direction, files, true, blockBytes)));
    }
    return writer;
  }

  return {
    add(table, keys, line, facts) {
      writerOf(table).add(keys, line, facts);
    },
    async write(table, lines) {
      const writer = writerOf(table);
      const { isFiltered } = tableDefinition(table);
      const find = createFinder(older(table));
      for (const line of lines) {
        if (hides(line)) {
          const shown = find(line.keys.partition, line.keys.sort);
          if ((shown instanceof Promise ? await shown : shown) === null) continue;
        }
        writer.add(line.keys, lineBytes(line), isFiltered ? factsOf(line) : noFacts);
        onLine?.();
      }
    },
    async finish(range, lastSequence) {
      const tables: SegmentHead['tables'] = {};
      for (const table of tableNames) {
        const { head, files } = writerOf(table).finish();
        tables[table] = { ...head, files };
      }
      const head: SegmentHead = { format: 2, from: range.from, to: range.to, tables };
      const bytes = `${JSON.stringify(head)}\n`;
      const headSha256 = sha256Of(bytes);
      const name = segmentName(head, headSha256);
      await writeSynced(join(staging, 'segment.json'), bytes);
      await syncDirectory(staging);
      const target = join(directory, paths.segments, name);
      // The same rows give the same name. What is there under it is taken, unless it has rotted since.
      if (existsSync(target) && !(await isWhole(directory, name, headSha256)))
        rmSync(target, { recursive: true, force: true });
      renameUnlessThere(staging, target);
      await syncDirectory(join(directory, paths.segments));
      const size = Object.values(tables).reduce(
        (sum, { files }) => sum + files.rows.bytes + files.index.bytes,
        Buffer.byteLength(bytes),
      );
      return {
        name,
        headSha256,
        from: range.from,
        to: range.to,
        rows: range.rows,
        lastSequence,
        bytes: size,
      };
    },
  };
}

/** Renames a folder, unless another build of the same ledger was sooner. */
function renameUnlessThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

async function isWhole(directory: string, name: string, headSha256: string): Promise<boolean> {
  try {
    await withPartFolder(directory, async (folder) =>
      checkSegment(folder, { name, head: await readSegmentHead(folder, name, headSha256) }),
    );
    return true;
  } catch {
    return false;
  }
}

/** One table of a segment on the disk. Throws if it has none of that name. */
export function storedTable(
  directory: string,
  name: string,
  head: SegmentHead,
  table: TableName,
): StoredTable {
  const found = head.tables[table];
  if (!found) throw new Error(`segment ${name} has no table ${table}`);
  return {
    rows: join(directory, segmentParts.rows(name, table)),
    index: join(directory, segmentParts.index(name, table)),
    head: found,
  };
}
