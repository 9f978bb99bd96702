/** Which snapshots were current, in their order, and until when. */
export interface Published {
  /** Takes note of the text of the pointer as it is now. */
  see(pointer: string): void;
  /** Which snapshot it was, counted from 0; -1 if it was never current. */
  numberOf(snapshotId: string): number;
  /** When it was last seen to be current, in milliseconds since 1970. */
  currentAt(snapshotId: string): number;
  /** When the pointer was last seen to name it, as the current one or one before it; -Infinity if never. */
  namedAt(snapshotId: string): number;
}

/** Makes the record, empty at first. */
export function createPublished(nowMs: () => number): Published {
  const order: string[] = [];
  const seenMs = new Map<string, number>();
  const namedMs = new Map<string, number>();
  return {
    see(text) {
      try {
        const { snapshotId, previous } = JSON.parse(text) as { snapshotId: string; previous: string[] };
        if (!order.includes(snapshotId)) order.push(snapshotId);
        seenMs.set(snapshotId, nowMs());
        for (const each of [snapshotId, ...previous]) namedMs.set(each, nowMs());
      } catch {
        // The programs say what is wrong with a pointer that cannot be read.
      }
    },
    numberOf: (snapshotId) => order.indexOf(snapshotId),
    currentAt: (snapshotId) => seenMs.get(snapshotId) ?? -Infinity,
    namedAt: (snapshotId) => namedMs.get(snapshotId) ?? -Infinity,
  };
}
