import { createPublicKey, sign, type KeyObject } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asideOf } from '../../src/files/local.ts';
import { heartbeatText, type Heartbeat } from '../../src/format/heartbeat-file.ts';
import { paths } from '../../src/format/snapshot.ts';
import { keyName } from '../../src/snapshot/trust.ts';
import { readPublished } from './pointer.ts';

/**
 * Writes the heartbeat beside the pointer, signed if there is a key. It is written aside, under a name that no
 * other follower of this folder uses, and renamed, and not synced: after a power cut the next one comes within
 * seconds. While a rollback lasts, nothing is written: what EDGAR listed is published, but not in the snapshot that
 * is served.
 */
export async function writeHeartbeat(
  snapshotsDirectory: string,
  heartbeat: Heartbeat,
  key: KeyObject | null,
): Promise<void> {
  if ((await readPublished(snapshotsDirectory)).left.length > 0) return;
  const signed: Heartbeat =
    key === null
      ? heartbeat
      : {
          ...heartbeat,
          signature: {
            key: keyName(createPublicKey(key)),
            signature: sign(null, heartbeatText(heartbeat), key).toString('base64'),
          },
        };
  const path = join(snapshotsDirectory, paths.heartbeat);
  const aside = asideOf(path);
  try {
    await writeFile(aside, `${JSON.stringify(signed, null, 2)}\n`);
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true }).catch(() => {});
    throw error;
  }
}
