import { LRUCache } from 'lru-cache';
import type { Block } from './block.ts';

/** A cache of blocks, bounded in bytes. The block that was not used for longest is dropped first. */
export interface BlockCache {
  get(key: string): Block | undefined;
  has(key: string): boolean;
  /** Stores a block that took `storedBytes` where it was read. */
  set(key: string, block: Block, storedBytes?: number): void;
  /** Bytes held. */
  readonly size: () => number;
  /**
   * How many blocks were found, how many were not found and had to be read, and the stored bytes of those.
   */
  readonly counts: { readonly hits: number; readonly reads: number; readonly readBytes: number };
}

/**
 * Makes an empty cache for at most `maximumBytes`. A block that is larger counts as that many, so it is held
 * alone.
 */
export function createBlockCache(maximumBytes: number): BlockCache {
  const maxSize = Math.max(1, maximumBytes);
  const blocks = new LRUCache<string, Block>({
    maxSize,
    sizeCalculation: ({ bytes, ends }) => Math.min(maxSize, bytes.length + ends.byteLength),
  });
  const counts = { hits: 0, reads: 0, readBytes: 0 };
  return {
    has: (key) => blocks.has(key),
    get(key) {
      const block = blocks.get(key);
      if (block) counts.hits++;
      return block;
    },
    set(key, block, storedBytes = 0) {
      counts.reads++;
      counts.readBytes += storedBytes;
      blocks.set(key, block);
    },
    size: () => blocks.calculatedSize,
    counts,
  };
}
