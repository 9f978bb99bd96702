import type { Node } from '../disk/disk.ts';
import { volume, type World } from '../world.ts';

/** What a backup has: the files below the volume, by their paths there. */
export type Backup = ReadonlyMap<string, Buffer>;

/** What `deploy/README.md` backs up. */
const backedUp = ['ledger', 'keys.json', 'keys.usage', 'intents'];

/** Copies what a backup needs. Nobody may write meanwhile. */
export function takeBackup({ look }: World): Backup {
  const files = new Map<string, Buffer>();
  const copy = (path: string, node: Node) => {
    if (path === 'ledger/.cache') return;
    if (node.entries === null) files.set(path, Buffer.from(node.bytes.subarray(0, Math.max(0, node.size))));
    else for (const [name, each] of node.entries) copy(`${path}/${name}`, each);
  };
  for (const { name, node } of look.list(volume)) if (backedUp.includes(name)) copy(name, node);
  return files;
}

/** Replaces the volume by a backup. No program may run on it. */
export function restoreBackup({ look, machine: { disk } }: World, backup: Backup): void {
  const capacityBytes = disk.capacityBytes;
  disk.capacityBytes = Infinity;
  disk.failsToSync = false;
  look.remove(volume, true, true);
  look.mkdir(volume, true);
  for (const [path, bytes] of backup) {
    const at = `${volume}/${path}`;
    look.mkdir(at.slice(0, at.lastIndexOf('/')), true);
    look.writeWhole(at, bytes);
  }
  disk.settle();
  disk.capacityBytes = capacityBytes;
}
