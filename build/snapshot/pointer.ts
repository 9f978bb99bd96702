import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  paths,
  snapshotFormat,
  SnapshotId,
  type Manifest,
  type Pointer,
} from '../../src/contract/snapshot.ts';
import { whereMissing } from '../../src/files/local.ts';
import { parsePointer, readManifest } from '../../src/snapshot/open.ts';
import { SettingsError } from '../../src/settings/settings.ts';
import { replaceFile, syncDirectory } from '../disk/files.ts';
import { namesOfSnapshots } from './prune.ts';
import type { SignPointer } from './sign.ts';
import type { Directory } from './walk.ts';

/** The number of snapshots that the pointer names: the current one and those before it. */
export const keptSnapshots = 3;

/** Reads the pointer; null if there is none. Throws `CorruptSnapshot` if it cannot be understood. */
export async function readPointer(snapshotsDirectory: string): Promise<Pointer | null> {
  const path = join(snapshotsDirectory, paths.pointer);
  const text = await readFile(path, 'utf8').catch(whereMissing(null));
  return text === null ? null : parsePointer(path, text);
}

/**
 * Makes a snapshot the current one: replaces the pointer in one step and syncs it. With `sign`, the pointer
 * is signed.
 */
export async function publish(
  snapshotsDirectory: string,
  snapshotId: string,
  manifestSha256: string,
  sign: SignPointer | null = null,
): Promise<Pointer> {
  const old = await readPointer(snapshotsDirectory).catch(() => null);
  const before = old ? [old.snapshotId, ...old.previous] : [];
  const previous = before
    .filter((id, at) => id !== snapshotId && before.indexOf(id) === at)
    .slice(0, keptSnapshots - 1);
  return writePointer(
    snapshotsDirectory,
    signed({ format: snapshotFormat, snapshotId, manifestSha256, previous }, old, sign),
  );
}

/**
 * Makes the snapshot before the current one current. Throws if there is none, or if it is not on the disk.
 */
export async function rollback(parts: Directory, sign: SignPointer | null = null): Promise<Pointer> {
  const pointer = await currentPointer(parts.directory);
  const snapshotId = beforeCurrent(pointer);
  const previous = pointer.previous.slice(1);
  const { sha256 } = await readManifest(parts, snapshotId);
  return writePointer(
    parts.directory,
    signed({ format: snapshotFormat, snapshotId, manifestSha256: sha256, previous }, pointer, sign),
  );
}

const signed = (pointer: Pointer, before: Pointer | null, sign: SignPointer | null) =>
  sign === null ? pointer : sign(pointer, before);

/** A snapshot and its name. */
export interface NamedManifest {
  readonly id: string;
  readonly manifest: Manifest;
}

/**
 * Reads a snapshot by its name, or the current one, whose manifest must have the SHA-256 in the pointer.
 * Throws `SettingsError` for an unknown name, with the names that exist, and `CorruptSnapshot`.
 */
export async function snapshotNamed(parts: Directory, name?: string): Promise<NamedManifest> {
  if (name === undefined) {
    const { snapshotId, manifestSha256 } = await currentPointer(parts.directory);
    return { id: snapshotId, manifest: (await readManifest(parts, snapshotId, manifestSha256)).manifest };
  }
  const names = await namesOfSnapshots(parts.directory);
  if (!(SnapshotId.safeParse(name).success && names.includes(name))) {
    throw new SettingsError(
      `there is no snapshot ${JSON.stringify(name)} in ${parts.directory}, only ${names.join(', ') || 'none'}`,
    );
  }
  return { id: name, manifest: (await readManifest(parts, name)).manifest };
}

/** Reads two snapshots. Without names, they are the one before the current one, and the current one. */
export async function snapshotPair(
  parts: Directory,
  before?: string,
  after?: string,
): Promise<[NamedManifest, NamedManifest]> {
  const older = before ?? beforeCurrent(await currentPointer(parts.directory));
  return [await snapshotNamed(parts, older), await snapshotNamed(parts, after)];
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
