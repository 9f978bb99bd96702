import { join } from 'node:path';
import { ApiError } from '../contract/errors.ts';
import { paths } from '../contract/snapshot.ts';
import { ContentError, isReadError, watchFile } from '../files.ts';
import type { ChunkCache } from '../table/cache.ts';
import { openSnapshot, parsePointer, type Snapshot } from './open.ts';

/** The snapshot that is being served, whichever the pointer names. */
export interface Follower {
  /** Runs a piece of work on the current snapshot, which stays open until it ends. Throws `snapshot_unavailable` if there is none. */
  use<Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result>;
  /** The name of the current snapshot; null if there is none. */
  readonly currentId: () => string | null;
  /** Looks at the pointer once; swaps if it names another snapshot that is good. */
  check(): Promise<void>;
  close(): Promise<void>;
}

interface Pinned {
  readonly snapshot: Snapshot;
  users: number;
  retired: boolean;
}

/**
 * Follows the pointer of a snapshots directory. A new snapshot is hashed as a whole before it is served, while the old
 * one goes on; at the start, when there is none to go on with, blocks are verified as they are read. A snapshot that is
 * not as its manifest says is refused once, with a logged reason, and tried again when the pointer is written again. One that
 * could not be read, and any while there is nothing else to serve, is tried again at every look.
 */
export function createFollower(snapshotsDirectory: string, cache: ChunkCache, log: (event: string, details: Record<string, unknown>) => void): Follower {
  let current: Pinned | null = null;
  let checking: Promise<void> = Promise.resolve();
  const pointerPath = join(snapshotsDirectory, paths.pointer);
  const look = watchFile(pointerPath, (text) => follow(text).catch((error: Error) => {
    throw current === null || isReadError(error) ? error : new ContentError(error.message);
  }));

  async function release(pinned: Pinned): Promise<void> {
    if (pinned.retired && pinned.users === 0) await pinned.snapshot.close();
  }

  async function follow(text: string | null): Promise<void> {
    if (text === null) throw new Error(`${snapshotsDirectory} has no pointer`);
    const { snapshotId, manifestSha256 } = parsePointer(pointerPath, text);
    if (current?.snapshot.id === snapshotId) return;
    const snapshot = await openSnapshot(join(snapshotsDirectory, snapshotId), snapshotId, cache, { manifestSha256, thorough: current !== null });
    const old = current;
    current = { snapshot, users: 0, retired: false };
    log('snapshot', { snapshotId: snapshot.id, filingCount: snapshot.manifest.filingCount });
    if (old) {
      old.retired = true;
      await release(old);
    }
  }

  async function check(): Promise<void> {
    const problem = await look();
    if (problem?.isNew) log('snapshot_refused', { reason: problem.reason, serving: current?.snapshot.id ?? null });
  }

  return {
    async use(work) {
      const pinned = current;
      if (!pinned) throw new ApiError('snapshot_unavailable', 'No good snapshot is available; the log says why.');
      pinned.users++;
      try {
        return await work(pinned.snapshot);
      } finally {
        pinned.users--;
        if (pinned.retired) await release(pinned);
      }
    },
    currentId: () => current?.snapshot.id ?? null,
    check: () => (checking = check()),
    async close() {
      await checking;
      if (current) {
        current.retired = true;
        await release(current);
        current = null;
      }
    },
  };
}
