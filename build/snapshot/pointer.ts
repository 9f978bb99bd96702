import { readFile, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { whereMissing } from '../../src/files/local.ts';
import { type Manifest, paths, Pointer, snapshotFormat, SnapshotId } from '../../src/format/snapshot.ts';
import type { LineLog } from '../../src/log/levels.ts';
import { SettingsError } from '../../src/settings/settings.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { parsePointer, readAnyManifest, readManifest } from '../../src/snapshot/open.ts';
import { makeDirectory, replaceFile, replaceFileSynced } from '../disk/directories.ts';
import { withPointerLock } from './locks.ts';
import { namesOfSnapshots } from './prune.ts';
import type { SignPointer } from './sign.ts';
import type { Directory } from './walk.ts';

/** Said of a pointer that is not ours. */
export const notOurs = 'that SIGNING_KEY_FILE or TRUSTED_KEY signed';

/** The number of snapshots that the pointer names: the current one and those before it. */
export const keptSnapshots = 3;

/** Reads the pointer; null if there is none. Throws `CorruptSnapshot` if it cannot be understood. */
export async function readPointer(snapshotsDirectory: string): Promise<Pointer | null> {
  const path = join(snapshotsDirectory, paths.pointer);
  const text = await readFile(path, 'utf8').catch(whereMissing(null));
  return text === null ? null : parsePointer(path, text);
}

/**
 * What is remembered beside the pointer: the signed pointer with the greatest number, and the snapshots that a
 * rollback left, newest first. They may be served again, until another snapshot is published. The pointer is
 * kept whole: its own signature proves its number. Older versions kept and read the number alone.
 */
const Remembered = z.object({
  format: z.literal(1),
  number: z.int().min(0),
  left: z.array(SnapshotId),
  newest: Pointer.nullable().default(null),
});
const rememberedFile = '.published.json';

/** What is published in a directory. */
export interface Published {
  /** Null if there is none, or if it cannot be understood. */
  readonly pointer: Pointer | null;
  /** Names of the snapshots that a rollback left, newest first. */
  readonly left: readonly string[];
  /** The signed pointer with the greatest number that is remembered; null if none was signed. */
  readonly newest: Pointer | null;
}

/** Reads what is published. A remembered file that cannot be understood counts as empty. */
export async function readPublished(snapshotsDirectory: string): Promise<Published> {
  const pointer = await readPointer(snapshotsDirectory).catch(() => null);
  const text = await readFile(join(snapshotsDirectory, rememberedFile), 'utf8').catch(whereMissing(''));
  const { newest, left } = parseRemembered(text);
  // Where a rollback was killed before it replaced the pointer, the current snapshot was not left.
  const at = left.indexOf(pointer?.snapshotId ?? '');
  return { pointer, newest, left: at < 0 ? left : left.slice(0, at) };
}

function parseRemembered(text: string): z.infer<typeof Remembered> {
  try {
    return Remembered.parse(JSON.parse(text));
  } catch {
    return { format: 1, number: 0, left: [], newest: null };
  }
}

/** What a pointer names next, and the snapshots that a rollback has left then. */
type Next = Omit<Pointer, 'format' | 'signature'> & Pick<Published, 'left'>;

/**
 * Replaces the pointer in one step by what `decide` returns, under the lock of the pointer. Signs it with
 * `sign`. `decide` is told of no pointer that is not ours then: nothing of it may come under the signature. If
 * it returns null, the pointer stays, but is signed again. Returns the pointer. Throws if there is none then.
 */
async function replacePointer(
  snapshotsDirectory: string,
  sign: SignPointer | null,
  decide: (published: Published) => Promise<Next | null>,
): Promise<Pointer> {
  await makeDirectory(snapshotsDirectory);
  return withPointerLock(snapshotsDirectory, async () => {
    const published = await readPublished(snapshotsDirectory);
    const { pointer: before, newest } = published;
    const own = sign === null || sign.isOurs(before) ? before : null;
    const next = await decide({ ...published, pointer: own });
    if (next === null && own === null)
      throw new Error(`${snapshotsDirectory} has no pointer${before === null ? '' : ` ${notOurs}`}`);
    if (next === null && sign === null) return own as Pointer;
    const { snapshotId, manifestSha256, previous } = next ?? (own as Pointer);
    const plain: Pointer = {
      format: snapshotFormat,
      snapshotId,
      manifestSha256,
      previous,
    };
    const pointer = sign === null ? plain : sign(plain, before, newest);
    // Without a key it cannot be told which pointer is ours, so the one that is remembered stays.
    const remembersBefore = newest === null && before?.signature !== undefined;
    const greatest = sign === null ? (remembersBefore ? before : newest) : pointer;
    const remembered: z.infer<typeof Remembered> = {
      format: 1,
      number: greatest?.signature?.number ?? 0,
      left: [...(next?.left ?? published.left)],
      newest: greatest,
    };
    const rememberedPath = join(snapshotsDirectory, rememberedFile);
    await replaceFile(rememberedPath, `${JSON.stringify(remembered)}\n`);
    // `prune` keeps a snapshot by when it stopped being current, which is the time of its manifest. The file
    // that was just written tells the time as the file system counts it.
    if (before !== null && before.snapshotId !== snapshotId) {
      const { mtime } = await stat(rememberedPath);
      const manifestPath = join(snapshotsDirectory, paths.manifest(before.snapshotId));
      await utimes(manifestPath, mtime, mtime).catch(whereMissing(undefined));
    }
    await replaceFileSynced(join(snapshotsDirectory, paths.pointer), `${JSON.stringify(pointer, null, 2)}\n`);
    return pointer;
  });
}

/**
 * Makes a snapshot the current one: replaces the pointer and syncs it. With `sign`, the pointer is signed.
 * `stays` is asked under the lock of the pointer: if it returns true, the current snapshot stays, and its
 * pointer is only signed again. Returns the pointer.
 */
export function publish(
  snapshotsDirectory: string,
  snapshotId: string,
  manifestSha256: string,
  sign: SignPointer | null = null,
  stays: (published: Published) => Promise<boolean> = async () => false,
): Promise<Pointer> {
  return replacePointer(snapshotsDirectory, sign, async (published) => {
    const { pointer, left } = published;
    if (pointer !== null && (await stays(published))) return null;
    // This version cannot serve a snapshot of an older format, so no rollback leads there.
    const before = pointer?.format === snapshotFormat ? [pointer.snapshotId, ...pointer.previous] : [];
    const previous = before
      .filter((id, at) => id !== snapshotId && before.indexOf(id) === at)
      .slice(0, keptSnapshots - 1);
    return {
      snapshotId,
      manifestSha256,
      previous,
      left: pointer?.snapshotId === snapshotId ? left : [],
    };
  });
}

/** Signs the pointer again; without `sign` nothing changes. Returns the pointer. Throws if there is none. */
export const renewPointer = (snapshotsDirectory: string, sign: SignPointer | null): Promise<Pointer> =>
  replacePointer(snapshotsDirectory, sign, async () => null);

/** Which snapshot a rollback serves. */
export interface RollbackOptions {
  /** The name of the snapshot, older or newer; the one before the current one if left out. */
  readonly name?: string | undefined;
  /** Verifies the snapshot before it is served. Throws if it may not be served. */
  readonly verify?: (id: string) => Promise<unknown>;
}

/**
 * Makes an older snapshot the current one, or a newer one that a rollback left. The snapshots around the
 * current one keep their order: those that are older are `previous`, those that are newer are remembered as
 * left. Verifying may take long, so it happens before the lock of the pointer is taken. Throws if there is no
 * such snapshot, if it is not good, if its manifest is gone, or if it is not named and the pointer that tells
 * which one was before is not ours; the pointer is unchanged then.
 */
export async function rollback(
  parts: Directory,
  sign: SignPointer | null = null,
  { name, verify = async () => {} }: RollbackOptions = {},
): Promise<Pointer> {
  const current = await currentPointer(parts.directory);
  const isOurs = sign === null || sign.isOurs(current);
  if (name === undefined && !isOurs)
    throw new SettingsError(`${parts.directory} has no pointer ${notOurs}: name the snapshot`);
  const snapshotId = name === undefined ? beforeCurrent(current) : (await snapshotNamed(parts, name)).id;
  await verify(snapshotId);
  return replacePointer(parts.directory, sign, async ({ pointer, left }) => {
    const { sha256 } = await readManifest(parts, snapshotId);
    const from = pointer ?? (isOurs ? current : null);
    const ids = from === null ? [] : [...left, from.snapshotId, ...from.previous];
    // A snapshot that was never current, or long ago, counts as the one before the current one.
    if (!ids.includes(snapshotId)) ids.splice(left.length + 1, 0, snapshotId);
    const at = ids.indexOf(snapshotId);
    return {
      snapshotId,
      manifestSha256: sha256,
      previous: ids.slice(at + 1).slice(0, keptSnapshots - 1),
      left: ids.slice(0, at).slice(0, keptSnapshots),
    };
  });
}

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
