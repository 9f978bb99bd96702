import { LRUCache } from 'lru-cache';
import type { NeededPart } from '../snapshot/store.ts';
import { Unavailable, sha256Of } from '../files/bytes.ts';
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

/** Reads parts that are fetched over the network. */
export interface WindowReader {
  /** See `PartReader`. */
  read(part: string, offset: number, length: number, sha256?: string): Promise<Buffer>;
  /** The names under which copies of parts are kept. */
  namesOf(parts: readonly NeededPart[]): string[];
  /**
   * Copies the files that are read in blocks and not copied yet. Reading a snapshot does not copy all that it
   * needs: blocks that equal those of another segment are found in memory, by their digest. Rejects if one
   * cannot be read.
   */
  copy(parts: readonly NeededPart[]): Promise<void>;
  /** Drops the windows in memory of unwanted parts. */
  release(isWanted: (part: string) => boolean): void;
}

const sharedByAll = () => {
  const all = new Map<string, Promise<Buffer>>();
  return () => all;
};

/** How often bytes with a wrong digest are fetched again. */
const freshMaximum = 2;

/**
 * Files of tables and of the log are read in blocks, all other parts whole. A whole file has its digest as its
 * name. Of a range of the log whose digest the reader does not know yet, it checks the block that it takes.
 */
const isReadInBlocks = (part: string, sha256: string | undefined) =>
  part.endsWith('.jsonl.gz') ||
  (part.startsWith('files/') && (sha256 === undefined || !part.endsWith(sha256)));

/**
 * Reads blocks through windows: aligned pieces of a file that stay in memory and, if `copies` is given, on
 * disk. Missing windows beside each other are fetched together, and requests that want the same window share
 * its fetch. Bytes are checked if their digest is known. Bytes with a wrong digest are dropped and fetched
 * again, `freshMaximum` times; then the read rejects with `Unavailable`. `underWay` returns the fetches, by
 * name, that the current request may share; by default all requests share all fetches.
 */
export function createWindowReader(
  fetch: FetchRange,
  { windowBytes, memoryBytes }: WindowBounds,
  copies: Copies | null,
  underWay: () => Map<string, Promise<Buffer>> = sharedByAll(),
): WindowReader {
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

  /** Drops the windows that hold a range of a part. */
  function forget(part: string, offset: number, length: number): void {
    for (let at = Math.floor(offset / windowBytes); at * windowBytes < offset + length; at++) {
      memory.delete(nameOf(part, at));
      copies?.remove(nameOf(part, at));
    }
  }

  async function readRange(part: string, offset: number, length: number, isFresh: boolean): Promise<Buffer> {
    const first = Math.floor(offset / windowBytes);
    const found = await windowsOf(part, first, Math.floor((offset + length - 1) / windowBytes), isFresh);
    const from = offset - first * windowBytes;
    const [only] = found;
    return (found.length === 1 ? (only as Buffer) : Buffer.concat(found)).subarray(from, from + length);
  }

  /** Reads again until the bytes have their digest. */
  async function readUntilRight(
    part: string,
    sha256: string | undefined,
    readOnce: (isFresh: boolean) => Promise<Buffer>,
    drop: () => void,
  ): Promise<Buffer> {
    for (let fresh = 0; ; fresh++) {
      const bytes = await readOnce(fresh > 0);
      if (sha256 === undefined || sha256Of(bytes) === sha256) return bytes;
      drop();
      if (fresh === freshMaximum)
        throw new Unavailable(`${part}: the host sends bytes that do not have the expected SHA-256`);
    }
  }

  /** Reads a part that is not divided into windows. Only bytes with the right digest are kept. */
  async function readWhole(part: string, length: number, sha256: string): Promise<Buffer> {
    const found = await copies?.get(sha256);
    if (found && sha256Of(found) === sha256) return found;
    const bytes = await readUntilRight(
      part,
      sha256,
      (isFresh) => fetch(part, 0, length, isFresh),
      () => {},
    );
    copies?.put(sha256, bytes);
    return bytes;
  }

  const readBlocks = (part: string, offset: number, length: number, sha256?: string) =>
    readUntilRight(
      part,
      sha256,
      (isFresh) => readRange(part, offset, length, isFresh),
      () => forget(part, offset, length),
    );

  const namesOf = ({ part, bytes, sha256 }: NeededPart) =>
    isReadInBlocks(part, sha256)
      ? Array.from({ length: Math.ceil(bytes / windowBytes) }, (_, at) => nameOf(part, at))
      : [sha256];

  async function copyFile(needed: NeededPart, to: Copies): Promise<void> {
    const names = namesOf(needed);
    const areThere = await Promise.all(names.map((name) => to.has(name)));
    if (areThere.every(Boolean)) return;
    const whole = await readBlocks(needed.part, 0, needed.bytes, needed.sha256);
    for (const [at, name] of names.entries())
      to.put(name, Buffer.from(whole.subarray(at * windowBytes, (at + 1) * windowBytes)));
  }

  return {
    async read(part, offset, length, sha256) {
      if (length === 0) return Buffer.alloc(0);
      if (isReadInBlocks(part, sha256)) return readBlocks(part, offset, length, sha256);
      return sha256 === undefined
        ? fetch(part, offset, length, false)
        : shared(sha256, () => readWhole(part, length, sha256));
    },
    namesOf: (parts) => parts.flatMap(namesOf),
    async copy(parts) {
      for (const each of parts)
        if (copies && isReadInBlocks(each.part, each.sha256)) await copyFile(each, copies);
    },
    release(isWanted) {
      const unwanted = Array.from(memory.keys()).filter(
        (name) => !isWanted(name.slice(0, name.lastIndexOf(' '))),
      );
      for (const name of unwanted) memory.delete(name);
    },
  };
}
