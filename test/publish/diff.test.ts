// @module-tag slow
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { describeDifference, diffSnapshots } from '../../build/snapshot/diff.ts';
import type { FilingSummary } from '../../src/contract/records.ts';
import { readManifest } from '../../src/snapshot/open.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import type { SnapshotSettings } from '../../src/format/snapshot.ts';
import { segmentParts } from '../../src/table/segment.ts';
import { useDirectories } from '../support/directories.ts';
import { appendNumbered, filing } from '../support/ledgers.ts';
import { buildQuietly, plainSettings } from '../support/snapshots.ts';
import { manifestOf } from '../support/whole.ts';

const fresh = useDirectories('diff');

/** A directory with a snapshot of each list of filings, and their names. */
async function snapshotsOf(
  ...lists: readonly (readonly LedgerFiling[])[]
): Promise<{ directory: string; ids: [string, string] }> {
  const directory = fresh();
  const ids: string[] = [];
  for (const filings of lists) {
    const ledger = fresh();
    await appendNumbered(ledger, 1, filings);
    ids.push(await buildQuietly(ledger, directory, { replace: true }));
  }
  return { directory, ids: ids as [string, string] };
}
const accession = (number: number) => filing(number).accessionNo;

/** What differs, in short: sign, accession number, members. */
function differing(directory: string, before: string, after: string): Promise<string[]> {
  return withPartFolder(directory, async (parts) => {
    const found: string[] = [];
    const [older, newer] = [await readManifest(parts, before), await readManifest(parts, after)];
    for await (const {
      sign,
      filing: { accessionNo },
      members,
    } of diffSnapshots(parts, older.manifest, newer.manifest))
      found.push([sign, accessionNo, ...members].join(' '));
    return found;
  });
}

describe('diffSnapshots', () => {
  it('diffSnapshots names what came, what went, and which members changed', async () => {
    const { directory, ids } = await snapshotsOf(
      [1, 2, 3, 5].map((number) => filing(number)),
      [filing(2), filing(3, { form: '10-Q/A', sizeBytes: null }), filing(4), filing(5), filing(6)],
    );
    const changed = `~ ${accession(3)} form size summary`;
    expect(await differing(directory, ...ids)).toEqual([
      `- ${accession(1)}`,
      changed,
      `+ ${accession(4)}`,
      `+ ${accession(6)}`,
    ]);
    expect(await differing(directory, ids[1], ids[0])).toEqual([
      `+ ${accession(1)}`,
      changed,
      `- ${accession(4)}`,
      `- ${accession(6)}`,
    ]);
  });
  it('diffSnapshots finds no difference between snapshots that differ in settings alone', async () => {
    const { directory, ids } = await snapshotsOf([filing(1)]);
    const ledger = fresh();
    await appendNumbered(ledger, 1);
    const settings: SnapshotSettings = { ...plainSettings, baseUrl: 'https://example.com' };
    const other = await buildQuietly(ledger, directory, { settings });
    expect(other).not.toBe(ids[0]);
    expect([await differing(directory, ids[0], ids[0]), await differing(directory, ids[0], other)]).toEqual([
      [],
      [],
    ]);
  });
  it('diffSnapshots names a snapshot that is absent or damaged', async () => {
    const { directory, ids } = await snapshotsOf([filing(1)], [filing(1), filing(2)]);
    const missing = '20260101-0123456789abcdef';
    await expect(differing(directory, ids[0], missing)).rejects.toThrow(missing);
    await expect(differing(directory, missing, ids[0])).rejects.toThrow(missing);
    const [segment] = (await manifestOf(directory, ids[1])).segments;
    for (const part of [segmentParts.rows, segmentParts.index]) {
      const table = join(directory, part(segment?.name ?? '', 'summaries'));
      const bytes = readFileSync(table);
      rmSync(table);
      writeFileSync(table, bytes.subarray(1));
      await expect(differing(directory, ...ids)).rejects.toThrow(table);
      writeFileSync(table, bytes);
    }
  });
  it('diffSnapshots compares published members, also where two snapshots share segments', async () => {
    const [ledger, directory] = [fresh(), fresh()];
    const range = (length: number) => Array.from({ length }, (_, at) => filing(at));
    await appendNumbered(ledger, 1, range(700));
    const first = await buildQuietly(ledger, directory);
    await appendNumbered(ledger, 2, [filing(7, { form: '10-K' }), filing(8), filing(1000)]);
    const second = await buildQuietly(ledger, directory);
    expect((await manifestOf(directory, second)).segments.length).toBe(2);
    expect(await differing(directory, first, second)).toEqual([
      expect.stringMatching(new RegExp(`^~ ${accession(7)} .*form`)),
      `+ ${accession(1000)}`,
    ]);
    // Three more batches join all segments, which makes no difference.
    for (const number of [3, 4]) await appendNumbered(ledger, number, range(300));
    const third = await buildQuietly(ledger, directory);
    const changes = await differing(directory, second, third);
    expect(changes.map((line) => line[0])).toEqual(changes.map(() => '~'));
    expect(changes).not.toEqual([]);
  });
});

describe('describeDifference', () => {
  it('describeDifference says form, day, company, and what changed', () => {
    const row = {
      accessionNo: accession(1),
      form: '8-K',
      filedAt: '2026-07-30',
      companyName: 'Apple Inc.',
      ticker: 'AAPL',
      cik: '0000320193',
    } as FilingSummary;
    expect(describeDifference({ sign: '+', filing: row, members: [] })).toBe(
      `+ ${accession(1)}  8-K  2026-07-30  Apple Inc. (AAPL)`,
    );
    expect(
      describeDifference({ sign: '~', filing: { ...row, ticker: null }, members: ['items', 'summary'] }),
    ).toBe(`~ ${accession(1)}  8-K  2026-07-30  Apple Inc. (CIK 0000320193): items, summary`);
  });
});
