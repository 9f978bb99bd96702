import { z } from 'zod';
import { calendarDate } from '../domain/scalars.ts';
import { FileReference } from './snapshot.ts';

/**
 * Rows of a gzip member of the log. A look-up inflates one member. Measured over 4,223 filings: 16 rows take
 * 105 bytes each and 20 to 32 µs to inflate, 32 rows 88 bytes and 41 µs, 64 rows 77 bytes and 75 µs. With 32
 * a page of 200 rows from all over the log takes less than 10 ms.
 */
export const logMemberRows = 32;

/** A file of the log. Its number in the list tells its first sequence, and its rows the last one. */
export const LogPart = z.object({
  ...FileReference.shape,
  rows: z.int().min(1).describe('Lines of the file.'),
  filedFrom: calendarDate
    .or(z.literal(''))
    .describe('Least filing date of its rows; empty if they have none.'),
  filedTo: calendarDate.or(z.literal('')).describe('Greatest filing date of its rows.'),
  index: FileReference.describe(
    'Its index: a line for each gzip member with its offset, its SHA-256, and the filing dates of its rows.',
  ),
});
/** See the schema of the same name. */
export type LogPart = Readonly<z.infer<typeof LogPart>>;

/** The list of the files of the log. */
export const LogList = z.object({
  rowsPerFile: z.int().min(1).describe('Rows of each file but the last.'),
  rowsPerMember: z.int().min(1).describe('Rows of each gzip member of a file but the last.'),
  files: z.array(LogPart).describe('In the order of the log.'),
});
/** See the schema of the same name. */
export type LogList = Readonly<z.infer<typeof LogList>>;

/** The greatest sequence in the log. */
export function lastSequenceOf({ rowsPerFile, files }: LogList): number {
  const last = files.at(-1);
  return last ? (files.length - 1) * rowsPerFile + last.rows : 0;
}

/** Every file of the log and of its indexes. */
export const filesOfLog = ({ files }: LogList): FileReference[] =>
  files.flatMap((file) => [file, file.index]);
