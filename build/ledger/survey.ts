import type { IngestRun } from '../../src/contract/records.ts';
import type { ReconciledDay } from '../../src/contract/reconciled-days.ts';
import type { LedgerUniverse, Manifest } from '../../src/format/snapshot.ts';
import { readBatchFile } from './batch.ts';
import { daysOf } from './days.ts';
import { latestIngest, readHeads, rowsOfBatch, type BatchHead } from './read.ts';
import { createUniverses } from './universes.ts';

/** What the heads of a ledger say together. */
export interface Survey {
  /** How manifests name the ledger. */
  readonly names: Manifest['ledger'] & { readonly universes: readonly LedgerUniverse[] };
  readonly newest: BatchHead;
  /** The newest run that asked EDGAR: a restatement is none. */
  readonly latestRun: IngestRun;
  /** Whether all batches come from recordings. */
  readonly isSample: boolean;
  /** The newest result of each reconciled day, oldest first. */
  readonly days: readonly ReconciledDay[];
  /** The number of rows of each batch that was read. */
  readonly rowCounts: readonly number[];
}

/** What is known of the first batches of a ledger, so that their heads need not be read. */
export interface Surveyed extends Pick<Survey, 'isSample' | 'days'> {
  readonly names: Pick<Manifest['ledger'], 'id' | 'batches'> & {
    readonly universes: readonly LedgerUniverse[];
  };
}

/**
 * Reads the heads of a ledger, except those that `known` covers, up to number `through`. It holds one head at
 * a time. Null if there is no batch. Throws `BrokenLedger`.
 */
export async function surveyLedger(
  directory: string,
  known: Surveyed | null,
  through = Infinity,
): Promise<Survey | null> {
  const universes = createUniverses(known?.names.universes ?? []);
  const rowCounts: number[] = [];
  const days = new Map(known?.days.map((each) => [each.day, each]));
  let isSample = known?.isSample ?? true;
  let newest: BatchHead | null = null;
  let latestRun: IngestRun | null = null;
  let id = known?.names.id;
  for await (const batch of readHeads(directory, known?.names.batches ?? 0, through)) {
    const { head, sha256 } = batch;
    id ??= sha256;
    newest = batch;
    if (!head.restates) latestRun = head.run;
    isSample &&= head.sample === true;
    universes.add(head.run.target);
    for (const each of head.days ?? []) days.set(each.day, each);
    rowCounts.push(rowsOfBatch(head));
  }
  if (newest === null && known) newest = await readBatchFile(directory, known.names.batches);
  if (newest === null || id === undefined) return null;
  const { head, sha256 } = newest;
  return {
    names: { id, batches: head.number, sha256, universes: universes.all() },
    newest,
    latestRun: latestRun ?? (await latestIngest(directory, newest)).head.run,
    isSample,
    days: daysOf(days.values()),
    rowCounts,
  };
}
