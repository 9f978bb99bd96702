import type { StoredLine } from '../../build/segments/table-files.ts';
import { walkTable } from '../../build/snapshot/walk.ts';
import type { Change } from '../../src/contract/records.ts';
import type { LogList } from '../../src/format/log-files.ts';
import type { FileReference, Manifest, TableName } from '../../src/format/snapshot.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { parseLogList, readChecked } from '../../src/snapshot/open.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { noteOf } from '../../src/table/line.ts';
import { openLog } from '../../src/table/open-log.ts';
import { rowBytes } from '../../src/table/table.ts';
import { textsOfLog } from './log.ts';

/** A line of a table as a forger sees it. `row` and `note` are JSON; a row of null hides. */
export interface ForgedLine {
  readonly partition: string;
  readonly sort: string;
  readonly row: string | null;
  readonly note?: string | undefined;
}

/** A line of the disk as a forger sees it. */
export function toForged({ keys, block, line }: StoredLine): ForgedLine {
  const row = rowBytes({ block, line }).toString();
  const note = noteOf(block, line);
  return { ...keys, row: row === 'null' ? null : row, ...(note === null ? {} : { note }) };
}

/** The lines of a table of a snapshot, as they count: the newest of each key, without what is hidden. */
export async function rowsOfTable(
  directory: string,
  manifest: Pick<Manifest, 'segments'>,
  name: TableName,
): Promise<ForgedLine[]> {
  return withPartFolder(directory, async (parts) =>
    [...(await walkTable(parts, manifest.segments, name))].map(toForged),
  );
}

/** The entries of the log of a snapshot, parsed. */
export async function changesOf(
  directory: string,
  of: LogList | Partial<Pick<Manifest, 'log'>>,
): Promise<Change[]> {
  return withPartFolder(directory, async (parts) => {
    const list =
      'files' in of
        ? of
        : parseLogList(of.log as FileReference, await readChecked(parts, of.log as FileReference));
    const texts = await textsOfLog(openLog(parts, list, createBlockCache(1024 * 1024)));
    return texts.map((text) => JSON.parse(text) as Change);
  });
}

/** The rows of one partition of a table of a snapshot, parsed. */
export async function partitionOf<Row>(
  directory: string,
  manifest: Pick<Manifest, 'segments'> & Partial<Pick<Manifest, 'log'>>,
  name: TableName,
  partition: string,
  list?: LogList,
): Promise<Row[]> {
  const lines = (await rowsOfTable(directory, manifest, name))
    .filter((line) => line.partition === partition)
    .map(({ row }) => JSON.parse(row as string) as unknown);
  if (name !== 'latest' && name !== 'company-filings') return lines as Row[];
  // Lists in other orders lead to the log.
  const changes = new Map(
    (await changesOf(directory, list ?? manifest)).map(({ sequence, filing }) => [sequence, filing]),
  );
  return lines.map(
    (line) => changes.get(typeof line === 'number' ? line : (line as { sequence: number }).sequence) as Row,
  );
}
