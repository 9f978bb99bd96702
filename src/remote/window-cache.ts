import { LRUCache } from 'lru-cache';
import type { Copies } from './copies.ts';

/**
 * Fetches bytes of a part; fewer if the part is shorter. `isFresh`: the last bytes were wrong, so caches on
 * the way must not send them again.
 */
export type FetchRange = (part: string, from: number, length: number, isFresh: boolean) => Promise<Buffer>;

/** Bounds of a window cache. */
export interface WindowBounds {
  /**
   * Tables are fetched in pieces of this length, in bytes. A stored block has a tenth of it, and the blocks
   * beside it are often wanted next.
   */
  readonly windowBytes: number;
  /** Bytes of windows that stay in memory, as they are stored. */
  readonly memoryBytes: number;
}

/** The default bounds. */
export const usualWindows: WindowBounds = { windowBytes: 64 * 1024, memoryBytes: 8 * 1024 * 1024 };

/** The windows of files that were fetched: aligned pieces, in memory and, if there are copies, on disk. */
export interface WindowCache {
  /** Shares one piece of work among all requests that want the same. */
  shared(name: string, work: () => Promise<Buffer>): Promise<Buffer>;
  /** The name of a window of a part. */
  readonly nameOf: (part: string, at: number) => string;
  /**
   * The windows of a part from `first` to `last`. Windows that are not cached are fetched together if they
   * are beside each other.
   */
  windowsOf(part: string, first: number, last: number, isFresh: boolean): Promise<Buffer[]>;
  /** Drops the windows that hold a range of a part. */
  forget(part: string, offset: number, length: number): void;
  /** Drops the windows in memory of unwanted parts. */
  release(isWanted: (part: string) => boolean): void;
}

/** Makes a cache of windows. `underWay` returns the fetches, by name, that the current request may share. */
export function createWindowCache(
  fetch: FetchRange,
  { windowBytes, memoryBytes }: WindowBounds,
  copies: Copies | null,
  underWay: () => Map<string, Promise<Buffer>>,
): WindowCache {
  const memory = new LRUCache<string, Buffer>({
    maxSize: memoryBytes,
    sizeCalculation: (bytes) => bytes.length + 1,
  });

  /** Shares one piece of work among all requests that want the same. */
  function shared(name: string, work: () => Promise<Buffer>): Promise<Buffer> {
    const pieces = underWay();
    const pending = pieces.get(name) ?? work().finally(() => pieces.delete(name));
    pieces.set(name, pending);
    return pending;
  }

  const nameOf = (part: string, at: number) => `${part} ${at}`;

  function keep(name: string, bytes: Buffer): Buffer {
    memory.set(name, bytes);
    copies?.put(name, bytes);
    return bytes;
  }

  /** A window from memory or from the copies; null if it has to be fetched. */
  async function cached(name: string): Promise<Buffer | null> {
    const found = memory.get(name) ?? (await copies?.get(name)) ?? null;
    if (found) memory.set(name, found);
    return found;
  }

  /**
   * The windows from `first` to `last`. Windows that are not cached are fetched together if they are beside
   * each other.
   */
  async function windowsOf(part: string, first: number, last: number, isFresh: boolean): Promise<Buffer[]> {
    const numbers = Array.from({ length: last - first + 1 }, (_, at) => first + at);
    const pieces = underWay();
    const near = await Promise.all(
      numbers.map((at) => pieces.get(nameOf(part, at)) ?? cached(nameOf(part, at))),
    );
    const wanted: (Promise<Buffer> | Buffer)[] = [];
    for (let at = 0; at < near.length; at++) {
      const found = near[at] ?? memory.get(nameOf(part, first + at)) ?? pieces.get(nameOf(part, first + at));
      if (found) {
        wanted.push(found);
        continue;
      }
      const start = at;
      let end = at + 1;
      while (end < near.length && !near[end] && !pieces.has(nameOf(part, first + end))) end++;
      const run = fetch(part, (first + start) * windowBytes, (end - start) * windowBytes, isFresh);
      for (let each = start; each < end; each++) {
        const name = nameOf(part, first + each);
        wanted.push(
          shared(name, () =>
            run.then((bytes) =>
              keep(
                name,
                Buffer.from(bytes.subarray((each - start) * windowBytes, (each - start + 1) * windowBytes)),
              ),
            ),
          ),
        );
      }
      at = end - 1;
    }
    return Promise.all(wanted);
  }

  return {
    shared,
    nameOf,
    windowsOf,
    forget(part, offset, length) {
      for (let at = Math.floor(offset / windowBytes); at * windowBytes < offset + length; at++) {
        memory.delete(nameOf(part, at));
        copies?.remove(nameOf(part, at));
      }
    },
    release(isWanted) {
      const unwanted = Array.from(memory.keys()).filter(
        (name) => !isWanted(name.slice(0, name.lastIndexOf(' '))),
      );
      for (const name of unwanted) memory.delete(name);
    },
  };
}
