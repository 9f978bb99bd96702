import { spawnSync } from 'node:child_process';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from './files-below.ts';

/** Mounts a small file system below a directory. Returns its path; null where none can be mounted. */
export function smallDisk(directory: string, bytes: number): string | null {
  const target = join(directory, 'disk');
  mkdirSync(target);
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', target]);
  return status === 0 ? target : null;
}

/** How many bytes the files below a directory take on such a disk. */
export const bytesOnDisk = (directory: string) =>
  filesBelow(directory).reduce(
    (sum, path) => sum + Math.ceil(statSync(join(directory, path)).size / 4096) * 4096,
    0,
  );
