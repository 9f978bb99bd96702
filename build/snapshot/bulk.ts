import { gunzipSync, gzipSync } from 'node:zlib';
import { readFeed, type ListSource } from '../../src/answers/rows.ts';
import type { BulkPart } from '../../src/contract/bulk.ts';
import type { FileReference } from '../../src/contract/snapshot.ts';
import { rowBytes } from '../../src/table/table.ts';

/** A tenth smaller than the level of tables for 1 µs more for each row: files are downloaded again and again. */
const compressionLevel = 5;
/**
 * Rows of one gzip member: about a megabyte, so that neither writers nor readers have to hold a whole file in
 * memory.
 */
const memberRows = 1024;

const newline = Buffer.from('\n');

/** What `makeBulkFiles` needs. */
export interface BulkInput {
  /** The segments that have the feed. */
  readonly source: ListSource;
  /** The files of the previous snapshot, if its feed is the beginning of this one. */
  readonly known: readonly BulkPart[];
  /** Rows of a closed file. */
  readonly rowsPerFile: number;
  /**
   * Whether a file of the previous snapshot can be used as it is: its bytes exist, and have the rows that the
   * segments have.
   */
  isKept(part: BulkPart): Promise<boolean>;
  /** Returns the bytes of such a file; null if they are missing or have changed. */
  read(part: BulkPart): Promise<Buffer | null>;
  /** Stores the bytes of a file. */
  keep(bytes: Buffer): Promise<FileReference>;
}

/** A range of sequence numbers in one file, both ends included. */
export type BulkRange = Pick<BulkPart, 'firstSequence' | 'lastSequence' | 'closed'>;

/**
 * Returns the ranges of the files. All have the same size and are closed, except for a shorter one at the
 * end. The ranges depend only on the last sequence number.
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
 * Makes the new bulk files of the change feed: the one that was open before, and those after it. The rows of
 * a file depend only on the feed, which only grows. So closed files are used as they are. A file that has to
 * be made again also stays if it has the same rows, whatever compressor made it. Throws `CorruptSnapshot`.
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

/** Makes the bytes of a file: the rows of the feed as lines, in gzip members one after another. */
async function bulkBytes(source: ListSource, { firstSequence, lastSequence }: BulkRange): Promise<Buffer> {
  const members: Buffer[] = [];
  for (let first = firstSequence; first <= lastSequence; first += memberRows) {
    const limit = Math.min(memberRows, lastSequence - first + 1);
    const rows = await readFeed(source, { companies: null, after: first - 1, limit });
    members.push(
      gzipSync(Buffer.concat(rows.flatMap((row) => [rowBytes(row), newline])), { level: compressionLevel }),
    );
  }
  return Buffer.concat(members);
}
