import { statfs } from 'node:fs/promises';

/** The free bytes of the disk that has a folder; null if there is no such folder. */
export async function freeBytes(folder: string | null): Promise<number | null> {
  const disk = folder === null ? null : await statfs(folder).catch(() => null);
  return disk && disk.bavail * disk.bsize;
}
