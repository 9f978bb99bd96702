import { timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { sha256, timestamp } from '../domain/scalars.ts';
import { digestOf, keyCharactersMaximum } from './digest.ts';
import { ContentError, type FileProblem } from '../files/watch.ts';
import type { LogLevel } from '../log/levels.ts';
import { callerLimits, createKeyLimit, type CallerLimits, type KeyLimit } from './limit.ts';

/** The greatest limit of a key: more requests a minute than a client can make. */
export const perMinuteMaximum = 1_000_000;

/** One API key in the keys file, which never holds the key itself. */
export const KeyEntry = z.object({
  id: z
    .string()
    .regex(/^[0-9a-f]{8}$/)
    .describe('The beginning of the digest: how a person names the key.'),
  label: z.string().min(1).max(80),
  sha256,
  createdAt: timestamp,
  expiresAt: timestamp.nullable(),
  perMinute: z
    .int()
    .min(1)
    .max(perMinuteMaximum)
    .optional()
    .describe('How many requests it may make in any minute; without it, as many as it likes.'),
});
export type KeyEntry = z.infer<typeof KeyEntry>;

/** The keys file. */
export const KeysFile = z.object({ format: z.literal(1), keys: z.array(KeyEntry).max(100_000) });
export type KeysFile = z.infer<typeof KeysFile>;

/** A keys file, on a disk or in a bucket. */
export interface FiledKeys {
  /** The name of the file in messages. */
  readonly path: string;
  /** Watches the file: `take` gets its text, or null if there is no file. See `watchChanges`. */
  watch(take: (text: string | null) => void): () => Promise<FileProblem | null>;
}

/** Parses a keys file. Throws a `ContentError` that names the file and the first thing that is wrong. */
export function parseKeysFile(path: string, text: string): KeysFile {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // The parser's message would quote the text, in which somebody may have put a key.
    throw new ContentError(`${path}: must be JSON, as "npm run keys" writes it`);
  }
  const result = KeysFile.safeParse(content);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new ContentError(`${path}: ${issue?.path.join('.') || 'the file'}: ${issue?.message}`);
}

/**
 * The keys that open the service now, and their limits by the id from `find`. `nowMs` is in milliseconds since 1970.
 */
export interface KeyRing extends CallerLimits {
  /** The id of a key's entry; null if the key is unknown or has expired at `nowMs`. */
  find(key: string, nowMs: number): string | null;
  /**
   * Reads the keys file if it changed. Resolves to the reason why it cannot be read or parsed, in one line
   * that names the file; null if all is well. After a failure the keys of the last good file stay in force,
   * and the next call tries again.
   */
  refresh(): Promise<string | null>;
  /** Admits one more key, until the process ends. */
  admit(key: string): void;
  readonly size: () => number;
}

interface KnownKey {
  readonly id: string;
  /** The hexadecimal digest as bytes: Node makes the text of a digest in half the time of its bytes. */
  readonly digest: Buffer;
  readonly expiresAtMs: number;
}

const digestCharacters = 64;
const prefixCharacters = 12;

/**
 * Makes a key ring of keys given as text and keys of a file. A key is looked up by the first characters of
 * its digest, which say nothing about the key. Then the whole digest is compared in constant time.
 */
export function createKeyRing(
  given: readonly string[],
  file: FiledKeys | null,
  log: (event: string, details: Record<string, unknown>, level?: LogLevel) => void,
): KeyRing {
  const fixed = given.map(fixedKey);
  const noKey = toKnown('0'.repeat(digestCharacters), new Date(0).toISOString());
  const presented = Buffer.alloc(digestCharacters);
  let filed: readonly KnownKey[] = [];
  let known = byPrefix(fixed);
  /** Keys with a limit. The counts of their last minute are kept when the file is read again. */
  let limited: ReadonlyMap<string, KeyLimit> = new Map();

  function take(entries: readonly KeyEntry[]): void {
    filed = entries.map(filedKey);
    known = byPrefix([...fixed, ...filed]);
    limited = new Map(
      entries.flatMap(({ id, perMinute }) =>
        perMinute === undefined ? [] : [[id, createKeyLimit(perMinute, limited.get(id))] as const],
      ),
    );
    log('keys', { keys: known.size });
  }

  const look = file?.watch((text) => take(text === null ? [] : parseKeysFile(file.path, text).keys)) ?? null;

  return {
    async refresh() {
      const problem = (await look?.()) ?? null;
      // It is counted each time, so that an alert lasts as long as the reason.
      if (problem !== null)
        log('keys_refused', { reason: problem.reason }, problem.isNew ? undefined : 'debug');
      return problem?.reason ?? null;
    },
    ...callerLimits((id) => limited.get(id)),
    admit(key) {
      fixed.push(fixedKey(key));
      known = byPrefix([...fixed, ...filed]);
    },
    size: () => known.size,
    find(key, nowMs) {
      if (key.length === 0 || key.length > keyCharactersMaximum) return null;
      const digest = digestOf(key);
      presented.write(digest, 'latin1');
      const entry = known.get(digest.slice(0, prefixCharacters)) ?? noKey;
      if (!timingSafeEqual(entry.digest, presented) || nowMs >= entry.expiresAtMs) return null;
      return entry.id;
    },
  };
}

function fixedKey(key: string): KnownKey {
  return toKnown(digestOf(key), null);
}

function filedKey({ sha256, expiresAt }: KeyEntry): KnownKey {
  return toKnown(sha256, expiresAt);
}

function toKnown(digest: string, expiresAt: string | null): KnownKey {
  return {
    id: digest.slice(0, 8),
    digest: Buffer.from(digest, 'latin1'),
    expiresAtMs: expiresAt === null ? Infinity : Date.parse(expiresAt),
  };
}

function byPrefix(keys: readonly KnownKey[]): Map<string, KnownKey> {
  return new Map(keys.map((key) => [key.digest.toString('latin1', 0, prefixCharacters), key]));
}
