/** A range of batches, both ends included, numbered from 1, with the rows that the ledger has in them. */
export interface BatchRange {
  readonly from: number;
  readonly to: number;
  readonly rows: number;
}

/** A segment is joined with the one before it when that holds less than so many times its rows. */
const growth = 4;

/**
 * Which ranges of batches are segments, oldest first: a pure function of the row counts of the batches, so
 * that the same ledger has the same segments however it came about. Going from the oldest batch, each is a
 * segment of its own; while the last but one has less than four times the rows of the last, the two are
 * joined. A batch counts as one row at least.
 *
 * So each segment has at least four times the rows of the next: their number grows with the logarithm of the
 * ledger (ten for a million batches of one row). A row is written again only when the segment that it lies in
 * grows by a quarter or more: a bounded number of times for each fourfold growth of the ledger.
 *
 * What is known of the older batches is their segments alone: `segments` is the layout before, `rowCounts`
 * are the batches that follow.
 */
export function layoutAfter(segments: readonly BatchRange[], rowCounts: readonly number[]): BatchRange[] {
  const layout = [...segments];
  for (const count of rowCounts) {
    const number = (layout.at(-1)?.to ?? 0) + 1;
    layout.push({ from: number, to: number, rows: Math.max(1, count) });
    for (
      let last = layout.at(-1), before = layout.at(-2);
      last && before && before.rows < growth * last.rows;
      last = layout.at(-1), before = layout.at(-2)
    ) {
      layout.splice(-2, 2, { from: before.from, to: last.to, rows: before.rows + last.rows });
    }
  }
  return layout;
}
