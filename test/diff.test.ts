import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appendBatch } from '../build/ledger/batch.ts';
import type { LedgerFiling } from '../build/ledger/rows.ts';
import { diffSnapshots } from '../build/snapshot/diff.ts';
import type { SnapshotSettings } from '../src/contract/snapshot.ts';
import { useDirectories } from './support/directories.ts';
import { batchAt, company, filing } from './support/ledgers.ts';
import { buildQuietly, plainSettings } from './support/snapshots.ts';

const fresh = useDirectories('diff');

/** A directory with a snapshot of each list of filings, and their names. */
async function snapshotsOf(...lists: readonly (readonly LedgerFiling[])[]): Promise<{ directory: string; ids: [string, string] }> {
  const directory = fresh();
  const ids: string[] = [];
  for (const filings of lists) {
    const ledger = fresh();
    await appendBatch(ledger, { run: { target: '', status: 'success', message: null, createdAt: batchAt(1) }, filings, companies: [company(1)], refusals: [] });
    ids.push(await buildQuietly(ledger, directory, { replace: true }));
  }
  return { directory, ids: ids as [string, string] };
}
const accession = (number: number) => filing(number).accessionNo;

describe('diffSnapshots', () => {
  it('names what came, what went, and which members changed', async () => {
    const { directory, ids } = await snapshotsOf([1, 2, 3, 5].map((number) => filing(number)), [filing(2), filing(3, { form: '10-Q/A', sizeBytes: null }), filing(4), filing(5), filing(6)]);
    expect(await diffSnapshots(directory, ...ids)).toEqual({ added: [accession(4), accession(6)], removed: [accession(1)], changed: [{ accessionNo: accession(3), members: ['form', 'size', 'summary'] }] });
    expect(await diffSnapshots(directory, ids[1], ids[0])).toMatchObject({ added: [accession(1)], removed: [accession(4), accession(6)] });
  });
  it('finds no difference between a snapshot and itself, or one that differs in settings alone', async () => {
    const { directory, ids } = await snapshotsOf([filing(1)]);
    const ledger = fresh();
    await appendBatch(ledger, { run: { target: '', status: 'success', message: null, createdAt: batchAt(1) }, filings: [filing(1)], companies: [company(1)], refusals: [] });
    const settings: SnapshotSettings = { ...plainSettings, baseUrl: 'https://example.com' };
    const other = await buildQuietly(ledger, directory, { settings });
    const nothing = { added: [], removed: [], changed: [] };
    expect(other).not.toBe(ids[0]);
    expect([await diffSnapshots(directory, ids[0], ids[0]), await diffSnapshots(directory, ids[0], other)]).toEqual([nothing, nothing]);
  });
  it('goes through many blocks, and copes with none', async () => {
    const many = Array.from({ length: 700 }, (_, at) => filing(at));
    const { directory, ids } = await snapshotsOf([], many);
    expect(await diffSnapshots(directory, ...ids)).toEqual({ added: many.map(({ accessionNo }) => accessionNo), removed: [], changed: [] });
    expect((await diffSnapshots(directory, ids[1], ids[0])).removed.length).toBe(700);
  });
  it('names a snapshot that is not there, or is not what it was', async () => {
    const { directory, ids } = await snapshotsOf([filing(1)], [filing(1), filing(2)]);
    const missing = '20260101-0123456789abcdef';
    await expect(diffSnapshots(directory, ids[0], missing)).rejects.toThrow(missing);
    await expect(diffSnapshots(directory, missing, ids[0])).rejects.toThrow(missing);
    const table = join(directory, ids[1], 'tables/summaries.jsonl');
    rmSync(table);
    writeFileSync(table, '{"accessionNo":"x"}\n');
    await expect(diffSnapshots(directory, ...ids)).rejects.toThrow(table);
  });
});
