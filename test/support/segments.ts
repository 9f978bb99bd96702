import { rulesNumber } from '../../src/domain/rules.ts';
import { successors } from '../../src/domain/successors.ts';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { bulkCursor, bulkDocument } from '../../site/documents/documents.ts';
import { quietProgress } from '../../build/work/progress.ts';
import { factsOfLine, noFacts } from '../../build/segments/row-facts.ts';
import { storedTable } from '../../build/segments/segment-writer.ts';
import { createStoredTable, readBlocks, readLines } from '../../build/segments/table-files.ts';
import { indexBlockBytes } from '../../build/segments/table-writer.ts';
import { feedLogOf } from '../../src/answers/read-list.ts';
import type { Change, Filing } from '../../src/contract/records.ts';
import {
  allPartition,
  countPartitions,
  documentNames,
  feedSortKey,
  paths,
  snapshotFormat,
  snapshotId,
  tableDefinition,
  tableNames,
  type DocumentName,
  type FileReference,
  type Manifest,
  type Routes,
  type SegmentEntry,
  type TableName,
} from '../../src/format/snapshot.ts';
import { makeLine } from '../../src/table/line.ts';
import { findRow } from '../../src/table/finder.ts';
import { mergedRows } from '../../src/table/merge.ts';
import { readSegmentHead, segmentName, segmentParts, type SegmentHead } from '../../src/table/segment.ts';
import { rowBytes } from '../../src/table/table.ts';
import { entriesOf } from '../../src/table/index-entry.ts';
import type { BlockEntry, IndexedBlock } from '../../src/table/table-head.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { createGate } from '../../src/fetch/gate.ts';
import { openSegments, readerOf } from '../../src/snapshot/open.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { toBlock } from '../../src/table/block.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { rowsOfBatch } from '../../build/ledger/read.ts';
import type { BulkListResponse } from '../../src/contract/bulk.ts';
import { openLog } from '../../src/table/open-log.ts';
import { naiveBlocks, naiveEntry } from './blocks.ts';
import { changesOf, toForged, type ForgedLine } from './published-rows.ts';
import { headsOf } from './heads.ts';
import { bringUp, listPath, textsOfLog, writerIn } from './log.ts';

/**
 * A directory of one snapshot that was put together by hand: its segments are real, its public files are a
 * few.
 */
export interface SmallSnapshot {
  readonly directory: string;
  readonly id: string;
  readonly manifest: Manifest;
}

/**
 * Folds a ledger into the segments of a snapshot in an empty directory, with documents and public files that
 * are as small as they may be.
 */
export async function makeSmallSnapshot(directory: string, ledgerDirectory: string): Promise<SmallSnapshot> {
  const heads = await headsOf(ledgerDirectory);
  const folder = openPartFolder(directory);
  mkdirSync(join(directory, paths.segments), { recursive: true });
  const { segments, log } = await bringUp({
    directory,
    parts: folder,
    ledgerDirectory,
    segments: [],
    rowCounts: heads.map(({ head }) => rowsOfBatch(head)),
    progress: quietProgress,
  });
  const open = readerOf(
    await openSegments(
      {
        parts: folder,
        blocks: createBlockCache(1024 * 1024),
        files: new LRUCache({ max: 1 }),
        longReads: createGate(1),
      },
      { segments: [...segments] },
    ),
  );
  const { tables } = open;
  const changes = new Map<number, Filing>();
  for (const text of await textsOfLog(openLog(folder, log.list, createBlockCache(1024 * 1024)))) {
    const { sequence, filing } = JSON.parse(text) as Change;
    changes.set(sequence, filing);
  }
  const filings: Filing[] = [];
  for (const row of mergedRows(tables('latest'), { partitions: [allPartition] }))
    filings.push(changes.get(Number(rowBytes(row).toString())) as Filing);
  const companies = findRow(tables('counts'), countPartitions.companies);
  rmSync(listPath(directory, log.list));
  const companyCount = companies ? Number(rowBytes(companies).toString()) : 0;
  const last = heads[heads.length - 1] as (typeof heads)[number];
  const page = Buffer.from('A page. '.repeat(200));
  const routes: Routes = {
    '/': {
      contentType: 'text/html',
      file: writeFile(directory, page),
      br: null,
      gzip: writeFile(directory, gzipSync(page)),
    },
  };
  const manifest: Manifest = {
    format: snapshotFormat,
    productVersion: '1',
    rules: rulesNumber,
    successors: successors.map(({ predecessorCik, successorCik }) => [predecessorCik, successorCik]),
    settings: { baseUrl: null, marketplaceUrl: null },
    generatedAt: last.head.run.createdAt,
    newestFiledAt: filings[0]?.filedAt ?? null,
    companyCount,
    filingCount: filings.length,
    lastSequence: segments.at(-1)?.lastSequence ?? 0,
    ledger: { id: heads[0]?.sha256 ?? '', batches: heads.length, sha256: last.sha256 },
    segments: [...segments],
    log: writeFile(directory, Buffer.from(JSON.stringify(log.list))),
    documents: {},
    routes: writeFile(directory, Buffer.from(JSON.stringify(routes))),
  };
  const bulk = bulkDocument(
    {
      parts: log.bulk,
      rowsPerFile: log.list.rowsPerFile,
      nextCursor: bulkCursor(feedLogOf({ manifest, tables }), manifest.lastSequence),
    },
    manifest,
  );
  await folder.close();
  const named: Partial<Record<DocumentName, unknown>> = {
    stats: { data: statsOf(filings, companyCount) },
    health: { filingCount: filings.length, companyCount },
    bulk,
  };
  return writeManifest(directory, {
    ...manifest,
    documents: Object.fromEntries(
      documentNames.map((name) => [
        name,
        writeFile(directory, Buffer.from(JSON.stringify(named[name] ?? { name }))),
      ]),
    ),
  });
}

function statsOf(filings: readonly Filing[], companyCount: number): unknown {
  const counted = (keyOf: (filing: Filing) => string) => {
    const counts = new Map<string, number>();
    for (const filing of filings) counts.set(keyOf(filing), (counts.get(keyOf(filing)) ?? 0) + 1);
    return [...counts].sort((a, b) => b[1] - a[1]);
  };
  return {
    companyCount,
    filingCount: filings.length,
    latestFiling: filings[0] ?? null,
    latestIngestRun: null,
    forms: counted(({ form }) => form).map(([form, count]) => ({ form, count })),
    eventTypes: counted(({ eventType }) => eventType).map(([eventType, count]) => ({ eventType, count })),
  };
}

/** Keeps a file under its digest. */
export function writeFile(directory: string, bytes: Buffer): FileReference {
  const sha256 = sha256Of(bytes);
  const path = join(directory, paths.file(sha256));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  return { sha256, bytes: bytes.length };
}

/** Writes a manifest under its name. */
export function writeManifest(directory: string, manifest: Manifest): SmallSnapshot {
  const bytes = `${JSON.stringify(manifest)}\n`;
  const id = snapshotId(manifest.generatedAt, sha256Of(bytes));
  mkdirSync(join(directory, 'manifests'), { recursive: true });
  writeFileSync(join(directory, paths.manifest(id)), bytes);
  return { directory, id, manifest };
}

export type { ForgedLine };

/**
 * What a forger does to the lines of a segment, and to those of the whole log: they have the partition `log`, and
 * their sequences as sort keys.
 */
export type Forgery = { readonly [Name in TableName | 'log']?: (lines: ForgedLine[]) => ForgedLine[] };

/** The entries of the log. */
export async function linesOfLog({ directory, manifest }: SmallSnapshot): Promise<ForgedLine[]> {
  return (await changesOf(directory, manifest)).map((change) => ({
    partition: 'log',
    sort: feedSortKey(change.sequence),
    row: JSON.stringify(change),
  }));
}

/** Writes the log again, with its indexes, lists and digests. The manifest keeps its last sequence. */
export async function forgeLog(
  snapshot: SmallSnapshot,
  change: (lines: ForgedLine[]) => ForgedLine[],
): Promise<SmallSnapshot> {
  const { directory, manifest } = snapshot;
  const folder = openPartFolder(directory);
  try {
    const writer = await writerIn(directory, 0, folder);
    change(await linesOfLog(snapshot)).forEach(({ row }, at) =>
      writer.add(at + 1, /"filedAt":"([^"]*)"/.exec(row ?? '')?.[1] ?? '', row ?? 'null'),
    );
    const { list, bulk: parts } = await writer.finish();
    const bulkPath = join(directory, paths.file(manifest.documents['bulk']?.sha256 ?? ''));
    const { meta } = JSON.parse(readFileSync(bulkPath, 'utf8')) as BulkListResponse;
    const bulk = bulkDocument({ parts, ...meta }, manifest);
    return writeManifest(directory, {
      ...manifest,
      log: writeFile(directory, Buffer.from(JSON.stringify(list))),
      documents: {
        ...manifest.documents,
        bulk: writeFile(directory, Buffer.from(JSON.stringify(bulk))),
      },
    });
  } finally {
    await folder.close();
  }
}

/** The lines of a table of a segment. */
export async function linesOfTable(
  { directory, manifest }: SmallSnapshot,
  segment: number,
  table: TableName,
): Promise<ForgedLine[]> {
  const { name, headSha256 } = manifest.segments[segment] as SegmentEntry;
  const head = await headOf(directory, name, headSha256);
  return [...readLines(storedTable(directory, name, head, table))].map(toForged);
}

async function headOf(directory: string, name: string, headSha256: string): Promise<SegmentHead> {
  const folder = openPartFolder(directory);
  try {
    return await readSegmentHead(folder, name, headSha256);
  } finally {
    await folder.close();
  }
}

/**
 * Changes lines of a segment in a copy and makes blocks, indexes, digests and names again, as somebody would
 * who can write to the disk and knows the format. `changeHead` changes the head before it is written,
 * `changeManifest` the manifest.
 */
export async function forgeSegment(
  sound: SmallSnapshot,
  segment: number,
  { log, ...forgery }: Forgery,
  changeHead: (head: SegmentHead) => SegmentHead = (head) => head,
  changeManifest: (manifest: Manifest) => Manifest = (manifest) => manifest,
): Promise<SmallSnapshot> {
  const snapshot = log ? await forgeLog(sound, log) : sound;
  if (Object.keys(forgery).length === 0 && log) return snapshot;
  const { directory, manifest } = snapshot;
  const entry = manifest.segments[segment] as SegmentEntry;
  const tables = { ...(await headOf(directory, entry.name, entry.headSha256)).tables };
  for (const [table, change] of Object.entries(forgery) as [
    TableName,
    (lines: ForgedLine[]) => ForgedLine[],
  ][]) {
    const lines = change(await linesOfTable(snapshot, segment, table));
    const files = {
      rows: join(directory, segmentParts.rows(entry.name, table)),
      index: join(directory, segmentParts.index(entry.name, table)),
    };
    for (const path of Object.values(files)) rmSync(path);
    const { direction, isFiltered, blockBytes } = tableDefinition(table);
    const written = createStoredTable(direction, files, blockBytes);
    for (const { partition, sort, row, note } of lines) {
      const keys = { partition, sort };
      const line = { keys, block: toBlock(Buffer.from(makeLine(keys, row, note)), ''), line: 0 };
      written.add(keys, line, isFiltered ? factsOfLine(line) : noFacts);
    }
    const { head, files: references } = written.finish();
    tables[table] = { ...head, files: references };
  }
  const head = changeHead({
    format: snapshotFormat,
    from: entry.from,
    to: entry.to,
    rules: rulesNumber,
    tables,
  });
  const text = `${JSON.stringify(head)}\n`;
  writeFileSync(join(directory, segmentParts.head(entry.name)), text);
  const name = segmentName(head, sha256Of(text));
  if (name !== entry.name) {
    const target = join(directory, paths.segments, name);
    if (existsSync(target)) rmSync(target, { recursive: true });
    renameSync(join(directory, paths.segments, entry.name), target);
  }
  const bytes = tableNames.reduce(
    (sum, each) =>
      sum + (head.tables[each]?.files.rows.bytes ?? 0) + (head.tables[each]?.files.index.bytes ?? 0),
    Buffer.byteLength(text),
  );
  const segments = manifest.segments.map((each, at) =>
    at === segment
      ? { ...each, name, headSha256: sha256Of(text), headBytes: Buffer.byteLength(text), bytes }
      : each,
  );
  return writeManifest(directory, changeManifest({ ...manifest, segments }));
}

/** A block of a table as it is stored, with what the index says of it. */
export interface ForgedBlock {
  readonly entry: BlockEntry;
  readonly stored: Buffer;
}

/**
 * Changes the blocks of a table and what the index says of them, and makes index, digests and names again.
 * `changeRoot` changes the root before it is written. The index is made as the given rules have it.
 */
export async function forgeBlocks(
  snapshot: SmallSnapshot,
  segment: number,
  table: TableName,
  change: (blocks: ForgedBlock[]) => ForgedBlock[],
  changeRoot: (root: readonly IndexedBlock[]) => readonly IndexedBlock[] = (root) => root,
): Promise<SmallSnapshot> {
  const { directory, manifest } = snapshot;
  const { name, headSha256 } = manifest.segments[segment] as SegmentEntry;
  const { head, rows, index } = storedTable(
    directory,
    name,
    await headOf(directory, name, headSha256),
    table,
  );
  const bytes = readFileSync(rows);
  const blocks = [...readBlocks(index, head.root)]
    .flatMap((page) => entriesOf(page))
    .map((entry) => ({ entry, stored: bytes.subarray(entry.offset, entry.offset + entry.bytes) }));
  const changed = change(blocks);
  const lines = changed.map(({ entry }) => ({ entry, line: lineOf(entry) }));
  const pages: Buffer[] = [];
  const root: IndexedBlock[] = [];
  let offset = 0;
  for (const page of naiveBlocks(lines, indexBlockBytes)) {
    const stored = gzipSync(page.map(({ line }) => line).join(''));
    const { partition, sort } = (page[0] as (typeof page)[number]).entry;
    const { labels: _, ...ofRoot } = naiveEntry(
      { partition, sort },
      offset,
      stored,
      page.length,
      page.flatMap(({ entry: { filedFrom, filedTo } }) => [filedFrom, filedTo]),
      page.flatMap(({ entry }) => entry.labels),
    );
    root.push(ofRoot);
    pages.push(stored);
    offset += stored.length;
  }
  const reference = (path: string, content: Buffer): FileReference => {
    writeFileSync(path, content);
    return { bytes: content.length, sha256: sha256Of(content) };
  };
  const files = {
    rows: reference(rows, Buffer.concat(changed.map(({ stored }) => stored))),
    index: reference(index, Buffer.concat(pages)),
  };
  return forgeSegment(snapshot, segment, {}, (old) => ({
    ...old,
    tables: { ...old.tables, [table]: { ...head, root: changeRoot(root), files } },
  }));
}

const lineOf = ({ partition, sort, ...rest }: BlockEntry) =>
  makeLine({ partition, sort }, JSON.stringify(rest));
