import { readFile } from 'node:fs/promises';
import { watchFile } from '../files/local.ts';
import { createKeyUsage, usagePathOf } from './usage.ts';
import { parseKeysFile, type FiledKeys, type KeysFile } from './ring.ts';

/** Reads a keys file; null if there is none. Throws an `Error` that names the file. */
export async function readKeysFile(path: string): Promise<KeysFile | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new Error(`${path}: ${error.message}`);
  });
  return text === null ? null : parseKeysFile(path, text);
}

/** The keys file at a path, for a key ring, with the file of its usage beside it. */
export function keysFileAt(
  path: string,
  log: (event: string, details: Record<string, unknown>) => void,
): FiledKeys {
  return { path, watch: (take) => watchFile(path, take), usage: createKeyUsage(usagePathOf(path), log) };
}
