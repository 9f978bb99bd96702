import { join } from 'node:path';
import { BulkListResponse, type BulkFile, type BulkPart } from '../../src/contract/bulk.ts';
import { paths, type BatchRow, type FileReference, type Manifest } from '../../src/format/snapshot.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { bulkCursor, bulkDocument } from '../../site/documents/documents.ts';
import { inflate, readFileOf, type VerifiedLog } from './verified-log.ts';
import { parseDocument, type ReadDocument } from './rows.ts';

/** The files for download of a snapshot, and what they have to agree with. */
interface CheckedBulk {
  readonly directory: string;
  readonly log: VerifiedLog;
  readonly manifest: Manifest;
  readonly batches: readonly BatchRow[];
  /** The list of the files. */
  readonly document: ReadDocument;
  /** Older files that were compared before. Those that are new are added. */
  readonly known: Set<string>;
}

/**
 * Checks the files for download: that the list covers the whole log in files of its cut and matches the
 * manifest and the batches, and that each file is the one of the log, or an older one with the same rows,
 * byte by byte. Throws `CorruptSnapshot`.
 */
export async function checkBulk({
  directory,
  log: { list },
  manifest,
  batches,
  document,
  known,
}: CheckedBulk): Promise<void> {
  const { path, value } = document;
  const { data } = parseDocument(BulkListResponse, 'bulk', document);
  const { rowsPerFile, files } = list;
  const ranges = bulkRanges(manifest.lastSequence, rowsPerFile);
  const nameRange = (range: (typeof ranges)[number] | undefined) =>
    range ? `${range.firstSequence}-${range.lastSequence}${range.closed ? ', closed' : ''}` : 'nothing';
  for (let at = 0; at < Math.max(ranges.length, data.length); at++) {
    if (nameRange(data[at]) !== nameRange(ranges[at]))
      throw new CorruptSnapshot(
        `${path} (bulk): file ${at + 1} holds ${nameRange(data[at])}, not ${nameRange(ranges[at])}`,
      );
    if (data[at]?.rows !== rowsOf(data[at]))
      throw new CorruptSnapshot(
        `${path} (bulk): file ${at + 1} has ${data[at]?.rows} rows, not ${rowsOf(data[at])}`,
      );
  }
  const feedLog = {
    ledgerId: manifest.ledger.id,
    batchOf: (sequence: number) =>
      batches.find(({ lastSequence }) => lastSequence >= sequence)?.sha256 ?? null,
  };
  const expected = bulkDocument(
    { parts: data, rowsPerFile, nextCursor: bulkCursor(feedLog, manifest.lastSequence) },
    manifest,
  );
  if (JSON.stringify(value) !== JSON.stringify(expected))
    throw new CorruptSnapshot(`${path} (bulk) is not what the manifest, the batches and its files give`);
  const pathOf = ({ sha256 }: FileReference) => join(directory, paths.file(sha256));
  for (const [number, file] of data.entries()) {
    const ofLog = files[number] as FileReference;
    if (file.sha256 === ofLog.sha256 && file.bytes === ofLog.bytes) continue;
    const key = `${file.sha256} ${file.bytes} ${ofLog.sha256}`;
    if (known.has(key)) continue;
    if (!file.closed)
      throw new CorruptSnapshot(`${path} (bulk): file ${number + 1} is open and not that of the log`);
    const rowsOfFile = (each: FileReference) => inflate(pathOf(each), readFileOf(pathOf(each), each));
    if (!rowsOfFile(file).equals(rowsOfFile(ofLog)))
      throw new CorruptSnapshot(`${pathOf(file)} (${file.name}) does not hold the rows of the log`);
    known.add(key);
  }
}

/** A range of sequence numbers in one file, both ends included. */
type BulkRange = Pick<BulkPart, 'firstSequence' | 'lastSequence' | 'closed'>;

/** The ranges of the files: all have the same size and are closed, except for a shorter one at the end. */
function bulkRanges(lastSequence: number, rowsPerFile: number): BulkRange[] {
  return Array.from({ length: Math.ceil(lastSequence / rowsPerFile) }, (_, at) => {
    const end = (at + 1) * rowsPerFile;
    return {
      firstSequence: at * rowsPerFile + 1,
      lastSequence: Math.min(end, lastSequence),
      closed: end <= lastSequence,
    };
  });
}

function rowsOf(file: BulkFile | undefined): number | undefined {
  return file && file.lastSequence - file.firstSequence + 1;
}
