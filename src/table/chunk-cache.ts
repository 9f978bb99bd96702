import { LRUCache } from 'lru-cache';
import type { Chunk } from './chunk.ts';

/** A cache of chunks, bounded in bytes. The chunk that was not used for longest is dropped first. */
export interface ChunkCache {
  get(key: string): Chunk | undefined;
  /** Stores a chunk that was read from a block of `storedBytes`. */
  set(key: string, chunk: Chunk, storedBytes?: number): void;
  /** Bytes held. */
  readonly size: () => number;
  /**
   * How many chunks were found, how many were not found and had to be read, and the stored bytes of their
   * blocks.
   */
  readonly counts: { readonly hits: number; readonly reads: number; readonly readBytes: number };
}

/**
 * Makes an empty cache for at most `maximumBytes`. A chunk that is larger counts as that many, so it is held
 * alone.
 */
export function createChunkCache(maximumBytes: number): ChunkCache {
  const maxSize = Math.max(1, maximumBytes);
  const chunks = new LRUCache<string, Chunk>({
    maxSize,
    sizeCalculation: ({ bytes, ends }) => Math.min(maxSize, bytes.length + ends.byteLength),
  });
  const counts = { hits: 0, reads: 0, readBytes: 0 };
  return {
    get(key) {
      const chunk = chunks.get(key);
      if (chunk) counts.hits++;
      return chunk;
    },
    set(key, chunk, storedBytes = 0) {
      counts.reads++;
      counts.readBytes += storedBytes;
      chunks.set(key, chunk);
    },
    size: () => chunks.calculatedSize,
    counts,
  };
}
