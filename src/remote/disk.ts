import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256Of } from '../files/bytes.ts';
import { asideOf } from '../files/local.ts';
import { makeRoom } from '../files/room.ts';
import type { Copies } from './copies.ts';

/** Most memory for copies that wait to be written, in bytes; further copies are not kept. */
const waitingBytesMaximum = 16 * 1024 * 1024;
const digestBytes = 32;

/**
 * Keeps copies in files of a directory, about `maximumBytes` in all; the oldest are removed first. A file
 * begins with the SHA-256 of its content. It is written under another name and renamed. A file whose content
 * does not have its digest counts as absent. So a kill, a power cut or a bad disk does no harm, and several
 * processes may share the directory. An error of the disk is logged once, as `cache_unwritable`. `now` is in
 * milliseconds since 1970.
 */
export function openDisk(
  directory: string,
  maximumBytes: number,
  log: (event: string, details: Record<string, unknown>) => void,
  now: () => number,
): Copies {
  /** Changes that are not done yet, by name: bytes to be written, or null for a file to be removed. */
  const waiting = new Map<string, Buffer | null>();
  let waitingBytes = 0;
  let working: Promise<void> = Promise.resolve();
  // At the limit, so that the files in the directory are counted before the first write.
  let writtenSinceCount = maximumBytes;
  let lastReason = '';
  let pinned: ReadonlySet<string> = new Set();

  const pathOf = (name: string) => {
    const digest = sha256Of(name);
    return join(directory, digest.slice(0, 2), digest);
  };

  function schedule(name: string, bytes: Buffer | null): void {
    waitingBytes += (bytes?.length ?? 0) - (waiting.get(name)?.length ?? 0);
    const isNew = !waiting.has(name);
    waiting.set(name, bytes);
    if (isNew) working = working.then(() => carryOut(name));
  }

  async function carryOut(name: string): Promise<void> {
    const bytes = waiting.get(name) ?? null;
    try {
      if (bytes === null) await rm(pathOf(name), { force: true });
      else await write(pathOf(name), bytes);
      lastReason = '';
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
      if (reason !== lastReason) log('cache_unwritable', { directory, reason: (error as Error).message });
      lastReason = reason;
    }
    // A later call may have asked for another change of this file meanwhile.
    if ((waiting.get(name) ?? null) !== bytes) return carryOut(name);
    waitingBytes -= bytes?.length ?? 0;
    waiting.delete(name);
  }

  async function write(path: string, bytes: Buffer): Promise<void> {
    if (writtenSinceCount >= maximumBytes / 16) {
      await makeRoom(directory, { maximumBytes, nowMs: now(), isNeeded: (each) => pinned.has(each) });
      writtenSinceCount = 0;
    }
    const aside = asideOf(path);
    const content = Buffer.concat([createHash('sha256').update(bytes).digest(), bytes]);
    try {
      await writeFile(aside, content).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        await mkdir(dirname(path), { recursive: true });
        await writeFile(aside, content);
      });
      await rename(aside, path);
      writtenSinceCount += content.length;
    } catch (error) {
      await rm(aside, { force: true }).catch(() => {});
      throw error;
    }
  }

  return {
    async get(name) {
      const pending = waiting.get(name);
      if (pending !== undefined) return pending;
      const content = await readFile(pathOf(name)).catch(() => null);
      if (content === null) return null;
      const bytes = content.subarray(digestBytes);
      if (
        content.length >= digestBytes &&
        createHash('sha256').update(bytes).digest().equals(content.subarray(0, digestBytes))
      )
        return bytes;
      schedule(name, null);
      return null;
    },
    put(name, bytes) {
      if (waitingBytes + bytes.length <= waitingBytesMaximum) schedule(name, bytes);
    },
    async has(name) {
      const pending = waiting.get(name);
      if (pending !== undefined) return pending !== null;
      return stat(pathOf(name)).then(
        () => true,
        () => false,
      );
    },
    remove: (name) => schedule(name, null),
    pin: (names) => void (pinned = new Set(names.map(pathOf))),
    close: () => working,
  };
}
