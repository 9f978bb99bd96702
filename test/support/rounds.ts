import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { readPointer } from '../../build/snapshot/pointer.ts';
import { createWindowReader } from '../../src/remote/windows.ts';
import { usualWindows } from '../../src/remote/window-cache.ts';
import { createSnapshotReader, openSnapshot, readManifest, type Snapshot } from '../../src/snapshot/open.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import type { PartReader } from '../../src/table/table.ts';

/** What an answer costs over a host of files, with nothing in memory but what a start reads. */
export interface Cost {
  /** How often reads were begun together, while none was under way. */
  readonly rounds: number;
  /** Ranges that the host was asked for, and their bytes. */
  readonly requests: number;
  readonly bytes: number;
  /** Blocks of tables and members of the log that were checked and inflated. */
  readonly blocks: number;
}

/** A reader of parts over a folder that answers in rounds. */
export interface RoundReader extends PartReader {
  /** Forgets what was read and counted. */
  begin(): void;
  readonly cost: () => Omit<Cost, 'blocks'>;
}

/**
 * Reads a folder as a host of files is read: through windows. All reads that are begun before anything is
 * answered are answered together, in one round.
 */
export function openRounds(directory: string): RoundReader {
  let waiting: (() => void)[] = [];
  let [rounds, requests, bytes] = [0, 0, 0];

  function answerAll(): void {
    const answered = waiting;
    waiting = [];
    rounds++;
    for (const answer of answered) answer();
  }

  async function fetch(part: string, from: number, length: number): Promise<Buffer> {
    requests++;
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(answerAll);
    });
    const found = readRange(join(directory, part), from, length);
    bytes += found.length;
    (globalThis as any).trace?.(rounds, part, from, length);
    return found;
  }

  const open = () => createWindowReader(fetch, usualWindows, null);
  let reader = open();
  return {
    begin() {
      reader = open();
      [rounds, requests, bytes] = [0, 0, 0];
    },
    read: (...range) => reader.read(...range),
    cost: () => ({ rounds, requests, bytes }),
  };
}

/** Makes that of the current snapshot of a folder cost what it costs a service that has just started. */
export async function costOf(
  directory: string,
  work: (snapshot: Snapshot) => Promise<unknown>,
): Promise<Cost> {
  const parts = openRounds(directory);
  const pointer = await readPointer(directory);
  const { manifest } = await readManifest(parts, pointer?.snapshotId ?? '', pointer?.manifestSha256);
  const cache = createBlockCache(256 * 1024 * 1024);
  const reader = createSnapshotReader(parts, cache, 16 * 1024 * 1024);
  const snapshot = await openSnapshot(reader, pointer?.snapshotId ?? '', manifest);
  parts.begin();
  const before = cache.counts.reads;
  await work(snapshot);
  return { ...parts.cost(), blocks: cache.counts.reads - before };
}

function readRange(path: string, offset: number, length: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const room = Buffer.alloc(length);
    return room.subarray(0, readSync(file, room, 0, length, offset));
  } finally {
    closeSync(file);
  }
}
