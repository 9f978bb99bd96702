import type { Manifest } from '../../src/format/snapshot.ts';
import type { LineLog } from '../../src/log/levels.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { readAnyManifest } from '../../src/snapshot/open.ts';
import type { Published } from './pointer.ts';

/** What is about to be published, and how. */
export interface Publication {
  readonly ledger: Manifest['ledger'];
  /** Publishes in any case. */
  readonly replace: boolean;
  /** Whether the current snapshot can be served, as far as is known. */
  readonly isCurrentGood: boolean;
  readonly log: LineLog;
}

/**
 * Returns the function that decides whether the current snapshot stays although another one is to be
 * published. It stays if it has more batches of the same ledger. It also stays if a rollback left a snapshot
 * that has all of these batches: what an operator took back comes again only with new batches, or if the
 * current snapshot is damaged. The reason is logged.
 */
export function currentStays(
  snapshotsDirectory: string,
  { ledger, replace, isCurrentGood, log }: Publication,
): (published: Published) => Promise<boolean> {
  /** How many batches of the ledger a snapshot has; 0 if it is of another ledger or cannot be read. */
  async function batchesOf(id: string): Promise<number> {
    const found = await withPartFolder(snapshotsDirectory, (folder) => readAnyManifest(folder, id)).catch(
      () => null,
    );
    return found?.manifest.ledger.id === ledger.id ? found.manifest.ledger.batches : 0;
  }

  return async ({ pointer, left }) => {
    if (replace || pointer === null) return false;
    const { snapshotId } = pointer;
    if ((await batchesOf(snapshotId)) > ledger.batches) {
      log(`${snapshotId}, which has more of this ledger, stays current`);
      return true;
    }
    for (const id of isCurrentGood ? left : []) {
      if ((await batchesOf(id)) < ledger.batches) continue;
      log(
        `${snapshotId} stays current: a rollback left ${id}, which has all of this ledger (the next batch is published; "npm run rollback -- ${id}" or --replace serves it now)`,
      );
      return true;
    }
    return false;
  };
}
