import { paths, tableDefinition, type SegmentEntry, type TableName } from '../../src/format/snapshot.ts';
import type { BulkFile } from '../../src/contract/bulk.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import type { AnyManifest } from '../../src/format/older-manifest.ts';
import { bulkListOf, readChecked } from '../../src/snapshot/open.ts';
import type { PartReader } from '../../src/table/table.ts';
import { readSegmentHead } from '../../src/table/segment.ts';
import { storedTable } from '../segments/segment-writer.ts';
import { hides, mergeLines, readLines, type StoredLine } from '../segments/table-files.ts';

/** A snapshots directory. */
export interface Directory extends PartReader {
  readonly directory: string;
}

/** Reads the list of the files for download of a snapshot of any format. Throws `CorruptSnapshot`. */
export async function readBulkFiles(
  parts: PartReader,
  id: string,
  { documents: { bulk } }: AnyManifest,
): Promise<readonly BulkFile[]> {
  if (!bulk) throw new CorruptSnapshot(`${paths.manifest(id)} names no document bulk`);
  return bulkListOf({ bulk: await readChecked(parts, bulk) }).data;
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
