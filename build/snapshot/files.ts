import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { paths, type FileReference, type PublicRoute, type Routes } from '../../src/contract/snapshot.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { replaceFile, syncDirectory } from '../disk/files.ts';
import type { PublicFile } from '../content/public-file.ts';

/** A file smaller than this gains nothing from being compressed. */
const compressFromBytes = 512;
/**
 * Measured over all public files: the greatest makes them 14 % smaller and takes twenty times as long, most
 * of a build.
 */
const brotliQuality = 7;
/** What is compressed already stays as it is. */
const compressedTypes = /^(image\/(?!svg)|font\/|application\/(zip|gzip))/;
/** Files that are written at once: each waits for the disk, and the disk takes several in one go. */
const writtenAtOnce = 16;

/** Small files that are kept under their SHA-256. */
export interface FileStore {
  /** Keeps a file and returns how it is named. What the current snapshot has is not written again. */
  keep(bytes: Buffer): FileReference;
  /** Whether a file is there, as it was when it was kept. */
  has(reference: FileReference): Promise<boolean>;
  /** Its bytes, as they were when it was kept; null if they are not there. */
  read(reference: FileReference): Promise<Buffer | null>;
  /** Whether it is there with the length that it had. */
  isThere(reference: FileReference): Promise<boolean>;
  /** Writes what was given to `keep`, synced. Returns the bytes that were written. */
  write(): Promise<number>;
}

/**
 * Opens the small files of a directory of snapshots. `current` are those of the current snapshot by SHA-256:
 * they stay as they are, unless they have rotted. What else is found there is written again: a killed build
 * may have left it without waiting for the disk, and another process may be about to remove it, since no
 * snapshot names it.
 */
export function openFileStore(directory: string, current: ReadonlySet<string>): FileStore {
  const waiting = new Map<string, Buffer>();
  const pathOf = (sha256: string) => join(directory, paths.file(sha256));

  async function read({ sha256, bytes }: FileReference): Promise<Buffer | null> {
    const found = await readFile(pathOf(sha256)).catch(() => null);
    return found !== null && found.length === bytes && sha256Of(found) === sha256 ? found : null;
  }

  const has = async (reference: FileReference) => (await read(reference)) !== null;

  /** Writes a file in one step: whoever finds the name finds all of it. */
  async function writeOne(sha256: string, bytes: Buffer): Promise<number> {
    if (current.has(sha256) && (await has({ sha256, bytes: bytes.length }))) return 0;
    await mkdir(dirname(pathOf(sha256)), { recursive: true });
    await replaceFile(pathOf(sha256), bytes);
    return bytes.length;
  }

  return {
    has,
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
      let [next, written] = [0, 0];
      const folders = new Set<string>();
      const work = async () => {
        for (let file = files[next++]; file; file = files[next++]) {
          const bytes = await writeOne(...file);
          if (bytes > 0) folders.add(dirname(pathOf(file[0])));
          written += bytes;
        }
      };
      // Where one fails, the others are waited for: nothing goes on in the directory behind the back of who
      // hears of it.
      const ended = await Promise.allSettled(
        Array.from({ length: Math.min(writtenAtOnce, files.length) }, work),
      );
      for (const each of ended) if (each.status === 'rejected') throw each.reason;
      for (const folder of folders) await syncDirectory(folder);
      if (folders.size > 0) await syncDirectory(join(directory, 'files'));
      return written;
    },
  };
}

/** Encoded variants by the SHA-256 of what they were made of: those of the snapshot before. */
export type KnownVariants = ReadonlyMap<string, Pick<PublicRoute, 'br' | 'gzip'>>;

/** The encoded variants that routes name. */
export function variantsOf(routes: Routes): KnownVariants {
  return new Map(Object.values(routes).map(({ file, br, gzip }) => [file.sha256, { br, gzip }]));
}

/**
 * Keeps a public file with its encoded variants, so that nothing is compressed while a client waits. A file
 * that the snapshot before had is not compressed again.
 */
export async function keepPublicFile(
  store: FileStore,
  { contentType, bytes, headers }: PublicFile,
  known: KnownVariants,
): Promise<PublicRoute> {
  const file = store.keep(bytes);
  const isCompressed = bytes.length >= compressFromBytes && !compressedTypes.test(contentType);
  const variants = isCompressed
    ? ((await reusable(store, known.get(file.sha256))) ?? compressed(store, bytes, file.sha256))
    : { br: null, gzip: null };
  return { contentType, file, ...variants, ...(headers ? { headers: { ...headers } } : {}) };
}

async function reusable(
  store: FileStore,
  variants: Pick<PublicRoute, 'br' | 'gzip'> | undefined,
): Promise<Pick<PublicRoute, 'br' | 'gzip'> | null> {
  if (!variants?.br || !variants.gzip) return null;
  return (await store.has(variants.br)) && (await store.has(variants.gzip)) ? variants : null;
}

interface Variants {
  readonly br: Buffer;
  readonly gzip: Buffer;
}

/**
 * Most public files are the same in the next snapshot: a process that builds several compresses them once.
 */
const made = new LRUCache<string, Variants>({ max: 2000 });

function compressed(store: FileStore, bytes: Buffer, sha256: string): Pick<PublicRoute, 'br' | 'gzip'> {
  let variants = made.get(sha256);
  if (!variants) {
    variants = {
      br: brotliCompressSync(bytes, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        },
      }),
      gzip: gzipSync(bytes, { level: 9 }),
    };
    made.set(sha256, variants);
  }
  return { br: store.keep(variants.br), gzip: store.keep(variants.gzip) };
}
