import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { paths, type FileEntry, type PublicRoute } from '../../src/contract/snapshot.ts';
import type { PublicFile } from '../public/file.ts';
import { createHashedFile } from './table-writer.ts';

/** A file smaller than this gains nothing from being compressed. */
const compressFromBytes = 512;
/** The next one up makes pages 3 % smaller and takes four times as long. */
const brotliQuality = 10;
/** What is compressed already stays as it is. */
const compressedTypes = /^(image\/(?!svg)|font\/|application\/(zip|gzip))/;

/** Writes a small file of a snapshot, synced. Returns its entry in the manifest. */
export function writeFile(directory: string, path: string, bytes: Buffer): FileEntry {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  const file = createHashedFile(join(directory, path));
  file.write(bytes);
  return file.finish(path, null);
}

/** Writes a public file with its compressed twins, so that nothing is compressed while a client waits. Adds their entries. */
export function writePublic(directory: string, { path, contentType, bytes, headers }: PublicFile, files: FileEntry[]): PublicRoute {
  const file = paths.public(path, contentType.startsWith('text/html'));
  const route: PublicRoute = { contentType, file, br: null, gzip: null, ...(headers ? { headers: { ...headers } } : {}) };
  files.push(writeFile(directory, file, bytes));
  if (bytes.length >= compressFromBytes && !compressedTypes.test(contentType)) {
    route.br = `${file}.br`;
    route.gzip = `${file}.gz`;
    files.push(writeFile(directory, route.br, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } })));
    files.push(writeFile(directory, route.gzip, gzipSync(bytes, { level: 9 })));
  }
  return route;
}
