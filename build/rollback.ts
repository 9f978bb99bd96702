import { withPartFolder } from '../src/snapshot/folder.ts';
import { SettingsError } from '../src/settings/settings.ts';
import { listSnapshots } from './snapshot/prune.ts';
import { rollback } from './snapshot/pointer.ts';
import type { SignPointer } from './snapshot/sign.ts';
import { verifySnapshot } from './verify/verify.ts';
import type { Progress } from './work/progress.ts';

/**
 * The command `rollback`: verifies a snapshot, and serves it. With `isList` it only tells which ones there
 * are. Returns the lines to print. Throws `SettingsError` for a wrong name, and `CorruptSnapshot`, which names
 * the file, if the snapshot is not good.
 */
export async function rollBack(
  directory: string,
  name: string | undefined,
  isList: boolean,
  sign: SignPointer | null,
  progress: Progress,
): Promise<string[]> {
  if (isList && name !== undefined) throw new SettingsError(`--list takes no name: ${name}`);
  if (isList) return withPartFolder(directory, listSnapshots);
  const verify = (id: string) => verifySnapshot(directory, id, progress);
  const { snapshotId } = await withPartFolder(directory, (folder) =>
    rollback(folder, sign, { name, verify }).finally(progress.stop),
  );
  return [`current snapshot: ${snapshotId}`];
}
