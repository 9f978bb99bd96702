import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { LRUCache } from 'lru-cache';
import type { TableName } from '../../src/format/snapshot.ts';
import type { Segment } from '../../src/table/segment.ts';
import type { PartReader } from '../../src/table/table.ts';
import type { BlockCache } from '../../src/table/block-cache.ts';
import type { LogWriter } from '../segments/log-writer.ts';
import { createRuns } from '../segments/runs.ts';
import type { Fold } from './fold-batch.ts';
import { createTotals } from './counted-totals.ts';
import { createHistory } from './history.ts';
import { createPresence } from './presence.ts';
import { foldTables } from './fold-tables.ts';

/** Bytes of rows that a fold holds in memory before it writes them as a run. */
const heldMaximumDefault = 256 * 1024 * 1024;

/**
 * How many companies are remembered from one group of rows of a batch to the next. One cache serves all
 * batches, because making it takes longer than folding a small batch.
 */
const companiesRemembered = 50_000;

/**
 * Where a fold writes rows that do not fit into memory. `folder` is an empty folder below `directory`, given
 * from there; `parts` reads files of `directory`.
 */
export interface Scratch {
  readonly parts: PartReader;
  readonly directory: string;
  readonly folder: string;
  readonly cache: BlockCache;
}

/**
 * Begins a fold. `segments`, oldest first, hold every observation up to `lastSequence`. `log` has them, too,
 * and gets the new ones. `expectedRows` is about how many ledger rows will be folded. `history` is what older
 * rules had published; nothing if left out.
 */
export function createFold(
  { parts, directory, folder, cache }: Scratch,
  segments: readonly Segment[],
  log: LogWriter,
  lastSequence: number,
  expectedRows: number,
  heldMaximum = heldMaximumDefault,
  history = createHistory([]),
): Fold {
  mkdirSync(join(directory, folder), { recursive: true });
  const runs = createRuns(parts, directory, join(folder, 'rows'), foldTables, cache);
  const companyRuns = createRuns(parts, directory, join(folder, 'companies'), foldTables, cache);
  const newestFirst = segments.toReversed();
  return {
    runs,
    companyRuns,
    log,
    heldMaximum,
    lastSequence,
    past: {
      older: (table: TableName) => newestFirst.map((segment) => segment.tables[table]),
      runs: (table) => runs.tables(table),
      held: (accessionNo) => runs.find('summaries', accessionNo),
    },
    totals: createTotals(),
    history,
    presence: createPresence(expectedRows),
    scratch: { parts, directory, folder, cache },
    companies: new LRUCache({ max: companiesRemembered }),
    recent: new Map(),
    refused: { count: 0, first: [] },
  };
}
