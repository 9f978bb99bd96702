import { statfs } from 'node:fs/promises';
import { figures, type Figure } from './figures.ts';

/**
 * The free bytes and files of the disk that has a folder, as metrics whose names begin with `prefix`. They have no
 * value if there is no such folder. Small files use up the files of a disk before its bytes; where their number has
 * no bound, the system tells none.
 */
export function freeDiskFigures(prefix: string, disk: string, folder: () => string | null): Figure[] {
  const stats = async () => {
    const path = folder();
    return path === null ? null : statfs(path).catch(() => null);
  };
  return figures({
    [`${prefix}_disk_free_bytes`]: [
      `Free bytes of ${disk}.`,
      async () => {
        const found = await stats();
        return found && found.bavail * found.bsize;
      },
    ],
    [`${prefix}_disk_free_files`]: [
      `How many more files ${disk} has room for; no value where that has no bound.`,
      async () => {
        const found = await stats();
        return found === null || found.files === 0 ? null : found.ffree;
      },
    ],
  });
}
