import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { storedTable } from '../../build/segments/segment-writer.ts';
import { readLines } from '../../build/segments/table-files.ts';
import { readPointer } from '../../build/snapshot/pointer.ts';
import { paths, tableDefinition, tableNames, type Manifest } from '../../src/format/snapshot.ts';
import { compareKeys, type Keys } from '../../src/table/line.ts';
import { checkSegment } from '../../src/table/segment.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import {
  bulkListOf,
  createSnapshotReader,
  filesOf,
  openSnapshot,
  readManifest,
} from '../../src/snapshot/open.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { textsOfLog } from './log.ts';
import { contentBelow } from './snapshots.ts';

/** The name of the current snapshot of a directory. Throws if there is none. */
export async function currentId(directory: string): Promise<string> {
  const pointer = await readPointer(directory);
  if (!pointer) throw new Error(`${directory} has no pointer`);
  return pointer.snapshotId;
}

/** The manifest of a snapshot, of the current one if none is named. Throws `CorruptSnapshot`. */
export async function manifestOf(directory: string, id?: string): Promise<Manifest> {
  const folder = openPartFolder(directory);
  try {
    return (await readManifest(folder, id ?? (await currentId(directory)))).manifest;
  } finally {
    await folder.close();
  }
}

/**
 * Reads all of a snapshot, of the current one if none is named: every digest, every block, every line in its
 * order, every encoded variant. Throws for anything that is not as it must be. Returns the manifest.
 */
export async function wholeSnapshot(directory: string, id?: string): Promise<Manifest> {
  const folder = openPartFolder(directory);
  try {
    const name = id ?? (await currentId(directory));
    const { manifest } = await readManifest(folder, name);
    const snapshot = await openSnapshot(
      createSnapshotReader(folder, createBlockCache(1024 * 1024), 1024 * 1024),
      name,
      manifest,
    );
    let next = 1;
    for (const { name: segment, from, to } of manifest.segments) {
      if (from !== next) throw new Error(`${segment} does not follow batch ${next - 1}`);
      next = to + 1;
    }
    if (next !== manifest.ledger.batches + 1)
      throw new Error(`the segments end with batch ${next - 1}, not ${manifest.ledger.batches}`);
    for (const { name: segment, head } of snapshot.segments) {
      await checkSegment(folder, { name: segment, head });
      for (const table of tableNames) {
        let rows = 0;
        let last: Keys | null = null;
        for (const { keys } of readLines(storedTable(directory, segment, head, table))) {
          if (last && compareKeys(tableDefinition(table).direction, last, keys) >= 0)
            throw new Error(`${segment}, ${table}: ${keys.sort} stands behind ${last.sort}`);
          last = keys;
          rows++;
        }
        if (rows !== head.tables[table]?.rows)
          throw new Error(`${segment}, ${table} has ${rows} lines, not ${head.tables[table]?.rows}`);
      }
    }
    const { list } = snapshot.log;
    if ((await textsOfLog(snapshot.log)).length !== manifest.lastSequence)
      throw new Error(`the log does not end at ${manifest.lastSequence}`);
    for (const file of filesOf(manifest, snapshot.routes, bulkListOf(snapshot.documents).data, list))
      await folder.check(paths.file(file.sha256), file);
    const content = (sha256: string) => readFileSync(join(directory, paths.file(sha256)));
    for (const [path, { file, br, gzip }] of Object.entries(snapshot.routes)) {
      if (br && !brotliDecompressSync(content(br.sha256)).equals(content(file.sha256)))
        throw new Error(`${path}: its variant in br is another file`);
      if (gzip && !gunzipSync(content(gzip.sha256)).equals(content(file.sha256)))
        throw new Error(`${path}: its variant in gzip is another file`);
    }
    return manifest;
  } finally {
    await folder.close();
  }
}

/** Every file that a snapshot is made of, by its path below the directory, with its bytes as text. */
export async function partsOfSnapshot(directory: string, id?: string): Promise<Record<string, string>> {
  const folder = openPartFolder(directory);
  try {
    const name = id ?? (await currentId(directory));
    const { manifest } = await readManifest(folder, name);
    const { routes, documents, log } = await openSnapshot(
      createSnapshotReader(folder, createBlockCache(1024), 1024),
      name,
      manifest,
    );
    const segments = manifest.segments.flatMap(({ name: segment }) => {
      const path = join(paths.segments, segment);
      return Object.entries(contentBelow(join(directory, path))).map(
        ([file, text]) => [join(path, file), text] as const,
      );
    });
    const files = [
      paths.manifest(name),
      ...filesOf(manifest, routes, bulkListOf(documents).data, log.list).map(({ sha256 }) =>
        paths.file(sha256),
      ),
    ].map((path) => [path, readFileSync(join(directory, path), 'latin1')] as const);
    return Object.fromEntries([...files, ...segments]);
  } finally {
    await folder.close();
  }
}
