import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { paths, SnapshotId } from '../../src/format/snapshot.ts';
import {
  filesOf,
  parseLogList,
  parseRoutes,
  readAnyManifest,
  readChecked,
  readManifest,
} from '../../src/snapshot/open.ts';
import { minuteMs } from '../../src/time/units.ts';
import type { Waiting } from '../disk/lock.ts';
import { preparedSegments } from '../fold/prepared.ts';
import { withBuildLock, withPointerLock } from './locks.ts';
import { readPointer, readPublished } from './pointer.ts';
import { readBulkFiles, type Directory } from './walk.ts';

/**
 * How long a snapshot is kept after it stopped being current, in milliseconds: a service may still serve it,
 * and may not have looked at the pointer since it was replaced several times. What no snapshot names is kept
 * as long: a program of an older version takes no lock and may be about to name it.
 */
export const keptForMs = 15 * minuteMs;

/** Returns the names of the snapshots in a directory, sorted; none if there is no such directory. */
export async function namesOfSnapshots(snapshotsDirectory: string): Promise<string[]> {
  const files = await readdir(join(snapshotsDirectory, 'manifests')).catch(() => [] as string[]);
  return files
    .map((file) => file.replace(/\.json$/, ''))
    .filter((id) => SnapshotId.safeParse(id).success)
    .sort();
}

/** Temporary files that killed processes leave beside the pointer, the heartbeat and the manifests. */
const temporaryFile = /^(current|heartbeat|prepared|\.published|\d{8}-[0-9a-f]{16})\.json\..+\.tmp$/;

/** How long something is kept, in milliseconds. */
export interface KeptFor {
  /** Snapshots that the pointer does not name, after they stopped being current. */
  readonly snapshotsMs: number;
  /** Parts that no snapshot names, after they were written. With 0, all of them go, whatever the clock says. */
  readonly leftoversMs: number;
}

/**
 * Removes snapshots that are no longer needed, parts that no kept snapshot names, and temporary files of
 * killed processes. Waits for a build that is running. `nowMs` is the time in milliseconds since 1970.
 * Returns the names of the removed snapshots. Throws `CorruptSnapshot` if a kept snapshot does not tell its
 * parts.
 */
export async function prune(
  parts: Directory,
  nowMs: number,
  keepForMs = keptForMs,
  waiting: Waiting = {},
): Promise<string[]> {
  if ((await readPointer(parts.directory)) === null) return [];
  const keptFor = { snapshotsMs: keepForMs, leftoversMs: keepForMs };
  return withBuildLock(parts.directory, () => pruneLocked(parts, nowMs, keptFor), waiting);
}

/**
 * Prunes as `prune` does, for a caller that has the lock of builds. Keeps the snapshots that the pointer
 * names, those that a rollback left, and those that stopped being current a short time ago. Without a pointer
 * it keeps all snapshots. Throws after everything else is removed if something could not be.
 */
export async function pruneLocked(parts: Directory, nowMs: number, keptFor: KeptFor): Promise<string[]> {
  const { directory } = parts;
  const isOld = async (path: string, keptForMs: number) =>
    nowMs - (await stat(join(directory, path)).catch(() => ({ mtimeMs: Infinity }))).mtimeMs > keptForMs;
  const isLeftover = (path: string) =>
    keptFor.leftoversMs === 0 ? Promise.resolve(true) : isOld(path, keptFor.leftoversMs);
  const removed: string[] = [];
  const failures: Error[] = [];
  /** What cannot be removed, as a folder of somebody else, does not keep the rest. */
  const remove = (path: string, options: { readonly recursive?: true } = {}) =>
    rm(join(directory, path), { force: true, ...options }).catch((error: Error) => failures.push(error));
  const named = { segments: new Set<string>(), files: new Set<string>() };
  // A rollback may make any snapshot current whose manifest is there. So manifests go under the lock of the
  // pointer, and parts of the others are safe from then on.
  await withPointerLock(directory, async () => {
    const isPointed = (await readPointer(directory)) !== null;
    const { pointer, left } = await readPublished(directory);
    const kept = new Set([pointer?.snapshotId, ...(pointer?.previous ?? []), ...left]);
    for (const id of await namesOfSnapshots(directory)) {
      if (isPointed && !kept.has(id) && (await isOld(paths.manifest(id), keptFor.snapshotsMs)))
        removed.push(id);
      else await addParts(parts, id, named);
    }
    for (const id of removed) await remove(paths.manifest(id));
  });
  for (const name of await preparedSegments(directory)) named.segments.add(name);
  for (const folder of ['', 'manifests']) {
    for (const name of await readdir(join(directory, folder)).catch(() => [] as string[])) {
      if (temporaryFile.test(name) && (await isOld(join(folder, name), keptFor.snapshotsMs)))
        await remove(join(folder, name));
    }
  }
  for (const name of await readdir(join(directory, paths.segments)).catch(() => [] as string[])) {
    const path = join(paths.segments, name);
    if (!named.segments.has(name) && (await isLeftover(path))) await remove(path, { recursive: true });
  }
  for (const folder of await readdir(join(directory, 'files')).catch(() => [] as string[])) {
    // What somebody else put beside the folders is left alone.
    for (const file of await readdir(join(directory, 'files', folder)).catch(() => [] as string[])) {
      const path = join('files', folder, file);
      if (!named.files.has(file) && (await isLeftover(path))) await remove(path);
    }
  }
  const [first] = failures;
  if (first !== undefined)
    throw new Error(`old files could not be removed (${failures.length}): ${first.message}`, {
      cause: first,
    });
  return removed;
}

async function addParts(
  parts: Directory,
  id: string,
  named: { segments: Set<string>; files: Set<string> },
): Promise<void> {
  const { manifest } = await readAnyManifest(parts, id);
  const bulkFiles = await readBulkFiles(parts, id, manifest);
  for (const { name } of manifest.segments) named.segments.add(name);
  const routes = parseRoutes(await readChecked(parts, manifest.routes));
  const log = 'log' in manifest ? parseLogList(manifest.log, await readChecked(parts, manifest.log)) : null;
  for (const { sha256 } of filesOf(manifest, routes, bulkFiles, log)) named.files.add(sha256);
}

/**
 * Describes the snapshots that a rollback can serve, newest first, in a line each: name, day of the data,
 * batches, filings, and whether it is the current one or its manifest is damaged. Parts are not read. Throws
 * if there is none.
 */
export async function listSnapshots(parts: Directory): Promise<string[]> {
  const pointer = await readPointer(parts.directory);
  const found = await Promise.all(
    (await namesOfSnapshots(parts.directory)).map(async (id) => ({
      id,
      manifest: await readManifest(parts, id).then(
        ({ manifest }) => manifest,
        () => null,
      ),
    })),
  );
  if (found.length === 0) throw new Error(`${parts.directory} has no snapshot`);
  const ageOf = ({ id, manifest }: (typeof found)[number]) =>
    `${manifest?.generatedAt ?? ''} ${String(manifest?.ledger.batches ?? 0).padStart(12, '0')} ${id}`;
  return found
    .toSorted((a, b) => (ageOf(a) < ageOf(b) ? 1 : -1))
    .map(({ id, manifest }) => {
      const isCurrent = id === pointer?.snapshotId ? '  current' : '';
      if (manifest === null) return `${id}  its manifest is damaged${isCurrent}`;
      const { generatedAt, ledger, filingCount } = manifest;
      return `${id}  ${generatedAt.slice(0, 10)}  ${ledger.batches} ${ledger.batches === 1 ? 'batch' : 'batches'}  ${filingCount} ${filingCount === 1 ? 'filing' : 'filings'}${isCurrent}`;
    });
}
