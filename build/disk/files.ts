import { chmod, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

export { replaceFile, writeSynced } from '../../src/files/local.ts';

/** Waits until the disk has the names in a directory. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/**
 * Makes a directory to write in aside. What becomes of it is for everybody to read, as other new directories
 * are.
 */
export async function makeStaging(directory: string): Promise<string> {
  const staging = await mkdtemp(join(directory, `.staging-${process.pid}-`));
  await chmod(staging, 0o755);
  return staging;
}

/**
 * Removes what processes that were killed left aside in a directory, if there is one; one that still runs
 * keeps its own.
 */
export async function removeStagings(directory: string): Promise<void> {
  for (const name of await readdir(directory).catch(() => [] as string[])) {
    const pid = /^\.staging-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid)))
      await rm(join(directory, name), { recursive: true, force: true });
  }
}

/** Whether a process runs. Signal 0 is sent to nobody: it only fails if there is no such process. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of somebody else may not be signalled, and runs.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
