/** Which snapshots were current, in their order, and until when. */
export interface Published {
  /** Takes note of the pointer as it is now, and of what is remembered beside it; null if nothing is known of that. */
  see(pointer: string, remembered?: string | null): void;
  /** Which publication made it current last, counted from 0; -1 if none did. */
  numberOf(snapshotId: string): number;
  /** Takes note of how many batches a snapshot has. Some are current for seconds only, so the pointer does not tell all. */
  learn(snapshotId: string, batches: number): void;
  /** How many batches it has: an older one has fewer, whatever a rollback makes current again. -1 if that is not known. */
  batchesOf(snapshotId: string): number;
  /** When it was last seen to be current, in milliseconds since 1970. */
  currentAt(snapshotId: string): number;
  /** When the pointer was last seen to name it, as the current one or one before it; -Infinity if never. */
  namedAt(snapshotId: string): number;
  /** Forgets all: the volume was restored from a backup. */
  forget(): void;
  /** The one that was seen last; null if none was. */
  current(): string | null;
  /** Those that were seen to be current since an instant, in milliseconds since 1970, which is later at each call. */
  currentSince(sinceMs: number): string[];
}

/** Makes the record, empty at first. */
export function createPublished(nowMs: () => number): Published {
  const order: string[] = [];
  const batchesOf = new Map<string, number>();
  const seenMs = new Map<string, number>();
  /** The same of the last ones, in the order in which they were seen last. */
  const recent = new Map<string, number>();
  const namedMs = new Map<string, number>();
  return {
    see(text, remembered = null) {
      try {
        const { snapshotId, previous } = JSON.parse(text) as { snapshotId: string; previous: string[] };
        // A rollback makes an older one current again.
        if (order.at(-1) !== snapshotId) order.push(snapshotId);
        seenMs.set(snapshotId, nowMs());
        recent.delete(snapshotId);
        recent.set(snapshotId, nowMs());
        // Those that a rollback left may be served again.
        const { left } = JSON.parse(remembered ?? '{"left":[]}') as { left: string[] };
        for (const each of [snapshotId, ...previous, ...left]) namedMs.set(each, nowMs());
      } catch {
        // The programs say what is wrong with a pointer that cannot be read.
      }
    },
    numberOf: (snapshotId) => order.lastIndexOf(snapshotId),
    learn: (snapshotId, batches) => void batchesOf.set(snapshotId, batches),
    batchesOf: (snapshotId) => batchesOf.get(snapshotId) ?? -1,
    currentAt: (snapshotId) => seenMs.get(snapshotId) ?? -Infinity,
    namedAt: (snapshotId) => namedMs.get(snapshotId) ?? -Infinity,
    forget() {
      order.length = 0;
      for (const each of [batchesOf, seenMs, recent, namedMs]) each.clear();
    },
    current: () => order.at(-1) ?? null,
    currentSince(sinceMs) {
      for (const [id, atMs] of recent) {
        if (atMs >= sinceMs) break;
        recent.delete(id);
      }
      return [...recent.keys()];
    },
  };
}
