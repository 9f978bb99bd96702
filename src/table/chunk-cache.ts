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

/** Makes an empty cache for at most `maximumBytes`. */
export function createChunkCache(maximumBytes: number): ChunkCache {
  const chunks = new Map<string, Chunk>();
  const counts = { hits: 0, reads: 0, readBytes: 0 };
  let held = 0;
  return {
    get(key) {
      const chunk = chunks.get(key);
      if (chunk) {
        counts.hits++;
        // A Map keeps insertion order: deleting a chunk and setting it again makes it the youngest.
        chunks.delete(key);
        chunks.set(key, chunk);
      }
      return chunk;
    },
    set(key, chunk, storedBytes = 0) {
      counts.reads++;
      counts.readBytes += storedBytes;
      held += cost(chunk) - (chunks.has(key) ? cost(chunks.get(key) as Chunk) : 0);
      chunks.delete(key);
      chunks.set(key, chunk);
      for (const [oldest, old] of chunks) {
        if (held <= maximumBytes || oldest === key) break;
        chunks.delete(oldest);
        held -= cost(old);
      }
    },
    size: () => held,
    counts,
  };
}

function cost(chunk: Chunk): number {
  return chunk.bytes.length + chunk.ends.byteLength;
}
