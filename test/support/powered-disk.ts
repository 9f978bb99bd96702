import { Disk } from '../simulate/disk/disk.ts';
import { filesOf, type Files } from '../simulate/disk/files.ts';
import { diskModules } from '../simulate/disk/modules.ts';
import { randomOf, type Random } from '../simulate/random.ts';

/** Everything below this path is on the disk of the simulator. */
export const virtual = '/virtual';
const nowMs = Date.parse('2026-03-02T17:00:00Z');

/** How the power is cut: everything that was not synced is lost, or any part of it. */
export const cuts: readonly Random[] = [{ ...randomOf(1, 'worst'), below: () => 0 }, randomOf(2, 'any')];

let disk: Disk;
let files: Files;
let [changesLeft, isOut] = [Infinity, false];
let done: string[] = [];

/** Comes before each change to the disk. After one has failed nothing is changed any more. */
function change(what: string): void {
  if (isOut) throw new Error('power cut');
  done.push(what);
  if (--changesLeft < 0) isOut = true;
  if (isOut) throw new Error('power cut');
}

/** A machine whose programs keep their files on the disk of the simulator. */
export const machine = {
  /** Starts with an empty disk, on which a program does something, and all of that is stored. */
  async start(prepare: () => Promise<unknown>): Promise<void> {
    disk = new Disk(
      () => nowMs,
      () => 0,
    );
    machine.restart(null);
    files.mkdir(virtual, true);
    await prepare();
    disk.settle();
    done = [];
  },
  /** Starts again, after the power was cut unless that is null. */
  restart(cut: Random | null): void {
    if (cut !== null) disk.cut(cut);
    files = filesOf(disk, change);
    [changesLeft, isOut] = [Infinity, false];
  },
  /** Lets so many changes happen. The next one fails, and all that follow. */
  failAfter: (changes: number) => void (changesLeft = changes),
  /** What was changed since the start. */
  changes: (): readonly string[] => done,
};

/** The modules `node:fs` and `node:fs/promises` of programs on the machine, and their locks. */
export function modulesOver(real: typeof import('node:fs')) {
  const running = new Proxy({} as Files, { get: (_, name) => files[name as keyof Files] });
  const made = diskModules({
    files: running,
    random: randomOf(1, 'programs'),
    later: async (call) => call(),
    isReal: (path) => !String(path).startsWith(virtual),
    real,
  });
  return { ...made, tryLock: (descriptor: number) => files.lock(descriptor) };
}
