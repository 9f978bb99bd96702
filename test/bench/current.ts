import type { Manifest } from '../../src/format/snapshot.ts';
import type { Snapshot } from '../../src/snapshot/open.ts';
import { openCurrent } from '../support/snapshots.ts';

/** Opens the snapshot that the pointer of a directory names, for a piece of work. */
export async function withCurrent<Result>(
  snapshots: string,
  work: (snapshot: Snapshot) => Promise<Result> | Result,
): Promise<Result> {
  const { snapshot, close } = await openCurrent(snapshots);
  try {
    return await work(snapshot);
  } finally {
    await close();
  }
}

/** The manifest of that snapshot. */
export function currentManifest(snapshots: string): Promise<Manifest> {
  return withCurrent(snapshots, ({ manifest }) => manifest);
}
