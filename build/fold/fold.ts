import { join } from 'node:path';
import type { TableName } from '../../src/format/snapshot.ts';
import type { Segment } from '../../src/table/segment.ts';
import type { LogWriter } from '../segments/log-writer.ts';
import { createRuns } from '../segments/runs.ts';
import type { Fold } from './fold-batch.ts';
import { createTotals } from './counted-totals.ts';
import { createHeldCompanies } from './held-companies.ts';
import { createHistory } from './history.ts';
import { createPresence } from './presence.ts';
import { foldTables } from './fold-tables.ts';

/**
 * Bytes of rows that a fold holds in memory before it writes them as a run. With twice as many, building a million filings took
 * 150 MB more and as much processor time.
 */
const heldMaximumDefault = 64 * 1024 * 1024;

/**
 * Begins a fold. Rows that do not fit into memory go into the folder `scratch`, which need not exist.
 * `segments`, oldest first, hold every observation up to `lastSequence`. `log` has them, too, and gets the new
 * ones. `expectedRows` is about how many ledger rows will be folded. `history` is what older
 * rules had published; nothing if left out.
 */
export function createFold(
  scratch: string,
  segments: readonly Segment[],
  log: LogWriter,
  lastSequence: number,
  expectedRows: number,
  heldMaximum = heldMaximumDefault,
  history = createHistory([]),
): Fold {
  const runs = createRuns(join(scratch, 'rows'), foldTables);
  const companyRuns = createRuns(join(scratch, 'companies'), foldTables);
  const newestFirst = segments.toReversed();
  return {
    runs,
    companyRuns,
    log,
    heldMaximum,
    lastSequence,
    past: {
      older: (table: TableName) => newestFirst.map((segment) => segment.tables[table]),
      finder: runs.finder,
      held: runs.findHeld,
    },
    totals: createTotals(),
    history,
    presence: createPresence(expectedRows),
    scratch,
    companies: createHeldCompanies(),
    refused: { count: 0, first: [] },
  };
}
