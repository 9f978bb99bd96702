// @module-tag slow
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appendFound } from '../../build/ingest/append.ts';
import { appendBatch, batchDirectory, BrokenLedger } from '../../build/ledger/batch.ts';
import { surveyLedger } from '../../build/ledger/survey.ts';
import { readPointer } from '../../build/snapshot/pointer.ts';
import { readSurvey } from '../../build/snapshot/published-survey.ts';
import { Manifest, paths } from '../../src/format/snapshot.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { snapshotId } from '../../src/format/snapshot.ts';
import { useDirectories } from '../support/directories.ts';
import { factsTold } from '../support/facts.ts';
import { batchAt, company, filing } from '../support/made-up.ts';
import { buildQuietly } from '../support/snapshots.ts';

const directory = useDirectories('survey');

const dayOf = (day: string, missing: number) => ({
  day,
  indexed: 9,
  listed: 1,
  held: 1 - missing,
  fetched: 0,
  missing,
  found: 0,
  corrected: 0,
  different: 0,
  open: 0,
  added: 0,
  looks: [],
  reasons: [],
  withdrawn: [],
  quarterReadAt: null,
  note: null,
  checkedAt: '2026-03-04T12:00:00.000Z',
});

const append = (ledger: string, number: number, target: string, days: ReturnType<typeof dayOf>[] = []) =>
  appendBatch(ledger, {
    run: { target, status: 'success', message: null, createdAt: batchAt(number) },
    filings: [filing(number)],
    companies: [company(number)],
    refusals: [],
    days,
  });

/** A ledger of three batches, with its snapshot. */
async function published(): Promise<{ ledger: string; snapshots: string }> {
  const [ledger, snapshots] = [directory(), directory()];
  await append(ledger, 1, 'listed', [dayOf('2026-03-02', 1)]);
  await append(ledger, 2, 'follow: all', [dayOf('2026-03-03', 0)]);
  await append(ledger, 3, 'AAA', [dayOf('2026-03-02', 0)]);
  await buildQuietly(ledger, snapshots);
  return { ledger, snapshots };
}

/** Removes the heads of batches, so that whoever reads one fails. */
function removeHeads(ledger: string, ...numbers: readonly number[]): void {
  for (const number of numbers) rmSync(join(batchDirectory(ledger, number), 'batch.json'));
}

describe('what the heads of a ledger say', () => {
  it('is read from the snapshot and from the heads after it, and from no older head', async () => {
    const { ledger, snapshots } = await published();
    await append(ledger, 4, 'all since 2026-01-01', [dayOf('2026-03-04', 0)]);
    const { rowCounts, ...all } = (await surveyLedger(ledger, null)) ?? { rowCounts: [] };
    expect([rowCounts, all]).toMatchObject([
      [2, 2, 2, 2],
      {
        names: { batches: 4, universes: ['all', 'listed', 'everyone'] },
        days: [dayOf('2026-03-02', 0), dayOf('2026-03-03', 0), dayOf('2026-03-04', 0)],
        isSample: false,
      },
    ]);
    removeHeads(ledger, 1, 2);
    expect(await readSurvey(ledger, snapshots)).toEqual({ ...all, rowCounts: [2] });
    await expect(readSurvey(ledger, directory())).rejects.toThrow(BrokenLedger);
  });

  it('an append, a look-up and a build need no head of a batch that is published', async () => {
    const { ledger, snapshots } = await published();
    removeHeads(ledger, 1, 2);
    const folders = { ledgerDirectory: ledger, snapshotsDirectory: snapshots };
    expect(await appendFound(folders, factsTold('row', 77))).toMatchObject({ batch: 4 });
    await buildQuietly(ledger, snapshots);
    expect((await readSurvey(ledger, snapshots))?.names.batches).toBe(4);
  });

  it('the same ledger gives the same snapshot, published batch by batch or at once', async () => {
    const { ledger, snapshots } = await published();
    await append(ledger, 4, 'all', [dayOf('2026-03-04', 0)]);
    expect(await buildQuietly(ledger, snapshots)).toBe(await buildQuietly(ledger, directory()));
  });

  it('a snapshot of an older version, which lacks the universes, is brought up and gets them', async () => {
    const { ledger, snapshots } = await published();
    const { snapshotId: id = '' } = (await readPointer(snapshots)) ?? {};
    const manifest = Manifest.parse(JSON.parse(readFileSync(join(snapshots, paths.manifest(id)), 'utf8')));
    const { universes: _universes, ...older } = manifest.ledger;
    const text = `${JSON.stringify({ ...manifest, ledger: older })}\n`;
    const olderId = snapshotId(manifest.generatedAt, sha256Of(text));
    writeFileSync(join(snapshots, paths.manifest(olderId)), text);
    const pointer = { format: 2, snapshotId: olderId, manifestSha256: sha256Of(text), previous: [] };
    writeFileSync(join(snapshots, paths.pointer), JSON.stringify(pointer));
    await append(ledger, 4, 'BBB');
    expect(await buildQuietly(ledger, snapshots)).toBe(await buildQuietly(ledger, directory()));
    removeHeads(ledger, 1, 2, 3);
    expect((await readSurvey(ledger, snapshots))?.names.universes).toEqual(['listed', 'everyone']);
  });

  it('a ledger without a batch says nothing', async () => {
    expect(await readSurvey(directory(), directory())).toBeNull();
  });
});
