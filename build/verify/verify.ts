import { join } from 'node:path';
import { paths, type Manifest, type SegmentEntry } from '../../src/format/snapshot.ts';
import { firstRules, rulesNumber } from '../../src/domain/rules.ts';
import { successors } from '../../src/domain/successors.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { openLog } from '../../src/table/open-log.ts';
import { openSegment, rulesOf, segmentName, segmentParts } from '../../src/table/segment.ts';
import { openPartFolder, type PartFolder } from '../../src/snapshot/folder.ts';
import { readManifest } from '../../src/snapshot/open.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { quietProgress, type Progress } from '../work/progress.ts';
import { checkBulk } from './check-bulk.ts';
import { checkSegment } from './check-segment.ts';
import { compareLogs, openVerifiedLog, type VerifiedLog } from './verified-log.ts';
import type { VerifiedSegment } from './verified-lines.ts';
import { createPartCheck, type PartCheck, type TotalsDocuments } from './part-check.ts';
import { makeScratch, type Scratch } from './scratch.ts';
import { sumTables, type TablesWork } from './table-sums.ts';
import { checkBatches, checkDocuments, readTotals } from './totals.ts';

export { verifyAgainstLedger, type DerivedFiles, type DeriveFiles } from './verify-ledger.ts';

/** What verification says of a snapshot. */
export type Verified =
  | {
      readonly id: string;
      readonly state: 'sound';
      readonly manifest: Manifest;
      /** The snapshot that was checked before and whose segments it shares, and how many; null if none. */
      readonly beside: { readonly id: string; readonly segments: number } | null;
    }
  | { readonly id: string; readonly state: 'faulty'; readonly fault: CorruptSnapshot };

/**
 * Verifies a snapshot from its bytes alone. It checks the manifest by the snapshot's name; every file by
 * length and SHA-256, and that a segment has no other files; every entry of the log by its schema, and that
 * revisions follow one another; that tables have the rows which the fold makes of the log and of the profiles;
 * every index by the rows; that documents count them; and files for download that are older than the log against
 * it. What no log tells is left to `verifyAgainstLedger`: names, symbols and facts of companies, texts of
 * refusals, and pages. The log and each table are read once. Memory does not grow with the number of filings.
 * Throws `CorruptSnapshot`, which names the file and what is wrong with it.
 */
export async function verifySnapshot(
  directory: string,
  id: string,
  progress: Progress = quietProgress,
): Promise<Manifest> {
  for await (const verified of verifySnapshots(directory, [id], progress)) {
    if (verified.state === 'faulty') throw verified.fault;
    return verified.manifest;
  }
  throw new Error('no snapshot was verified');
}

/**
 * Verifies several snapshots of a directory, and says of each one what it found. A part that they share is
 * checked once: a snapshot whose first segments are those of one that was checked, and that is not newer, has its
 * log compared with that one's, and its other segments checked. `tablesWork` may be another thread.
 */
export async function* verifySnapshots(
  directory: string,
  ids: readonly string[],
  progress: Progress = quietProgress,
  tablesWork: TablesWork = { sumTables },
): AsyncGenerator<Verified> {
  const folder = openPartFolder(directory);
  const check = createPartCheck(folder, progress);
  const scratch = await makeScratch();
  const checked: CheckedSnapshot[] = [];
  try {
    for (const id of ids) {
      try {
        const read = await readFiles(folder, id, check, progress);
        const beside = besideOf(read, checked);
        checked.push({ ...read, bulk: await checkRows(read, beside, scratch, tablesWork, progress) });
        yield {
          id,
          state: 'sound',
          manifest: read.manifest,
          beside: beside && { id: beside.snapshot.id, segments: beside.segments },
        };
      } catch (error) {
        if (!(error instanceof CorruptSnapshot)) throw error;
        yield { id, state: 'faulty', fault: error };
      }
    }
  } finally {
    await Promise.all([folder.close(), scratch.remove()]);
  }
}

/** A snapshot whose files are those that its manifest names. */
interface ReadSnapshot {
  readonly folder: PartFolder;
  readonly id: string;
  readonly manifest: Manifest;
  readonly manifestPath: string;
  readonly segments: readonly VerifiedSegment[];
  readonly log: VerifiedLog;
  readonly documents: TotalsDocuments;
}

/** A snapshot that was found sound. */
interface CheckedSnapshot extends ReadSnapshot {
  /** See `checkBulk`. */
  readonly bulk: Set<string>;
}

/** A snapshot that shares its first segments with another one. */
interface Beside {
  readonly snapshot: CheckedSnapshot;
  readonly segments: number;
}

/** Whether these are the pairs of the present rules. */
const areSuccessors = (pairs: Manifest['successors'] = []): boolean =>
  pairs.length === successors.length &&
  pairs.every(
    ([predecessor, successor], at) =>
      predecessor === successors[at]?.predecessorCik && successor === successors[at]?.successorCik,
  );

async function readFiles(
  folder: PartFolder,
  id: string,
  check: PartCheck,
  progress: Progress,
): Promise<ReadSnapshot> {
  const { manifest } = await readManifest(folder, id);
  const manifestPath = join(folder.directory, paths.manifest(id));
  checkRanges(manifestPath, manifest);
  if (manifest.rules === rulesNumber && !areSuccessors(manifest.successors))
    throw new CorruptSnapshot(`${manifestPath} names other successors of companies than its rules do`);
  progress.begin('checking files', 'files');
  const segments: VerifiedSegment[] = [];
  for (const entry of manifest.segments) {
    const head = await check.segment(entry);
    if (rulesOf(head) !== (manifest.rules ?? firstRules))
      throw new CorruptSnapshot(
        `${join(folder.directory, segmentParts.head(entry.name))} follows rules ${rulesOf(head)}, not ${manifest.rules ?? firstRules} as the manifest says`,
      );
    segments.push({ ...entry, head });
  }
  const documents = await check.files(manifestPath, manifest);
  return {
    folder,
    id,
    manifest,
    manifestPath,
    segments,
    documents,
    log: openVerifiedLog(folder.directory, manifest, documents.log, progress),
  };
}

/** Finds the snapshot with which a later check can share most: that with the most segments in common. */
function besideOf({ manifest }: ReadSnapshot, checked: readonly CheckedSnapshot[]): Beside | null {
  let best: Beside | null = null;
  for (const snapshot of checked) {
    if (snapshot.manifest.ledger.batches < manifest.ledger.batches) continue;
    const differs = manifest.segments.findIndex(
      ({ headSha256 }, at) => headSha256 !== snapshot.manifest.segments[at]?.headSha256,
    );
    const segments = differs === -1 ? manifest.segments.length : differs;
    if (segments > (best?.segments ?? 0)) best = { snapshot, segments };
  }
  return best;
}

const cacheBytes = 16 * 1024 * 1024;

/** Checks what is in the files of a snapshot. Returns the files for download that `checkBulk` knows now. */
async function checkRows(
  { folder, manifest, manifestPath, segments, log, documents }: ReadSnapshot,
  beside: Beside | null,
  { folder: { directory: scratch } }: Scratch,
  tablesWork: TablesWork,
  progress: Progress,
): Promise<Set<string>> {
  const { directory } = folder;
  const shared = beside?.segments ?? 0;
  progress.begin('checking the log and tables', 'entries', manifest.lastSequence);
  const batches = checkBatches(directory, segments, manifest);
  if (beside) compareLogs(log, beside.snapshot.log);
  const cache = createBlockCache(cacheBytes);
  const open = await Promise.all(segments.map((entry) => openSegment(folder, entry, cache)));
  const lookUps = openLog(folder, log.list, cache);
  let firstSequence = (segments[shared - 1]?.lastSequence ?? 0) + 1;
  const entries = log.entriesFrom(firstSequence);
  for (const [at, segment] of segments.entries()) {
    if (at < shared) continue;
    await checkSegment(
      {
        directory,
        segment,
        older: open.slice(0, at).reverse(),
        olderEntries: segments.slice(0, at).reverse(),
        log,
        openLog: lookUps,
        batches: batches.slice(segment.from - 1, segment.to),
        firstSequence,
        scratch,
        tablesWork,
      },
      entries,
    );
    firstSequence = segment.lastSequence + 1;
  }
  // What is wrong with a file of the log is told behind its last entry.
  entries.next();
  checkDocuments(manifestPath, manifest, documents, readTotals(open.toReversed(), lookUps));
  const known = beside?.snapshot.bulk ?? new Set<string>();
  await checkBulk({ directory, log, manifest, batches, document: documents.bulk, known });
  return known;
}

/** Throws `CorruptSnapshot` if the segments do not follow one another from the first batch to the last. */
function checkRanges(path: string, { segments, ledger, lastSequence }: Manifest): void {
  let before: Pick<SegmentEntry, 'to' | 'lastSequence'> = { to: 0, lastSequence: 0 };
  for (const entry of segments) {
    const { name, headSha256, from, to } = entry;
    if (name !== segmentName(entry, headSha256))
      throw new CorruptSnapshot(`${path}: segment ${name} is not ${segmentName(entry, headSha256)}`);
    if (from !== before.to + 1 || to < from)
      throw new CorruptSnapshot(`${path}: segment ${name} does not follow batch ${before.to}`);
    if (entry.lastSequence < before.lastSequence)
      throw new CorruptSnapshot(
        `${path}: segment ${name} ends at sequence ${entry.lastSequence}, the one before at ${before.lastSequence}`,
      );
    before = entry;
  }
  if (before.to !== ledger.batches)
    throw new CorruptSnapshot(
      `${path}: the segments end at batch ${before.to}, the ledger at ${ledger.batches}`,
    );
  if (before.lastSequence !== lastSequence)
    throw new CorruptSnapshot(
      `${path}: the segments end at sequence ${before.lastSequence}, the snapshot at ${lastSequence}`,
    );
}
