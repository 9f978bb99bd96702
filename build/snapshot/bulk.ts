import { gunzipSync, gzipSync } from 'node:zlib';
import { readFeed, type ListSource } from '../../src/answers/rows.ts';
import type { BulkPart } from '../../src/contract/bulk.ts';
import { feedOrder, type FileReference } from '../../src/contract/snapshot.ts';
import { rowBytes } from '../../src/table/table.ts';

/** A tenth smaller than the level of tables for 1 µs more for each row: files are downloaded again and again. */
const compressionLevel = 5;
/**
 * Rows of one gzip member: about a megabyte, so that neither who writes nor who reads has to hold a whole
 * file.
 */
const memberRows = 1024;

const newline = Buffer.from('\n');

/** What the files of the change feed are made of. */
export interface BulkInput {
  /** The segments that hold the feed. */
  readonly source: ListSource;
  /** Those of the snapshot before, if its feed is the beginning of this one. */
  readonly known: readonly BulkPart[];
  /** Rows of a closed file. */
  readonly rowsPerFile: number;
  /**
   * Whether a file of the snapshot before can be taken as it is: its bytes are there, and hold the rows that
   * the segments have.
   */
  isKept(part: BulkPart): Promise<boolean>;
  /** The bytes of such a file; null if they are gone, or are not what they were. */
  read(part: BulkPart): Promise<Buffer | null>;
  /** Keeps the bytes of a file. */
  keep(bytes: Buffer): Promise<FileReference>;
}

/** A range of sequences, both ends included, that one file holds. */
export type BulkRange = Pick<BulkPart, 'firstSequence' | 'lastSequence' | 'closed'>;

/**
 * The ranges of sequences of the files: all are of the same size and closed, but for a shorter one at the
 * end. A pure function of the last sequence.
 */
export function bulkRanges(lastSequence: number, rowsPerFile: number): BulkRange[] {
  return Array.from({ length: Math.ceil(lastSequence / rowsPerFile) }, (_, at) => {
    const end = (at + 1) * rowsPerFile;
    return {
      firstSequence: at * rowsPerFile + 1,
      lastSequence: Math.min(end, lastSequence),
      closed: end <= lastSequence,
    };
  });
}

/**
 * Makes the files of the change feed that are new: the one that was open before, and those behind it. What a
 * file holds follows from the feed alone, which only grows, so those that were closed before are taken as
 * they are; one that has to be made again also stays as it is if it holds the same rows, whatever compressor
 * made it. Throws `CorruptSnapshot`.
 */
export async function makeBulkFiles({
  source,
  known,
  rowsPerFile,
  isKept,
  read,
  keep,
}: BulkInput): Promise<BulkPart[]> {
  const before = new Map(known.map((part) => [`${part.firstSequence}-${part.lastSequence}`, part]));
  const parts: BulkPart[] = [];
  for (const range of bulkRanges(source.manifest.segments.at(-1)?.lastSequence ?? 0, rowsPerFile)) {
    const { firstSequence, lastSequence } = range;
    const same = before.get(`${firstSequence}-${lastSequence}`);
    const { bytes, sha256 } = same && (await isKept(same)) ? same : await makeFile(range, same);
    parts.push({ bytes, rows: lastSequence - firstSequence + 1, sha256, ...range });
  }
  return parts;

  async function makeFile(range: BulkRange, same: BulkPart | undefined): Promise<FileReference> {
    const made = await bulkBytes(source, range);
    const there = same && (await read(same));
    return there && gunzipSync(there).equals(gunzipSync(made)) ? same : keep(made);
  }
}

/** The bytes of a file: the rows of the feed as lines, in gzip members that follow one another. */
async function bulkBytes(source: ListSource, { firstSequence, lastSequence }: BulkRange): Promise<Buffer> {
  const members: Buffer[] = [];
  for (let first = firstSequence; first <= lastSequence; first += memberRows) {
    const limit = Math.min(memberRows, lastSequence - first + 1);
    const rows = await readFeed(source, { company: null, after: feedOrder(first - 1), limit });
    members.push(
      gzipSync(Buffer.concat(rows.flatMap((row) => [rowBytes(row), newline])), { level: compressionLevel }),
    );
  }
  return Buffer.concat(members);
}
