import { gunzipSync } from 'node:zlib';
import { feedLogOf } from '../../src/answers/read-list.ts';
import type { BulkFile } from '../../src/contract/bulk.ts';
import { companyListRules, companyPartition } from '../../src/contract/company-filters.ts';
import type { Change, CompanyEntry } from '../../src/contract/records.ts';
import { firstRules } from '../../src/domain/rules.ts';
import { allPartition } from '../../src/format/snapshot.ts';
import { bulkListOf, type Snapshot } from '../../src/snapshot/open.ts';
import { createFinder } from '../../src/table/finder.ts';
import { mergedRows } from '../../src/table/merge.ts';
import { rowBytes } from '../../src/table/table.ts';
import type { Range } from './data-files.ts';

/** What an export reads of a snapshot: the files of the change feed, and which observations are the newest ones. */
export interface Log {
  readonly lastSequence: number;
  /** For each sequence 1 if no later observation of the same filing exists, else 0. */
  readonly isNewest: Uint8Array;
  /** The SHA-256 of the batch that holds a sequence; null behind the end of the log. */
  batchOf(sequence: number): Promise<string | null>;
  /** The changes of a range, in their order. Throws `CorruptSnapshot`. */
  changes(range: Range): Promise<Change[]>;
}

/**
 * Opens the log of a snapshot. A removal of old snapshots may come while an export runs: the lists and the
 * open file of the feed are read here, and closed files stay. Throws `CorruptSnapshot`.
 */
export async function openLog(snapshot: Snapshot): Promise<Log> {
  const { lastSequence } = snapshot.manifest;
  const isNewest = new Uint8Array(lastSequence + 1);
  const walk = { partitions: [allPartition], wanted: () => true };
  for await (const row of mergedRows(snapshot.tables('latest'), walk))
    isNewest[Number(rowBytes(row).toString('latin1'))] = 1;
  const files = bulkListOf(snapshot.documents).data;
  const open = files.find(({ closed }) => !closed);
  const openBytes = open && (await snapshot.longFile(open));

  async function rowsOf(file: BulkFile, { first, last }: Range): Promise<Change[]> {
    const bytes = file === open && openBytes ? openBytes : await snapshot.longFile(file);
    const lines = gunzipSync(bytes).toString().split('\n');
    return lines
      .slice(Math.max(0, first - file.firstSequence), Math.min(file.rows, last - file.firstSequence + 1))
      .map((line) => JSON.parse(line) as Change);
  }

  return {
    lastSequence,
    isNewest,
    batchOf: feedLogOf(snapshot).batchOf,
    async changes(range) {
      const changes: Change[] = [];
      for (const file of files)
        if (file.lastSequence >= range.first && file.firstSequence <= range.last)
          changes.push(...(await rowsOf(file, range)));
      return changes;
    },
  };
}

/** All companies, by CIK. Throws `CorruptSnapshot`. */
export async function* readCompanies(snapshot: Snapshot): AsyncGenerator<CompanyEntry> {
  if ((snapshot.manifest.rules ?? firstRules) < companyListRules)
    throw new Error(`snapshot ${snapshot.id} was built by an older version; build again, then export`);
  const find = createFinder(snapshot.tables('profiles'));
  const partitions = [companyPartition('listed', 'false'), companyPartition('listed', 'true')];
  for await (const { sort } of mergedRows(snapshot.tables('companies'), { partitions })) {
    const row = await find(sort);
    if (!row) throw new Error(`the list of companies names ${sort}, which has no profile`);
    yield JSON.parse(rowBytes(row).toString()) as CompanyEntry;
  }
}
