import { createHash } from 'node:crypto';
import { readdir, readFile, rm, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { paths, tableNames, type Manifest, type TableName } from '../../src/contract/snapshot.ts';
import { IntentTally } from '../../src/contract/validation.ts';
import { readManifest, verifyFile } from '../../src/snapshot/open.ts';
import { lineEnd, lineStart, lineText, type Chunk } from '../../src/table/chunk.ts';
import { CorruptSnapshot } from '../../src/table/file.ts';
import type { Ledger } from '../ledger/fold.ts';
import { quietProgress, type Progress } from '../progress.ts';
import { deriveSnapshot } from './derive.ts';
import { createRowCheck, type RowCheck } from './row-check.ts';
import { createIndexCutter } from './table-writer.ts';
import { walkBlocks } from './walk.ts';

/**
 * Verifies a snapshot from its bytes alone: the manifest by the snapshot's name, every file by size and SHA-256, no file
 * beside them; every row by its schema; every index by cutting the rows again; and the tables against each other.
 * Throws `CorruptSnapshot`, which names the file and what is wrong with it.
 */
export async function verifySnapshot(directory: string, id: string, progress: Progress = quietProgress): Promise<Manifest> {
  const { manifest } = await readManifest(directory, id);
  await checkNoOtherFiles(directory, manifest);
  progress.begin('checking files', 'files', manifest.files.length);
  for (const entry of manifest.files) {
    await verifyFile(directory, entry);
    progress.step();
  }
  await checkTwins(directory, manifest);
  const rowCheck = createRowCheck(manifest);
  const rowsOf = (name: TableName) => manifest.files.find(({ path }) => path === paths.table(name))?.rows ?? 0;
  progress.begin('checking tables', 'rows', tableNames.reduce((sum, name) => sum + rowsOf(name), 0));
  for (const name of tableNames) await verifyTable(directory, manifest, name, rowCheck, progress);
  const document = async (name: 'stats' | 'health') => JSON.parse(await readFile(join(directory, paths.document(name)), 'utf8')) as unknown;
  rowCheck.finish(await document('stats'), await document('health'));
  return manifest;
}

/** Derives a snapshot again from its ledger and the intents that it keeps, and compares: the same name means the same bytes. Throws `CorruptSnapshot`. */
export async function verifyAgainstLedger(directory: string, manifest: Manifest, id: string, ledger: Ledger, progress: Progress = quietProgress): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'filing-verify-'));
  try {
    const tally = IntentTally.parse(JSON.parse(await readFile(join(directory, paths.document('intents')), 'utf8')));
    const derived = await deriveSnapshot(ledger, manifest.settings, scratch, tally, progress);
    const again = new Map(derived.manifest.files.map((entry) => [entry.path, entry.sha256]));
    const different = manifest.files.filter(({ path, sha256 }) => again.get(path) !== sha256 && !isTwin(path)).map(({ path }) => path);
    if (derived.id === id || (different.length === 0 && isDeepStrictEqual(withoutTwins(manifest), withoutTwins(derived.manifest)))) return;
    throw new CorruptSnapshot(`${id} is not what the ledger gives (${derived.id}): ${different.length > 0 ? different.join(', ') : 'the manifests differ'}`);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const isTwin = (path: string) => /^public\/.*\.(br|gz)$/.test(path);

/** What a compressor makes of the same bytes depends on its version: twins are compared with what they are twins of. */
function withoutTwins(manifest: Manifest): Manifest {
  return { ...manifest, files: manifest.files.filter(({ path }) => !isTwin(path)) };
}

/** Throws `CorruptSnapshot` for a compressed file that is not the twin of the one beside it. */
async function checkTwins(directory: string, { routes }: Manifest): Promise<void> {
  for (const { file, br, gzip } of Object.values(routes)) {
    const bytes = await readFile(join(directory, file));
    for (const [twin, expand] of [[br, brotliDecompressSync], [gzip, gunzipSync]] as const) {
      if (twin !== null && !expandsTo(bytes, await readFile(join(directory, twin)), expand)) throw new CorruptSnapshot(`${join(directory, twin)} is not ${file} compressed`);
    }
  }
}

function expandsTo(bytes: Buffer, twin: Buffer, expand: (bytes: Buffer) => Buffer): boolean {
  try {
    return expand(twin).equals(bytes);
  } catch {
    return false;
  }
}

async function checkNoOtherFiles(directory: string, manifest: Manifest): Promise<void> {
  const known = new Set([paths.manifest, ...manifest.files.map(({ path }) => path)]);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(join(directory, '/').length);
    if (!entry.isDirectory() && !known.has(path)) throw new CorruptSnapshot(`${join(directory, path)} is not in the manifest`);
  }
}

async function verifyTable(directory: string, manifest: Manifest, name: TableName, rowCheck: RowCheck, progress: Progress): Promise<void> {
  const indexHash = createHash('sha256');
  let whole: Chunk | undefined;
  // A block that was read has the digest that the index names. One that is cut elsewhere shows by its place and length.
  const cutter = createIndexCutter(name, { endBlock: () => whole?.sha256 ?? '', index: (bytes) => void indexHash.update(bytes) });
  for await (const { block, chunk } of walkBlocks(directory, manifest, name)) {
    if (chunk.ends.length !== block.rows) throw new CorruptSnapshot(`${join(directory, paths.index(name))}: the block at ${block.offset} has ${chunk.ends.length} rows, not ${block.rows}`);
    for (let line = 0; line < chunk.ends.length; line++) {
      const text = lineText(chunk, line);
      const { key, facts } = rowCheck.row(name, block.key, text);
      try {
        cutter.add(key, lineEnd(chunk, line) + 1 - lineStart(chunk, line), facts);
      } catch (error) {
        throw new CorruptSnapshot(`${join(directory, paths.table(name))}: ${(error as Error).message}`);
      }
    }
    whole = chunk;
    progress.step(block.rows);
  }
  const { rows, lines, pages } = cutter.finish();
  const entryOf = (path: string) => manifest.files.find((entry) => entry.path === path);
  const index = entryOf(paths.index(name));
  if (indexHash.digest('hex') !== index?.sha256 || index.rows !== lines || !isDeepStrictEqual(pages, manifest.tables[name])) {
    throw new CorruptSnapshot(`${join(directory, paths.index(name))} is not the index that its table gives`);
  }
  if (entryOf(paths.table(name))?.rows !== rows) throw new CorruptSnapshot(`${join(directory, paths.table(name))} has ${rows} rows, not as many as the manifest says`);
}
