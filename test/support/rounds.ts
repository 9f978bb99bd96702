import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { readPointer } from '../../build/snapshot/pointer.ts';
import { createWindowReader, usualWindows } from '../../src/remote/windows.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
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

/** What an answer costs over a host, and what it is. */
export async function costOf<Result>(
  directory: string,
  work: (snapshot: Snapshot) => Promise<Result>,
): Promise<{ readonly cost: Cost; readonly result: Result }> {
  const parts = openRounds(directory);
  const { result, blocks } = await withNothingRead(directory, parts, work, parts.begin);
  return { cost: { ...parts.cost(), blocks }, result };
}

/** The same over the folder, where a block is read when it is its turn. */
export async function costNearby<Result>(
  directory: string,
  work: (snapshot: Snapshot) => Promise<Result>,
): Promise<{ readonly blocks: number; readonly result: Result }> {
  const parts = openPartFolder(directory);
  return withNothingRead(directory, parts, work).finally(parts.close);
}

/** Does work with the current snapshot of a folder when it has just been opened, and counts its blocks. */
async function withNothingRead<Result>(
  directory: string,
  parts: PartReader,
  work: (snapshot: Snapshot) => Promise<Result>,
  begin: () => void = () => {},
): Promise<{ readonly blocks: number; readonly result: Result }> {
  const pointer = await readPointer(directory);
  if (!pointer) throw new Error(`${directory} has no snapshot`);
  const { manifest } = await readManifest(parts, pointer.snapshotId, pointer.manifestSha256);
  const cache = createBlockCache(256 * 1024 * 1024);
  const reader = createSnapshotReader(parts, cache, 16 * 1024 * 1024);
  const snapshot = await openSnapshot(reader, pointer.snapshotId, manifest);
  begin();
  const { reads } = cache.counts;
  const result = await work(snapshot);
  return { blocks: cache.counts.reads - reads, result };
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
