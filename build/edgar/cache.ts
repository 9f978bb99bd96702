import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { whereMissing } from '../../src/files/local.ts';
import { makeRoom } from '../../src/files/room.ts';
import { replaceFile } from '../disk/directories.ts';

/** The last good answer of one address. */
export interface CacheEntry {
  /** Not compressed. */
  readonly body: Buffer;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /**
   * When upstream last confirmed that this is the current body: an instant as `Date.toISOString` writes it.
   */
  readonly checkedAt: string;
}

/**
 * Returns when upstream made a body, in milliseconds since 1970: its `Last-Modified`, or when it was last
 * checked if it has none.
 */
export function asOfMs({ lastModified, checkedAt }: CacheEntry): number {
  const modifiedMs = Date.parse(lastModified ?? '');
  return Number.isNaN(modifiedMs) ? Date.parse(checkedAt) : modifiedMs;
}

/**
 * A cache on disk. A process that is killed leaves only complete entries. A damaged entry counts as absent.
 */
export interface Cache {
  /** The directory in which it is. */
  readonly directory: string;
  /** Resolves to undefined if the entry is absent or damaged. Rejects if the file system fails. */
  read(url: string): Promise<CacheEntry | undefined>;
  write(url: string, entry: CacheEntry): Promise<void>;
  /** Records that the body was still current at an instant. Does nothing if there is no entry. */
  touch(url: string, checkedAt: string): Promise<void>;
  remove(url: string): Promise<void>;
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);

const Header = z.object({
  url: z.string(),
  etag: z.string().nullable(),
  lastModified: z.string().nullable(),
  checkedAt: z.iso.datetime(),
});

const digestCharacters = 64;
const lineFeed = 10;
/** The digits of a digest that are taken for chance: as many as a number holds exactly. */
const chanceDigits = 13;
/** The limit of all entries together, in bytes, if none is given. */
const usualBytesMaximum = 4 * 1024 ** 3;
/** A file of the cache, or one that is being written. */
const ours = /^[0-9a-f]{64}\.(entry|checked)(\.[0-9a-f-]+\.tmp)?$/;

/**
 * Opens the cache in a directory, which is created if it is missing. Other files in it are left alone. Several
 * processes may use it at the same time. The entries have about `maximumBytes` in all: those used longest ago
 * are removed first. `now` is in milliseconds since 1970; its time becomes that of a file that is used.
 *
 * Each address has a file `<SHA-256 of the address>.entry`, in a folder with the first two digits of that: the
 * SHA-256 of the rest of the file, a line of JSON, and the gzipped body. If a check finds the body unchanged,
 * only the small `.checked` file beside it is written. That file is valid as long as it names the digest of
 * the entry. Version 2 wrote all files into the directory itself: they are moved when they are read, and
 * removed as the others.
 */
export function openCache(directory: string, now: () => number, maximumBytes = usualBytesMaximum): Cache {
  mkdirSync(directory, { recursive: true });
  let makingRoom: Promise<void> | null = null;

  function fileOf(url: string, kind: 'entry' | 'checked'): string {
    const digest = sha256(url);
    return join(directory, digest.slice(0, 2), `${digest}.${kind}`);
  }

  /** Reads a file, and moves it to its folder if version 2 wrote it. */
  async function readFileOf(url: string, kind: 'entry' | 'checked'): Promise<Buffer | undefined> {
    const path = fileOf(url, kind);
    const file = await readIfPresent(path);
    if (file !== undefined) return file;
    const flatPath = join(directory, `${sha256(url)}.${kind}`);
    if (!(await stat(flatPath).then(() => true, whereMissing(false)))) return undefined;
    await mkdir(dirname(path), { recursive: true });
    // Another process may move it first.
    await rename(flatPath, path).catch(whereMissing(undefined));
    return readIfPresent(path);
  }

  /** Records that a file was used. It may be removed meanwhile. */
  const noteUse = (path: string) => utimes(path, now() / 1000, now() / 1000).catch(whereMissing(undefined));

  async function write(path: string, content: Buffer | string): Promise<void> {
    await replaceFile(path, content).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      await mkdir(dirname(path), { recursive: true });
      await replaceFile(path, content);
    });
  }

  /**
   * Makes room after a write, on average once in a sixteenth of the limit. Which writes do so follows from
   * their own digests, as if by chance: a process that writes little and ends does not have to count the files
   * at its start, and many such processes make room as often as one that writes the same.
   */
  async function makeRoomAfter(path: string, content: Buffer): Promise<void> {
    const chance = parseInt(digestOf(content).slice(0, chanceDigits), 16) / 16 ** chanceDigits;
    if (chance >= content.length / (maximumBytes / 16)) return;
    const written = await stat(path).catch(whereMissing(null));
    if (written === null) return;
    makingRoom ??= makeRoom(directory, {
      maximumBytes,
      nowMs: written.mtimeMs,
      isOurs: (name) => ours.test(name),
    }).finally(() => (makingRoom = null));
    await makingRoom;
  }

  return {
    directory,
    async read(url) {
      const file = await readFileOf(url, 'entry');
      const entry = file && (await parseEntry(file, url));
      if (!entry) return undefined;
      await noteUse(fileOf(url, 'entry'));
      const mark = await readFileOf(url, 'checked');
      const checkedAt = mark && parseMark(mark.toString('latin1'), digestOf(file));
      return checkedAt && checkedAt > entry.checkedAt ? { ...entry, checkedAt } : entry;
    },
    async write(url, { body, etag, lastModified, checkedAt }) {
      const header = JSON.stringify({ url, etag, lastModified, checkedAt } satisfies z.infer<typeof Header>);
      const content = Buffer.concat([Buffer.from(`${header}\n`), await compress(body)]);
      const file = Buffer.concat([Buffer.from(`${sha256(content)}\n`), content]);
      await write(fileOf(url, 'entry'), file);
      await makeRoomAfter(fileOf(url, 'entry'), file);
    },
    async touch(url, checkedAt) {
      const file = await readFileOf(url, 'entry');
      if (!file) return;
      await write(fileOf(url, 'checked'), `${checkedAt} ${sha256(checkedAt + digestOf(file))}\n`);
      await noteUse(fileOf(url, 'entry'));
    },
    async remove(url) {
      for (const kind of ['entry', 'checked'] as const) {
        await rm(fileOf(url, kind), { force: true });
        await rm(join(directory, `${sha256(url)}.${kind}`), { force: true });
      }
    },
  };
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function digestOf(file: Buffer): string {
  return file.toString('latin1', 0, digestCharacters);
}

function readIfPresent(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch(whereMissing(undefined));
}

async function parseEntry(file: Buffer, url: string): Promise<CacheEntry | undefined> {
  const content = file.subarray(digestCharacters + 1);
  if (file[digestCharacters] !== lineFeed || sha256(content) !== digestOf(file)) return undefined;
  const headerEnd = content.indexOf(lineFeed);
  try {
    const header = Header.parse(JSON.parse(content.toString('utf8', 0, headerEnd)));
    if (header.url !== url) return undefined;
    const { etag, lastModified, checkedAt } = header;
    return { body: await decompress(content.subarray(headerEnd + 1)), etag, lastModified, checkedAt };
  } catch {
    // The digest is right, so another version of this program wrote it.
    return undefined;
  }
}

function parseMark(mark: string, entryDigest: string): string | undefined {
  const [checkedAt = '', digest] = mark.trimEnd().split(' ');
  return digest === sha256(checkedAt + entryDigest) ? checkedAt : undefined;
}
