import type { SegmentEntry } from '../../src/format/snapshot.ts';
import { walkTable, type Directory } from './walk.ts';

/**
 * Counts the filings that one set of segments has and another one lacks, and returns the first accession
 * number. Both sets are read once, side by side.
 */
export async function lostFilings(
  parts: Directory,
  before: readonly SegmentEntry[],
  after: readonly SegmentEntry[],
): Promise<{ count: number; first: string }> {
  const newer = await walkTable(parts, after, 'summaries');
  let next = newer.next();
  const lost = { count: 0, first: '' };
  for (const { keys } of await walkTable(parts, before, 'summaries')) {
    while (next.done !== true && next.value.keys.partition < keys.partition) next = newer.next();
    if (next.done !== true && next.value.keys.partition === keys.partition) continue;
    if (lost.count++ === 0) lost.first = keys.partition;
  }
  return lost;
}
