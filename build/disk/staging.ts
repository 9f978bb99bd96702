import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hourMs } from '../../src/time/units.ts';
import { tryLockFile, type Lock } from './lock.ts';

/** A directory in which something is written before it is renamed to its final name. */
export interface Staging {
  readonly path: string;
  /** Removes it, unless it was renamed. Call it in either case, once or more often. */
  remove(): Promise<void>;
}

const prefix = '.staging-';
const lockSuffix = '.lock';
/** What an older version left has no lock. It is removed at this age, in milliseconds. */
const leftForMs = 24 * hourMs;

/**
 * Creates a staging directory. Everybody may read it (mode 0755): it is later renamed to its final name, and
 * other new directories have this mode. A locked file beside it shows that its owner is alive.
 */
export async function makeStaging(directory: string): Promise<Staging> {
  for (;;) {
    const path = await mkdtemp(join(directory, prefix));
    let lock: Lock | null = null;
    try {
      lock = tryLockFile(`${path}${lockSuffix}`);
      if (lock === null) continue; // `removeStagings` was quicker, and removes it.
      await chmod(path, 0o755);
    } catch (error) {
      await removeOwned(path, lock);
      throw error;
    }
    return { path, remove: () => removeOwned(path, lock) };
  }
}

async function removeOwned(path: string, lock: Lock | null): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await rm(`${path}${lockSuffix}`, { force: true });
  lock?.release();
}

/**
 * Removes the staging directories that killed processes left in a directory. One whose lock is taken stays:
 * its owner is alive, in whichever container. One without a lock file stays for a day: its owner may be about
 * to lock it, or is of an older version. Does nothing if the directory does not exist.
 */
export async function removeStagings(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => [] as string[]);
  const stagings = new Set(
    names.filter((name) => name.startsWith(prefix)).map((name) => name.replace(/\.lock$/, '')),
  );
  if (stagings.size === 0) return;
  // Ages are measured by the clock of the file system: the clock of this machine may be wrong.
  const own = await makeStaging(directory);
  try {
    const nowMs = (await stat(own.path)).mtimeMs;
    for (const name of stagings) {
      const path = join(directory, name);
      if (names.includes(`${name}${lockSuffix}`)) {
        const lock = tryLockFile(`${path}${lockSuffix}`);
        if (lock !== null) await removeOwned(path, lock);
      } else {
        const left = await stat(path).catch(() => null);
        if (left !== null && nowMs - left.mtimeMs > leftForMs)
          await rm(path, { recursive: true, force: true });
      }
    }
  } finally {
    await own.remove();
  }
}
