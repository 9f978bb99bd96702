import { statfs } from 'node:fs/promises';

/** A disk is full. The message has one line: the folder, how many bytes and files are free there, and how many bytes are needed. */
export class DiskFull extends Error {}

/** The disk is full, or the share of it that the user may fill. */
const codes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/** Whether an error, or an error that caused it, says that a disk is full. */
export function isDiskFull(error: unknown): boolean {
  return (
    error instanceof Error &&
    (codes.has((error as NodeJS.ErrnoException).code ?? '') || isDiskFull(error.cause))
  );
}

/**
 * Returns a `DiskFull` for an error that says so, and any other error as it is. `neededBytes` is about how
 * much was to be written below the folder; null if that is not known.
 */
export async function explainFullDisk(
  error: unknown,
  directory: string,
  neededBytes: number | null,
): Promise<unknown> {
  if (error instanceof DiskFull || !isDiskFull(error)) return error;
  const { bavail, bsize, files, ffree } = await statfs(directory);
  const needed = neededBytes === null ? 'more is' : `about ${megabytes(neededBytes)} are`;
  // Where the number of files has no bound, the system tells none.
  const room = files > 0 ? ` and ${ffree} files` : '';
  return new DiskFull(
    `the disk of ${directory} is full: ${megabytes(bavail * bsize)}${room} are free, ${needed} needed (${(error as Error).message})`,
    { cause: error },
  );
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
