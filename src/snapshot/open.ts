import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { documentNames, Manifest, paths, Pointer, snapshotId, tableNames, type DocumentName, type FileEntry, type TableName } from '../contract/snapshot.ts';
import type { ChunkCache } from '../table/cache.ts';
import { CorruptSnapshot, sha256Of } from '../table/file.ts';
import { openTable, type Table } from '../table/table.ts';

/** An open snapshot. Its files stay readable until `close`, even when they are pruned from the disk. */
export interface Snapshot {
  readonly id: string;
  readonly manifest: Manifest;
  readonly tables: Readonly<Record<TableName, Table>>;
  readonly documents: Readonly<Record<DocumentName, Buffer>>;
  /** The bytes of a small file of the manifest, verified and kept. Throws `CorruptSnapshot`. */
  file(path: string): Promise<{ bytes: Buffer; sha256: string }>;
  close(): Promise<void>;
}

/** Reads the pointer; null if there is none. Throws `CorruptSnapshot` for one that cannot be understood. */
export async function readPointer(snapshotsDirectory: string): Promise<Pointer | null> {
  const path = join(snapshotsDirectory, paths.pointer);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return text === null ? null : parsePointer(path, text);
}

/** Understands the text of a pointer. Throws `CorruptSnapshot`, which names the file. */
export function parsePointer(path: string, text: string): Pointer {
  try {
    return Pointer.parse(JSON.parse(text));
  } catch (error) {
    throw new CorruptSnapshot(`${path}: ${(error as Error).message}`);
  }
}

/** Reads the manifest of a snapshot and proves it by its SHA-256, whose beginning is part of the snapshot's name. */
export async function readManifest(directory: string, id: string, manifestSha256?: string): Promise<{ manifest: Manifest; sha256: string }> {
  const path = join(directory, paths.manifest);
  try {
    const bytes = await readFile(path);
    const sha256 = sha256Of(bytes);
    if (manifestSha256 !== undefined && sha256 !== manifestSha256) throw new Error('its SHA-256 is not the one in the pointer');
    const manifest = Manifest.parse(JSON.parse(bytes.toString()));
    if (snapshotId(manifest.generatedAt, sha256) !== id) throw new Error(`it belongs to ${snapshotId(manifest.generatedAt, sha256)}`);
    for (const name of tableNames) if (!manifest.tables[name]) throw new Error(`it has no table ${name}`);
    return { manifest, sha256 };
  } catch (error) {
    throw new CorruptSnapshot(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** Hashes a whole file of a snapshot and compares it with its entry. Throws `CorruptSnapshot`, which names the file. */
export async function verifyFile(directory: string, entry: FileEntry): Promise<void> {
  const path = join(directory, entry.path);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      hash.update(chunk);
    }
  } catch (error) {
    throw new CorruptSnapshot(`${path}: ${(error as Error).message}`, { cause: error });
  }
  if (bytes !== entry.bytes) throw new CorruptSnapshot(`${path} is ${bytes} bytes long, not ${entry.bytes}`);
  if (hash.digest('hex') !== entry.sha256) throw new CorruptSnapshot(`${path} does not have the SHA-256 that the manifest names`);
}

/**
 * Opens a snapshot. The manifest, the sizes of all files and the keyed documents are checked now, the blocks of tables
 * whenever they are read from the disk; `thorough` hashes every file first. Throws `CorruptSnapshot`.
 */
export async function openSnapshot(directory: string, id: string, cache: ChunkCache, options: { manifestSha256?: string; thorough?: boolean } = {}): Promise<Snapshot> {
  const { manifest } = await readManifest(directory, id, options.manifestSha256);
  if (options.thorough) for (const entry of manifest.files) await verifyFile(directory, entry);
  else await Promise.all(manifest.files.map((entry) => checkSize(directory, entry)));
  return openFiles(directory, id, manifest, cache);
}

/** Opens the tables and keyed documents that a manifest names. The build does so before there are public files, to ask for examples. */
export async function openFiles(directory: string, id: string, manifest: Manifest, cache: ChunkCache): Promise<Snapshot> {
  const entries = new Map(manifest.files.map((entry) => [entry.path, entry]));
  const kept = new Map<string, { bytes: Buffer; sha256: string }>();
  async function file(path: string): Promise<{ bytes: Buffer; sha256: string }> {
    const known = kept.get(path);
    if (known) return known;
    const entry = entries.get(path);
    if (!entry) throw new CorruptSnapshot(`${join(directory, path)} is not in the manifest`);
    const bytes = await readFile(join(directory, path));
    if (sha256Of(bytes) !== entry.sha256) throw new CorruptSnapshot(`${join(directory, path)} does not have the SHA-256 that the manifest names`);
    const read = { bytes, sha256: entry.sha256 };
    kept.set(path, read);
    return read;
  }
  const opened: Table[] = [];
  const close = async () => void (await Promise.all(opened.map((table) => table.close())));
  try {
    for (const name of tableNames) opened.push(await openTable(directory, name, manifest.tables[name] ?? [], cache, id));
    const documents = await Promise.all(documentNames.map(async (name) => [name, (await file(paths.document(name))).bytes] as const));
    return {
      id, manifest, file, close,
      tables: Object.fromEntries(opened.map((table) => [table.name, table])) as Record<TableName, Table>,
      documents: Object.fromEntries(documents) as Record<DocumentName, Buffer>,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function checkSize(directory: string, entry: FileEntry): Promise<void> {
  const path = join(directory, entry.path);
  const { size } = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new CorruptSnapshot(error.code === 'ENOENT' ? `${path} is missing` : `${path}: ${error.message}`, { cause: error });
  });
  if (size !== entry.bytes) throw new CorruptSnapshot(`${path} is ${size} bytes long, not ${entry.bytes}`);
}
