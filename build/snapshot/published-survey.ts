import * as z from 'zod';
import { reconciliationPath } from '../../site/content/reconciliation.ts';
import { ReconciledDay } from '../../src/contract/reconciled-days.ts';
import type { Manifest, Routes } from '../../src/format/snapshot.ts';
import { type PartFolder, withPartFolder } from '../../src/snapshot/folder.ts';
import { parseRoutes, readChecked, readManifest } from '../../src/snapshot/open.ts';
import type { PartReader } from '../../src/table/table.ts';
import { beginsWith } from '../ledger/batch.ts';
import { type Survey, type Surveyed, surveyLedger } from '../ledger/survey.ts';
import { readPointer } from './pointer.ts';

/**
 * Returns what a snapshot publishes of the heads of its ledger. Null if an older version made the snapshot,
 * which did not publish all of it. Throws `CorruptSnapshot`.
 */
export async function publishedSurvey(
  parts: PartReader,
  manifest: Manifest,
  routes: Routes,
): Promise<Surveyed | null> {
  const { id, batches, universes } = manifest.ledger;
  const days = universes && (await publishedDays(parts, routes));
  if (!universes || !days) return null;
  return { names: { id, batches, universes }, isSample: manifest.sample === true, days };
}

/**
 * Reads what the heads of a ledger say together: what the current snapshot publishes of it, and the heads
 * after that. If there is no such snapshot, it reads all heads. Null if there is no batch. Throws
 * `BrokenLedger`.
 */
export async function readSurvey(
  ledgerDirectory: string,
  snapshotsDirectory: string,
): Promise<Survey | null> {
  // What cannot be read here, the next build reports and makes again.
  const known = await withPartFolder(snapshotsDirectory, (folder) =>
    currentSurvey(folder, ledgerDirectory),
  ).catch(() => null);
  return surveyLedger(ledgerDirectory, known);
}

async function currentSurvey(folder: PartFolder, ledgerDirectory: string): Promise<Surveyed | null> {
  const manifest = await manifestOfLedger(folder, ledgerDirectory);
  return (
    manifest && publishedSurvey(folder, manifest, parseRoutes(await readChecked(folder, manifest.routes)))
  );
}

/**
 * Reads the manifest of the current snapshot; null if there is none, or if it was not made from the first batches of this
 * ledger. Throws `CorruptSnapshot` and `BrokenLedger`.
 */
export async function manifestOfLedger(
  folder: PartFolder,
  ledgerDirectory: string,
): Promise<Manifest | null> {
  const pointer = await readPointer(folder.directory);
  if (!pointer) return null;
  const { manifest } = await readManifest(folder, pointer.snapshotId, pointer.manifestSha256);
  return (await beginsWith(ledgerDirectory, manifest.ledger)) ? manifest : null;
}

const Published = z.object({
  data: z.array(ReconciledDay),
  // Older snapshots have these days among the others.
  withoutIndex: z.array(ReconciledDay).default([]),
});

/**
 * Reads the reconciled days that a snapshot publishes, to which days of new batches are added. Null if it
 * publishes none. Throws `CorruptSnapshot`.
 */
export async function publishedDays(
  parts: PartReader,
  routes: Routes,
): Promise<readonly ReconciledDay[] | null> {
  const file = routes[reconciliationPath]?.file;
  if (!file) return null;
  const { data, withoutIndex } = Published.parse(JSON.parse((await readChecked(parts, file)).toString()));
  return [...data, ...withoutIndex];
}
