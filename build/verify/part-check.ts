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
} from '../../src/format/snapshot.ts';
import { readSegmentHead, segmentParts, type SegmentHead } from '../../src/table/segment.ts';
import type { PartFolder } from '../../src/snapshot/folder.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import type { Progress } from '../work/progress.ts';
import { parseDocument, requireBytes, type ReadDocument } from './rows.ts';

/** The documents that have totals, and the lists of the files for download and of those of the log. */
export type TotalsDocuments = Record<'stats' | 'health' | 'bulk' | 'log', ReadDocument>;

/** Checks the files of snapshots. A part that several of them share is checked once. */
export interface PartCheck {
  /**
   * Checks every file of a segment by its digest, and that there are no other files. Returns the head of the
   * segment. Throws `CorruptSnapshot`.
   */
  segment(entry: SegmentEntry): Promise<SegmentHead>;
  /**
   * Checks keyed documents, routes and public files by their digests, and encoded variants by decoding them.
   * Returns the documents that have totals. `manifestPath` is for messages. Throws `CorruptSnapshot`.
   */
  files(manifestPath: string, manifest: Manifest): Promise<TotalsDocuments>;
}

/** Creates a check of the parts in a folder, of which none was checked yet. */
export function createPartCheck(folder: PartFolder, progress: Progress): PartCheck {
  const segments = new Map<string, CheckedSegment>();
  const variants = new Set<string>();
  return {
    async segment(entry) {
      const key = `${entry.name} ${entry.headSha256}`;
      const checked = segments.get(key) ?? (await checkSegmentFiles(folder, entry, progress));
      segments.set(key, checked);
      if (entry.bytes !== checked.bytes)
        throw new CorruptSnapshot(
          `${join(folder.directory, segmentParts.head(entry.name))}: the segment has ${checked.bytes} bytes, not ${entry.bytes} as the manifest says`,
        );
      if (entry.headBytes !== undefined && entry.headBytes !== checked.headBytes)
        throw new CorruptSnapshot(
          `${join(folder.directory, segmentParts.head(entry.name))} has ${checked.headBytes} bytes, not ${entry.headBytes} as the manifest says`,
        );
      return checked.head;
    },
    files: (manifestPath, manifest) => checkFiles(folder, manifestPath, manifest, variants, progress),
  };
}

/** The head of a segment, its length, and the bytes of all files of the segment. */
interface CheckedSegment {
  readonly head: SegmentHead;
  readonly headBytes: number;
  readonly bytes: number;
}

/** Checks the files of a segment. Throws `CorruptSnapshot`. */
async function checkSegmentFiles(
  folder: PartFolder,
  entry: SegmentEntry,
  progress: Progress,
): Promise<CheckedSegment> {
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
  const headBytes = Buffer.byteLength(text);
  let bytes = headBytes;
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
  return { head, headBytes, bytes };
}

/** `known` has the public files that were checked with their variants; those that are new are added. */
async function checkFiles(
  folder: PartFolder,
  manifestPath: string,
  manifest: Manifest,
  known: Set<string>,
  progress: Progress,
): Promise<TotalsDocuments> {
  const read = async (reference: FileReference) => {
    progress.step();
    const path = join(folder.directory, paths.file(reference.sha256));
    const bytes = await readFile(path).catch((error: Error) => {
      throw new CorruptSnapshot(`${path}: ${error.message}`, { cause: error });
    });
    return requireBytes(path, reference, bytes);
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
  const log = await json(manifest.log);
  const routes = await json(manifest.routes);
  for (const [route, { file, br, gzip }] of Object.entries(parseDocument(Routes, 'routes', routes))) {
    const key = JSON.stringify([file, br, gzip]);
    if (known.has(key)) continue;
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
    known.add(key);
  }
  return {
    stats: documents.get('stats') as ReadDocument,
    health: documents.get('health') as ReadDocument,
    bulk: documents.get('bulk') as ReadDocument,
    log,
  };
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
