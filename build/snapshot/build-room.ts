import type { SegmentEntry } from '../../src/format/snapshot.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { explainFullDisk, isDiskFull } from '../disk/full.ts';
import { layoutAfter } from '../segments/layout.ts';
import { removeStagings } from '../disk/staging.ts';
import type { BuildOptions } from './build.ts';
import { keptForMs, pruneLocked } from './prune.ts';
import { readCurrent, readLedgerState } from './current-state.ts';

/**
 * Runs a build. If the disk is full, removes what the build has written, snapshots that are no longer needed
 * and what killed builds left, and runs it once more. If the disk is full again, removes what was written and
 * throws a `DiskFull`. The caller has the lock of builds.
 */
export async function withRoom<Result>(options: BuildOptions, build: () => Promise<Result>): Promise<Result> {
  try {
    return await build();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
  options.log('the disk is full: what is no longer needed is removed, and the build begins again', 'warn');
  await makeRoom(options);
  try {
    return await build();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    await makeRoom(options);
    throw await explainFullDisk(
      error,
      options.snapshotsDirectory,
      await neededBytes(options).catch(() => null),
    );
  }
}

/** Removes what no kept snapshot needs. What this build has written has no name yet, so it goes, too. */
async function makeRoom({ snapshotsDirectory, now = () => 0, log }: BuildOptions): Promise<void> {
  try {
    await removeStagings(snapshotsDirectory).catch(() => {});
    const removed = await withPartFolder(snapshotsDirectory, (folder) =>
      pruneLocked(folder, now(), { snapshotsMs: keptForMs, leftoversMs: 0 }),
    );
    for (const id of removed) log(`removed snapshot ${id}`);
  } catch (error) {
    log(`no room could be made: ${(error as Error).message}`, 'warn');
  }
}

/**
 * About how many bytes a build writes at most: the segments that it joins once more, the rows of new batches,
 * and documents and pages.
 */
async function neededBytes({ snapshotsDirectory, ledgerDirectory }: BuildOptions): Promise<number> {
  return withPartFolder(snapshotsDirectory, async (folder) => {
    const current = await readCurrent(folder, () => {});
    const { known, rowCounts } = await readLedgerState(ledgerDirectory, folder, current, true);
    return bytesOfBuild(known, rowCounts);
  });
}

/** What a new row takes while it is sorted and in its segment, and what all pages take, in bytes. */
const [bytesOfRow, bytesOfPages] = [2048, 4_000_000];

/** About how many bytes are written for `rowCounts` rows of new batches onto these segments. */
export function bytesOfBuild(segments: readonly SegmentEntry[], rowCounts: readonly number[]): number {
  const layout = layoutAfter(segments, rowCounts);
  const joined = segments.filter(
    ({ from, to }) => !layout.some((range) => range.from === from && range.to === to),
  );
  const rows = rowCounts.reduce((sum, count) => sum + count, 0);
  return joined.reduce((sum, { bytes }) => sum + bytes, 0) + rows * bytesOfRow + bytesOfPages;
}
