import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as rest } from 'node:timers/promises';
import {
  paths,
  snapshotFormat,
  tableDefinition,
  tableNames,
  type SegmentEntry,
  type TableName,
} from '../../src/format/snapshot.ts';
import { rulesNumber } from '../../src/domain/rules.ts';
import type { Table } from '../../src/table/table.ts';
import {
  SegmentHead,
  readSegmentHead,
  segmentName,
  segmentParts,
  checkSegment,
} from '../../src/table/segment.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { syncDirectory, writeSynced } from '../disk/directories.ts';
import { factsOfLine, noFacts } from './row-facts.ts';
import { createFinder } from '../../src/table/finder.ts';
import type { BatchRange } from './layout.ts';
import {
  addLine,
  createStoredTable,
  documentLevel,
  hides,
  type Line,
  type StoredTable,
  type WrittenTable,
} from './table-files.ts';

/** Lines after which other work of the same thread gets its turn. */
const linesAtOnce = 4096;

/** What a segment writer needs. */
export interface SegmentWriterInput {
  /** The directory of snapshots. */
  readonly directory: string;
  /** An empty folder below it, in which the segment is made. */
  readonly staging: string;
  /** One table of the segments before the range, newest first. */
  older(table: TableName): readonly Table[];
  /** Called for each line that `write` writes. */
  readonly onLine?: (() => void) | undefined;
}

/** A segment that is being written. Each table is written once, in any order. */
export interface SegmentWriter {
  /** Writes a table, as `writeTable` does. */
  write(table: TableName, lines: Iterable<Line>): Promise<void>;
  /** Takes a table that `writeTable` wrote into the same folder. */
  take(table: TableName, written: WrittenTable): void;
  /** Syncs the files and renames the folder to the name of the segment. */
  finish(range: BatchRange, lastSequence: number): Promise<SegmentEntry>;
}

/**
 * Makes the segment of a range of batches in a staging folder, which is renamed at the end: a segment exists
 * whole or not at all. A row that hides is written only if an older segment shows the row that it hides. So
 * the bytes of a segment depend on the ledger alone, and not on how often it was published.
 */
export function createSegmentWriter({
  directory,
  staging,
  older,
  onLine,
}: SegmentWriterInput): SegmentWriter {
  mkdirSync(staging, { recursive: true });
  mkdirSync(join(directory, paths.segments), { recursive: true });
  const written = new Map<TableName, WrittenTable>();

  return {
    async write(table, lines) {
      written.set(table, await writeTable(staging, table, lines, older(table), onLine));
    },
    take: (table, each) => void written.set(table, each),
    async finish(range, lastSequence) {
      const tables: SegmentHead['tables'] = {};
      for (const table of tableNames) {
        const { head, files } = written.get(table) as WrittenTable;
        tables[table] = { ...head, files };
      }
      const head: SegmentHead = {
        format: snapshotFormat,
        from: range.from,
        to: range.to,
        rules: rulesNumber,
        tables,
      };
      const bytes = `${JSON.stringify(head)}\n`;
      const headSha256 = sha256Of(bytes);
      const name = segmentName(head, headSha256);
      await writeSynced(join(staging, 'segment.json'), bytes);
      await syncDirectory(staging);
      const target = join(directory, paths.segments, name);
      // The same rows give the same name. A segment that is there already stays, unless its bytes have
      // rotted.
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
        headBytes: Buffer.byteLength(bytes),
        from: range.from,
        to: range.to,
        rows: range.rows,
        lastSequence,
        bytes: size,
      };
    },
  };
}

/**
 * Writes a table of a segment into a folder. Leaves out lines that hide a row which no table of `older`, newest
 * first, shows.
 */
export async function writeTable(
  folder: string,
  table: TableName,
  lines: Iterable<Line>,
  older: readonly Table[],
  onLine?: () => void,
): Promise<WrittenTable> {
  const { direction, isFiltered, blockBytes } = tableDefinition(table);
  const files = { rows: join(folder, `${table}.jsonl.gz`), index: join(folder, `${table}.index.jsonl.gz`) };
  const writer = createStoredTable(
    direction,
    files,
    blockBytes,
    table === 'ownership' || table === 'documents' ? documentLevel : undefined,
  );
  const find = createFinder(older);
  let lineCount = 0;
  for (const line of lines) {
    if (hides(line) && find(line.keys.partition, line.keys.sort) === null) continue;
    addLine(writer, line, isFiltered ? factsOfLine(line) : noFacts);
    onLine?.();
    if (++lineCount % linesAtOnce === 0) await rest();
  }
  return writer.finish();
}

/** Renames a folder. Does nothing if another build of the same ledger has made the target meanwhile. */
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

/** The files and the head of one table of a segment. Throws if the segment has no such table. */
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
