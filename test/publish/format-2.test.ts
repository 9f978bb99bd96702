// @module-tag slow
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { readPointer } from '../../build/snapshot/pointer.ts';
import { prune } from '../../build/snapshot/prune.ts';
import { verifySnapshot } from '../../build/verify/verify.ts';
import type { BulkFile, BulkListResponse } from '../../src/contract/bulk.ts';
import { paths, snapshotId, type FileReference, type Manifest } from '../../src/format/snapshot.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { useDirectories } from '../support/directories.ts';
import { appendFilings, generateLedger } from '../support/generate.ts';
import { filesBelow } from '../support/files-below.ts';
import { serviceOver } from '../support/sample.ts';
import { buildQuietly } from '../support/snapshots.ts';
import { writeFile } from '../support/segments.ts';
import { manifestOf, wholeSnapshot } from '../support/whole.ts';

const fresh = useDirectories('format-2');
const shape = { filings: 120, companies: 5, batches: 2 };
const logCut = { rowsPerFile: 50, rowsPerMember: 8 };
const jsonOf = (directory: string, { sha256 }: FileReference) =>
  JSON.parse(readFileSync(join(directory, paths.file(sha256)), 'utf8')) as unknown;
const bulkOf = (directory: string, manifest: Pick<Manifest, 'documents'>) =>
  (jsonOf(directory, manifest.documents['bulk'] as FileReference) as BulkListResponse).data;

/** Turns the current snapshot into one of format 2, as far as a build reads it: with other files for download. */
async function intoFormat2(directory: string): Promise<{ id: string; files: BulkFile[] }> {
  const { log: _log, ...manifest } = await manifestOf(directory);
  const list = jsonOf(directory, manifest.documents['bulk'] as FileReference) as BulkListResponse;
  const files = list.data.map((file) => {
    const rows = gunzipSync(readFileSync(join(directory, paths.file(file.sha256))));
    return { ...file, ...writeFile(directory, gzipSync(rows, { level: 5 })) };
  });
  const bulk = writeFile(directory, Buffer.from(JSON.stringify({ ...list, data: files })));
  const bytes = `${JSON.stringify({ ...manifest, format: 2, documents: { ...manifest.documents, bulk } })}\n`;
  const manifestSha256 = sha256Of(bytes);
  const id = snapshotId(manifest.generatedAt, manifestSha256);
  mkdirSync(dirname(join(directory, paths.manifest(id))), { recursive: true });
  writeFileSync(join(directory, paths.manifest(id)), bytes);
  writeFileSync(
    join(directory, paths.pointer),
    JSON.stringify({ format: 2, snapshotId: id, manifestSha256, previous: [] }),
  );
  return { id, files };
}

describe('a directory of format 2', () => {
  const [ledger, snapshots] = [fresh(), fresh()];
  let older: Awaited<ReturnType<typeof intoFormat2>>;
  const lines: string[] = [];
  let id = '';
  beforeAll(async () => {
    await generateLedger(ledger, shape);
    await buildQuietly(ledger, snapshots, { logCut });
    older = await intoFormat2(snapshots);
    expect(older.files.map(({ closed }) => closed)).toEqual([true, true, false]);
  });

  it('a service does not serve it, and says what to do', async () => {
    const service = await serviceOver(snapshots);
    expect((await service.get('/v1/sec/latest')).status).toBe(503);
    await service.close();
  });

  it('a build makes everything again and keeps closed files for download byte for byte', async () => {
    id = await buildQuietly(ledger, snapshots, { logCut, log: (line) => void lines.push(line) });
    expect(lines[0]).toMatch(/the current snapshot is of format 2: everything is made again/);
    const manifest = await wholeSnapshot(snapshots, id);
    await verifySnapshot(snapshots, id);
    const files = bulkOf(snapshots, manifest);
    expect(files.slice(0, 2)).toEqual(older.files.slice(0, 2));
    // The open file is that of the log, like every file that is closed from now on.
    expect(files[2]?.sha256).not.toBe(older.files[2]?.sha256);
    // No rollback leads to a snapshot that this version does not serve.
    expect(await readPointer(snapshots)).toMatchObject({ format: 5, snapshotId: id, previous: [] });
  });

  it('they stay through further publications and when old snapshots are removed', async () => {
    for (const number of [0, 1]) {
      await appendFilings(ledger, shape, 30, number);
      id = await buildQuietly(ledger, snapshots, { logCut });
    }
    await withPartFolder(snapshots, (folder) => prune(folder, Date.now() + 3_600_000));
    expect(filesBelow(snapshots)).not.toContain(paths.manifest(older.id));
    const manifest = await wholeSnapshot(snapshots, id);
    const files = bulkOf(snapshots, manifest);
    expect(files.map(({ closed }) => closed)).toEqual([true, true, true, false]);
    expect(files.slice(0, 2)).toEqual(older.files.slice(0, 2));
    await verifySnapshot(snapshots, id);
  });

  it('another ledger does not replace it', async () => {
    const [other, directory] = [fresh(), fresh()];
    await generateLedger(other, { ...shape, filings: 60, seed: 2 });
    await buildQuietly(ledger, directory, { logCut });
    await intoFormat2(directory);
    await expect(buildQuietly(other, directory, { logCut })).rejects.toThrow(
      /filings that this ledger lacks/,
    );
  });
});
