import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Intent } from '../contract/intents.ts';
import { createJournalRoom, lineBytesMaximum, type JournalBounds } from './journal-room.ts';
import { makeFolder } from '../files/local.ts';

/**
 * Keeps intents: one file of JSON lines for each day in UTC. Several processes may append to the same file.
 */
export interface Journal {
  /** Whether intents are kept at all: a worker without a queue keeps none. */
  readonly isKept: boolean;
  /**
   * Resolves when the intent is with the operating system, so that a killed process does not lose it. Rejects
   * if writing fails.
   */
  append(intent: Intent): Promise<void>;
  /**
   * Counts one more intent and returns true if the limits allow it, so that a flood does not fill the disk.
   * Refused intents are logged once a minute.
   */
  hasRoom(nowMs: number): boolean;
  /** Waits until everything is written. */
  close(): Promise<void>;
}

/** Makes the journal of a directory. The directory is made when the first intent comes. */
export function createJournal(
  directory: string,
  bounds: JournalBounds,
  log: (event: string, details: Record<string, unknown>) => void,
): Journal {
  const room = createJournalRoom(bounds, log);
  let current: { date: string; handle: Promise<FileHandle> } | null = null;
  const underWay = new Set<Promise<unknown>>();

  function fileOf(date: string): Promise<FileHandle> {
    if (current?.date === date) return current.handle;
    const old = current?.handle;
    const handle = makeFolder(directory).then(() => open(join(directory, `${date}.jsonl`), 'a'));
    current = { date, handle };
    // A file that could not be opened is tried again with the next intent.
    handle.catch(() => {
      if (current?.handle === handle) current = null;
    });
    // Intents of the day before may not be written yet.
    if (old) track(Promise.allSettled(underWay).then(async () => (await old).close()));
    return handle;
  }

  function track(work: Promise<unknown>): void {
    const tracked = work.catch(() => {}).finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  }

  return {
    isKept: true,
    hasRoom: room.hasRoom,
    append(intent) {
      const line = lineOf(intent);
      room.add(line.length);
      const written = fileOf(intent.createdAt.slice(0, 10)).then((handle) => handle.appendFile(line));
      track(written);
      return written;
    },
    async close() {
      while (underWay.size > 0) await Promise.all(underWay);
      const handle = current?.handle;
      current = null;
      await (await handle?.catch(() => undefined))?.close();
    },
  };
}

/**
 * The line of an intent. It begins with a newline, so that it never continues a line that was torn by a
 * crash.
 */
function lineOf(intent: Intent): Buffer {
  const line = Buffer.from(`\n${JSON.stringify(intent)}\n`);
  // Only texts from the client can be that long.
  return line.length <= lineBytesMaximum
    ? line
    : lineOf({ ...intent, path: null, referrer: null, userAgent: null });
}
