import { gunzipSync } from 'node:zlib';
import { feedLogOf } from '../../src/answers/read-list.ts';
import type { BulkFile } from '../../src/contract/bulk.ts';
import { companyPartition } from '../../src/contract/company-filters.ts';
import type { FilingDocument } from '../../src/contract/filing-documents.ts';
import type { Change, CompanyEntry, Filing } from '../../src/contract/records.ts';
import { formPartition } from '../../src/contract/filing-filters.ts';
import type { Holding } from '../../src/contract/ownership-document.ts';
import { eventTypeOfForm, ownershipFamilies } from '../../src/domain/event-types.ts';
import { compareText } from '../../src/domain/scalars.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { filingPartition } from '../../src/format/filing-partition.ts';
import { allPartition } from '../../src/format/snapshot.ts';
import type { OwnershipRow } from '../../src/format/stored-contents.ts';
import type { PartFolder } from '../../src/snapshot/folder.ts';
import { bulkListOf, readChecked, type Snapshot } from '../../src/snapshot/open.ts';
import { filingDocumentsIn } from '../../src/rows/parts.ts';
import { createFinder } from '../../src/table/finder.ts';
import { mergedRows } from '../../src/table/merge.ts';
import { rowBytes, rowText } from '../../src/table/table.ts';
import type { Range } from './data-files.ts';

/** Which observations a table is made of: all, the newest of each filing, or the newest of each Form 3, 4 and 5. */
export type Observations = 'all' | 'newest' | 'newestOfInsiders';

/** What an export reads of a snapshot: the files of the change feed, and which observations are the newest ones. */
export interface Log {
  readonly lastSequence: number;
  /** How many of the observations of a range a table is made of. */
  count(made: Observations, range: Range): number;
  /** The SHA-256 of the batch that holds a sequence; null behind the end of the log. */
  batchOf(sequence: number): string | null;
  /** The changes of a range, in their order. Throws `CorruptSnapshot`. */
  changes(range: Range): Promise<Change[]>;
  /**
   * Opens the files from which contents are read. They may be removed while an export runs, when other segments have taken
   * their place, but those that are open are read to the end. Throws `CorruptSnapshot`.
   */
  holdContents(): void;
  /** What the document of a Form 3, 4 or 5 says is owned. Ask in the order of `byPartition`. Throws `CorruptSnapshot`. */
  holdings(accessionNo: string): Promise<readonly Holding[]>;
  /** The documents of a filing whose list was read. Ask in the order of `byPartition`. Throws `CorruptSnapshot`. */
  documents(filing: Filing): Promise<readonly FilingDocument[]>;
}

/**
 * Opens the log of a snapshot, whose files are read from `logFiles`. A removal of old snapshots may come while an export
 * runs: the lists and the open file of the feed are read here, and closed files stay. Throws `CorruptSnapshot`.
 */
export async function openLog(snapshot: Snapshot, logFiles: PartFolder): Promise<Log> {
  const { lastSequence } = snapshot.manifest;
  const insiderForms = snapshot.forms.filter((form) => ownershipFamilies.has(eventTypeOfForm(form)));
  const newest = sequencesIn([allPartition]);
  const newestOfInsiders = sequencesIn(insiderForms.map(formPartition));
  const contents = [snapshot.tables('ownership'), snapshot.tables('documents')] as const;
  const [findDocument, findList] = [createFinder(contents[0]), createFinder(contents[1])];
  const files = bulkListOf(snapshot.documents).data;
  const open = files.find(({ closed }) => !closed);
  const openBytes = open && (await snapshot.longFile(open));

  /** For each sequence 1 if partitions of the newest observations have it, else 0. */
  function sequencesIn(partitions: readonly string[]): Uint8Array {
    const found = new Uint8Array(lastSequence + 1);
    if (partitions.length > 0)
      for (const row of mergedRows(snapshot.tables('latest'), { partitions, wanted: () => true }))
        found[Number(rowText(row))] = 1;
    return found;
  }

  async function rowsOf(file: BulkFile, { first, last }: Range): Promise<Change[]> {
    const bytes = file === open && openBytes ? openBytes : await readChecked(logFiles, file);
    const lines = gunzipSync(bytes).toString().split('\n');
    return lines
      .slice(Math.max(0, first - file.firstSequence), Math.min(file.rows, last - file.firstSequence + 1))
      .map((line) => JSON.parse(line) as Change);
  }

  return {
    lastSequence,
    count(made, { first, last }) {
      if (made === 'all') return last - first + 1;
      const has = made === 'newest' ? newest : newestOfInsiders;
      let sum = 0;
      for (let sequence = first; sequence <= last; sequence++) sum += has[sequence] ?? 0;
      return sum;
    },
    batchOf: feedLogOf(snapshot).batchOf,
    async changes(range) {
      const changes: Change[] = [];
      for (const file of files)
        if (file.lastSequence >= range.first && file.firstSequence <= range.last)
          changes.push(...(await rowsOf(file, range)));
      return changes;
    },
    holdContents() {
      for (const table of contents.flat()) {
        const [first] = table.blocksFrom({ partition: '', sort: '' });
        if (first) table.read(first);
      }
    },
    async holdings(accessionNo) {
      const row = findDocument(filingPartition(accessionNo));
      const document = row && (JSON.parse(rowBytes(row).toString()) as OwnershipRow).document;
      if (document?.kind !== 'section_16')
        throw new CorruptSnapshot(`the document of ${accessionNo} is not among those about ownership`);
      return document.holdings;
    },
    async documents({ accessionNo, detailUrl }) {
      const row = findList(filingPartition(accessionNo));
      if (!row) throw new CorruptSnapshot(`the documents of ${accessionNo} are not listed`);
      return filingDocumentsIn(row, detailUrl ?? '');
    },
  };
}

/** Changes in the order in which contents of their filings are asked for. */
export const byPartition = (changes: readonly Change[]): readonly Change[] =>
  changes.toSorted((a, b) =>
    compareText(filingPartition(a.filing.accessionNo), filingPartition(b.filing.accessionNo)),
  );

/** All companies, by CIK. Throws `CorruptSnapshot`. */
export async function* readCompanies(snapshot: Snapshot): AsyncGenerator<CompanyEntry> {
  const find = createFinder(snapshot.tables('profiles'));
  const partitions = [companyPartition('listed', 'false'), companyPartition('listed', 'true')];
  for (const { sort } of mergedRows(snapshot.tables('companies'), { partitions })) {
    const row = find(sort);
    if (!row) throw new Error(`the list of companies names ${sort}, which has no profile`);
    yield JSON.parse(rowBytes(row).toString()) as CompanyEntry;
  }
}
