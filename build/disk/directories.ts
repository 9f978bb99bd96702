import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { makeFolder, replaceFile } from '../../src/files/local.ts';

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
 * Replaces a file as `replaceFile` does, and waits until the disk has stored its new name, so that no power cut brings
 * the old content back: for what somebody was told, or for what else is removed.
 */
export async function replaceFileSynced(
  path: string,
  content: string | Uint8Array,
  mode?: number,
): Promise<void> {
  await replaceFile(path, content, mode);
  await syncDirectory(dirname(path));
}

/**
 * Creates a directory with its parents, where they are missing, and waits until the disk has stored their
 * names.
 */
export async function makeDirectory(path: string): Promise<void> {
  const first = await makeFolder(path);
  if (first === null) return;
  for (let made = resolve(path); made.length >= resolve(first).length; made = dirname(made))
    await syncDirectory(dirname(made));
}
