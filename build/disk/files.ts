import { open } from 'node:fs/promises';

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
