import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSnapshot, type BuildOptions } from '../../build/snapshot/build.ts';
import { readPointer } from '../../build/snapshot/pointer.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { createSnapshotReader, openSnapshot, readManifest, type Snapshot } from '../../src/snapshot/open.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { closing } from './closing.ts';
import { filesBelow, namesIn } from './files-below.ts';

export { filesBelow, namesIn };

/** Settings without any address. */
export const plainSettings = { baseUrl: null, marketplaceUrl: null } as const;

/** Builds without saying anything. */
export function buildQuietly(
  ledgerDirectory: string,
  snapshotsDirectory: string,
  options: Partial<BuildOptions> = {},
): Promise<string> {
  return buildSnapshot({
    ledgerDirectory,
    snapshotsDirectory,
    settings: plainSettings,
    replace: false,
    log: () => {},
    ...options,
  });
}

/** All files below a directory with their bytes, as text. */
export function contentBelow(directory: string): Record<string, string> {
  return Object.fromEntries(
    filesBelow(directory).map((path) => [path, readFileSync(join(directory, path), 'latin1')]),
  );
}

/** The current snapshot of a directory, opened as a service opens it. */
export async function openCurrent(
  directory: string,
): Promise<{ readonly snapshot: Snapshot; close(): Promise<void> }> {
  const parts = openPartFolder(directory);
  const pointer = await readPointer(directory);
  if (!pointer) throw new Error(`${directory} has no snapshot`);
  const { manifest } = await readManifest(parts, pointer.snapshotId, pointer.manifestSha256);
  const snapshot = await openSnapshot(
    createSnapshotReader(parts, createBlockCache(1024 * 1024), 1024 * 1024),
    pointer.snapshotId,
    manifest,
  );
  return { snapshot, close: closing(() => parts.close()) };
}
