import { tableDefinition, type SegmentEntry, type TableName } from '../../src/format/snapshot.ts';
import type { PartReader } from '../../src/table/table.ts';
import { readSegmentHead } from '../../src/table/segment.ts';
import { storedTable } from '../segments/segment-writer.ts';
import { hides, mergeLines, readLines, type StoredLine } from '../segments/table-files.ts';

/** A snapshots directory. */
export interface Directory extends PartReader {
  readonly directory: string;
}

/**
 * Returns the lines of a table that are shown: of several segments, given oldest first, the newest line of
 * each key, without hidden ones. Throws `CorruptSnapshot`.
 */
export async function walkTable(
  parts: Directory,
  entries: readonly SegmentEntry[],
  table: TableName,
): Promise<Generator<StoredLine>> {
  const heads = await Promise.all(
    entries.map(async ({ name, headSha256 }) => ({
      name,
      head: await readSegmentHead(parts, name, headSha256),
    })),
  );
  const inputs = heads
    .toReversed()
    .map(({ name, head }) => readLines(storedTable(parts.directory, name, head, table)));
  return shown(mergeLines(tableDefinition(table).direction, inputs));
}

function* shown(lines: Iterable<StoredLine>): Generator<StoredLine> {
  for (const line of lines) if (!hides(line)) yield line;
}
