import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Answer } from './answer.ts';

/** Compresses a body. */
export type Compress = (body: Buffer) => Promise<Buffer>;

const gzipInThread = promisify(gzip);
const compressElsewhere: Compress = (body) => gzipInThread(body, { level: 1 });

/** Answers shorter than this are sent as they are. */
const compressFromBytes = 1024;
/**
 * What an entry takes beside its bytes and its key: two objects, their functions and the tables of the cache.
 */
const entryBytes = 1024;

/**
 * The response cache: answers that were given lately. They follow from the snapshot and from what was asked
 * alone, so many clients share one. Those that were not asked for longest are let go first.
 */
export interface ResponseCache {
  get(snapshotId: string | null, asked: string): Answer | undefined;
  /** Keeps an answer, its bytes made once, and returns it as it will be found. */
  keep(snapshotId: string, asked: string, answer: Answer): Answer;
  /** Bytes held: bodies, compressed bodies, keys and what surrounds them. */
  readonly size: () => number;
  /** How many answers were found, and how many were made because they were not. */
  readonly counts: { readonly hits: number; readonly misses: number };
}

/**
 * Makes a response cache that holds at most `maximumBytes`. An answer that takes more than an eighth of that
 * is not kept.
 */
export function createResponseCache(
  maximumBytes: number,
  compress: Compress = compressElsewhere,
): ResponseCache {
  const counts = { hits: 0, misses: 0 };
  const kept = new LRUCache<string, Answer>({
    maxSize: maximumBytes,
    maxEntrySize: Math.floor(maximumBytes / 8),
  });

  return {
    get(snapshotId, asked) {
      const found = kept.get(keyOf(snapshotId, asked));
      if (found) counts.hits++;
      return found;
    },
    keep(snapshotId, asked, answer) {
      counts.misses++;
      const key = keyOf(snapshotId, asked);
      const body = owned(answer.body());
      const size = body.length + 2 * key.length + entryBytes;
      const isLong = body.length >= compressFromBytes;
      let compressed: Promise<Buffer> | undefined;
      const whole: Answer = {
        ...answer,
        body: () => body,
        ...(isLong ? { gzip: () => (compressed ??= compress(body).then(resized)) } : {}),
      };
      kept.set(key, whole, { size });
      return whole;

      function resized(zipped: Buffer): Buffer {
        const bytes = owned(zipped);
        // The package counts anew only what it does not have already.
        if (kept.peek(key) === whole && kept.delete(key)) kept.set(key, whole, { size: size + bytes.length });
        return bytes;
      }
    },
    size: () => kept.calculatedSize,
    counts,
  };
}

/** A string of its own: a part of a request's text would keep the whole text in memory. */
function keyOf(snapshotId: string | null, asked: string): string {
  return `${snapshotId ?? ''} ${asked}`;
}

/** A buffer that owns its bytes: a small one is a part of a larger piece of memory, which it would keep. */
function owned(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
