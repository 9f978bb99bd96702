import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPartFolder, type PartFolder } from '../../src/snapshot/folder.ts';

/** An empty directory for the time of a verification. `remove` closes its files and removes it. */
export interface Scratch {
  readonly folder: PartFolder;
  remove(): Promise<void>;
}

/**
 * Makes a directory among the temporary files of the system: whoever verifies a directory need not be allowed
 * to write into it.
 */
export async function makeScratch(): Promise<Scratch> {
  const directory = await mkdtemp(join(tmpdir(), 'filing-verify-'));
  const folder = openPartFolder(directory);
  return {
    folder,
    async remove() {
      await folder.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
