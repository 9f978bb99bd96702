import { join } from 'node:path';
import { paths, type BatchRow, type Manifest, type SegmentEntry } from '../../src/format/snapshot.ts';
import { segmentName } from '../../src/table/segment.ts';
import { openPartFolder, type PartFolder } from '../../src/snapshot/folder.ts';
import { readManifest } from '../../src/snapshot/open.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { quietProgress, type Progress } from '../work/progress.ts';
import { checkBulk } from './check-bulk.ts';
import { checkCompanies } from './check-companies.ts';
import { checkFilings } from './filings.ts';
import { compareLogs, openVerifiedLog, type VerifiedLog } from './verified-log.ts';
import { mergeSegments, rowsOfSegments, type MergedSegments } from './merged-segments.ts';
import { createPartCheck, type PartCheck, type TotalsDocuments } from './part-check.ts';
import { checkBatches, checkCounts, checkDocuments, readTotals } from './totals.ts';

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
 * length and SHA-256, and that a segment has no other files; every row by its schema and keys; every index by
 * the rows; that tables lead to what the log has and count it; and files for download that are older than the
 * log against it. What rules make of a filing (its partitions and companies, words of searches, sentences) is
 * left to `verifyAgainstLedger`. Blocks of `latest` are inflated twice, others once. Memory grows by nine
 * bytes for each entry of the log. Throws `CorruptSnapshot`, which names the file and what is wrong with it.
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
 * checked once. The first one is checked like by `verifySnapshot`. So is each other one, unless it shares
 * segments with one that was checked so and is not older. Then its tables are not all compared with each other
 * again: each table of its other segments is checked alone, its log is compared with that of the other
 * snapshot, and its totals with its documents.
 */
export async function* verifySnapshots(
  directory: string,
  ids: readonly string[],
  progress: Progress = quietProgress,
): AsyncGenerator<Verified> {
  const folder = openPartFolder(directory);
  const check = createPartCheck(folder, progress);
  const whole: WholeSnapshot[] = [];
  try {
    for (const id of ids) {
      try {
        const read = await readFiles(folder, id, check, progress);
        const beside = besideOf(read, whole);
        if (beside === null) whole.push(await checkWhole(read, progress));
        else await checkBeside(read, beside, progress);
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
    await folder.close();
  }
}

/** A snapshot whose files are those that its manifest names. */
interface ReadSnapshot {
  readonly id: string;
  readonly manifest: Manifest;
  readonly manifestPath: string;
  readonly merged: MergedSegments;
  readonly log: VerifiedLog;
  readonly documents: TotalsDocuments;
}

/** A snapshot whose tables and log were compared with each other. */
interface WholeSnapshot extends ReadSnapshot {
  /** See `checkBulk`. */
  readonly bulk: Set<string>;
}

/** A snapshot that shares its first segments with another one. */
interface Beside {
  readonly snapshot: WholeSnapshot;
  readonly segments: number;
}

async function readFiles(
  folder: PartFolder,
  id: string,
  check: PartCheck,
  progress: Progress,
): Promise<ReadSnapshot> {
  const { manifest } = await readManifest(folder, id);
  const manifestPath = join(folder.directory, paths.manifest(id));
  checkRanges(manifestPath, manifest);
  progress.begin('checking files', 'files');
  const segments: MergedSegments['segments'][number][] = [];
  for (const entry of manifest.segments) segments.push({ ...entry, head: await check.segment(entry) });
  const documents = await check.files(manifestPath, manifest);
  return {
    id,
    manifest,
    manifestPath,
    documents,
    log: openVerifiedLog(folder.directory, manifest, documents.log, progress),
    merged: mergeSegments(folder.directory, segments, progress),
  };
}

async function checkWhole(read: ReadSnapshot, progress: Progress): Promise<WholeSnapshot> {
  const { merged, log, manifest } = read;
  try {
    progress.begin('checking tables', 'rows', rowsOfSegments(merged.segments) + manifest.lastSequence);
    const { batches, refused } = checkBatches(merged, manifest);
    const { totals, companies } = checkFilings(merged, log, batches, (readListed) =>
      checkCompanies(merged, readListed),
    );
    checkCounts(merged, totals, companies, refused);
    checkDocuments(read.manifestPath, manifest, read.documents, totals, companies);
    const bulk = new Set<string>();
    await compareBulk(read, batches, bulk);
    return { ...read, bulk };
  } finally {
    merged.close();
  }
}

/** Finds the snapshot with which a later check can compare this one: that with the most segments in common. */
function besideOf({ manifest }: ReadSnapshot, whole: readonly WholeSnapshot[]): Beside | null {
  let best: Beside | null = null;
  for (const snapshot of whole) {
    if (snapshot.manifest.ledger.batches < manifest.ledger.batches) continue;
    const differs = manifest.segments.findIndex(
      ({ headSha256 }, at) => headSha256 !== snapshot.manifest.segments[at]?.headSha256,
    );
    const segments = differs === -1 ? manifest.segments.length : differs;
    if (segments > (best?.segments ?? 0)) best = { snapshot, segments };
  }
  return best;
}

async function checkBeside(
  read: ReadSnapshot,
  { snapshot, segments }: Beside,
  progress: Progress,
): Promise<void> {
  const { merged, manifest } = read;
  try {
    progress.begin('checking tables', 'rows', rowsOfSegments(merged.segments.slice(segments)));
    merged.checkTables(segments);
    const { batches, refused } = checkBatches(merged, manifest);
    compareLogs(read.log, snapshot.log);
    const { filings, companies } = readTotals(merged, read.log, refused);
    checkDocuments(read.manifestPath, manifest, read.documents, filings, companies);
    await compareBulk(read, batches, snapshot.bulk);
  } finally {
    merged.close();
  }
}

function compareBulk(
  { merged, log, manifest, documents }: ReadSnapshot,
  batches: readonly BatchRow[],
  known: Set<string>,
): Promise<void> {
  return checkBulk({
    directory: merged.directory,
    log,
    manifest,
    batches,
    document: documents.bulk,
    known,
  });
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
