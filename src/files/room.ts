import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { hourMs } from '../time/units.ts';

/** Half-written files of killed processes are removed when they are older than this, in milliseconds. */
const leftoverMs = hourMs;
const leftover = /\.tmp$/;
/** How many files are looked at, or removed, at the same time. */
const atOnce = 64;

/** What `makeRoom` may remove, and how much it leaves. */
export interface Room {
  /** When the files in the directory have more bytes than this, the ones used longest ago are removed. */
  readonly maximumBytes: number;
  /** The time by the clock of the file system, in milliseconds since 1970. */
  readonly nowMs: number;
  /** Whether a file, by its name without folders, may be removed; others are neither counted nor removed. */
  readonly isOurs?: (name: string) => boolean;
  /** Whether a file, by its path, is needed and must stay; it is counted. */
  readonly isNeeded?: (path: string) => boolean;
}

interface RoomFile {
  readonly path: string;
  readonly bytes: number;
  /** When it was last written or used. */
  readonly usedMs: number;
}

/**
 * Counts the files in a directory and its folders, which other processes write and remove, too, and removes
 * those that were used longest ago: down to 13/16 of the limit if there are more than 14/16, so that the next
 * count is not needed at once. Half-written files are removed by their age alone.
 */
export async function makeRoom(
  directory: string,
  { maximumBytes, nowMs, isOurs = () => true, isNeeded = () => false }: Room,
): Promise<void> {
  const files = (await filesIn(directory, isOurs)).sort((a, b) => a.usedMs - b.usedMs);
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const goal = bytes > (maximumBytes / 16) * 14 ? (maximumBytes / 16) * 13 : Infinity;
  const unwanted = files.filter(({ path, usedMs, bytes: length }) => {
    const isHalf = leftover.test(path);
    const isUnwanted = isHalf ? nowMs - usedMs > leftoverMs : bytes > goal && !isNeeded(path);
    if (isUnwanted) bytes -= length;
    return isUnwanted;
  });
  await inGroups(unwanted, ({ path }) => rm(path, { force: true }));
}

/** The files in a directory and its folders, without those that are removed meanwhile. */
async function filesIn(directory: string, isOurs: (name: string) => boolean): Promise<RoomFile[]> {
  const found: RoomFile[] = [];
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const ofDirectory = entries.filter((entry) => entry.isFile()).map(({ name }) => join(directory, name));
  for (const folder of ['', ...folders]) {
    const paths =
      folder === ''
        ? ofDirectory
        : (await readdir(join(directory, folder)).catch(() => [])).map((name) =>
            join(directory, folder, name),
          );
    await inGroups(
      paths.filter((path) => isOurs(basename(path))),
      async (path) => {
        const state = await stat(path).catch(() => null);
        if (state?.isFile()) found.push({ path, bytes: state.size, usedMs: state.mtimeMs });
      },
    );
  }
  return found;
}

async function inGroups<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += atOnce) await Promise.all(items.slice(at, at + atOnce).map(work));
}
