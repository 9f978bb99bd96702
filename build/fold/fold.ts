import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import type { TableName } from '../../src/contract/snapshot.ts';
import type { Segment } from '../../src/table/segment.ts';
import type { PartReader } from '../../src/table/table.ts';
import type { ChunkCache } from '../../src/table/chunk-cache.ts';
import { createRuns } from '../segments/runs.ts';
import type { Fold } from './batch.ts';
import { createTotals } from './counts.ts';
import { createPresence } from './presence.ts';
import type { Feed } from './rows.ts';
import { foldTables } from './tables.ts';

/** Bytes of rows that a fold holds in memory; what is more is sorted in runs. */
export const heldMaximumDefault = 128 * 1024 * 1024;

/**
 * Where a fold writes what does not fit into memory: an empty folder below a directory, and how files of the
 * directory are read.
 */
export interface Scratch {
  readonly parts: PartReader;
  readonly directory: string;
  readonly folder: string;
  readonly cache: ChunkCache;
}

/**
 * Begins a fold of about so many rows on top of segments, oldest first, which hold everything up to a
 * sequence. `feed` takes the entries of the feed of all companies.
 */
export function createFold(
  { parts, directory, folder, cache }: Scratch,
  segments: readonly Segment[],
  feed: Feed,
  lastSequence: number,
  expectedRows: number,
  heldMaximum = heldMaximumDefault,
): Fold {
  mkdirSync(join(directory, folder), { recursive: true });
  const runs = createRuns(parts, directory, join(folder, 'rows'), foldTables, cache);
  const newestFirst = segments.toReversed();
  return {
    runs,
    feed,
    heldMaximum,
    lastSequence,
    past: {
      older: (table: TableName) => newestFirst.map((segment) => segment.tables[table]),
      runs: (table) => runs.tables(table),
    },
    totals: createTotals(),
    presence: createPresence(expectedRows),
    scratch: { parts, directory, folder, cache },
    recent: { filings: new Map(), companies: new Map() },
    refused: { count: 0, first: [] },
  };
}
