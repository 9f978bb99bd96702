import * as z from 'zod';
import { calendarDate, count, sha256, timestamp } from '../domain/scalars.ts';

/** The path of the list of the files of the change feed. Each file is below it, by its name. */
export const bulkPath = '/v1/sec/bulk';

/**
 * Rows of a closed file of the change feed, which is a file of the log. At 85 to 115 bytes for a compressed
 * row, it has one to two megabytes.
 */
export const bulkFileRows = 16_384;

/**
 * The content type of a file of the change feed. The files are gzip files, so no content encoding is added.
 */
export const bulkContentType = 'application/gzip';

/**
 * The name of a file of the change feed. It has the first sequence of the file in 12 digits, so that names
 * sort in the order of the feed.
 */
export const bulkNamePattern = /^changes-\d{12}\.jsonl\.gz$/;

/**
 * The name of the file that begins with a sequence. The name stays the same while the file grows and when it
 * is closed.
 */
export function bulkName(firstSequence: number): string {
  return `changes-${String(firstSequence).padStart(12, '0')}.jsonl.gz`;
}

/** The facts about a file of the change feed, in every list of files. */
export const BulkPart = z.object({
  bytes: count.describe('Length of the file, compressed as it is.'),
  rows: z.int().min(1).describe('Lines of the file.'),
  sha256: sha256.describe('SHA-256 of the file, compressed as it is.'),
  firstSequence: z.int().min(1),
  lastSequence: z.int().min(1),
  closed: z
    .boolean()
    .describe(
      'Whether it has all the rows that it will ever have: then its name, bytes and digest never change. The last file of the list is open until it is full, and replaced by a longer one of the same name.',
    ),
});
export type BulkPart = Readonly<z.infer<typeof BulkPart>>;

/** A file of the change feed. */
export const BulkFile = z
  .object({
    name: z
      .string()
      .regex(bulkNamePattern)
      .describe('Name of the file, which tells its first sequence. It never changes.'),
    url: z.string().describe('Where it is downloaded, with a key: a path at the host that gave the list.'),
    ...BulkPart.shape,
  })
  .meta({
    id: 'BulkFile',
    description:
      'A file of the change feed: JSON Lines, each the row that `/v1/sec/changes` gives, compressed with gzip.',
  });
export type BulkFile = Readonly<z.infer<typeof BulkFile>>;

/** Meta of the list of files. */
const BulkMeta = z
  .object({
    count: count.describe('Files in this answer, which has all of them.'),
    rowsPerFile: z.int().min(1).describe('Rows of each closed file.'),
    lastSequence: count.describe('Sequence of the last row of the last file; 0 if there is none.'),
    nextCursor: z
      .string()
      .describe(
        'Pass it as `cursor` to `/v1/sec/changes` to go on exactly after the last row of the last file. Opaque.',
      ),
    generatedAt: timestamp.describe('When the data of this snapshot was last fetched, UTC.'),
    newestFiledAt: calendarDate
      .nullable()
      .describe('Newest filing date of the whole snapshot; null if it holds no filing.'),
    notInvestmentAdvice: z.literal(true).describe('Always true: this is data, not advice.'),
  })
  .meta({ id: 'BulkMeta', description: 'Facts about the list of files.' });

/** The files of the change feed with their meta. */
export const BulkListResponse = z.object({ data: z.array(BulkFile), meta: BulkMeta }).meta({
  id: 'BulkListResponse',
  description: 'The files of the change feed, in its order: together they are all of it.',
});
export type BulkListResponse = z.infer<typeof BulkListResponse>;
