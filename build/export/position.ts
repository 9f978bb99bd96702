import type { DataFile, Range } from './data-files.ts';
import type { Log } from './read-log.ts';
import type { TableFolder } from './table-folder.ts';

/**
 * How the log stands to what a table was exported from: it `continues` that, or it `forked`, because the ledger
 * was restored from a backup and went on differently. A table of an older version did not keep the digest of
 * its last batch, so it does not tell (`unproven`).
 */
export type Standing = 'continues' | 'forked' | 'unproven';

/** The member of the summary of a snapshot that has the SHA-256 of the batch of its last sequence. */
export const lastBatchMember = 'last-batch';
/** The member of that summary that has the last sequence. */
export const lastSequenceMember = 'last-sequence';

/**
 * Compares the position of a table with the log. Its last sequence alone would not tell whether the log still
 * has what was exported, but the digest of a batch stands for all batches up to it. Throws an error, which
 * says what to do, if the table has changes that the log does not have yet.
 */
export async function standingOf<Row>(
  { folder, metadata, files }: TableFolder<Row>,
  log: Log,
): Promise<Standing> {
  const id = metadata?.['current-snapshot-id'];
  const summary = metadata?.snapshots.find((each) => each['snapshot-id'] === id)?.summary;
  if (summary === undefined) return 'continues';
  const sequence = Math.max(Number(summary[lastSequenceMember] ?? 0), lastOf(files)?.last ?? 0);
  if (sequence > log.lastSequence)
    throw new Error(
      `${folder} has changes up to ${sequence}, and the current snapshot up to ${log.lastSequence}: export again when a newer one is current. If the ledger was restored from a backup, remove the folder of the tables and export anew`,
    );
  if (sequence === 0) return 'continues';
  const batch = summary[lastBatchMember];
  if (batch === undefined) return 'unproven';
  return batch === log.batchOf(sequence) ? 'continues' : 'forked';
}

/** The last range of the files of a table; undefined if there are none. */
export function lastOf(files: readonly DataFile[]): Range | undefined {
  return files
    .map(({ range }) => range)
    .toSorted((a, b) => a.last - b.last)
    .at(-1);
}
