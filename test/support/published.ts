import { successors } from '../../src/domain/successors.ts';
import type { DocumentsRow } from '../../src/format/stored-contents.ts';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readTotals } from '../../build/overview/read-overview.ts';
import { appendBatch, batchDirectory, readBatchFile } from '../../build/ledger/batch.ts';
import { quietProgress } from '../../build/work/progress.ts';
import { storedTable } from '../../build/segments/segment-writer.ts';
import { hides, readLines } from '../../build/segments/table-files.ts';
import { answer } from '../../src/answers/answer.ts';
import { endpoints, type Endpoint, type EndpointId } from '../../src/contract/endpoints.ts';
import type { Query } from '../../src/contract/parameters.ts';
import type { LogList } from '../../src/format/log-files.ts';
import { ownershipSentence } from '../../src/contract/ownership-sentence.ts';
import type { Change, Filing } from '../../src/contract/records.ts';
import {
  allPartition,
  feedSortKey,
  snapshotFormat,
  tableDefinition,
  tableNames,
  type DocumentName,
  type SegmentEntry,
  type SummaryRow,
  type TableName,
} from '../../src/format/snapshot.ts';
import { compareKeys } from '../../src/table/line.ts';
import { openLog } from '../../src/table/open-log.ts';
import { readSegmentHead } from '../../src/table/segment.ts';
import { rowBytes, type PartReader } from '../../src/table/table.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import {
  createSnapshotReader,
  openSegments,
  readerOf,
  readVocabulary,
  type Snapshot,
} from '../../src/snapshot/open.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { CorruptSnapshot, sha256Of } from '../../src/files/bytes.ts';
import { closing } from './closing.ts';
import {
  foldBatches,
  readBatches,
  tableKey,
  type BatchRows,
  type LedgerModel,
  type ModelTable,
} from './ledger-model.ts';
import { rowsOfBatch } from '../../build/ledger/read.ts';
import { headsOf } from './heads.ts';
import { bringUp, listIn, logIn, textsOfLog } from './log.ts';

/** Writes the batches of a history into a ledger. */
export async function writeHistory(ledgerDirectory: string, batches: readonly BatchRows[]): Promise<void> {
  for (const { run, filings, companies, contents = [], isSample } of batches)
    await appendBatch(ledgerDirectory, {
      run,
      filings,
      companies,
      contents,
      refusals: [],
      ...(isSample === true ? { isSample } : {}),
    });
}

/**
 * Changes a file of the newest batch, which keeps its number of rows, as another version, or somebody else,
 * may have written it.
 */
export async function rewriteBatch(
  ledgerDirectory: string,
  number: number,
  name: string,
  change: (text: string) => string,
): Promise<void> {
  const { head } = await readBatchFile(ledgerDirectory, number);
  const path = join(batchDirectory(ledgerDirectory, number), name);
  const text = change(await readFile(path, 'utf8'));
  await writeFile(path, text);
  const files = head.files.map((file) =>
    file.name === name ? { ...file, bytes: Buffer.byteLength(text), sha256: sha256Of(text) } : file,
  );
  await writeFile(
    join(batchDirectory(ledgerDirectory, number), 'batch.json'),
    `${JSON.stringify({ ...head, files }, null, 2)}\n`,
  );
}

/**
 * Brings the segments of a directory up to the first so many batches of a ledger, without documents and
 * pages.
 */
export async function publishSegments(
  ledgerDirectory: string,
  directory: string,
  segments: readonly SegmentEntry[],
  batches: number,
  heldMaximum?: number,
  cut?: Parameters<typeof bringUp>[1],
): Promise<readonly SegmentEntry[]> {
  const parts = openPartFolder(directory);
  try {
    const heads = (await headsOf(ledgerDirectory, segments.at(-1)?.to ?? 0)).filter(
      ({ head }) => head.number <= batches,
    );
    const input = {
      directory,
      parts,
      ledgerDirectory,
      segments,
      rowCounts: heads.map(({ head }) => rowsOfBatch(head)),
      progress: quietProgress,
      ...(heldMaximum === undefined ? {} : { heldMaximum }),
    };
    return (await bringUp(input, cut)).segments;
  } finally {
    await parts.close();
  }
}

/** A snapshot without documents and pages: what lists, profiles, summaries and search are answered from. */
export interface OpenSegmentsOnly {
  readonly snapshot: Snapshot;
  /** The body of an answer, parsed. Throws `ApiError`. */
  ask<Body>(id: EndpointId, query?: Query): Promise<Body>;
  close(): Promise<void>;
}

/** Opens segments that were published. `through` reads their parts, if it is given. */
export async function openPublished(
  ledgerDirectory: string,
  directory: string,
  entries: readonly SegmentEntry[],
  through?: PartReader,
): Promise<OpenSegmentsOnly> {
  const parts = openPartFolder(directory);
  const segments = await openSegments(
    createSnapshotReader(through ?? parts, createBlockCache(1024 * 1024), 1024),
    { segments: entries },
  );
  const reader = {
    ...readerOf(segments),
    log: logIn(directory, entries, through ?? parts),
    manifest: { segments: [...entries] },
  };
  const { forms: _forms, ...totals } = readTotals(reader);
  const heads = await headsOf(ledgerDirectory);
  const last = heads[(entries.at(-1)?.to ?? 0) - 1] as (typeof heads)[number];
  const manifest: Snapshot['manifest'] = {
    format: snapshotFormat,
    productVersion: '0.0.0',
    rules: 1,
    successors: successors.map(({ predecessorCik, successorCik }) => [predecessorCik, successorCik]),
    settings: { baseUrl: null, marketplaceUrl: null },
    generatedAt: last.head.run.createdAt,
    ...totals,
    ledger: { id: heads[0]?.sha256 ?? '', batches: last.head.number, sha256: last.sha256 },
    segments: [...entries],
    log: { sha256: '', bytes: 0 },
    documents: {},
    routes: { sha256: '', bytes: 0 },
  };
  const snapshot: Snapshot = {
    ...reader,
    manifest,
    id: 'segments-only',
    ...(await readVocabulary(reader)),
    routes: {},
    documents: {} as Record<DocumentName, Buffer>,
    file: () => Promise.reject(new CorruptSnapshot('there are no files')),
    longFile: () => Promise.reject(new CorruptSnapshot('there are no files')),
    unreachableSince: () => null,
    pointerRefusedSince: () => null,
    heartbeat: () => null,
    address: () => null,
    signature: null,
  };
  return {
    snapshot,
    close: closing(() => parts.close()),
    async ask<Body>(id: EndpointId, query: Query = {}) {
      const { answer: plan } = endpoints.find((endpoint) => endpoint.id === id) as Endpoint;
      return JSON.parse((await answer(snapshot, plan, query, 0)).body().toString()) as Body;
    },
  };
}

/** A history that was published at once, and a model of it. */
export interface OpenHistory {
  readonly ledger: string;
  readonly directory: string;
  readonly entries: readonly SegmentEntry[];
  readonly open: OpenSegmentsOnly;
  readonly model: LedgerModel;
}

/** Publishes a history in an empty directory, and opens it. */
export async function openHistory(
  directory: string,
  batches: readonly BatchRows[],
  heldMaximum?: number,
): Promise<OpenHistory> {
  const ledger = join(directory, 'ledger');
  await writeHistory(ledger, batches);
  const entries = await publishSegments(ledger, directory, [], batches.length, heldMaximum);
  const model = foldBatches(await readBatches(ledger));
  return { ledger, directory, entries, model, open: await openPublished(ledger, directory, entries) };
}

/** A row of a table, as it is served. */
export interface PublishedRow {
  readonly partition: string;
  readonly sort: string;
  readonly json: string;
}

/** What a snapshot lists: its tables, and the log. */
export type ListedName = TableName | 'log';

/**
 * Every row of the tables of segments in its order: of each table the lines of the files, those of a newer
 * segment over those of an older one, without totals of zero. Summaries are joined with their filings. `log` has
 * the entries of the log; without a list, that of a directory without a manifest. Throws where a line hides what no
 * older segment shows.
 */
export async function rowsIn(
  directory: string,
  entries: readonly SegmentEntry[],
  list: LogList = listIn(directory, entries.at(-1)?.lastSequence ?? 0),
): Promise<Record<ListedName, PublishedRow[]>> {
  const parts = openPartFolder(directory);
  try {
    const tables = new Map<TableName, Map<string, PublishedRow>>(tableNames.map((name) => [name, new Map()]));
    for (const { name, headSha256 } of entries) {
      const head = await readSegmentHead(parts, name, headSha256);
      for (const [table, rows] of tables) {
        for (const line of readLines(storedTable(directory, name, head, table))) {
          const key = tableKey(line.keys.partition, line.keys.sort);
          if (!hides(line)) rows.set(key, { ...line.keys, json: rowBytes(line).toString() });
          else if (!rows.delete(key))
            throw new Error(`${name} hides ${key} of ${table}, which nothing shows`);
        }
      }
    }
    const sorted = [...tables].map(([table, rows]) => {
      const { direction } = tableDefinition(table);
      return [
        table,
        [...rows.values()]
          .filter(({ json }) => table !== 'counts' || json !== '0')
          .sort((a, b) => compareKeys(direction, a, b)),
      ] as const;
    });
    const found = Object.fromEntries(sorted) as Record<TableName, PublishedRow[]>;
    const log = (await textsOfLog(openLog(parts, list, createBlockCache(1024 * 1024)))).map((json, at) => ({
      partition: allPartition,
      sort: feedSortKey(at + 1),
      json,
    }));
    const documents = new Map(found.documents.map(({ partition, json }) => [partition, json]));
    const summaries = found.summaries.map((row) => {
      const { sequence } = JSON.parse(row.json) as SummaryRow;
      const { filing } = JSON.parse(log[sequence - 1]?.json ?? '{}') as Change;
      const { sequence: _, ...added } = JSON.parse(withValues(row.json, filing)) as SummaryRow;
      const list = JSON.parse(documents.get(row.partition) ?? 'null') as DocumentsRow | null;
      const summary = { ...filing, ...added, documents: list && servedDocuments(list, filing) };
      return { ...row, json: JSON.stringify(summary) };
    });
    return { ...found, summaries, log };
  } finally {
    await parts.close();
  }
}

/** The list of documents in a row, as the specification of the format has it. */
function servedDocuments(list: DocumentsRow, { detailUrl }: Filing) {
  return list.map(([sequence, type, description, name, size]) => {
    const url = name === null ? null : `${detailUrl?.split('/').slice(0, -1).join('/')}/${name}`;
    return { sequence, type, description, name, size, url };
  });
}

/** JSON with the values of placeholders, as the specification of the format has them. */
function withValues(json: string, filing: Filing): string {
  const folder = filing.detailUrl?.split('/').slice(0, -1) ?? [];
  const values: Readonly<Record<string, unknown>> = {
    ...filing,
    '': '{',
    folder: folder.join('/'),
    companyFolder: folder.slice(0, -1).join('/'),
    documentFile: filing.documentUrl?.split('/').at(-1),
    pressRelease: filing.exhibits?.find(({ type }) => /^EX-99(\.0?1)?$/i.test(type))?.name,
    ownershipSentence: filing.ownership ? ownershipSentence(filing.ownership) : undefined,
  };
  return json.replace(/\{(\w*)\}/g, (_, name: string) => JSON.stringify(values[name]).slice(1, -1));
}

/**
 * The same rows; those of lists in other orders with the filings that they lead to instead of sequences.
 */
export function withFilings(tables: Record<ListedName, PublishedRow[]>): Record<ListedName, PublishedRow[]> {
  const changes = new Map(tables.log.map(({ sort, json }) => [Number(sort), json]));
  const filingOf = (json: string) => {
    const row = JSON.parse(json) as number | { sequence: number };
    const change = changes.get(typeof row === 'number' ? row : row.sequence) ?? '';
    return change.slice(change.indexOf('"filing":') + '"filing":'.length, -1);
  };
  const led = (rows: readonly PublishedRow[]) => rows.map((row) => ({ ...row, json: filingOf(row.json) }));
  return { ...tables, latest: led(tables.latest), 'company-filings': led(tables['company-filings']) };
}

/** The same rows, parsed, by their keys. */
export async function tablesIn(
  directory: string,
  entries: readonly SegmentEntry[],
): Promise<Record<ListedName, ModelTable>> {
  const rows = Object.entries(await rowsIn(directory, entries));
  return Object.fromEntries(
    rows.map(([table, each]) => [
      table,
      new Map(
        each.map(({ partition, sort, json }) => [tableKey(partition, sort), JSON.parse(json) as unknown]),
      ),
    ]),
  ) as unknown as Record<ListedName, ModelTable>;
}

/** The rows of every table of a history that is published at once. `directory` is empty. */
export async function publishedRows(
  directory: string,
  batches: readonly BatchRows[],
): Promise<Record<ListedName, PublishedRow[]>> {
  const ledger = join(directory, 'ledger');
  await writeHistory(ledger, batches);
  return rowsIn(directory, await publishSegments(ledger, directory, [], batches.length));
}
