import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { paths, type FileReference, type PublicRoute } from '../../src/format/snapshot.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { replaceFile, syncDirectory } from '../disk/directories.ts';
import type { LogStore } from '../segments/log-writer.ts';
import type { PublicFile } from '../../site/content/public-file.ts';
import { makeFolder } from '../../src/files/local.ts';

/** A file smaller than this gains nothing from being compressed. */
const compressFromBytes = 512;
/**
 * Measured over all public files: quality 7 makes them 0.3 % smaller and takes twice as long; the greatest
 * makes them 14 % smaller and takes forty times as long, which would be most of a build.
 */
const brotliQuality = 6;
/** Level 9 makes them 1 % smaller, and takes a third longer. */
const gzipLevel = 6;
/** Types whose files are compressed already. */
const compressedTypes = /^(image\/(?!svg)|font\/|application\/(zip|gzip))/;
/**
 * Files that are written at the same time. Each write waits for the disk, and the disk can sync several
 * together.
 */
const writtenAtOnce = 16;

/** Small files, stored under their SHA-256. */
export interface FileStore {
  /** Adds a file and returns its reference. `write` skips files that the current snapshot has. */
  keep(bytes: Buffer): FileReference;
  /** Returns the bytes of a file; null if it is missing or its bytes have changed. */
  read(reference: FileReference): Promise<Buffer | null>;
  /** Whether a file with the right length is stored. Its bytes are not read. */
  isThere(reference: FileReference): Promise<boolean>;
  /** Writes and syncs the files that were added. */
  write(): Promise<void>;
}

/**
 * Opens the small files of a snapshots directory. `current` are the SHA-256 of the files of the current
 * snapshot: they are not written again unless their bytes have changed. Other files in the directory are
 * written again: a killed build may have left them without syncing, and another process may be about to
 * remove them, because no snapshot names them.
 */
export function openFileStore(directory: string, current: ReadonlySet<string>): FileStore {
  const waiting = new Map<string, Buffer>();
  const pathOf = (sha256: string) => join(directory, paths.file(sha256));

  async function read({ sha256, bytes }: FileReference): Promise<Buffer | null> {
    const found = await readFile(pathOf(sha256)).catch(() => null);
    return found !== null && found.length === bytes && sha256Of(found) === sha256 ? found : null;
  }

  /** Writes a file in one step, so that a reader finds all of it or nothing. Returns whether it had to be written. */
  async function writeOne(sha256: string, bytes: Buffer): Promise<boolean> {
    if (current.has(sha256) && (await read({ sha256, bytes: bytes.length })) !== null) return false;
    await makeFolder(dirname(pathOf(sha256)));
    await replaceFile(pathOf(sha256), bytes);
    return true;
  }

  return {
    read,
    isThere: async ({ sha256, bytes }) => (await stat(pathOf(sha256)).catch(() => null))?.size === bytes,
    keep(bytes) {
      const sha256 = sha256Of(bytes);
      waiting.set(sha256, bytes);
      return { sha256, bytes: bytes.length };
    },
    async write() {
      const files = [...waiting];
      waiting.clear();
      let next = 0;
      const folders = new Set<string>();
      const work = async () => {
        for (let file = files[next++]; file; file = files[next++])
          if (await writeOne(...file)) folders.add(dirname(pathOf(file[0])));
      };
      // If one write fails, the others are awaited before the error is thrown, so that nothing is written
      // afterwards.
      const ended = await Promise.allSettled(
        Array.from({ length: Math.min(writtenAtOnce, files.length) }, work),
      );
      for (const each of ended) if (each.status === 'rejected') throw each.reason;
      for (const folder of folders) await syncDirectory(folder);
      if (folders.size > 0) await syncDirectory(join(directory, 'files'));
    },
  };
}

/** The same store for files that are written at once, not together with others. */
export function storingAtOnce(store: FileStore): LogStore {
  return {
    ...store,
    async keep(bytes) {
      const reference = store.keep(bytes);
      await store.write();
      return reference;
    },
  };
}

/**
 * Adds a public file with its encoded variants, so that nothing is compressed while a client waits. Variants of
 * the previous snapshot are not taken over: another version of this program or of Node may have made them, and
 * then the same ledger would not give the same bytes.
 */
export function keepPublicFile(store: FileStore, { contentType, bytes, headers }: PublicFile): PublicRoute {
  const file = store.keep(bytes);
  const isCompressed = bytes.length >= compressFromBytes && !compressedTypes.test(contentType);
  const variants = isCompressed ? compressed(store, bytes, file.sha256) : { br: null, gzip: null };
  return { contentType, file, ...variants, ...(headers ? { headers: { ...headers } } : {}) };
}

interface Variants {
  readonly br: Buffer;
  readonly gzip: Buffer;
}

/**
 * Variants that this process has made: most public files are the same in the next snapshot that it builds.
 */
const compressedBefore = new LRUCache<string, Variants>({ max: 2000 });

function compressed(store: FileStore, bytes: Buffer, sha256: string): Pick<PublicRoute, 'br' | 'gzip'> {
  let variants = compressedBefore.get(sha256);
  if (!variants) {
    variants = {
      br: brotliCompressSync(bytes, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        },
      }),
      gzip: gzipSync(bytes, { level: gzipLevel }),
    };
    compressedBefore.set(sha256, variants);
  }
  return { br: store.keep(variants.br), gzip: store.keep(variants.gzip) };
}
