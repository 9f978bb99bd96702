import type { Chunk } from './chunk.ts';

/** Chunks that were read lately, within a bound of bytes; the one not used for longest leaves first. */
export interface ChunkCache {
  get(key: string): Chunk | undefined;
  set(key: string, chunk: Chunk): void;
  /** Bytes held. */
  readonly size: () => number;
}

/** Makes an empty cache for at most `maximumBytes`. */
export function createChunkCache(maximumBytes: number): ChunkCache {
  const chunks = new Map<string, Chunk>();
  let held = 0;
  return {
    get(key) {
      const chunk = chunks.get(key);
      if (chunk) {
        // A Map keeps insertion order: putting a chunk back makes it the youngest.
        chunks.delete(key);
        chunks.set(key, chunk);
      }
      return chunk;
    },
    set(key, chunk) {
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
  };
}

function cost(chunk: Chunk): number {
  return chunk.bytes.length + chunk.ends.byteLength;
}
