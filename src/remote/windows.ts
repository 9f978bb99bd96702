import type { NeededPart } from '../snapshot/store.ts';
import { Unavailable, sha256Of } from '../files/bytes.ts';
import type { Copies } from './copies.ts';
import { createWindowCache, type FetchRange, type WindowBounds } from './window-cache.ts';

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
  bounds: WindowBounds,
  copies: Copies | null,
  underWay: () => Map<string, Promise<Buffer>> = sharedByAll(),
): WindowReader {
  const { windowBytes } = bounds;
  const windows = createWindowCache(fetch, bounds, copies, underWay);

  async function readRange(part: string, offset: number, length: number, isFresh: boolean): Promise<Buffer> {
    const first = Math.floor(offset / windowBytes);
    const found = await windows.windowsOf(
      part,
      first,
      Math.floor((offset + length - 1) / windowBytes),
      isFresh,
    );
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
      () => windows.forget(part, offset, length),
    );

  const namesOf = ({ part, bytes, sha256 }: NeededPart) =>
    isReadInBlocks(part, sha256)
      ? Array.from({ length: Math.ceil(bytes / windowBytes) }, (_, at) => windows.nameOf(part, at))
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
        : windows.shared(sha256, () => readWhole(part, length, sha256));
    },
    namesOf: (parts) => parts.flatMap(namesOf),
    async copy(parts) {
      for (const each of parts)
        if (copies && isReadInBlocks(each.part, each.sha256)) await copyFile(each, copies);
    },
    release: windows.release,
  };
}
