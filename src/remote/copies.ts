import { openDiskCache } from '../fetch/disk-cache.ts';

/** Most memory for copies that wait to be written, in bytes; further copies are not kept. */
const waitingBytesMaximum = 16 * 1024 * 1024;

/**
 * Keeps copies of bytes by name. `get` returns the bytes that were put, or nothing. Nothing here rejects: the
 * caller can fetch the bytes again.
 */
export interface Copies {
  get(name: string): Promise<Buffer | null>;
  /** Keeps bytes, if there is room. They are written later. */
  put(name: string, bytes: Buffer): void;
  /** Whether bytes with this name are there. */
  has(name: string): Promise<boolean>;
  remove(name: string): void;
  /** Keeps these names from being removed for lack of room; replaces the names of the last call. */
  pin(names: readonly string[]): void;
  /** Waits until everything is written. */
  close(): Promise<void>;
}

/**
 * Keeps copies in a disk cache of about `maximumBytes` in all. They are written one after the other, while
 * nobody waits. An error of the disk is logged once, as `cache_unwritable`. `now` is in milliseconds since 1970.
 */
export function openCopies(
  directory: string,
  maximumBytes: number,
  log: (event: string, details: Record<string, unknown>) => void,
  now: () => number,
): Copies {
  const cache = openDiskCache(directory, { maximumBytes, now });
  /** Changes that are not done yet, by name: bytes to be written, or null for a copy to be removed. */
  const waiting = new Map<string, Buffer | null>();
  let waitingBytes = 0;
  let working: Promise<void> = Promise.resolve();
  let lastReason = '';

  function schedule(name: string, bytes: Buffer | null): void {
    waitingBytes += (bytes?.length ?? 0) - (waiting.get(name)?.length ?? 0);
    const isNew = !waiting.has(name);
    waiting.set(name, bytes);
    if (isNew) working = working.then(() => carryOut(name));
  }

  async function carryOut(name: string): Promise<void> {
    const bytes = waiting.get(name) ?? null;
    try {
      await (bytes === null ? cache.remove(name) : cache.write(name, bytes));
      lastReason = '';
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
      if (reason !== lastReason) log('cache_unwritable', { directory, reason: (error as Error).message });
      lastReason = reason;
    }
    // A later call may have asked for another change of this copy meanwhile.
    if ((waiting.get(name) ?? null) !== bytes) return carryOut(name);
    waitingBytes -= bytes?.length ?? 0;
    waiting.delete(name);
  }

  return {
    async get(name) {
      const pending = waiting.get(name);
      return pending === undefined ? cache.read(name).catch(() => null) : pending;
    },
    put(name, bytes) {
      if (waitingBytes + bytes.length <= waitingBytesMaximum) schedule(name, bytes);
    },
    async has(name) {
      const pending = waiting.get(name);
      return pending === undefined ? cache.has(name).catch(() => false) : pending !== null;
    },
    remove: (name) => schedule(name, null),
    pin: cache.pin,
    close: () => working,
  };
}
