import type { Log } from './read-log.ts';
import type { TableFolder } from './table-folder.ts';

/** The member of the summary of a snapshot that has the SHA-256 of the batch of its last sequence. */
export const lastBatchMember = 'last-batch';
/** The member of that summary that has the last sequence. */
export const lastSequenceMember = 'last-sequence';

/**
 * Whether the log continues what a table was exported from. If not, the ledger was restored from a backup and went on
 * differently. The last sequence of the table alone would not tell, but the digest of a batch stands for all batches up
 * to it. Throws an error, which says what to do, if the table has changes that the log does not have yet.
 */
export function continuesOf<Row>({ folder, metadata, files }: TableFolder<Row>, log: Log): boolean {
  const id = metadata?.['current-snapshot-id'];
  const summary = metadata?.snapshots.find((each) => each['snapshot-id'] === id)?.summary;
  if (summary === undefined) return true;
  const told = Number(summary[lastSequenceMember] ?? 0);
  const sequence = files.reduce((last, { range }) => Math.max(last, range.last), told);
  if (sequence > log.lastSequence)
    throw new Error(
      `${folder} has changes up to ${sequence}, and the current snapshot up to ${log.lastSequence}: export again when a newer one is current. If the ledger was restored from a backup, remove the folder of the tables and export anew`,
    );
  return sequence === 0 || summary[lastBatchMember] === log.batchOf(sequence);
}
