import { hash, timingSafeEqual } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { sha256, timestamp } from './contract/shapes.ts';

/** One API key as the keys file holds it: never the key itself. */
export const KeyEntry = z.object({
  id: z.string().regex(/^[0-9a-f]{8}$/).describe('The beginning of the digest: how a person names the key.'),
  label: z.string().min(1).max(80),
  sha256,
  createdAt: timestamp,
  expiresAt: timestamp.nullable(),
});
/** See the schema of the same name. */
export type KeyEntry = z.infer<typeof KeyEntry>;

/** The keys file. */
export const KeysFile = z.object({ format: z.literal(1), keys: z.array(KeyEntry).max(100_000) });
/** See the schema of the same name. */
export type KeysFile = z.infer<typeof KeysFile>;

/** A key is at most this long; anything longer is refused before it is hashed. */
export const keyCharactersMaximum = 256;

/** Reads a keys file; null if there is none. Throws an `Error` that names the file. */
export async function readKeysFile(path: string): Promise<KeysFile | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  try {
    return KeysFile.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`);
  }
}

/** SHA-256 of a key, in lower-case hexadecimal. */
export function digestOf(key: string): string {
  return hash('sha256', key, 'hex');
}

/** The keys that open the service now. */
export interface KeyRing {
  /** The id of the key's entry, or null if it opens nothing at `nowMs`. */
  find(key: string, nowMs: number): string | null;
  /** Reads the keys file again if it changed. A file that cannot be understood leaves the last good keys in force. */
  refresh(): Promise<void>;
  readonly size: () => number;
}

interface KnownKey {
  readonly id: string;
  /** The digest as text in bytes: Node gives out the text of a digest in half the time of its bytes. */
  readonly digest: Buffer;
  readonly expiresAtMs: number;
}

const digestCharacters = 64;
const prefixCharacters = 12;

/**
 * Keys given as text and keys of a file. A key is looked up by the beginning of its digest, which tells nothing about
 * the key, and then compared as a whole digest in constant time.
 */
export function createKeyRing(given: readonly string[], path: string | null, log: (event: string, details: Record<string, unknown>) => void): KeyRing {
  const fixed = given.map((key) => toKnown(digestOf(key), null));
  const nobody = toKnown('0'.repeat(digestCharacters), new Date(0).toISOString());
  const presented = Buffer.alloc(digestCharacters);
  let known = byPrefix(fixed);
  let seen = '';

  async function refresh(): Promise<void> {
    if (path === null) return;
    const state = await stat(path).then((found) => `${found.mtimeMs} ${found.size} ${found.ino}`, () => 'none');
    if (state === seen) return;
    seen = state;
    try {
      const file = await readKeysFile(path);
      known = byPrefix([...fixed, ...(file?.keys ?? []).map((entry) => toKnown(entry.sha256, entry.expiresAt))]);
      log('keys', { keys: known.size });
    } catch (error) {
      log('keys_refused', { reason: (error as Error).message });
    }
  }

  return {
    refresh,
    size: () => known.size,
    find(key, nowMs) {
      if (key.length === 0 || key.length > keyCharactersMaximum) return null;
      const digest = digestOf(key);
      presented.write(digest, 'latin1');
      const entry = known.get(digest.slice(0, prefixCharacters)) ?? nobody;
      return timingSafeEqual(entry.digest, presented) && nowMs < entry.expiresAtMs ? entry.id : null;
    },
  };
}

function toKnown(digest: string, expiresAt: string | null): KnownKey {
  return { id: digest.slice(0, 8), digest: Buffer.from(digest, 'latin1'), expiresAtMs: expiresAt === null ? Infinity : Date.parse(expiresAt) };
}

function byPrefix(keys: readonly KnownKey[]): Map<string, KnownKey> {
  return new Map(keys.map((key) => [key.digest.toString('latin1', 0, prefixCharacters), key]));
}
