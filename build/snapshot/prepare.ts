import { join } from 'node:path';
import { snapshotFormat, type SegmentEntry } from '../../src/format/snapshot.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { readAnyManifest } from '../../src/snapshot/open.ts';
import { tryLockFile, type Lock } from '../disk/lock.ts';
import { isJoinOf, readPrepared, writePrepared, type PreparedJoin } from '../fold/prepared.ts';
import { joinSegments } from '../fold/segments.ts';
import { waitingJoins } from '../segments/layout.ts';
import { readPointer } from './pointer.ts';

/**
 * Makes the joins of large segments before the layout wants them, so that no publication waits for one. It
 * changes nothing that a snapshot names, and may be killed at any moment.
 */
export interface Preparation {
  /**
   * Begins the joins that wait in the current snapshot and are neither made nor begun, and waits for those.
   * Returns their segments. Does nothing if there is no snapshot, or if another process prepares. Calls may
   * overlap: a short join does not wait for a long one. Throws `CorruptSnapshot`.
   */
  prepare(): Promise<readonly SegmentEntry[]>;
  /** Lets others prepare. */
  close(): void;
}

type Pair = readonly [older: SegmentEntry, newer: SegmentEntry];

/** Opens the preparation of joins in a directory of snapshots. */
export function openPreparation(directory: string): Preparation {
  let lock: Lock | null = null;
  const begun = new Set<string>();
  let updates: Promise<unknown> = Promise.resolve();

  /** Replaces the list of prepared joins. Updates wait for one another. */
  function update(change: (joins: readonly PreparedJoin[]) => readonly PreparedJoin[]): Promise<void> {
    const updated = updates.then(async () => {
      const before = await readPrepared(directory);
      const after = change(before);
      if (after.length !== before.length) await writePrepared(directory, after);
    });
    updates = updated.catch(() => undefined);
    return updated;
  }

  async function make(segments: readonly SegmentEntry[], pair: Pair): Promise<SegmentEntry> {
    const name = nameOf(pair);
    begun.add(name);
    try {
      const segment = await withPartFolder(directory, (parts) =>
        joinSegments({ directory, parts, segments }, pair),
      );
      const [older, newer] = pair;
      await update((joins) => [...joins, { inputs: [older.name, newer.name], segment }]);
      return segment;
    } finally {
      begun.delete(name);
    }
  }

  return {
    async prepare() {
      const pointer = await readPointer(directory);
      if (!pointer || !(lock ??= tryLockFile(join(directory, '.prepare.lock')))) return [];
      const { segments, format } = await withPartFolder(
        directory,
        async (folder) =>
          (await readAnyManifest(folder, pointer.snapshotId, pointer.manifestSha256)).manifest,
      );
      // Segments of an older format are not joined, but made again by the next build.
      if (format !== snapshotFormat) return [];
      const waiting = waitingJoins(segments).map((pair) => pair.map((at) => segments[at]) as unknown as Pair);
      // What the layout no longer wants is dropped, and `prune` removes it.
      await update((joins) => joins.filter((each) => waiting.some((pair) => isJoinOf(each, ...pair))));
      const made = await readPrepared(directory);
      const missing = waiting.filter(
        (pair) => !begun.has(nameOf(pair)) && !made.some((each) => isJoinOf(each, ...pair)),
      );
      return Promise.all(missing.map((pair) => make(segments, pair)));
    },
    close() {
      lock?.release();
      lock = null;
    },
  };
}

const nameOf = ([older, newer]: Pair) => `${older.name} ${newer.name}`;
