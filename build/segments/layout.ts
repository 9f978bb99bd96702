/** A range of batches, both ends included. Batches are numbered from 1; `rows` counts their ledger rows. */
export interface BatchRange {
  readonly from: number;
  readonly to: number;
  readonly rows: number;
}

/** Two neighbours are due to be joined while the older one has less than this many times the newer one's rows. */
const growth = 4;

/**
 * A join of at most this many rows is made at once: writing them takes a quarter of a second and 2 MB. A
 * longer one waits.
 */
export const joinedAtOnce = 5000;

/** A join that waits is made when the segments behind the two have this part of their rows. */
const waitingShare = 1 / 64;

/**
 * Decides which ranges of batches are segments, oldest first. `segments` is the layout so far; `rowCounts`
 * has the row count of each batch that follows. The layout depends on the row counts alone, so the same
 * ledger has the same segments whether it was published batch by batch or all at once. `snapshots/README.md`
 * specifies it in section 3.
 *
 * Each new batch begins as a segment of its own; an empty one counts as one row. Then neighbours are joined,
 * the newest first, if the older one has less than four times the rows of the newer one. A join of many rows
 * waits until the segments behind it have a 64th of its rows. So nobody who publishes a few filings has to
 * wait for it: there is time to make it beforehand.
 *
 * The number of segments grows with the logarithm of the ledger. A row is written again only when its segment
 * grows by a quarter or more, which happens a bounded number of times for each fourfold growth of the ledger.
 */
export function layoutAfter(segments: readonly BatchRange[], rowCounts: readonly number[]): BatchRange[] {
  const layout = [...segments];
  for (const count of rowCounts) {
    const number = (layout.at(-1)?.to ?? 0) + 1;
    layout.push({ from: number, to: number, rows: Math.max(1, count) });
    // After a join only the pair of the joined segment and the one before it can have become due.
    let behind = 0;
    for (let at = layout.length - 2; at >= 0; at--) {
      const [older, newer] = layout.slice(at, at + 2) as [BatchRange, BatchRange];
      const rows = older.rows + newer.rows;
      if (isDue(older, newer) && (rows <= joinedAtOnce || behind >= rows * waitingShare))
        layout.splice(at, 2, { from: older.from, to: newer.to, rows });
      else behind += newer.rows;
    }
  }
  return layout;
}

/**
 * Returns the joins that wait in a layout, as pairs of the positions of neighbours, the newest pair first. No
 * segment is in two pairs: if both its joins were due, enough rows would be behind the older one.
 */
export function waitingJoins(layout: readonly BatchRange[]): (readonly [older: number, newer: number])[] {
  return layout
    .flatMap((newer, at) => {
      const older = layout[at - 1];
      return older && isDue(older, newer) ? [[at - 1, at] as const] : [];
    })
    .toReversed();
}

const isDue = (older: BatchRange, newer: BatchRange) => older.rows < growth * newer.rows;
