import { readFile } from 'node:fs/promises';
import { watchFile } from '../files/local.ts';
import { parseKeysFile, type FiledKeys, type KeysFile } from './ring.ts';

/** Reads a keys file; null if there is none. Throws an `Error` that names the file. */
export async function readKeysFile(path: string): Promise<KeysFile | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new Error(`${path}: ${error.message}`);
  });
  return text === null ? null : parseKeysFile(path, text);
}

/** The keys file at a path, for a key ring. */
export function keysFileAt(path: string): FiledKeys {
  return { path, watch: (take) => watchFile(path, take) };
}
