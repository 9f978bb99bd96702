import { readPointer } from '../../build/snapshot/pointer.ts';
import type { Manifest } from '../../src/format/snapshot.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { createSnapshotReader, openSnapshot, readManifest, type Snapshot } from '../../src/snapshot/open.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';

const cacheBytes = 64 * 1024 * 1024;

/** Opens the snapshot that the pointer of a directory names, for a piece of work. */
export async function withCurrent<Result>(
  snapshots: string,
  work: (snapshot: Snapshot) => Promise<Result> | Result,
): Promise<Result> {
  const folder = openPartFolder(snapshots);
  try {
    const pointer = await readPointer(snapshots);
    if (!pointer) throw new Error(`${snapshots} has no pointer`);
    const { manifest } = await readManifest(folder, pointer.snapshotId, pointer.manifestSha256);
    return await work(
      await openSnapshot(
        createSnapshotReader(folder, createBlockCache(cacheBytes), cacheBytes),
        pointer.snapshotId,
        manifest,
      ),
    );
  } finally {
    await folder.close();
  }
}

/** The manifest of that snapshot. */
export function currentManifest(snapshots: string): Promise<Manifest> {
  return withCurrent(snapshots, ({ manifest }) => manifest);
}
