import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withPartFolder, type PartFolder } from '../../src/snapshot/folder.ts';

/**
 * Runs a piece of work with an empty directory of its own, and removes the directory afterwards. Nobody needs
 * to be allowed to write into the directory that is verified.
 */
export async function withScratch<Result>(work: (scratch: PartFolder) => Promise<Result>): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'filing-verify-'));
  try {
    return await withPartFolder(directory, work);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
