// @module-tag slow
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { readPointer } from '../../build/snapshot/pointer.ts';
import { prune } from '../../build/snapshot/prune.ts';
import { verifySnapshot } from '../../build/verify/verify.ts';
import type { BulkFile, BulkListResponse } from '../../src/contract/bulk.ts';
import type { Change } from '../../src/contract/records.ts';
import { paths, snapshotId, type FileReference, type Manifest } from '../../src/format/snapshot.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { useDirectories } from '../support/directories.ts';
import { filesBelow } from '../support/files-below.ts';
import { appendFilings, generateLedger } from '../support/generate.ts';
import { headsOf } from '../support/heads.ts';
import { serviceOver } from '../support/sample.ts';
import { writeFile } from '../support/segments.ts';
import { buildQuietly } from '../support/snapshots.ts';
import { manifestOf, wholeSnapshot } from '../support/whole.ts';

const fresh = useDirectories('older-formats');

/** The members of filings that entries of older formats lack. */
const lacking = {
  3: ['sic', 'exchange', 'exhibits', 'ownership'],
  4: ['sic', 'exchange', 'exhibits'],
} as const;

/** The entry as a log of an older format has it. */
function entryOf(line: string, format: keyof typeof lacking): object {
  const { cause, filing, ...change } = JSON.parse(line) as Change;
  const own = Object.entries(filing).filter(
    ([name]) => !(lacking[format] as readonly string[]).includes(name),
  );
  return { ...change, ...(format === 4 && cause ? { cause } : {}), filing: Object.fromEntries(own) };
}

function bulkOf(directory: string, manifest: Pick<Manifest, 'documents'>): BulkListResponse {
  const { sha256 } = manifest.documents['bulk'] as FileReference;
  return JSON.parse(readFileSync(join(directory, paths.file(sha256)), 'utf8')) as BulkListResponse;
}

/** Turns the current snapshot into one of an older format, as far as a build reads it: with other files for download. */
async function intoFormat(
  directory: string,
  format: 2 | keyof typeof lacking,
  rules?: number,
): Promise<{ id: string; files: BulkFile[] }> {
  const { log, ...others } = await manifestOf(directory);
  // The list of the log came with format 3.
  const manifest = format === 2 ? others : { ...others, log, rules };
  const list = bulkOf(directory, manifest);
  const files = list.data.map((file) => {
    const text = gunzipSync(readFileSync(join(directory, paths.file(file.sha256)))).toString();
    const lines = text.trimEnd().split('\n');
    const older =
      format === 2 ? text : lines.map((line) => `${JSON.stringify(entryOf(line, format))}\n`).join('');
    return { ...file, ...writeFile(directory, gzipSync(older, { level: 5 })) };
  });
  const bulk = writeFile(directory, Buffer.from(JSON.stringify({ ...list, data: files })));
  const bytes = `${JSON.stringify({ ...manifest, format, documents: { ...manifest.documents, bulk } })}\n`;
  const manifestSha256 = sha256Of(bytes);
  const id = snapshotId(manifest.generatedAt, manifestSha256);
  mkdirSync(dirname(join(directory, paths.manifest(id))), { recursive: true });
  writeFileSync(join(directory, paths.manifest(id)), bytes);
  const pointer = { format, snapshotId: id, manifestSha256, previous: [] };
  writeFileSync(join(directory, paths.pointer), JSON.stringify(pointer));
  return { id, files };
}

const shape = { filings: 120, companies: 5, batches: 2 };
const logCut = { rowsPerFile: 50, rowsPerMember: 8 };

describe('a directory of format 2', () => {
  const [ledger, snapshots] = [fresh(), fresh()];
  let older: Awaited<ReturnType<typeof intoFormat>>;
  let id = '';
  beforeAll(async () => {
    await generateLedger(ledger, shape);
    await buildQuietly(ledger, snapshots, { logCut });
    older = await intoFormat(snapshots, 2);
    expect(older.files.map(({ closed }) => closed)).toEqual([true, true, false]);
  });

  it('a service does not serve it, and says what to do', async () => {
    const service = await serviceOver(snapshots);
    expect((await service.get('/v1/sec/latest')).status).toBe(503);
  });

  it('a build makes everything again and keeps closed files for download byte for byte', async () => {
    const lines: string[] = [];
    id = await buildQuietly(ledger, snapshots, { logCut, log: (line) => void lines.push(line) });
    expect(lines[0]).toMatch(/the current snapshot is of format 2: everything is made again/);
    const manifest = await wholeSnapshot(snapshots, id);
    await verifySnapshot(snapshots, id);
    const files = bulkOf(snapshots, manifest).data;
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
    const files = bulkOf(snapshots, await wholeSnapshot(snapshots, id)).data;
    expect(files.map(({ closed }) => closed)).toEqual([true, true, true, false]);
    expect(files.slice(0, 2)).toEqual(older.files.slice(0, 2));
    await verifySnapshot(snapshots, id);
  });

  it('another ledger does not replace it', async () => {
    const [other, directory] = [fresh(), fresh()];
    await generateLedger(other, { ...shape, filings: 60, seed: 2 });
    await buildQuietly(ledger, directory, { logCut });
    await intoFormat(directory, 2);
    await expect(buildQuietly(other, directory, { logCut })).rejects.toThrow(
      /another ledger, and nobody can tell which of its filings this one lacks, because it is of format 2/,
    );
  });
});

const feedOf = async (service: Awaited<ReturnType<typeof serviceOver>>, path: string) =>
  await service.json<{ data: Change[]; meta: { nextCursor: string } }>(path);

describe('a snapshot of an older format', () => {
  it.each([
    [3, 7],
    [4, 7],
    [4, 6],
  ] as const)(
    'of format %i and rules %i is carried over: sequences and cursors stay, and nobody is told anything twice',
    async (format, rules) => {
      const [ledger, snapshots] = [fresh(), fresh()];
      await generateLedger(ledger, { filings: 150, companies: 6, batches: 3 });
      const before = await buildQuietly(ledger, snapshots);
      const service = await serviceOver(snapshots);
      const told = await feedOf(service, '/v1/sec/changes?since=1990-01-01&limit=200');
      expect(told.data.some(({ filing }) => filing.sic !== null && filing.exchange !== null)).toBe(true);
      await intoFormat(snapshots, format, rules);

      const lines: string[] = [];
      const id = await buildQuietly(ledger, snapshots, { log: (line) => void lines.push(line) });
      expect(lines[0]).toContain(`the current snapshot is of format ${format}: everything is made again`);
      await verifySnapshot(snapshots, id);
      // An update that restates by newer rules appends a batch, in which no filing says something else.
      expect((await headsOf(ledger)).length).toBe(rules === 7 ? 3 : 4);
      if (rules === 7) expect(id).toBe(before);
      const again = await serviceOver(snapshots);
      const path = '/v1/sec/changes?limit=200';
      const anew = await feedOf(again, `${path}&since=1990-01-01`);
      const behind = await feedOf(again, `${path}&cursor=${encodeURIComponent(told.meta.nextCursor)}`);
      expect(anew.data).toEqual(told.data);
      expect(behind.data).toEqual([]);
    },
  );
});
