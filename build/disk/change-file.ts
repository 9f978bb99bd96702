import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { whereMissing } from '../../src/files/local.ts';
import { makeDirectory, replaceFileSynced } from './directories.ts';
import { withLock } from './lock.ts';

/** What becomes of a file, and what the caller of `changeFile` gets. */
export interface FileChange<Result> {
  /** The new content; null leaves the file as it is. */
  readonly text: string | null;
  readonly result: Result;
}

/**
 * Changes a small file that several programs change: reads it, and replaces it by what `change` makes of its
 * text (null if there is no file). All of that happens under a lock, so no change undoes another one; readers
 * need no lock, and see the old content or the new one. When it returns, a power cut leaves the new one. The lock
 * is a file of its own, because the file itself is replaced. Makes the folder if it is missing. Example: `changeFile(path, (text) => ({ text: `${text}x`, result: 1 }))`.
 */
export async function changeFile<Result>(
  path: string,
  change: (text: string | null) => FileChange<Result> | Promise<FileChange<Result>>,
  mode?: number,
): Promise<Result> {
  await makeDirectory(dirname(path));
  return withLock(`${path}.lock`, async () => {
    const { text, result } = await change(await readFile(path, 'utf8').catch(whereMissing(null)));
    if (text !== null) await replaceFileSynced(path, text, mode);
    return result;
  });
}
