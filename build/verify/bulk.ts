import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, type Gunzip } from 'node:zlib';
import { BulkListResponse, type BulkFile } from '../../src/contract/bulk.ts';
import { paths, type BatchRow, type Manifest } from '../../src/contract/snapshot.ts';
import { rowBytes } from '../../src/table/table.ts';
import { CorruptSnapshot, sha256Of } from '../../src/files/bytes.ts';
import { bulkCursor, bulkDocument } from '../documents/documents.ts';
import type { Progress } from '../work/progress.ts';
import type { Line } from '../segments/table-files.ts';
import { bulkRanges } from '../snapshot/bulk.ts';
import { feedFrom } from './feed.ts';
import type { MergedSegments } from './merge.ts';
import type { ReadDocument } from './totals.ts';

/** The greatest length of a bulk file after inflating, in bytes: rows have about a kilobyte. */
const inflatedMaximum = 1024 * 1024 * 1024;
const newline = 0x0a;

/**
 * Checks the bulk files of the change feed: that the list covers the whole feed in files of the same size and
 * matches the manifest and the batches, that each file has the length and digest of the list, and that its
 * lines are the rows of the feed, byte by byte. Files in `known` were compared with the same feed before;
 * those that are new are added. Throws `CorruptSnapshot`.
 */
export async function checkBulk(
  merged: MergedSegments,
  manifest: Manifest,
  batches: readonly BatchRow[],
  { path, value }: ReadDocument,
  known: Set<string>,
  progress: Progress,
): Promise<void> {
  const parsed = BulkListResponse.safeParse(value);
  if (!parsed.success)
    throw new CorruptSnapshot(
      `${path} (bulk): ${parsed.error.issues[0]?.path.join('.')}: ${parsed.error.issues[0]?.message}`,
    );
  const {
    data,
    meta: { rowsPerFile },
  } = parsed.data;
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
  const log = {
    ledgerId: manifest.ledger.id,
    batchOf: async (sequence: number) =>
      batches.find(({ lastSequence }) => lastSequence >= sequence)?.sha256 ?? null,
  };
  const expected = bulkDocument(
    { parts: data, rowsPerFile, nextCursor: await bulkCursor(log, manifest.lastSequence) },
    manifest,
  );
  if (JSON.stringify(value) !== JSON.stringify(expected))
    throw new CorruptSnapshot(`${path} (bulk) is not what the manifest, the batches and its files give`);

  const keyOf = ({ firstSequence, rows, bytes, sha256 }: BulkFile) =>
    `${firstSequence} ${rows} ${bytes} ${sha256}`;
  const unknown = data.filter((file) => !known.has(keyOf(file)));
  let feed: Generator<Line> | null = null;
  let next = 0;
  try {
    for (const file of unknown) {
      if (feed === null || file.firstSequence !== next) {
        feed?.return(undefined);
        feed = feedFrom(merged, file.firstSequence);
      }
      await checkBulkFile(merged.directory, file, feed);
      next = file.lastSequence + 1;
      known.add(keyOf(file));
      progress.step();
    }
  } finally {
    feed?.return(undefined);
  }
}

function rowsOf(file: BulkFile | undefined): number | undefined {
  return file && file.lastSequence - file.firstSequence + 1;
}

/** Compares a file with the next rows of the feed. */
async function checkBulkFile(
  directory: string,
  { name, bytes, sha256, rows, firstSequence }: BulkFile,
  feed: Iterator<Line>,
): Promise<void> {
  const path = join(directory, paths.file(sha256));
  const fail = (what: string): never => {
    throw new CorruptSnapshot(`${path} (${name}) ${what}`);
  };
  const stored = await readFile(path).catch((error: Error) => fail(`cannot be read: ${error.message}`));
  if (stored.length !== bytes) fail(`is ${stored.length} bytes long, not ${bytes}`);
  if (sha256Of(stored) !== sha256) fail('does not have the SHA-256 in its name');
  const inflated = inflate(stored, fail);
  let at = 0;
  for (let sequence = firstSequence; sequence < firstSequence + rows; sequence++) {
    const next = feed.next();
    const row = next.done === true ? fail('has more rows than the feed') : rowBytes(next.value);
    const end = at + row.length;
    if (inflated[end] !== newline || row.compare(inflated, at, end) !== 0)
      fail(`does not hold the row of the feed with sequence ${sequence}`);
    at = end + 1;
  }
  if (at !== inflated.length) fail(`has more than its ${rows} rows`);
}

/** Inflates all gzip members of a file. Fails if other bytes follow them. */
function inflate(stored: Buffer, fail: (what: string) => never): Buffer {
  let inflated: { readonly buffer: Buffer; readonly engine: Gunzip };
  try {
    // The types of Node lack the result of `info: true`.
    inflated = gunzipSync(stored, {
      maxOutputLength: inflatedMaximum,
      info: true,
    }) as unknown as typeof inflated;
  } catch (error) {
    return fail(`cannot be inflated: ${(error as Error).message}`);
  }
  return inflated.engine.bytesWritten === stored.length
    ? inflated.buffer
    : fail('has bytes after its last gzip member');
}
