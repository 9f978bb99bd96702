import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { paths, snapshotId, type FileReference, type Manifest, type Routes, type SegmentEntry, type SnapshotSettings } from '../../src/contract/snapshot.ts';
import type { IntentTally } from '../../src/contract/validation.ts';
import { checkSegment } from '../../src/snapshot/follow.ts';
import { openPartFolder, type PartFolder } from '../../src/snapshot/folder.ts';
import { createSnapshotReader, openSegments, openSnapshot, readManifest } from '../../src/snapshot/open.ts';
import { createChunkCache } from '../../src/table/cache.ts';
import { sha256Of } from '../../src/table/file.ts';
import { removeStagings, replaceFile, syncDirectory } from '../files.ts';
import type { Refused } from '../fold/batch.ts';
import { bringUpSegments } from '../fold/segments.ts';
import { emptyTally } from '../intents/count.ts';
import { readHeads, type BatchHead } from '../ledger/read.ts';
import { batchNumbers, readBatchFile } from '../ledger/batch.ts';
import { quietProgress, type Progress } from '../progress.ts';
import { deriveFiles } from './derive.ts';
import { keepPublicFile, openFileStore, variantsOf } from './files.ts';
import { lostFilings } from './loss.ts';
import { publish, readPointer } from './pointer.ts';

/** What a build makes and where. */
export interface BuildOptions {
  readonly ledgerDirectory: string;
  readonly snapshotsDirectory: string;
  readonly settings: SnapshotSettings;
  /** Intents of the validation catalog so far; none if left out. */
  readonly tally?: IntentTally;
  /** Publish even if filings of the current snapshot are missing from the ledger. */
  readonly replace: boolean;
  readonly log: (line: string) => void;
  /** Nobody sees it if left out. */
  readonly progress?: Progress;
  /** Characters of rows that a fold holds in memory; tests set it to see what happens when there are more. */
  readonly heldMaximum?: number;
}

/** A reason not to publish; nothing was changed. */
export class BuildRefused extends Error {}

const cacheBytes = 32 * 1024 * 1024;
const filesMaximumBytes = 16 * 1024 * 1024;

/**
 * Brings the current snapshot up to the ledger: folds the batches that are new into segments, makes the documents and pages that
 * they change, checks what was written with the runtime's own reader, and only then lets the pointer name it. Killed at any
 * moment it leaves the old snapshot current. Returns the name of the new one.
 */
export async function buildSnapshot(options: BuildOptions): Promise<string> {
  const { snapshotsDirectory, ledgerDirectory, settings, tally = emptyTally, log, progress = quietProgress } = options;
  await mkdir(join(snapshotsDirectory, paths.segments), { recursive: true });
  await removeStagings(snapshotsDirectory);
  const folder = openPartFolder(snapshotsDirectory);
  try {
    const current = await readCurrent(folder, log);
    const ledger = await readLedgerState(ledgerDirectory, current, options.replace);
    const { segments: entries, refused } = await bringUpSegments({
      directory: snapshotsDirectory, parts: folder, ledgerDirectory, segments: [...ledger.known], heads: ledger.heads, progress,
      ...(options.heldMaximum === undefined ? {} : { heldMaximum: options.heldMaximum }),
    });
    if (ledger.isOther && current) await refuseLoss(folder, current.manifest, entries);
    logRefused(refused, log);

    progress.begin('making pages', 'files');
    const reader = createSnapshotReader(folder, createChunkCache(cacheBytes), filesMaximumBytes);
    const segments = await openSegments(reader, { segments: entries });
    const derived = await deriveFiles(segments, [...entries], { settings, tally, latestRun: ledger.last.head.run, isSample: ledger.isSample, ledger: ledger.names });
    const store = openFileStore(snapshotsDirectory);
    const variants = variantsOf(current?.routes ?? {});
    const documents: Record<string, FileReference> = {};
    for (const [name, bytes] of derived.documents) documents[name] = store.keep(bytes);
    const routes: Record<string, Routes[string]> = {};
    for (const file of derived.publicFiles) {
      routes[file.path] = await keepPublicFile(store, file, variants);
      progress.step();
    }
    const manifest: Manifest = { ...derived.manifest, documents, routes: store.keep(Buffer.from(`${JSON.stringify(routes)}\n`)) };
    await store.write();

    const bytes = `${JSON.stringify(manifest)}\n`;
    const manifestSha256 = sha256Of(bytes);
    const id = snapshotId(manifest.generatedAt, manifestSha256);
    const manifestPath = join(snapshotsDirectory, paths.manifest(id));
    await mkdir(dirname(manifestPath), { recursive: true });
    await replaceFile(manifestPath, bytes);
    await syncDirectory(dirname(manifestPath));
    await syncDirectory(snapshotsDirectory);

    const isKnown = new Set(current?.manifest.segments.map(({ name }) => name));
    for (const { name, headSha256 } of entries) if (!isKnown.has(name)) await checkSegment(folder, name, headSha256);
    await openSnapshot(createSnapshotReader(folder, createChunkCache(cacheBytes), filesMaximumBytes), id, (await readManifest(folder, id, manifestSha256)).manifest);
    await publish(snapshotsDirectory, id, manifestSha256);
    progress.stop();
    const kind = manifest.sample ? `; this is a sample, recorded on ${manifest.generatedAt.slice(0, 10)}, and no live data` : '';
    log(`snapshot ${id}: ${manifest.filingCount} filings of ${manifest.companyCount} companies from ${manifest.ledger.batches} ${manifest.ledger.batches === 1 ? 'batch' : 'batches'}${kind}`);
    return id;
  } finally {
    progress.stop();
    await folder.close();
  }
}

interface Current {
  readonly manifest: Manifest;
  readonly routes: Routes;
  readonly id: string;
}

async function readCurrent(folder: PartFolder, log: (line: string) => void): Promise<Current | null> {
  const pointer = await readPointer(folder.directory);
  if (!pointer) return null;
  try {
    const { manifest } = await readManifest(folder, pointer.snapshotId, pointer.manifestSha256);
    const { routes } = await openSnapshot(createSnapshotReader(folder, createChunkCache(cacheBytes), filesMaximumBytes), pointer.snapshotId, manifest);
    return { manifest, routes, id: pointer.snapshotId };
  } catch (error) {
    // What is mended under the same name is read from the file that has the name then.
    await folder.close();
    log(`the current snapshot cannot be read and is replaced: ${(error as Error).message}`);
    return null;
  }
}

/** What a ledger adds to the current snapshot. */
interface LedgerState {
  /** Segments that stay as they are or are joined; none where all is folded again. */
  readonly known: Manifest['segments'];
  /** The batches that follow them. */
  readonly heads: readonly BatchHead[];
  readonly last: BatchHead;
  readonly names: Manifest['ledger'];
  readonly isSample: boolean;
  /** Whether the current snapshot, which is no sample, was made from another ledger. */
  readonly isOther: boolean;
}

async function readLedgerState(directory: string, current: Current | null, replace: boolean): Promise<LedgerState> {
  const numbers = await batchNumbers(directory);
  if (numbers.length === 0) throw new BuildRefused(`${directory} holds no batch`);
  const first = await readBatchFile(directory, 1);
  const manifest = current?.manifest;
  const isSame = manifest?.ledger.id === first.sha256;
  const goesOn = manifest !== undefined && isSame && (await goesOnFrom(directory, manifest, numbers.length));
  // Nobody misses a sample: whatever is built where one is served replaces it.
  const isGuarded = manifest !== undefined && manifest.sample !== true && !replace;
  if (isGuarded && isSame && !goesOn) throw new BuildRefused(`batch ${manifest.ledger.batches} of the ledger is not the one that ${paths.manifest(current?.id ?? '')} was made from; nothing was published (--replace publishes nevertheless)`);
  const heads = await readHeads(directory, goesOn ? manifest.ledger.batches : 0);
  const last = heads.at(-1) ?? (await readBatchFile(directory, numbers.length));
  const isSample = (goesOn ? manifest.sample === true : true) && heads.every(({ head }) => head.sample === true);
  if (isGuarded && !isSame && isSample) throw new BuildRefused(`the ledger is a sample, and ${paths.manifest(current?.id ?? '')} has real data; nothing was published (--ledger names another ledger, --replace publishes nevertheless)`);
  return {
    known: goesOn ? manifest.segments : [], heads, last, isSample, isOther: isGuarded && !isSame,
    names: { id: first.sha256, batches: numbers.length, sha256: last.sha256 },
  };
}

/** Whether a ledger begins with the batches that a snapshot was made from: each batch names the one before, so the last one tells. */
async function goesOnFrom(directory: string, { ledger }: Manifest, batches: number): Promise<boolean> {
  return batches >= ledger.batches && (await readBatchFile(directory, ledger.batches)).sha256 === ledger.sha256;
}

async function refuseLoss(folder: PartFolder, manifest: Manifest, entries: readonly SegmentEntry[]): Promise<void> {
  const { count, first } = await lostFilings(folder, manifest.segments, entries);
  if (count > 0) throw new BuildRefused(`the current snapshot knows ${count} filings that this ledger lacks, the first is ${first}; nothing was published (--replace publishes nevertheless)`);
}

/** Says what was left out and why, one line for each row, of many the first. */
function logRefused({ count, first }: Refused, log: (line: string) => void): void {
  for (const text of first) log(`refused: ${text}`);
  if (count > first.length) log(`refused: ${count - first.length} more`);
  if (count > 0) log(`left out ${count} ${count === 1 ? 'row' : 'rows'} of the ledger, the rest is built`);
}
