import { mkdir, readdir, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { paths, snapshotFormat, type Pointer } from '../../src/contract/snapshot.ts';
import { readManifest, readPointer } from '../../src/snapshot/open.ts';
import { SettingsError } from '../../src/settings.ts';
import { replaceFile, syncDirectory } from '../files.ts';

/** How many snapshots stay on the disk: the current one and those before it. */
export const keptSnapshots = 3;

const snapshotName = /^[0-9]{8}-[0-9a-f]{16}$/;

/** Makes a snapshot the current one. The pointer is replaced in one step and synced. */
export async function publish(snapshotsDirectory: string, snapshotId: string, manifestSha256: string): Promise<Pointer> {
  const old = await readPointer(snapshotsDirectory).catch(() => null);
  const before = old ? [old.snapshotId, ...old.previous] : [];
  const previous = before.filter((id, at) => id !== snapshotId && before.indexOf(id) === at).slice(0, keptSnapshots - 1);
  return writePointer(snapshotsDirectory, { format: snapshotFormat, snapshotId, manifestSha256, previous });
}

/** Points at the snapshot before the current one. Throws if there is none, or if it is not on the disk. */
export async function rollback(snapshotsDirectory: string): Promise<Pointer> {
  const pointer = await currentPointer(snapshotsDirectory);
  const snapshotId = beforeCurrent(pointer);
  const previous = pointer.previous.slice(1);
  const { sha256 } = await readManifest(join(snapshotsDirectory, snapshotId), snapshotId);
  return writePointer(snapshotsDirectory, { format: snapshotFormat, snapshotId, manifestSha256: sha256, previous });
}

/**
 * The folder of a snapshot: the current one, one by its name, or a path as it stands. Throws `SettingsError`, which says
 * what names there are, for a name that is none of them.
 */
export async function snapshotNamed(snapshotsDirectory: string, name?: string): Promise<string> {
  if (name === undefined) return join(snapshotsDirectory, (await currentPointer(snapshotsDirectory)).snapshotId);
  if (name.includes('/') || name.includes(sep)) return name;
  const names = (await readdir(snapshotsDirectory).catch(() => [])).filter((each) => snapshotName.test(each));
  if (!names.includes(name)) throw new SettingsError(`there is no snapshot ${JSON.stringify(name)} in ${snapshotsDirectory}, only ${names.sort().join(', ') || 'none'}`);
  return join(snapshotsDirectory, name);
}

/** The folders of two snapshots: the current one and the one before it, as far as they are not named. */
export async function snapshotPair(snapshotsDirectory: string, before?: string, after?: string): Promise<[string, string]> {
  const older = before ?? beforeCurrent(await currentPointer(snapshotsDirectory));
  return [await snapshotNamed(snapshotsDirectory, older), await snapshotNamed(snapshotsDirectory, after)];
}

function beforeCurrent({ snapshotId, previous: [before] }: Pointer): string {
  if (before === undefined) throw new Error(`there is no snapshot before ${snapshotId}`);
  return before;
}

async function currentPointer(snapshotsDirectory: string): Promise<Pointer> {
  const pointer = await readPointer(snapshotsDirectory);
  if (!pointer) throw new Error(`${snapshotsDirectory} has no pointer`);
  return pointer;
}

async function writePointer(snapshotsDirectory: string, pointer: Pointer): Promise<Pointer> {
  await mkdir(snapshotsDirectory, { recursive: true });
  await replaceFile(join(snapshotsDirectory, paths.pointer), `${JSON.stringify(pointer, null, 2)}\n`);
  await syncDirectory(snapshotsDirectory);
  return pointer;
}

/** Removes snapshots that the pointer does not name. Returns their names. */
export async function prune(snapshotsDirectory: string): Promise<string[]> {
  const pointer = await readPointer(snapshotsDirectory);
  if (!pointer) return [];
  const kept = new Set([pointer.snapshotId, ...pointer.previous]);
  const removed = (await readdir(snapshotsDirectory)).filter((name) => snapshotName.test(name) && !kept.has(name));
  for (const name of removed) await rm(join(snapshotsDirectory, name), { recursive: true, force: true });
  return removed;
}
