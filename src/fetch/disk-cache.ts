import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { createHash } from 'node:crypto';
import { sha256Of } from '../files/bytes.ts';
import { asideOf, makeFolder, whereMissing } from '../files/local.ts';
import { hourMs } from '../time/units.ts';
import { inParallel } from './gate.ts';

/**
 * Keeps bytes under names in files of a directory. A kill, a power cut or a bad disk does no harm: what does not have
 * its digest counts as absent. Several processes may use it at the same time. Rejects if the file system fails.
 */
export interface DiskCache {
  /** Resolves to null if there is nothing under this name, or if it is damaged. */
  read(name: string): Promise<Buffer | null>;
  write(name: string, content: Buffer): Promise<void>;
  /** Whether there is something under this name; it may be damaged. */
  has(name: string): Promise<boolean>;
  remove(name: string): Promise<void>;
  /** Keeps these names from being removed for lack of room; replaces the names of the last call. */
  pin(names: readonly string[]): void;
}

/** Options of a disk cache. */
export interface DiskCacheOptions {
  /** The files have about this many bytes in all: those used longest ago are removed first. */
  readonly maximumBytes: number;
  /** Milliseconds since 1970; becomes the time of a file that is used. */
  readonly now: () => number;
  /** How the names of the files end: other files in the directory are left alone. */
  readonly extension?: string;
  /** Matches files that an older version wrote and this one does not read, by their path below the directory. */
  readonly obsolete?: RegExp;
}

const hexCharacters = 64;
const lineFeed = 10;
/** The digits of a digest that are taken for chance: as many as a number holds exactly. */
const chanceDigits = 13;
/** Half-written files of killed processes are removed when they are older than this, in milliseconds. */
const leftoverMs = hourMs;
/** How many files are looked at, or removed, at the same time. */
const atOnce = 64;

/**
 * Opens the cache in a directory, which is made with the first write. The file of a name is called by the SHA-256 of
 * the name, in a folder with the first two digits of that; it has the SHA-256 of the content in hexadecimal, a line
 * feed, and the content. It is written under another name and renamed.
 */
export function openDiskCache(
  directory: string,
  { maximumBytes, now, extension = '', obsolete = /^$/ }: DiskCacheOptions,
): DiskCache {
  const ours = new RegExp(`^[0-9a-f]{64}${extension.replace('.', '\\.')}(\\.[0-9a-f-]+\\.tmp)?$`);
  let pinned: ReadonlySet<string> = new Set();
  let writtenBytes = 0;
  let makingRoom: Promise<void> | null = null;

  function pathOf(name: string): string {
    const digest = sha256Of(name);
    return join(directory, digest.slice(0, 2), digest + extension);
  }

  async function write(path: string, content: Buffer): Promise<void> {
    const aside = asideOf(path);
    try {
      await writeFile(aside, content).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        await makeFolder(dirname(path));
        await writeFile(aside, content);
      });
      await rename(aside, path);
    } catch (error) {
      await rm(aside, { force: true }).catch(() => {});
      throw error;
    }
  }

  /**
   * Makes room after a write, once in a sixteenth of the limit. A process that writes less than that makes room as if by
   * chance, which follows from the digest of what it writes: so many such processes make room often enough, and none
   * has to count the files at its start.
   */
  async function makeRoomAfter(path: string, content: Buffer): Promise<void> {
    const chance = parseInt(content.toString('latin1', 0, chanceDigits), 16) / 16 ** chanceDigits;
    writtenBytes += content.length;
    if (writtenBytes < maximumBytes / 16 && chance >= content.length / (maximumBytes / 16)) return;
    const written = await stat(path).catch(whereMissing(null));
    if (written === null) return;
    writtenBytes = 0;
    makingRoom ??= makeRoom(written.mtimeMs).finally(() => (makingRoom = null));
    await makingRoom;
  }

  /**
   * Counts the files, which other processes write and remove, too, and removes those that were used longest ago: down to
   * 13/16 of the limit if there are more than 14/16, so that the next count is not needed at once. Half-written files
   * are removed by their age alone. `nowMs` is the time by the clock of the file system.
   */
  async function makeRoom(nowMs: number): Promise<void> {
    const files = (await filesBelow(directory))
      .filter(({ path }) => ours.test(basename(path)) || obsolete.test(relative(directory, path)))
      .sort((a, b) => a.usedMs - b.usedMs);
    let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const goal = bytes > (maximumBytes / 16) * 14 ? (maximumBytes / 16) * 13 : Infinity;
    const isUnwanted = ({ path, usedMs }: CacheFile) => {
      if (obsolete.test(relative(directory, path))) return true;
      return path.endsWith('.tmp') ? nowMs - usedMs > leftoverMs : bytes > goal && !pinned.has(path);
    };
    const unwanted = files.filter((file) => {
      const goes = isUnwanted(file);
      if (goes) bytes -= file.bytes;
      return goes;
    });
    await inParallel(unwanted, atOnce, ({ path }) => rm(path, { force: true }));
  }

  return {
    async read(name) {
      const path = pathOf(name);
      const file = await readFile(path).catch(whereMissing(null));
      const content = file && contentOf(file);
      // It may be removed meanwhile, be of another user, or on a disk that is only read: what was read is right.
      if (content !== null) await utimes(path, now() / 1000, now() / 1000).catch(() => {});
      return content;
    },
    async write(name, content) {
      const file = Buffer.concat([Buffer.from(`${sha256Of(content)}\n`), content]);
      await write(pathOf(name), file);
      await makeRoomAfter(pathOf(name), file);
    },
    has: (name) => stat(pathOf(name)).then(() => true, whereMissing(false)),
    remove: (name) => rm(pathOf(name), { force: true }),
    pin: (names) => void (pinned = new Set(names.map(pathOf))),
  };
}

/** The content of a file; null if it does not have its digest. Up to version 3 copies of a host had it as 32 bytes. */
function contentOf(file: Buffer): Buffer | null {
  const content = file.subarray(hexCharacters + 1);
  if (file[hexCharacters] === lineFeed && sha256Of(content) === file.toString('latin1', 0, hexCharacters))
    return content;
  const older = file.subarray(32);
  const digest = createHash('sha256').update(older).digest();
  return file.length >= 32 && digest.equals(file.subarray(0, 32)) ? older : null;
}

interface CacheFile {
  readonly path: string;
  readonly bytes: number;
  /** When it was last written or used. */
  readonly usedMs: number;
}

/** The files in a directory and its folders, without those that are removed meanwhile. */
async function filesBelow(directory: string): Promise<CacheFile[]> {
  const found: CacheFile[] = [];
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map(({ name }) => join(directory, name));
  for (const { name: folder } of entries.filter((entry) => entry.isDirectory()))
    for (const name of await readdir(join(directory, folder)).catch(() => []))
      paths.push(join(directory, folder, name));
  await inParallel(paths, atOnce, async (path) => {
    const state = await stat(path).catch(() => null);
    if (state?.isFile()) found.push({ path, bytes: state.size, usedMs: state.mtimeMs });
  });
  return found;
}
