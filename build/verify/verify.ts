import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import {
  documentNames,
  paths,
  Routes,
  tableNames,
  type FileReference,
  type Manifest,
  type SegmentEntry,
} from '../../src/contract/snapshot.ts';
import { readSegmentHead, segmentName, segmentParts, type SegmentHead } from '../../src/table/segment.ts';
import { openPartFolder, type PartFolder } from '../../src/snapshot/folder.ts';
import { readManifest } from '../../src/snapshot/open.ts';
import { CorruptSnapshot, sha256Of } from '../../src/files/bytes.ts';
import { quietProgress, type Progress } from '../work/progress.ts';
import { checkCompanies } from './companies.ts';
import { checkFilings } from './filings.ts';
import { mergeSegments, rowsOfSegments, type MergedSegments } from './merge.ts';
import { checkBulk } from './bulk.ts';
import { checkBatches, checkCounts, checkDocuments, type ReadDocument } from './totals.ts';

export { verifyAgainstLedger, type DerivedFiles, type DeriveFiles } from './ledger.ts';

/**
 * Verifies a snapshot from its bytes alone. It checks the manifest by the snapshot's name; every file by
 * length and SHA-256, and that a segment has no other files; every row by its schema and keys; every index by
 * the rows; the tables against each other; and the bulk files against the change feed. Each block is inflated
 * up to three times. Memory does not grow with the number of filings. Throws `CorruptSnapshot`, which names
 * the file and what is wrong with it.
 */
export async function verifySnapshot(
  directory: string,
  id: string,
  progress: Progress = quietProgress,
): Promise<Manifest> {
  const folder = openPartFolder(directory);
  let merged: MergedSegments | null = null;
  try {
    const { manifest } = await readManifest(folder, id);
    const manifestPath = join(directory, paths.manifest(id));
    checkRanges(manifestPath, manifest);
    progress.begin('checking files', 'files');
    const segments: MergedSegments['segments'][number][] = [];
    for (const entry of manifest.segments)
      segments.push({ ...entry, head: await checkSegmentFiles(folder, entry, progress) });
    const documents = await checkFiles(folder, manifestPath, manifest, progress);
    progress.begin('checking tables', 'rows', rowsOfSegments(segments));
    merged = mergeSegments(directory, segments, progress);
    const { batches, refused } = checkBatches(merged, manifest);
    const totals = checkFilings(merged, batches);
    const companies = checkCompanies(merged, totals);
    checkCounts(merged, totals, companies, refused);
    checkDocuments(manifestPath, manifest, documents, totals, companies);
    progress.begin('checking bulk files', 'files');
    await checkBulk(merged, manifest, batches, documents.bulk, progress);
    return manifest;
  } finally {
    merged?.close();
    await folder.close();
  }
}

/** Throws `CorruptSnapshot` if the segments do not follow one another from the first batch to the last. */
function checkRanges(path: string, { segments, ledger, lastSequence }: Manifest): void {
  let before: Pick<SegmentEntry, 'to' | 'lastSequence'> = { to: 0, lastSequence: 0 };
  for (const entry of segments) {
    const { name, headSha256, from, to } = entry;
    if (name !== segmentName(entry, headSha256))
      throw new CorruptSnapshot(`${path}: segment ${name} is not ${segmentName(entry, headSha256)}`);
    if (from !== before.to + 1 || to < from)
      throw new CorruptSnapshot(`${path}: segment ${name} does not follow batch ${before.to}`);
    if (entry.lastSequence < before.lastSequence)
      throw new CorruptSnapshot(
        `${path}: segment ${name} ends at sequence ${entry.lastSequence}, the one before at ${before.lastSequence}`,
      );
    before = entry;
  }
  if (before.to !== ledger.batches)
    throw new CorruptSnapshot(
      `${path}: the segments end at batch ${before.to}, the ledger at ${ledger.batches}`,
    );
  if (before.lastSequence !== lastSequence)
    throw new CorruptSnapshot(
      `${path}: the segments end at sequence ${before.lastSequence}, the snapshot at ${lastSequence}`,
    );
}

/**
 * Checks every file of a segment by its digest, and that there are no other files. Returns the head of the
 * segment.
 */
async function checkSegmentFiles(
  folder: PartFolder,
  entry: SegmentEntry,
  progress: Progress,
): Promise<SegmentHead> {
  const { name, headSha256 } = entry;
  const head = await readSegmentHead(folder, name, headSha256).catch((error: unknown) => {
    throw error instanceof CorruptSnapshot
      ? error
      : new CorruptSnapshot(
          `${join(folder.directory, segmentParts.head(name))}: ${(error as Error).message}`,
          { cause: error },
        );
  });
  const path = join(folder.directory, segmentParts.head(name));
  const text = `${JSON.stringify(head)}\n`;
  if ((await readFile(path, 'utf8')) !== text)
    throw new CorruptSnapshot(`${path} is not written as its schema requires`);
  if (Object.keys(head.tables).join() !== tableNames.join())
    throw new CorruptSnapshot(
      `${path} names the tables ${Object.keys(head.tables).join(', ')}, not ${tableNames.join(', ')}`,
    );
  let bytes = Buffer.byteLength(text);
  const known = new Set([segmentParts.head(name)]);
  for (const table of tableNames) {
    const files = head.tables[table]?.files;
    for (const [part, file] of [
      [segmentParts.rows(name, table), files?.rows],
      [segmentParts.index(name, table), files?.index],
    ] as const) {
      if (!file) continue;
      await folder.check(part, file);
      known.add(part);
      bytes += file.bytes;
      progress.step();
    }
  }
  for (const other of await readdir(join(folder.directory, paths.segments, name))) {
    const part = `${paths.segments}/${name}/${other}`;
    if (!known.has(part))
      throw new CorruptSnapshot(`${join(folder.directory, part)} is not a file of the segment`);
  }
  if (entry.bytes !== bytes)
    throw new CorruptSnapshot(
      `${path}: the segment has ${bytes} bytes, not ${entry.bytes} as the manifest says`,
    );
  return head;
}

/**
 * Checks keyed documents, routes and public files by their digests, and encoded variants by decoding them.
 * Returns the documents that have totals.
 */
async function checkFiles(
  folder: PartFolder,
  manifestPath: string,
  manifest: Manifest,
  progress: Progress,
): Promise<Record<'stats' | 'health' | 'bulk', ReadDocument>> {
  const read = async (reference: FileReference) => {
    progress.step();
    const bytes = await readFile(join(folder.directory, paths.file(reference.sha256))).catch(
      (error: Error) => {
        throw new CorruptSnapshot(
          `${join(folder.directory, paths.file(reference.sha256))}: ${error.message}`,
          { cause: error },
        );
      },
    );
    return requireBytes(folder, reference, bytes);
  };
  const json = async (reference: FileReference) => {
    const path = join(folder.directory, paths.file(reference.sha256));
    const bytes = await read(reference);
    try {
      return { path, value: JSON.parse(bytes.toString()) as unknown };
    } catch (error) {
      throw new CorruptSnapshot(`${path} is not JSON: ${(error as Error).message}`, { cause: error });
    }
  };
  const names = Object.keys(manifest.documents);
  if (names.toSorted().join() !== documentNames.toSorted().join())
    throw new CorruptSnapshot(
      `${manifestPath} names the documents ${names.join(', ')}, not ${documentNames.join(', ')}`,
    );
  const documents = new Map<string, ReadDocument>();
  for (const [name, reference] of Object.entries(manifest.documents))
    documents.set(name, await json(reference));
  const routes = await json(manifest.routes);
  const parsed = Routes.safeParse(routes.value);
  if (!parsed.success)
    throw new CorruptSnapshot(
      `${routes.path} (routes): ${parsed.error.issues[0]?.path.join('.')}: ${parsed.error.issues[0]?.message}`,
    );
  for (const [route, { file, br, gzip }] of Object.entries(parsed.data)) {
    const bytes = await read(file);
    for (const [variant, expand] of [
      [br, brotliDecompressSync],
      [gzip, gunzipSync],
    ] as const) {
      if (variant !== null && !expandsTo(bytes, await read(variant), expand))
        throw new CorruptSnapshot(
          `${join(folder.directory, paths.file(variant.sha256))} is not the file of ${route} encoded`,
        );
    }
  }
  return {
    stats: documents.get('stats') as ReadDocument,
    health: documents.get('health') as ReadDocument,
    bulk: documents.get('bulk') as ReadDocument,
  };
}

function requireBytes(folder: PartFolder, { sha256, bytes }: FileReference, found: Buffer): Buffer {
  const path = join(folder.directory, paths.file(sha256));
  if (found.length !== bytes)
    throw new CorruptSnapshot(`${path} is ${found.length} bytes long, not ${bytes}`);
  if (sha256Of(found) !== sha256) throw new CorruptSnapshot(`${path} does not have the SHA-256 in its name`);
  return found;
}

function expandsTo(
  bytes: Buffer,
  variant: Buffer,
  expand: (bytes: Buffer, options: { maxOutputLength: number }) => Buffer,
): boolean {
  try {
    return expand(variant, { maxOutputLength: bytes.length + 1 }).equals(bytes);
  } catch {
    return false;
  }
}
