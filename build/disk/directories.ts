import { mkdir, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

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
 * Creates a directory with its parents, where they are missing, and waits until the disk has stored their
 * names.
 */
export async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let made = resolve(path); made.length >= resolve(first).length; made = dirname(made))
    await syncDirectory(dirname(made));
}
