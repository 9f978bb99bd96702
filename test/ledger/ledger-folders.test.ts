import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  appendBatch,
  BrokenLedger,
  openBatch,
  type LedgerEnd,
  readBatchFile,
} from '../../build/ledger/batch.ts';
import { batchCount, batchDirectory, newBatchDirectory } from '../../build/ledger/folders.ts';
import { readHeads } from '../../build/ledger/read.ts';
import { useDirectories } from '../support/directories.ts';
import { headsOf } from '../support/heads.ts';
import { batchAt, filing } from '../support/made-up.ts';
import { writeManyBatches } from '../support/many-batches.ts';
import { buildQuietly, contentBelow } from '../support/snapshots.ts';
import { readRows } from '../support/ledger-rows.ts';

const directory = useDirectories('folders');
const run = (number: number) => ({
  target: 'AAA',
  status: 'success' as const,
  message: null,
  createdAt: batchAt(number),
});
const append = (ledger: string, number: number) =>
  appendBatch(ledger, { run: run(number), filings: [filing(number)], companies: [], refusals: [] });

/** A ledger whose batches are directly in `batches`, as the second version wrote them. */
function flatLedger(count: number): string {
  const [ledger, flat] = [directory(), directory()];
  writeManyBatches(ledger, count);
  mkdirSync(join(flat, 'batches'));
  for (let number = 1; number <= count; number++)
    renameSync(newBatchDirectory(ledger, number), join(flat, 'batches', String(number).padStart(6, '0')));
  return flat;
}

/** The rule by which the second version finds the batches of a ledger. */
function numbersOfSecondVersion(ledger: string): number[] {
  const numbers = readdirSync(join(ledger, 'batches'))
    .filter((name) => /^\d{6}$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
  numbers.forEach((number, at) => {
    if (number !== at + 1) throw new Error(`${String(at + 1).padStart(6, '0')} is missing`);
  });
  return numbers;
}

describe('the folders of batches', () => {
  it('a folder has a thousand batches, and numbers have no end', () => {
    const below = (number: number) => newBatchDirectory('', number);
    expect([1, 999, 1000, 999_999, 1_234_567, 123_456_789].map(below)).toEqual([
      'batches/00000/00000001',
      'batches/00000/00000999',
      'batches/00001/00001000',
      'batches/00999/00999999',
      'batches/01234/01234567',
      'batches/123456/123456789',
    ]);
  });

  it.each([0, 1, 2, 7, 998, 999, 1000, 1001, 2345])(
    'the end of a ledger of %i batches is found, wherever the search begins',
    async (count) => {
      const ledger = directory();
      writeManyBatches(ledger, count);
      for (const atLeast of [0, 1, Math.floor(count / 2), count, count + 5])
        expect(await batchCount(ledger, atLeast)).toBe(count);
    },
  );

  it('batches go on after number 999,999', async () => {
    const ledger = directory();
    let end: LedgerEnd = {
      ledgerDirectory: ledger,
      batches: 999_997,
      sha256: 'a'.repeat(64),
      rules: undefined,
    };
    for (const number of [999_998, 999_999, 1_000_000, 1_000_001]) {
      const open = await openBatch(ledger);
      await open.addFilings([filing(number - 999_000)]);
      expect(await open.finish(end, { run: run(1), refusals: [] })).toBe(number);
      end = { ...end, batches: number, sha256: (await readBatchFile(ledger, number)).sha256 };
    }
    expect(await batchCount(ledger, 999_998)).toBe(1_000_001);
    const numbers: number[] = [];
    for await (const { head } of readHeads(ledger, 999_998)) numbers.push(head.number);
    expect(numbers).toEqual([999_999, 1_000_000, 1_000_001]);
  });

  it('a batch that is missing near the end is named, whether the search hits it or not', async () => {
    for (const missing of [1, 2, 5, 1000, 1001, 1003]) {
      const ledger = directory();
      writeManyBatches(ledger, 1004);
      rmSync(batchDirectory(ledger, missing), { recursive: true });
      // The folder of the end is looked through, and every head that is read has to be there.
      await expect(headsOf(ledger)).rejects.toThrow(BrokenLedger);
      if (missing > 999) await expect(batchCount(ledger)).rejects.toThrow(`${missing} is missing`);
    }
  });

  it('a count beside a program that appends never takes a batch for missing', async () => {
    const ledger = directory();
    const last = 600;
    let appended = 0;
    const appending = (async () => {
      for (let number = 1; number <= last; number++) {
        await mkdir(newBatchDirectory(ledger, number), { recursive: true });
        appended = number;
      }
    })();
    while (appended < last) {
      const before = appended;
      expect(await batchCount(ledger)).toBeGreaterThanOrEqual(before);
    }
    await appending;
  });

  it('a killed append may leave an empty folder, and the next one uses it', async () => {
    const ledger = directory();
    writeManyBatches(ledger, 999);
    mkdirSync(dirname(newBatchDirectory(ledger, 1000)));
    expect(await batchCount(ledger)).toBe(999);
    expect(await append(ledger, 5)).toBe(1000);
    expect(existsSync(join(ledger, 'batches/00001/00001000/batch.json'))).toBe(true);
  });
});

describe('a ledger of the second version', () => {
  it('is read where it is, and goes on in folders', async () => {
    const ledger = flatLedger(3);
    expect(numbersOfSecondVersion(ledger)).toEqual([1, 2, 3]);
    const before = await headsOf(ledger);
    expect(await append(ledger, 4)).toBe(4);
    expect(await append(ledger, 5)).toBe(5);
    expect((await headsOf(ledger)).slice(0, 3)).toEqual(before);
    expect((await headsOf(ledger)).map(({ head }) => head.number)).toEqual([1, 2, 3, 4, 5]);
    expect(readdirSync(join(ledger, 'batches')).sort()).toEqual([
      '00000',
      '000001',
      '000002',
      '000003',
      '999999',
    ]);
    expect((await readRows(ledger)).batches).toBe(5);
  });

  it('stops the second version once it was continued, and does not confuse this one', async () => {
    for (const ledger of [flatLedger(3), directory()]) {
      await append(ledger, 4);
      expect(() => numbersOfSecondVersion(ledger)).toThrow('is missing');
      expect(readdirSync(join(ledger, 'batches/999999'))).toEqual(['README']);
      const count = await batchCount(ledger);
      expect(await append(ledger, 5)).toBe(count + 1);
    }
  });

  it('gives the same snapshot as the same batches in folders', { tags: ['slow'] }, async () => {
    const [flat, folders] = [flatLedger(12), directory()];
    writeManyBatches(folders, 12);
    const [one, other] = [directory(), directory()];
    expect(await buildQuietly(flat, one)).toBe(await buildQuietly(folders, other));
    expect(contentBelow(one)).toEqual(contentBelow(other));
  });

  it('is refused if one of its batches is missing', async () => {
    for (const missing of [1, 2, 3]) {
      const ledger = flatLedger(4);
      rmSync(batchDirectory(ledger, missing), { recursive: true });
      await expect(headsOf(ledger)).rejects.toThrow(BrokenLedger);
    }
  });
});
