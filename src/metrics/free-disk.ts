import { statfs } from 'node:fs/promises';
import { single, type Value } from './figures.ts';

/** The free bytes of the disk that has a folder; no value if there is no such folder. */
export async function freeBytes(folder: string | null): Promise<Value[]> {
  const disk = folder === null ? null : await statfs(folder).catch(() => null);
  return disk === null ? [] : single(disk.bavail * disk.bsize);
}
