import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hourMs } from '../contract/time.ts';
import { sha256Of } from '../files/bytes.ts';
import { asideOf } from '../files/local.ts';
import type { Kept } from './kept.ts';

/** Copies that wait to be written take no more memory than this; what comes meanwhile is not kept. */
const waitingBytesMaximum = 16 * 1024 * 1024;
const digestBytes = 32;
/** What a process that was killed left half written is removed when it is older. */
const leftoverMs = hourMs;
const leftover = /\.tmp$/;

interface Found {
  readonly path: string;
  readonly bytes: number;
  readonly writtenMs: number;
}

/**
 * Keeps bytes in files of a directory, about `maximumBytes` of them; the oldest leave first. A file is the
 * SHA-256 of what follows, and then that. It is written aside and renamed, and one that does not have its
 * digest when it is read back counts as absent, so that neither a kill nor a power cut nor rot does harm, and
 * several processes may share the directory. What the disk refuses is logged once, as `cache_unwritable`.
 * `now` is in milliseconds since 1970.
 */
export function openDisk(
  directory: string,
  maximumBytes: number,
  log: (event: string, details: Record<string, unknown>) => void,
  now: () => number,
): Kept {
  /** What was asked for and is not done yet, by name: bytes to be written, or null to be removed. */
  const waiting = new Map<string, Buffer | null>();
  let waitingBytes = 0;
  let working: Promise<void> = Promise.resolve();
  // Whatever lies there is counted with the first file that is written.
  let writtenSinceCount = maximumBytes;
  let lastReason = '';
  let pinned: ReadonlySet<string> = new Set();

  const pathOf = (name: string) => {
    const digest = sha256Of(name);
    return join(directory, digest.slice(0, 2), digest);
  };

  function later(name: string, bytes: Buffer | null): void {
    waitingBytes += (bytes?.length ?? 0) - (waiting.get(name)?.length ?? 0);
    const isNew = !waiting.has(name);
    waiting.set(name, bytes);
    if (isNew) working = working.then(() => workOn(name));
  }

  async function workOn(name: string): Promise<void> {
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
    // It may have been asked for in another way meanwhile.
    if ((waiting.get(name) ?? null) !== bytes) return workOn(name);
    waitingBytes -= bytes?.length ?? 0;
    waiting.delete(name);
  }

  async function write(path: string, bytes: Buffer): Promise<void> {
    if (writtenSinceCount >= maximumBytes / 16) await makeRoom();
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

  /** Counts what is there, which other processes write and remove, too, and removes the oldest files. */
  async function makeRoom(): Promise<void> {
    const files = (await filesIn(directory)).sort((a, b) => a.writtenMs - b.writtenMs);
    const isLeft = ({ path, writtenMs }: Found) => leftover.test(path) && now() - writtenMs > leftoverMs;
    let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    // A little more than has to go, so that it is not looked for again at once.
    const goal = bytes > (maximumBytes / 16) * 14 ? (maximumBytes / 16) * 13 : Infinity;
    for (const file of files) {
      if ((bytes <= goal && !isLeft(file)) || pinned.has(file.path)) continue;
      await rm(file.path, { force: true });
      bytes -= file.bytes;
    }
    writtenSinceCount = 0;
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
      later(name, null);
      return null;
    },
    put(name, bytes) {
      if (waitingBytes + bytes.length <= waitingBytesMaximum) later(name, bytes);
    },
    remove: (name) => later(name, null),
    pin: (names) => void (pinned = new Set(names.map(pathOf))),
    close: () => working,
  };
}

/** The files of the folders of a directory. What goes while they are looked at is left out. */
async function filesIn(directory: string): Promise<Found[]> {
  const found: Found[] = [];
  for (const folder of await readdir(directory).catch(() => [] as string[])) {
    const names = await readdir(join(directory, folder)).catch(() => [] as string[]);
    const stats = await Promise.all(
      names.map(async (name) => {
        const path = join(directory, folder, name);
        const state = await stat(path).catch(() => null);
        return state && { path, bytes: state.size, writtenMs: state.mtimeMs };
      }),
    );
    found.push(...stats.filter((each) => each !== null));
  }
  return found;
}
