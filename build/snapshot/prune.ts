import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { minuteMs } from '../../src/contract/time.ts';
import { paths, SnapshotId } from '../../src/contract/snapshot.ts';
import { bulkListOf, filesOf, parseRoutes, readChecked, readManifest } from '../../src/snapshot/open.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { preparedSegments } from '../fold/prepared.ts';
import { readPointer } from './pointer.ts';
import type { Directory } from './walk.ts';

/**
 * Files younger than this are kept, in milliseconds: a service may still serve a snapshot that was replaced
 * several times since it last looked, and another build may be about to name a part that it has just written.
 */
const keptForMs = 15 * minuteMs;

/** Returns the names of the snapshots in a directory, sorted; none if there is no such directory. */
export async function namesOfSnapshots(snapshotsDirectory: string): Promise<string[]> {
  const files = await readdir(join(snapshotsDirectory, 'manifests')).catch(() => [] as string[]);
  return files
    .map((file) => file.replace(/\.json$/, ''))
    .filter((id) => SnapshotId.safeParse(id).success)
    .sort();
}

/** Temporary files that killed processes leave beside the pointer and the manifests. */
const temporaryFile = /^(current|prepared|\d{8}-[0-9a-f]{16})\.json\..+\.tmp$/;

/**
 * Removes snapshots that the pointer does not name, parts that no kept snapshot names, and temporary files of
 * killed processes. `nowMs` is the time in milliseconds since 1970. Returns the names of the removed
 * snapshots. Throws `CorruptSnapshot` if a kept snapshot does not tell its parts.
 */
export async function prune(parts: Directory, nowMs: number, keepForMs = keptForMs): Promise<string[]> {
  const { directory } = parts;
  const pointer = await readPointer(directory);
  if (!pointer) return [];
  const isOld = async (path: string) =>
    nowMs - (await stat(join(directory, path)).catch(() => ({ mtimeMs: Infinity }))).mtimeMs > keepForMs;
  const kept = new Set([pointer.snapshotId, ...pointer.previous]);
  const removed: string[] = [];
  const named = { segments: new Set<string>(), files: new Set<string>() };
  for (const id of await namesOfSnapshots(directory)) {
    if (!kept.has(id) && (await isOld(paths.manifest(id)))) removed.push(id);
    else await addParts(parts, id, named);
  }
  for (const name of await preparedSegments(directory)) named.segments.add(name);
  for (const id of removed) await rm(join(directory, paths.manifest(id)), { force: true });
  for (const folder of ['', 'manifests']) {
    for (const name of await readdir(join(directory, folder)).catch(() => [] as string[])) {
      if (temporaryFile.test(name) && (await isOld(join(folder, name))))
        await rm(join(directory, folder, name), { force: true });
    }
  }
  for (const name of await readdir(join(directory, paths.segments)).catch(() => [] as string[])) {
    if (!named.segments.has(name) && (await isOld(join(paths.segments, name))))
      await rm(join(directory, paths.segments, name), { recursive: true, force: true });
  }
  for (const folder of await readdir(join(directory, 'files')).catch(() => [] as string[])) {
    for (const file of await readdir(join(directory, 'files', folder))) {
      const path = join('files', folder, file);
      if (!named.files.has(file) && (await isOld(path))) await rm(join(directory, path), { force: true });
    }
  }
  return removed;
}

async function addParts(
  parts: Directory,
  id: string,
  named: { segments: Set<string>; files: Set<string> },
): Promise<void> {
  const { manifest } = await readManifest(parts, id);
  const { bulk } = manifest.documents;
  if (!bulk) throw new CorruptSnapshot(`${paths.manifest(id)} names no document bulk`);
  for (const { name } of manifest.segments) named.segments.add(name);
  const routes = parseRoutes(await readChecked(parts, manifest.routes));
  for (const { sha256 } of filesOf(
    manifest,
    routes,
    bulkListOf({ bulk: await readChecked(parts, bulk) }).data,
  ))
    named.files.add(sha256);
}
