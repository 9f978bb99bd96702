import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { whereMissing } from '../../src/files/local.ts';
import { replaceFile } from '../disk/files.ts';

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
const leftover = /^[0-9a-f]{64}\.\w+\.[0-9a-f-]+\.tmp$/;

/**
 * Opens the cache in a directory, which is created if it is missing. Other files in it are left alone. Only
 * one process may use it at a time: temporary files of an interrupted one are removed.
 *
 * Each address has a file `<SHA-256 of the address>.entry`: the SHA-256 of the rest of the file, a line of
 * JSON, and the gzipped body. If a check finds the body unchanged, only the small `.checked` file beside it
 * is written. That file is valid as long as it names the digest of the entry.
 */
export function openCache(directory: string): Cache {
  mkdirSync(directory, { recursive: true });
  for (const name of readdirSync(directory))
    if (leftover.test(name)) rmSync(join(directory, name), { force: true });

  const fileOf = (url: string, kind: 'entry' | 'checked') => join(directory, `${sha256(url)}.${kind}`);

  return {
    async read(url) {
      const file = await readIfPresent(fileOf(url, 'entry'));
      const entry = file && (await parseEntry(file, url));
      if (!entry) return undefined;
      const mark = await readIfPresent(fileOf(url, 'checked'));
      const checkedAt = mark && parseMark(mark.toString('latin1'), digestOf(file));
      return checkedAt && checkedAt > entry.checkedAt ? { ...entry, checkedAt } : entry;
    },
    async write(url, { body, etag, lastModified, checkedAt }) {
      const header = JSON.stringify({ url, etag, lastModified, checkedAt } satisfies z.infer<typeof Header>);
      const content = Buffer.concat([Buffer.from(`${header}\n`), await compress(body)]);
      await replaceFile(fileOf(url, 'entry'), Buffer.concat([Buffer.from(`${sha256(content)}\n`), content]));
    },
    async touch(url, checkedAt) {
      const file = await readIfPresent(fileOf(url, 'entry'));
      if (file)
        await replaceFile(fileOf(url, 'checked'), `${checkedAt} ${sha256(checkedAt + digestOf(file))}\n`);
    },
    async remove(url) {
      await rm(fileOf(url, 'entry'), { force: true });
      await rm(fileOf(url, 'checked'), { force: true });
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
