import { mkdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import * as z from 'zod';
import { openDiskCache } from '../../src/fetch/disk-cache.ts';
import { sha256Of } from '../../src/files/bytes.ts';

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
 * Returns when upstream made a file, in milliseconds since 1970: its `Last-Modified`, or when it was last checked if it
 * has none.
 */
export function madeAtMs(file: Pick<CacheEntry, 'lastModified'> | null, checkedMs: number): number {
  const modifiedMs = Date.parse(file?.lastModified ?? '');
  return Number.isNaN(modifiedMs) ? checkedMs : modifiedMs;
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

const lineFeed = 10;
/** The limit of all entries together, in bytes, if none is given. */
const usualBytesMaximum = 4 * 1024 ** 3;
/** Version 2 had the entries in the directory itself; up to version 3 marks were files of their own kind. */
const obsolete = /^[0-9a-f]{64}\.entry$|(^|\/)[0-9a-f]{64}\.checked$/;

/**
 * Opens the cache in a directory, which is created if it is missing. Other files in it are left alone. Several
 * processes may use it at the same time. The entries have about `maximumBytes` in all: those used longest ago
 * are removed first. `now` is in milliseconds since 1970; its time becomes that of a file that is used.
 *
 * The content of an entry is a line of JSON and the gzipped body. If a check finds the body unchanged, only a small
 * mark is written under a name of its own. It counts as long as it names the digest of the entry.
 */
export function openCache(directory: string, now: () => number, maximumBytes = usualBytesMaximum): Cache {
  mkdirSync(directory, { recursive: true });
  const files = openDiskCache(directory, { maximumBytes, now, extension: '.entry', obsolete });
  const markOf = (url: string) => `when ${url} was checked`;
  return {
    directory,
    async read(url) {
      const content = await files.read(url);
      const entry = content && (await parseEntry(content, url));
      if (!entry) return undefined;
      const mark = (await files.read(markOf(url)))?.toString() ?? '';
      const [checkedAt = '', digest] = mark.split(' ');
      return digest === sha256Of(content) && checkedAt > entry.checkedAt ? { ...entry, checkedAt } : entry;
    },
    async write(url, { body, etag, lastModified, checkedAt }) {
      const header = JSON.stringify({ url, etag, lastModified, checkedAt } satisfies z.infer<typeof Header>);
      await files.write(url, Buffer.concat([Buffer.from(`${header}\n`), await compress(body)]));
    },
    async touch(url, checkedAt) {
      const content = await files.read(url);
      if (content) await files.write(markOf(url), Buffer.from(`${checkedAt} ${sha256Of(content)}`));
    },
    async remove(url) {
      await files.remove(url);
      await files.remove(markOf(url));
    },
  };
}

async function parseEntry(content: Buffer, url: string): Promise<CacheEntry | undefined> {
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
