/** A range of batches, both ends included. Batches are numbered from 1; `rows` counts their ledger rows. */
export interface BatchRange {
  readonly from: number;
  readonly to: number;
  readonly rows: number;
}

/** Two neighbours are joined while the older one has less than this many times the rows of the newer one. */
const growth = 4;

/**
 * Decides which ranges of batches are segments, oldest first. `segments` is the layout so far; `rowCounts`
 * has the row count of each batch that follows. The layout depends on the row counts alone, so the same
 * ledger has the same segments whether it was published batch by batch or all at once.
 *
 * Each new batch begins as a segment of its own. While the last segment but one has less than four times the
 * rows of the last one, the two are joined. An empty batch counts as one row.
 *
 * So each segment has at least four times the rows of the next one, and the number of segments grows with the
 * logarithm of the ledger: ten for a million batches of one row. A row is written again only when its segment
 * grows by a quarter or more, which happens a bounded number of times for each fourfold growth of the ledger.
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
