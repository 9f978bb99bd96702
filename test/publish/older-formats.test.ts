import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { verifySnapshot } from '../../build/verify/verify.ts';
import type { BulkListResponse } from '../../src/contract/bulk.ts';
import type { Change } from '../../src/contract/records.ts';
import { paths, snapshotId, type FileReference } from '../../src/format/snapshot.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { useDirectories } from '../support/directories.ts';
import { generateLedger } from '../support/generate.ts';
import { headsOf } from '../support/heads.ts';
import { serviceOver } from '../support/sample.ts';
import { buildQuietly } from '../support/snapshots.ts';
import { writeFile } from '../support/segments.ts';
import { manifestOf } from '../support/whole.ts';

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

/** Turns the current snapshot into one of an older format and of some rules, as far as a build reads it. */
async function intoFormat(directory: string, format: keyof typeof lacking, rules: number): Promise<string> {
  const manifest = await manifestOf(directory);
  const fileOf = ({ sha256 }: FileReference) => join(directory, paths.file(sha256));
  const list = JSON.parse(
    readFileSync(fileOf(manifest.documents['bulk'] as FileReference), 'utf8'),
  ) as BulkListResponse;
  const data = list.data.map((file) => {
    const lines = gunzipSync(readFileSync(fileOf(file)))
      .toString()
      .trimEnd()
      .split('\n');
    const older = lines.map((line) => `${JSON.stringify(entryOf(line, format))}\n`).join('');
    return { ...file, ...writeFile(directory, gzipSync(older)) };
  });
  const bulk = writeFile(directory, Buffer.from(JSON.stringify({ ...list, data })));
  const bytes = `${JSON.stringify({ ...manifest, format, rules, documents: { ...manifest.documents, bulk } })}\n`;
  const manifestSha256 = sha256Of(bytes);
  const id = snapshotId(manifest.generatedAt, manifestSha256);
  writeFileSync(join(directory, paths.manifest(id)), bytes);
  const pointer = { format, snapshotId: id, manifestSha256, previous: [] };
  writeFileSync(join(directory, paths.pointer), JSON.stringify(pointer));
  return id;
}

const feedOf = async (service: Awaited<ReturnType<typeof serviceOver>>, path: string) =>
  (await (await service.get(path)).json()) as { data: Change[]; meta: { nextCursor: string } };

describe('a snapshot of an older format', { tags: ['slow'] }, () => {
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
      await service.close();
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
      await again.close();
      expect(anew.data).toEqual(told.data);
      expect(behind.data).toEqual([]);
    },
  );
});
