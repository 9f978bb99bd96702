import { dirname, join } from 'node:path';
import { bulkFileRows } from '../../src/contract/bulk.ts';
import { filesOfLog, logMemberRows, type LogList } from '../../src/format/log-files.ts';
import type { AnyManifest } from '../../src/format/older-manifest.ts';
import {
  paths,
  snapshotId,
  type FileReference,
  type Manifest,
  type Routes,
  type SegmentEntry,
  type SnapshotSettings,
} from '../../src/format/snapshot.ts';
import { firstRules } from '../../src/domain/rules.ts';
import type { RecordedIntents } from '../../src/contract/intents.ts';
import type { LineLog } from '../../src/log/levels.ts';
import { checkSegment } from '../../src/table/segment.ts';
import { withPartFolder, type PartFolder } from '../../src/snapshot/folder.ts';
import {
  createSnapshotReader,
  filesOf,
  openSegments,
  openSnapshot,
  readAnyManifest,
  readManifest,
} from '../../src/snapshot/open.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { CorruptSnapshot, sha256Of } from '../../src/files/bytes.ts';
import { makeDirectory, replaceFileSynced, syncDirectory } from '../disk/directories.ts';
import { isDiskFull } from '../disk/full.ts';
import { removeStagings } from '../disk/staging.ts';
import type { TableWork } from '../fold/filing-tables.ts';
import type { Refused } from '../fold/fold-batch.ts';
import { bringUpSegments, type SegmentsInput } from '../fold/segments.ts';
import { openLogWriter } from '../segments/log-writer.ts';
import { openLog } from '../../src/table/open-log.ts';
import { noIntents } from '../intents/count.ts';
import { beginsWith } from '../ledger/batch.ts';
import { surveyLedger, type Survey } from '../ledger/survey.ts';
import { quietProgress, type Progress } from '../work/progress.ts';
import { deriveFiles } from './derive.ts';
import { keepPublicFile, openFileStore, storingAtOnce, type FileStore } from './file-store.ts';
import { lostFilings } from './diff.ts';
import { withBuildLock } from './locks.ts';
import { currentStays, publish, readPointer, readPublished, renewPointer } from './pointer.ts';
import { withRoom } from './build-room.ts';
import { readBulkFiles } from './walk.ts';
import type { SignPointer } from './sign.ts';
import { restate } from './restate.ts';
import {
  BuildRefused,
  readCurrent,
  readLedgerState,
  type Current,
  type LedgerState,
} from './current-state.ts';
import { makeFolder } from '../../src/files/local.ts';

export { BuildRefused } from './current-state.ts';

/** What a build makes, and where. */
export interface BuildOptions {
  readonly ledgerDirectory: string;
  readonly snapshotsDirectory: string;
  readonly settings: SnapshotSettings;
  /** Intents of the validation catalog so far; none if left out. */
  readonly intents?: RecordedIntents;
  /** Publishes even if the ledger lacks filings of the current snapshot. */
  readonly replace: boolean;
  /**
   * The time in milliseconds since 1970, with which a restatement is recorded, and by which old snapshots are
   * removed if the disk is full. If it is left out, they stay.
   */
  readonly now?: () => number;
  /**
   * The ledger is the embedded sample, to which nothing is appended. By newer rules its whole log is made
   * again.
   */
  readonly isEmbedded?: boolean;
  /** Signs the pointer; it is not signed if left out. */
  readonly sign?: SignPointer;
  readonly log: LineLog;
  /** Ends the waiting for another build. */
  readonly signal?: AbortSignal | undefined;
  /** Not shown if left out. */
  readonly progress?: Progress;
  /** See `SegmentsInput`. */
  readonly tableWork?: TableWork;
  readonly sharedRows?: number;
  /** Characters of rows that a fold holds in memory; tests set it low to make a fold write often. */
  readonly heldMaximum?: number;
  /** Rows of a file of the log and of its gzip members; tests set them low to get many. */
  readonly logCut?: { readonly rowsPerFile: number; readonly rowsPerMember: number };
}

const cacheBytes = 32 * 1024 * 1024;
const filesMaximumBytes = 16 * 1024 * 1024;

/**
 * Brings the current snapshot up to the ledger: folds new batches into segments, makes the documents and
 * pages, checks everything that was written with the runtime's own reader, and only then replaces the
 * pointer. If it is killed at any moment, the old snapshot stays current. If a part of the current snapshot
 * cannot be read, everything is made again from the ledger. Builds of one directory take turns. If the disk
 * is full, it removes what is no longer needed and begins once more. Returns the name of the current
 * snapshot: the new one, unless it was not to be published. Throws `DiskFull`, `BuildRefused`,
 * `BrokenLedger` and `CorruptSnapshot`.
 */
export async function buildSnapshot(options: BuildOptions): Promise<string> {
  const { snapshotsDirectory, log, signal, progress = quietProgress } = options;
  await makeDirectory(join(snapshotsDirectory, paths.segments));
  const onWait = () => log(`another build is running in ${snapshotsDirectory}; this one waits`);
  try {
    return await withBuildLock(snapshotsDirectory, () => withRoom(options, () => buildFromCurrent(options)), {
      onWait,
      signal,
    });
  } finally {
    progress.stop();
  }
}

async function buildFromCurrent(options: BuildOptions): Promise<string> {
  const { snapshotsDirectory, log, sign } = options;
  await removeStagings(snapshotsDirectory);
  const current = await withPartFolder(snapshotsDirectory, (folder) => readCurrent(folder, log, sign));
  try {
    return await withPartFolder(snapshotsDirectory, (folder) => bringUp(options, folder, current));
  } catch (error) {
    if (!(error instanceof CorruptSnapshot) || isDiskFull(error) || !current?.isReadable) throw error;
    log(
      `a part of the current snapshot cannot be read, and everything is made again: ${error.message}`,
      'warn',
    );
    return withPartFolder(snapshotsDirectory, (folder) =>
      bringUp(options, folder, { ...current, isReadable: false }),
    );
  }
}

async function bringUp(options: BuildOptions, folder: PartFolder, current: Current | null): Promise<string> {
  const {
    snapshotsDirectory,
    ledgerDirectory,
    settings,
    intents = noIntents,
    log,
    progress = quietProgress,
  } = options;
  const found = await readLedgerState(ledgerDirectory, folder, current, options.replace);
  const { replace, sign = null } = options;
  const isCurrentGood = current?.isReadable !== false;
  const staysFor = ({ names }: LedgerState) =>
    currentStays(snapshotsDirectory, { ledger: names, replace, isCurrentGood, log });
  if (current?.isOurs !== false && (await staysFor(found)(await readPublished(snapshotsDirectory))))
    return (await renewPointer(snapshotsDirectory, sign)).snapshotId;
  const store = openFileStore(
    snapshotsDirectory,
    new Set(
      current
        ? filesOf(current.manifest, current.routes, current.bulk, current.log).map(({ sha256 }) => sha256)
        : [],
    ),
  );
  const cache = createBlockCache(cacheBytes);
  const logBefore = found.known.length > 0 ? (current?.log ?? null) : null;
  if (logBefore) await requireFiles(store, logBefore);
  const logWriter = await openLogWriter({
    store: storingAtOnce(store),
    parts: folder,
    before: logBefore && { list: logBefore, parts: folder },
    published: { list: current?.log ?? null, bulk: found.continues ? (current?.bulk ?? []) : [] },
    cut: options.logCut ?? { rowsPerFile: bulkFileRows, rowsPerMember: logMemberRows },
    cache,
  });
  const input = {
    directory: snapshotsDirectory,
    parts: folder,
    ledgerDirectory,
    log: logWriter,
    progress,
    ...(options.heldMaximum === undefined ? {} : { heldMaximum: options.heldMaximum }),
    ...(options.tableWork === undefined ? {} : { tableWork: options.tableWork }),
    ...(options.sharedRows === undefined ? {} : { sharedRows: options.sharedRows }),
  };
  const ledger =
    found.restatesFrom === null || !current || options.isEmbedded
      ? found
      : await afterRestatement(options, input, folder, current, found.restatesFrom, found);
  const {
    segments: entries,
    written: made,
    refused,
  } = await bringUpSegments({
    ...input,
    segments: [...ledger.known],
    rowCounts: ledger.rowCounts,
  });
  if (ledger.isOther && current) await throwIfLost(folder, current.manifest, entries);
  logRefused(refused, log);

  const { list, bulk: parts } = await logWriter.finish();
  const reader = createSnapshotReader(folder, cache, filesMaximumBytes);
  const segments = await openSegments(reader, { segments: entries });
  progress.begin('making pages', 'files');
  const derived = await deriveFiles(segments, [...entries], openLog(folder, list, cache), {
    settings,
    intents,
    latestRun: ledger.latestRun,
    recordedAt: ledger.newest.head.run.createdAt,
    isSample: ledger.isSample,
    ledger: ledger.names,
    bulk: { parts, rowsPerFile: list.rowsPerFile },
    days: ledger.days,
  });
  const documents: Record<string, FileReference> = {};
  for (const [name, bytes] of derived.documents) documents[name] = store.keep(bytes);
  const routes: Record<string, Routes[string]> = {};
  for (const file of derived.publicFiles) {
    routes[file.path] = keepPublicFile(store, file);
    progress.step();
  }
  const manifest: Manifest = {
    ...derived.manifest,
    log: store.keep(Buffer.from(`${JSON.stringify(list)}\n`)),
    documents,
    routes: store.keep(Buffer.from(`${JSON.stringify(routes)}\n`)),
  };
  await store.write();

  const bytes = `${JSON.stringify(manifest)}\n`;
  const manifestSha256 = sha256Of(bytes);
  const id = snapshotId(manifest.generatedAt, manifestSha256);
  const manifestPath = join(snapshotsDirectory, paths.manifest(id));
  await makeFolder(dirname(manifestPath));
  await replaceFileSynced(manifestPath, bytes);
  await syncDirectory(snapshotsDirectory);

  const written = await openSnapshot(
    createSnapshotReader(folder, createBlockCache(cacheBytes), filesMaximumBytes),
    id,
    (await readManifest(folder, id, manifestSha256)).manifest,
  );
  for (const segment of written.segments) if (made.has(segment.name)) await checkSegment(folder, segment);
  const before = await readPointer(snapshotsDirectory).catch(() => null);
  if (before?.signature && sign === null)
    log(
      'the pointer is no longer signed: SIGNING_KEY_FILE is not set, and services with TRUSTED_KEY stay with the snapshot that they have',
    );
  const [addressBefore, address] = [current?.manifest.settings.baseUrl, manifest.settings.baseUrl];
  if (addressBefore !== undefined && addressBefore !== address)
    log(
      `the address changed from ${addressBefore ?? 'none'} to ${address ?? 'none'}: BASE_URL; documents name the new one`,
    );
  const pointer = await publish(snapshotsDirectory, id, manifestSha256, sign, staysFor(ledger));
  progress.stop();
  if (pointer.snapshotId !== id) return pointer.snapshotId;
  const kind = manifest.sample
    ? `; this is a sample, recorded on ${manifest.generatedAt.slice(0, 10)}, not live data`
    : '';
  log(
    `snapshot ${id}: ${manifest.filingCount} filings of ${manifest.companyCount} companies from ${manifest.ledger.batches} ${manifest.ledger.batches === 1 ? 'batch' : 'batches'}${kind}`,
  );
  return id;
}

/** Restates the ledger, and returns its state afterwards. */
async function afterRestatement(
  { ledgerDirectory, log, now = () => 0 }: BuildOptions,
  input: Omit<SegmentsInput, 'parts' | 'segments' | 'rowCounts'>,
  parts: PartFolder,
  current: Current,
  rulesBefore: number,
  found: LedgerState,
): Promise<LedgerState> {
  // Times of batches do not go back, even if the clock of this machine did.
  const times = [found.newest.head.run.createdAt, new Date(now()).toISOString()].sort();
  const { segments } = await restate({
    ...input,
    parts,
    rowCounts: found.rowCounts,
    ...(await longestPublished(parts, ledgerDirectory, current)),
    rulesBefore,
    recordedAt: times.at(-1) as string,
    isSample: found.isSample,
    report: log,
  });
  const known = { ...found, names: { ...found.names, batches: segments.at(-1)?.to ?? 0 } };
  return { ...found, ...((await surveyLedger(ledgerDirectory, known)) as Survey), known: [...segments] };
}

/** What a snapshot has published of the log. */
type PublishedLog = Pick<Current, 'manifest' | 'bulk'>;

/**
 * Returns the snapshot with the longest log that was published of a ledger: the current one, or one that a
 * rollback left, whose entries clients may have.
 */
async function longestPublished(
  folder: PartFolder,
  ledgerDirectory: string,
  { manifest: current, bulk }: Current,
): Promise<PublishedLog> {
  let longest: PublishedLog = { manifest: current, bulk };
  for (const id of (await readPublished(folder.directory)).left) {
    const found = await readPublishedLog(folder, id).catch(() => null);
    const isLonger =
      found !== null &&
      found.manifest.ledger.batches > longest.manifest.ledger.batches &&
      (found.manifest.rules ?? firstRules) === (current.rules ?? firstRules) &&
      (await beginsWith(ledgerDirectory, found.manifest.ledger));
    if (isLonger) longest = found;
  }
  return longest;
}

async function readPublishedLog(folder: PartFolder, id: string): Promise<PublishedLog> {
  const { manifest } = await readAnyManifest(folder, id);
  return { manifest, bulk: await readBulkFiles(folder, id, manifest) };
}

/** Throws `CorruptSnapshot` if a file of the log is missing or has another length. Its bytes are not read. */
async function requireFiles(store: FileStore, list: LogList): Promise<void> {
  const files = filesOfLog(list);
  const isThere = await Promise.all(files.map(store.isThere));
  const missing = files[isThere.indexOf(false)];
  if (missing)
    throw new CorruptSnapshot(
      `${paths.file(missing.sha256)}, a file of the log, is missing or has another length`,
    );
}

async function throwIfLost(
  folder: PartFolder,
  manifest: AnyManifest,
  entries: readonly SegmentEntry[],
): Promise<void> {
  const { count, first } = await lostFilings(folder, manifest.segments, entries);
  if (count > 0)
    throw new BuildRefused(
      `the current snapshot knows ${count} filings that this ledger lacks, the first is ${first}; nothing was published (--replace publishes nevertheless)`,
    );
}

/** Logs the rows that were left out and why, one line each; only the first ones if there are many. */
function logRefused({ count, first }: Refused, log: LineLog): void {
  for (const text of first) log(`refused: ${text}`, 'warn');
  if (count > first.length) log(`refused: ${count - first.length} more`, 'warn');
  if (count > 0)
    log(`left out ${count} ${count === 1 ? 'row' : 'rows'} of the ledger, the rest is built`, 'warn');
}
