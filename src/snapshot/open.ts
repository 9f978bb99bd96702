import type { AcceptedHeartbeat } from './accepted-heartbeat.ts';
import { LRUCache } from 'lru-cache';
import { BulkListResponse } from '../contract/bulk.ts';
import {
  countPartitions,
  documentNames,
  Manifest,
  paths,
  Pointer,
  type PointerSignature,
  readFormats,
  Routes,
  snapshotFormat,
  snapshotId,
  tableNames,
  type DocumentName,
  type FileReference,
  type SegmentEntry,
  type TableName,
} from '../format/snapshot.ts';
import { kindOfKey, type Vocabulary } from '../contract/filing-filters.ts';
import { mostFrequentFirst } from '../contract/records.ts';
import { filesOfLog, LogList } from '../format/log-files.ts';
import { openLog, type Log } from '../table/open-log.ts';
import { AnyManifest } from '../format/older-manifest.ts';
import { mergedRows } from '../table/merge.ts';
import { inPasses, together } from '../table/passes.ts';
import { openSegment, type Segment } from '../table/segment.ts';
import { rowBytes, type PartReader, type Table } from '../table/table.ts';
import type { BlockCache } from '../table/block-cache.ts';
import { CorruptSnapshot, sha256Of } from '../files/bytes.ts';
import { createGate, type Gate } from '../fetch/gate.ts';
import type { PartStore } from './store.ts';
import type { RollbackProtection } from './trust.ts';

/** Where an open snapshot reads its parts, and the caches. */
export interface SnapshotReader {
  readonly parts: PartReader & Pick<PartStore, 'unreachableSince'>;
  readonly blocks: BlockCache;
  /** Small files by their SHA-256. */
  readonly files: LRUCache<string, Buffer>;
  /** Limits how many long files are read at the same time. */
  readonly longReads: Gate;
}

/**
 * How many long files are read at the same time: each takes a megabyte or more, and thousands of requests may
 * want one.
 */
const longReadsMaximum = 8;

/** An open snapshot. The heads of its segments, its keyed documents and its routes are in memory. */
export interface Snapshot extends Vocabulary {
  readonly id: string;
  /** How many filings have each form now. */
  readonly formCounts: ReadonlyMap<string, number>;
  readonly manifest: Manifest;
  /** Oldest first, as in the manifest. */
  readonly segments: readonly Segment[];
  /** The tables with a name, those of the newest segment first. */
  tables(name: TableName): readonly Table[];
  /** Every observation, by its sequence. */
  readonly log: Log;
  readonly documents: Readonly<Record<DocumentName, Buffer>>;
  readonly routes: Routes;
  /** The bytes of a small file, checked by its SHA-256. Throws `CorruptSnapshot`. */
  file(reference: FileReference): Promise<Buffer>;
  /** The bytes of a longer file, checked by its SHA-256 and not kept in memory. Throws `CorruptSnapshot`. */
  longFile(reference: FileReference): Promise<Buffer>;
  /**
   * Since when the store has been unreachable, so that a newer snapshot would not be found, in milliseconds
   * since 1970; null while it can be reached.
   */
  readonly unreachableSince: () => number | null;
  /**
   * Since when the pointer that is there has been refused or could not be read, in milliseconds since 1970;
   * null while it is the pointer of this snapshot.
   */
  readonly pointerRefusedSince: () => number | null;
  /** The newest heartbeat of the follower that publishes here; null if there is none. */
  readonly heartbeat: () => AcceptedHeartbeat | null;
  /** The address of the service that serves it, without a slash at the end; null if it is not known. */
  readonly address: () => string | null;
  /**
   * The signature of the pointer; null if the pointer is not signed. `protection` is null if the signature
   * was not checked with a key.
   */
  readonly signature:
    | (Omit<PointerSignature, 'key' | 'signature'> & {
        readonly protection: (() => RollbackProtection) | null;
      })
    | null;
}

/** A manifest is never longer than this, in bytes, at any size of the ledger. */
const manifestBytesMaximum = 64 * 1024;

/** Makes a reader that keeps at most `filesMaximumBytes` of small files. */
export function createSnapshotReader(
  parts: SnapshotReader['parts'],
  blocks: BlockCache,
  filesMaximumBytes: number,
): SnapshotReader {
  return {
    parts,
    blocks,
    files: new LRUCache({ maxSize: filesMaximumBytes, sizeCalculation: (bytes) => bytes.length + 1 }),
    longReads: createGate(parts.underWay ? Infinity : longReadsMaximum),
  };
}

/** Parses a pointer. Throws `CorruptSnapshot`, which names the file. */
export function parsePointer(path: string, text: string): Pointer {
  try {
    return Pointer.parse(requireFormat(JSON.parse(text)));
  } catch (error) {
    throw new CorruptSnapshot(`${path}: ${(error as Error).message}`);
  }
}

/** Refuses older formats, with a message that says what to do: such a snapshot is built again. */
function requireFormat(value: unknown, oldest: number = readFormats[0]): unknown {
  const { format } = (value ?? {}) as { format?: unknown };
  if (typeof format === 'number' && format < oldest)
    throw new Error(
      `it is of format ${format}, which this version does not read; build again, with the same ledger`,
    );
  return value;
}

/** A manifest that was read, with its SHA-256. */
interface ReadManifest<Kind> {
  readonly manifest: Kind;
  readonly sha256: string;
}

/**
 * Reads the manifest of a snapshot and checks its SHA-256, which the snapshot's id contains in part. Throws
 * `CorruptSnapshot`.
 */
export function readManifest(
  parts: PartReader,
  id: string,
  manifestSha256?: string,
): Promise<ReadManifest<Manifest>> {
  return readManifestAs(parts, id, manifestSha256, (value) =>
    Manifest.parse(requireFormat(value, snapshotFormat)),
  );
}

/** Reads the manifest of a snapshot of this format or of format 2, 3 or 4, as `readManifest` does. */
export function readAnyManifest(
  parts: PartReader,
  id: string,
  manifestSha256?: string,
): Promise<ReadManifest<AnyManifest>> {
  return readManifestAs(parts, id, manifestSha256, (value) => AnyManifest.parse(requireFormat(value)));
}

async function readManifestAs<Kind extends AnyManifest>(
  parts: PartReader,
  id: string,
  manifestSha256: string | undefined,
  parse: (value: unknown) => Kind,
): Promise<ReadManifest<Kind>> {
  const path = paths.manifest(id);
  try {
    const bytes = await parts.read(path, 0, manifestBytesMaximum, manifestSha256);
    const sha256 = sha256Of(bytes);
    if (manifestSha256 !== undefined && sha256 !== manifestSha256)
      throw new Error('its SHA-256 is not the one in the pointer');
    // Checked before parsing: the parse error of damaged bytes would say less.
    if (!id.endsWith(`-${sha256.slice(0, 16)}`))
      throw new Error(`its SHA-256 begins with ${sha256.slice(0, 16)}, but its name says otherwise`);
    const manifest = parse(JSON.parse(bytes.toString()));
    if (snapshotId(manifest.generatedAt, sha256) !== id)
      throw new Error(`it belongs to ${snapshotId(manifest.generatedAt, sha256)}`);
    return { manifest, sha256 };
  } catch (error) {
    throw new CorruptSnapshot(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** Reads a small file, or finds it in memory. Throws `CorruptSnapshot`. */
async function readFileOf({ parts, files }: SnapshotReader, reference: FileReference): Promise<Buffer> {
  const known = files.get(reference.sha256);
  if (known) return known;
  const read = await readChecked(parts, reference);
  files.set(reference.sha256, read);
  return read;
}

/** Reads a file and checks its SHA-256. Throws `CorruptSnapshot`. */
export async function readChecked(parts: PartReader, { sha256, bytes }: FileReference): Promise<Buffer> {
  const read = await parts.read(paths.file(sha256), 0, bytes, sha256);
  if (read.length !== bytes || sha256Of(read) !== sha256)
    throw new CorruptSnapshot(`${paths.file(sha256)} does not have the SHA-256 in its name`);
  return read;
}

/**
 * Parses the routes, which tell which file answers each public path. Throws if they do not fit their schema.
 */
export function parseRoutes(bytes: Buffer): Routes {
  return Routes.parse(JSON.parse(bytes.toString()));
}

/** Parsed bulk lists, by the bytes of their documents. */
const bulkLists = new WeakMap<Buffer, BulkListResponse>();

/**
 * The list of the files of the change feed: the keyed document `bulk`, parsed once. Throws if it does not fit
 * its schema.
 */
export function bulkListOf({ bulk }: Pick<Snapshot['documents'], 'bulk'>): BulkListResponse {
  const known = bulkLists.get(bulk);
  if (known) return known;
  const list = BulkListResponse.parse(JSON.parse(bulk.toString()));
  bulkLists.set(bulk, list);
  return list;
}

/**
 * Every file of a snapshot that is stored under its SHA-256: keyed documents, public documents with their
 * encoded variants, the files of the log with their indexes, and the files for download that are others.
 */
export function filesOf(
  manifest: Pick<AnyManifest, 'documents' | 'routes'> & { readonly log?: FileReference },
  publicRoutes: Routes,
  bulk: readonly FileReference[],
  log: LogList | null,
): FileReference[] {
  const { documents, routes } = manifest;
  const published = Object.values(publicRoutes).flatMap(({ file, br, gzip }) =>
    [file, br, gzip].filter((each) => each !== null),
  );
  const ofLog = log ? [...(manifest.log ? [manifest.log] : []), ...filesOfLog(log)] : [];
  return [...Object.values(documents), routes, ...published, ...bulk, ...ofLog];
}

/** Segments that are already open, by name. */
export type OpenSegments = ReadonlyMap<string, Segment>;

/**
 * Opens a snapshot: reads its keyed documents and routes, and opens those of its segments that are not in
 * `open`. Blocks of tables are checked when they are read. Throws `CorruptSnapshot`.
 */
export async function openSnapshot(
  reader: SnapshotReader,
  id: string,
  manifest: Manifest,
  open: OpenSegments = new Map(),
): Promise<Snapshot> {
  const document = async (name: DocumentName) => {
    const reference = manifest.documents[name];
    if (!reference) throw new CorruptSnapshot(`${paths.manifest(id)} names no document ${name}`);
    return [name, await readFileOf(reader, reference)] as const;
  };
  const documents = Object.fromEntries(await Promise.all(documentNames.map(document))) as Record<
    DocumentName,
    Buffer
  >;
  const routes = parseRoutes(await readFileOf(reader, manifest.routes));
  const segments = await openSegments(reader, manifest, open);
  const tables = readerOf(segments);
  const [log, vocabulary] = await Promise.all([
    openLogOf(reader, manifest),
    inPasses(() => readVocabulary(tables)),
    ...segments.map(holdSmall),
  ]);
  return {
    id,
    manifest,
    documents,
    routes,
    ...tables,
    log,
    ...vocabulary,
    file: (reference) => readFileOf(reader, reference),
    longFile: (reference) => reader.longReads.run(() => readChecked(reader.parts, reference)),
    unreachableSince: () => reader.parts.unreachableSince?.() ?? null,
    pointerRefusedSince: () => null,
    heartbeat: () => null,
    address: () => null,
    signature: null,
  };
}

/** Batches that a segment keeps in memory; of one with more, it keeps the index. A row has 200 bytes. */
const batchesHeld = 1000;

/** What is kept in memory of a small table. */
interface HeldTable {
  readonly name: TableName;
  readonly what: 'index' | 'rows';
}

/**
 * What a segment keeps in memory, because requests of most kinds begin or end with it: the symbols of companies,
 * some ten thousand at most, and the batches, which cursors name. From a host each would take a round trip or
 * two.
 */
export function heldTablesOf({ tables }: Pick<Segment, 'tables'>): HeldTable[] {
  return [
    { name: 'symbols', what: 'rows' },
    { name: 'batches', what: tables.batches.head.rows <= batchesHeld ? 'rows' : 'index' },
  ];
}

/** Holds what can be read of them. What cannot is read when it is wanted, and fails then. */
async function holdSmall(segment: Segment): Promise<void> {
  await Promise.all(
    heldTablesOf(segment).map(({ name, what }) => segment.tables[name].hold(what).catch(() => {})),
  );
}

/** Tells which parts belong to segments or to a log. */
export function isPartOf(
  segments: readonly Pick<SegmentEntry, 'name'>[],
  log: Log | null,
): (part: string) => boolean {
  const names = new Set(segments.map(({ name }) => name));
  const files = new Set(log && filesOfLog(log.list).map(({ sha256 }) => paths.file(sha256)));
  return (part) => files.has(part) || names.has(part.split('/')[1] ?? '');
}

/** Opens the log of a manifest. Throws `CorruptSnapshot`. */
export async function openLogOf(reader: SnapshotReader, { log }: Pick<Manifest, 'log'>): Promise<Log> {
  return openLog(reader.parts, parseLogList(log, await readFileOf(reader, log)), reader.blocks);
}

/** Parses the list of the files of the log. Throws `CorruptSnapshot`. */
export function parseLogList({ sha256 }: FileReference, bytes: Buffer): LogList {
  try {
    return LogList.parse(JSON.parse(bytes.toString()));
  } catch (error) {
    throw new CorruptSnapshot(`${paths.file(sha256)} is no list of the log: ${(error as Error).message}`);
  }
}

/** Reads what values the filings of the change feed have, and how many have each form. Throws `CorruptSnapshot`. */
export function readVocabulary({
  tables,
}: Pick<Snapshot, 'tables'>): Vocabulary & Pick<Snapshot, 'formCounts'> {
  const countsOf = (partition: string) => {
    const counts: [string, number][] = [];
    for (const row of mergedRows(tables('counts'), { partitions: [partition] }))
      counts.push([row.sort, Number(rowBytes(row).toString())]);
    return new Map(mostFrequentFirst(counts));
  };
  const { forms, formerKinds, unlistedItems, unlistedFacts } = countPartitions;
  const [formCounts = new Map<string, number>(), ...others] = together(
    [forms, formerKinds, unlistedItems, unlistedFacts],
    countsOf,
  );
  const [kinds = [], unlisted = [], facts = []] = others.map((counts) => [...counts.keys()]);
  return {
    forms: [...formCounts.keys()],
    formCounts,
    formerKinds: kinds.map(kindOfKey),
    unlistedItems: unlisted,
    unlistedFacts: facts,
  };
}

/** Opens the segments of a manifest, oldest first. Throws `CorruptSnapshot`. */
export function openSegments(
  { parts, blocks }: SnapshotReader,
  { segments }: { readonly segments: readonly SegmentEntry[] },
  open: OpenSegments = new Map(),
): Promise<Segment[]> {
  return Promise.all(
    segments.map(async (entry) => open.get(entry.name) ?? openSegment(parts, entry, blocks)),
  );
}

/** The segments, oldest first, and their tables, newest first. */
export function readerOf(segments: readonly Segment[]): Pick<Snapshot, 'segments' | 'tables'> {
  const newestFirst = segments.toReversed();
  const tables = new Map(
    tableNames.map((name) => [name, newestFirst.map((segment) => segment.tables[name])]),
  );
  return { segments, tables: (name) => tables.get(name) ?? [] };
}
