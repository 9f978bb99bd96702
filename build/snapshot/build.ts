import { existsSync } from 'node:fs';
import { link, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest, SnapshotSettings } from '../../src/contract/snapshot.ts';
import type { IntentTally } from '../../src/contract/validation.ts';
import { readManifest, readPointer, verifyFile } from '../../src/snapshot/open.ts';
import { makeStaging, removeStagings, syncDirectory } from '../files.ts';
import type { Ledger } from '../ledger/fold.ts';
import { readLedger } from '../ledger/read.ts';
import { describeRefusal } from '../ledger/rows.ts';
import { quietProgress, type Progress } from '../progress.ts';
import { deriveSnapshot, type Derived } from './derive.ts';
import { readAccessions } from './walk.ts';
import { publish } from './pointer.ts';
import { verifySnapshot } from './verify.ts';

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
}

/** A reason not to publish; nothing was changed. */
export class BuildRefused extends Error {}

/**
 * From a ledger to the current snapshot: staged, verified with the runtime's own reader, renamed into place, and only
 * then named by the pointer. Killed at any moment it leaves the old snapshot current. Returns the name of the new one.
 */
export async function buildSnapshot(options: BuildOptions): Promise<string> {
  const { snapshotsDirectory, log, progress = quietProgress } = options;
  await mkdir(snapshotsDirectory, { recursive: true });
  await removeStagings(snapshotsDirectory);
  const current = await readCurrent(snapshotsDirectory, log);
  const staging = await makeStaging(snapshotsDirectory);
  try {
    const { id, manifest, manifestSha256 } = await derive(options, current, staging, progress);
    await verifySnapshot(staging, id, progress);
    if (current) await linkUnchanged(current, manifest, staging, progress);
    const target = join(snapshotsDirectory, id);
    // The same ledger gives the same name: what stands there under it already was verified when it was made.
    if (existsSync(target)) await verifySnapshot(target, id, progress).then(() => rm(staging, { recursive: true }), () => replaceDirectory(staging, target));
    else await rename(staging, target);
    await syncDirectory(snapshotsDirectory);
    await publish(snapshotsDirectory, id, manifestSha256);
    progress.stop();
    const kind = manifest.sample ? `; this is a sample, recorded on ${manifest.generatedAt.slice(0, 10)}, and no live data` : '';
    log(`snapshot ${id}: ${manifest.filingCount} filings of ${manifest.companyCount} companies from ${manifest.ledger.batches.length} batches${kind}`);
    return id;
  } catch (error) {
    progress.stop();
    await rm(staging, { recursive: true, force: true });
    throw error;
  }
}

/** The folded ledger lives only in here: verifying needs its memory. */
async function derive({ ledgerDirectory, settings, tally, replace, log }: BuildOptions, current: Current | null, staging: string, progress: Progress): Promise<Derived> {
  const ledger = await readLedger(ledgerDirectory, progress);
  if (!ledger) throw new BuildRefused(`${ledgerDirectory} holds no batch`);
  // Nobody misses a sample: whatever is built where one is served replaces it.
  if (current && !current.manifest.sample && !replace) {
    refuseSample(current, ledger);
    refuseOtherHistory(current, ledger);
    await refuseLoss(current, new Set(ledger.filings.map(({ accessionNo }) => accessionNo)), progress);
  }
  for (const line of refusalLines(ledger)) log(line);
  return deriveSnapshot(ledger, settings, staging, tally, progress);
}

const refusalsShown = 20;

/** What was left out and why, one line for each row, of many the first. */
function refusalLines({ refusals }: Ledger): string[] {
  if (refusals.length === 0) return [];
  const rest = refusals.length - refusalsShown;
  const shown = refusals.slice(0, refusalsShown).map((refusal) => `refused: ${describeRefusal(refusal)}`);
  return [...shown, ...(rest > 0 ? [`refused: ${rest} more`] : []), `left out ${refusals.length} ${refusals.length === 1 ? 'row' : 'rows'} of the ledger, the rest is built`];
}

interface Current {
  readonly directory: string;
  readonly manifest: Manifest;
}

async function replaceDirectory(staging: string, target: string): Promise<void> {
  await rm(target, { recursive: true, force: true });
  await rename(staging, target);
}

async function readCurrent(snapshotsDirectory: string, log: (line: string) => void): Promise<Current | null> {
  const pointer = await readPointer(snapshotsDirectory);
  if (!pointer) return null;
  const directory = join(snapshotsDirectory, pointer.snapshotId);
  try {
    return { directory, ...(await readManifest(directory, pointer.snapshotId, pointer.manifestSha256)) };
  } catch (error) {
    log(`the current snapshot cannot be read and is replaced: ${(error as Error).message}`);
    return null;
  }
}

function refuseSample({ directory }: Current, ledger: Ledger): void {
  if (ledger.isSample) throw new BuildRefused(`the ledger is a sample, and ${directory} has real data; nothing was published (--ledger names another ledger, --replace publishes nevertheless)`);
}

/** A ledger only grows: where a batch that was built from is another one now, entries of the feed would change. */
function refuseOtherHistory({ directory, manifest }: Current, ledger: Ledger): void {
  if (manifest.ledger.id !== ledger.id) return;
  const changed = manifest.ledger.batches.find(({ number, sha256 }) => ledger.batches[number - 1]?.sha256 !== sha256);
  if (changed) throw new BuildRefused(`batch ${changed.number} of the ledger is not the one that ${directory} was made from; nothing was published (--replace publishes nevertheless)`);
}

async function refuseLoss({ directory, manifest }: Current, known: ReadonlySet<string>, progress: Progress): Promise<void> {
  progress.begin('comparing with the current snapshot', 'changes', manifest.lastSequence);
  const lost = new Set<string>();
  for await (const accessionNo of readAccessions(directory, manifest)) {
    if (!known.has(accessionNo)) lost.add(accessionNo);
    progress.step();
  }
  if (lost.size > 0) {
    throw new BuildRefused(`the current snapshot in ${directory} knows ${lost.size} filings that this ledger lacks, the first is ${[...lost][0]}; nothing was published (--replace publishes nevertheless)`);
  }
}

/** A file with the same bytes as in the current snapshot becomes a hard link to it. */
async function linkUnchanged(current: Current, manifest: Manifest, staging: string, progress: Progress): Promise<void> {
  progress.begin('linking what has not changed', 'files', manifest.files.length);
  const known = new Map(current.manifest.files.map((entry) => [entry.path, entry.sha256]));
  for (const entry of manifest.files) {
    progress.step();
    if (known.get(entry.path) !== entry.sha256) continue;
    const twin = join(staging, `${entry.path}.link`);
    try {
      // A twin that has rotted on the disk is not spread.
      await verifyFile(current.directory, entry);
      await link(join(current.directory, entry.path), twin);
      await rename(twin, join(staging, entry.path));
    } catch {
      // A file system without hard links keeps the copy, too.
      await rm(twin, { force: true });
    }
  }
}
