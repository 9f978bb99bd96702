import { chmod, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

export { replaceFile, writeSynced } from '../../src/files/local.ts';

/** Waits until the disk has stored the names of the files in a directory (fsync). */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/**
 * Creates a staging directory and returns its path. Everybody may read it (mode 0755): it is later renamed to
 * its final name, and other new directories have this mode.
 */
export async function makeStaging(directory: string): Promise<string> {
  const staging = await mkdtemp(join(directory, `.staging-${process.pid}-`));
  await chmod(staging, 0o755);
  return staging;
}

/**
 * Removes staging directories that killed processes left in a directory. Those of running processes stay.
 * Does nothing if the directory does not exist.
 */
export async function removeStagings(directory: string): Promise<void> {
  for (const name of await readdir(directory).catch(() => [] as string[])) {
    const pid = /^\.staging-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid)))
      await rm(join(directory, name), { recursive: true, force: true });
  }
}

/** Whether a process is running. Signal 0 is not delivered; sending it fails if there is no such process. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process is running, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
