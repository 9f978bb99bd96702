import { chmod, mkdtemp, open, rename } from 'node:fs/promises';

/** Writes a whole file and waits until the disk has it. */
export async function writeSynced(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  const file = await open(path, 'w', mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Replaces a file in one step: readers see the old content or the new one, never a part. */
export async function replaceFile(path: string, content: string | Uint8Array, mode?: number): Promise<void> {
  const aside = `${path}.${process.pid}.tmp`;
  await writeSynced(aside, content, mode);
  await rename(aside, path);
}

/** Waits until the disk has the names in a directory. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Makes a directory to write in aside. What becomes of it is for everybody to read, as other new directories are. */
export async function makeStaging(prefix: string): Promise<string> {
  const directory = await mkdtemp(prefix);
  await chmod(directory, 0o755);
  return directory;
}
