import { allPartition, feedOrder } from '../../src/contract/snapshot.ts';
import { rowBytes } from '../../src/table/table.ts';
import { storedTable } from '../segments/segment.ts';
import { readLines, type Line, type StoredTable } from '../segments/table-files.ts';
import type { MergedSegments } from './merge.ts';
import { failAt } from './table.ts';

/** Yields the entries of the feed from a sequence on, in order. */
export function* feedFrom({ directory, segments }: MergedSegments, sequence: number): Generator<Line> {
  const first = feedOrder(sequence);
  for (const { name, head, lastSequence } of segments) {
    if (lastSequence < sequence) continue;
    for (const line of readLines(beginningAt(storedTable(directory, name, head, 'changes'), first))) {
      if (line.keys.partition !== allPartition) break;
      if (line.keys.sort >= first) yield line;
    }
  }
}

/** A table without the blocks of the index that end before an entry of the feed. */
function beginningAt(table: StoredTable, sort: string): StoredTable {
  const { root } = table.head;
  const at = root.findLastIndex((entry) => entry.partition === allPartition && entry.sort <= sort);
  return { ...table, head: { ...table.head, root: root.slice(Math.max(0, at)) } };
}

/**
 * Compares the entries of two feeds from a sequence up to the end of the first one, byte by byte. Throws
 * `CorruptSnapshot` if the second feed does not continue the first one.
 */
export function compareFeeds(merged: MergedSegments, later: MergedSegments, sequence: number): void {
  const others = feedFrom(later, sequence);
  try {
    for (const line of feedFrom(merged, sequence)) {
      const other = others.next();
      if (other.done === true || !rowBytes(line).equals(rowBytes(other.value))) {
        const segment = merged.segments.findIndex(
          ({ lastSequence }) => lastSequence >= Number(line.keys.sort),
        );
        failAt(
          { table: { rows: merged.path(segment, 'changes') }, keys: line.keys },
          'is not the entry that a later snapshot has, which was checked',
        );
      }
    }
  } finally {
    others.return(undefined);
  }
}
