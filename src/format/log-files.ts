import * as z from 'zod';
import { calendarDate } from '../domain/scalars.ts';
import { FileReference } from './snapshot.ts';

/**
 * Rows of a gzip member of the log. A look-up inflates one member. Measured over 4,223 filings: 16 rows take
 * 105 bytes each and 20 to 32 µs to inflate, 32 rows 88 bytes and 41 µs, 64 rows 77 bytes and 75 µs. With 32
 * a page of 200 rows from all over the log takes less than 10 ms.
 */
export const logMemberRows = 32;

/**
 * Members of a span. The list tells where each span is, so that a member is read while the index of its file
 * is: of the 22 KB around it, the member is found when the index is there. Spans of 8 members take 250 bytes of
 * the list for a file, members alone would take eight times as much, in a list that each publication writes.
 */
export const logSpanMembers = 8;

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
  spans: z
    .string()
    .regex(/^[0-9a-z]+( [0-9a-z]+)*$/)
    .optional()
    .describe('Bytes of each span of members, in base 36; left out by older versions.'),
});
export type LogPart = Readonly<z.infer<typeof LogPart>>;

/** The list of the files of the log. */
export const LogList = z.object({
  rowsPerFile: z.int().min(1).describe('Rows of each file but the last.'),
  rowsPerMember: z.int().min(1).describe('Rows of each gzip member of a file but the last.'),
  membersPerSpan: z
    .int()
    .min(1)
    .optional()
    .describe('Members of each span of a file but the last; left out by older versions.'),
  files: z.array(LogPart).describe('In the order of the log.'),
});
export type LogList = Readonly<z.infer<typeof LogList>>;

/** The greatest sequence in the log. */
export function lastSequenceOf({ rowsPerFile, files }: LogList): number {
  const last = files.at(-1);
  return last ? (files.length - 1) * rowsPerFile + last.rows : 0;
}

/** A range of bytes of a file. */
export interface Span {
  readonly offset: number;
  readonly bytes: number;
}

/** The span of a file of the log that has a member, by its number; null if the list does not tell. */
export function spanOf({ membersPerSpan }: LogList, { spans }: LogPart, member: number): Span | null {
  if (spans === undefined || membersPerSpan === undefined) return null;
  const lengths = spans.split(' ');
  const at = Math.floor(member / membersPerSpan);
  let offset = 0;
  for (let before = 0; before < at; before++) offset += parseInt(lengths[before] ?? '', 36);
  const bytes = parseInt(lengths[at] ?? '', 36);
  return Number.isSafeInteger(offset + bytes) ? { offset, bytes } : null;
}

/** The spans of a file as the list tells them, from the bytes of its members. */
export function spansOf(memberBytes: readonly number[], membersPerSpan: number): string {
  const lengths: number[] = [];
  memberBytes.forEach((bytes, member) => {
    const at = Math.floor(member / membersPerSpan);
    lengths[at] = (lengths[at] ?? 0) + bytes;
  });
  return lengths.map((bytes) => bytes.toString(36)).join(' ');
}

/** Every file of the log and of its indexes. */
export const filesOfLog = ({ files }: LogList): FileReference[] =>
  files.flatMap((file) => [file, file.index]);
