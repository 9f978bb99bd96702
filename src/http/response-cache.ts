import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Answer } from './http-answer.ts';
import { createShares, type Shares } from './shares.ts';

/** Compresses the body of an answer. */
export type Compress = (body: Buffer) => Promise<Buffer>;

const gzipInThread = promisify(gzip);
const compressInThread: Compress = (body) => gzipInThread(body, { level: 1 });

/** Answers shorter than this, in bytes, are not compressed. */
const compressFromBytes = 1024;
/**
 * Bytes of bodies that may wait for compression. Beyond that, bodies are sent as they are: the threads of Node
 * compress about 140 MB in a second, so more would only wait and take memory.
 */
const compressingBytesMaximum = 12 * 1024 * 1024;
/**
 * Estimated memory of an entry beside its body and its key, in bytes: two objects, their functions and the
 * tables of the cache.
 */
const entryBytes = 1024;

/**
 * The response cache: answers that were given lately. An answer depends only on the snapshot and the request,
 * so all clients share it. The answer that was not asked for longest is dropped first.
 */
export interface ResponseCache {
  get(snapshotId: string | null, asked: string): Answer | undefined;
  /** Stores an answer, whose body is made once, and returns the stored answer. */
  keep(snapshotId: string, asked: string, answer: Answer): Answer;
  /** Estimated bytes held: bodies, compressed bodies, keys and `entryBytes` for each entry. */
  readonly size: () => number;
  /** How many answers were found, and how many were not found and had to be made. */
  readonly counts: { readonly hits: number; readonly misses: number };
}

/**
 * Makes a response cache that holds at most `maximumBytes`. An answer that takes more than an eighth of that
 * is not stored. Bodies that wait for compression are counted in `unsent`.
 */
export function createResponseCache(
  maximumBytes: number,
  compress: Compress = compressInThread,
  unsent: Shares = createShares(Infinity),
): ResponseCache {
  let compressingBytes = 0;
  const counts = { hits: 0, misses: 0 };
  const entries = new LRUCache<string, Answer>({
    maxSize: maximumBytes,
    maxEntrySize: Math.floor(maximumBytes / 8),
  });

  return {
    get(snapshotId, asked) {
      const found = entries.get(keyOf(snapshotId, asked));
      if (found) counts.hits++;
      return found;
    },
    keep(snapshotId, asked, answer) {
      counts.misses++;
      const key = keyOf(snapshotId, asked);
      const body = owned(answer.body());
      const size = body.length + 2 * key.length + entryBytes;
      const isLong = body.length >= compressFromBytes;
      let compressed: Promise<Buffer> | null = null;
      const whole: Answer = {
        ...answer,
        body: () => body,
        ...(isLong ? { gzip: () => (compressed ??= begin()) } : {}),
      };
      entries.set(key, whole, { size });
      return whole;

      function begin(): Promise<Buffer> | null {
        if (compressingBytes > 0 && compressingBytes + body.length > compressingBytesMaximum) return null;
        compressingBytes += body.length;
        const release = unsent.add(null, body.length);
        return compress(body)
          .finally(() => {
            compressingBytes -= body.length;
            release();
          })
          .then(resized);
      }

      function resized(zipped: Buffer): Buffer {
        const bytes = owned(zipped);
        // lru-cache keeps the old size when an entry is set again, so the entry is deleted first.
        if (entries.peek(key) === whole && entries.delete(key))
          entries.set(key, whole, { size: size + bytes.length });
        return bytes;
      }
    },
    size: () => entries.calculatedSize,
    counts,
  };
}

/** Makes a new string: a substring of the request's text would keep the whole text in memory. */
function keyOf(snapshotId: string | null, asked: string): string {
  return `${snapshotId ?? ''} ${asked}`;
}

/** Copies a small buffer, which Node cuts from a shared pool: it would keep the whole pool in memory. */
function owned(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
