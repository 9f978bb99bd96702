import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { paths, type FileEntry, type PublicRoute } from '../../src/contract/snapshot.ts';
import { sha256Of } from '../../src/table/file.ts';
import { writeSynced } from '../files.ts';
import type { PublicFile } from '../public/file.ts';

/** A file smaller than this gains nothing from being compressed. */
const compressFromBytes = 512;
/** Measured over all public files: the greatest makes them 14 % smaller and takes twenty times as long, most of a build. */
const brotliQuality = 7;
/** What is compressed already stays as it is. */
const compressedTypes = /^(image\/(?!svg)|font\/|application\/(zip|gzip))/;
/** Files that are written at once: each waits for the disk, and the disk takes several in one go. */
const writtenAtOnce = 16;

/** A small file of a snapshot, before it is written. */
export interface SmallFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** Writes small files of a snapshot, synced. Returns their entries in the manifest, in the same order. */
export async function writeFiles(directory: string, files: readonly SmallFile[]): Promise<FileEntry[]> {
  for (const folder of new Set(files.map(({ path }) => dirname(join(directory, path))))) await mkdir(folder, { recursive: true });
  let next = 0;
  const work = async () => {
    for (let file = files[next++]; file; file = files[next++]) await writeSynced(join(directory, file.path), file.bytes);
  };
  await Promise.all(Array.from({ length: Math.min(writtenAtOnce, files.length) }, work));
  return files.map(({ path, bytes }) => ({ path, bytes: bytes.length, sha256: sha256Of(bytes), rows: null }));
}

/** A public file as it is served, and with its compressed twins, so that nothing is compressed while a client waits. */
export function withTwins({ path, contentType, bytes, headers }: PublicFile): { route: PublicRoute; files: SmallFile[] } {
  const file = paths.public(path, contentType.startsWith('text/html'));
  const route: PublicRoute = { contentType, file, br: null, gzip: null, ...(headers ? { headers: { ...headers } } : {}) };
  const files = [{ path: file, bytes }];
  if (bytes.length >= compressFromBytes && !compressedTypes.test(contentType)) {
    const { br, gzip } = compressed(bytes);
    route.br = `${file}.br`;
    route.gzip = `${file}.gz`;
    files.push({ path: route.br, bytes: br }, { path: route.gzip, bytes: gzip });
  }
  return { route, files };
}

interface Twins {
  readonly br: Buffer;
  readonly gzip: Buffer;
}

/** Most public files are the same in the next snapshot: a process that builds several compresses them once. */
const known = new Map<string, Twins>();
const knownMaximum = 2000;

function compressed(bytes: Buffer): Twins {
  const digest = sha256Of(bytes);
  const found = known.get(digest);
  if (found) return found;
  const twins = {
    br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
    gzip: gzipSync(bytes, { level: 9 }),
  };
  if (known.size >= knownMaximum) known.clear();
  known.set(digest, twins);
  return twins;
}
