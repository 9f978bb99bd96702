import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { StoredTable } from '../../build/segments/table-files.ts';
import { readPage } from '../../src/table/merge.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { inPasses } from '../../src/table/passes.ts';
import type { TableRow } from '../../src/table/table.ts';
import type { IndexedBlock } from '../../src/table/table-head.ts';
import { useDirectories } from '../support/directories.ts';
import { countingReads, farPartsIn, opened, partsIn, toMadeRow, writeRows } from '../support/table.ts';

const directory = useDirectories('tables');

describe('a filtered page of rows that lie in a block each', () => {
  const made = Array.from({ length: 40 }, (_, at) =>
    toMadeRow('ascending', {
      partition: '0000000001',
      number: at + 1,
      form: '8-K',
      items: [],
      filedAt: '2026-01-01',
      acceptanceDateTime: null,
      text: 'x'.repeat(40_000),
    }),
  );
  const request = {
    partitions: ['0000000001'],
    wanted: ({ labels }: IndexedBlock) => labels?.includes('8-K') !== false,
  };

  /** Opens a table, over a host or in a folder, with the offsets of the blocks that are read of it. */
  function counted(stored: StoredTable, parts = partsIn('/')) {
    const reads = countingReads(parts);
    const table = opened(stored, createBlockCache(16 * 1024 * 1024), reads);
    const offsets = () => reads.reads.flatMap(({ part, offset }) => (part === stored.rows ? [offset] : []));
    return { table, offsets };
  }

  const places = [
    // The first block is read alone; then eight are read in one round as long as the page needs so many.
    [
      'a host reads some blocks ahead',
      farPartsIn('/'),
      (at: number, limit: number) => (at === 0 ? 1 : Math.min(limit, 1 + 8 * Math.ceil(at / 8))),
    ],
    ['a folder reads a block when it is its turn', partsIn('/'), (at: number) => at + 1],
  ] as const;
  it.each(places)('a filtered page over %s, and none that it does not need', async (_, parts, readAt) => {
    const stored = writeRows(directory(), 'one', 'ascending', made);
    for (const limit of [1, 2, 5, 30, 40]) {
      const { table, offsets } = counted(stored, parts);
      /** How many blocks were read when a row was first looked at. */
      const readThen = new Map<number, number>();
      const matches = ({ block }: TableRow) => {
        const number = made.findIndex(({ row }) => block.bytes.includes(row ?? ''));
        if (!readThen.has(number)) readThen.set(number, offsets().length);
        return true;
      };
      const page = await inPasses(() => readPage([table], { ...request, matches, limit }));
      expect(page.length).toBe(limit);
      expect([...readThen.values()]).toEqual(Array.from({ length: limit }, (_each, at) => readAt(at, limit)));
      expect(offsets().length).toBe(limit);
      expect(offsets()).toEqual([...new Set(offsets())].toSorted((a, b) => a - b));
    }
  });

  it('a filtered page reads the first block alone', async () => {
    const two = [0, 1].map((at) => ({
      ...(made[at] as (typeof made)[number]),
      row: JSON.stringify({ sequence: at, filing: { form: '8-K', items: [], filedAt: '2026-01-01' } }),
    }));
    const { table, offsets } = counted(
      writeRows(directory(), 'one', 'ascending', [...two, ...made.slice(2)]),
      farPartsIn('/'),
    );
    expect((await inPasses(() => readPage([table], { ...request, limit: 1 }))).length).toBe(1);
    expect(offsets().length).toBe(1);
  });

  it('a page without a filter reads a block when it is its turn', async () => {
    const stored = writeRows(directory(), 'one', 'ascending', made);
    for (const limit of [1, 5, 30]) {
      const { table, offsets } = counted(stored);
      expect(readPage([table], { partitions: ['0000000001'], limit }).length).toBe(limit);
      expect(offsets().length).toBe(limit);
    }
  });

  it('a filtered page fails at a rotten block only if it needs its rows', async () => {
    const stored = writeRows(directory(), 'one', 'ascending', made);
    const rotten = readFileSync(stored.rows);
    rotten[rotten.length - 50] = (rotten[rotten.length - 50] as number) ^ 1;
    writeFileSync(stored.rows, rotten);
    for (const parts of [partsIn('/'), farPartsIn('/')]) {
      const { table } = counted(stored, parts);
      const page = (limit: number) => inPasses(() => readPage([table], { ...request, limit }));
      expect((await page(39)).length).toBe(39);
      await expect(page(40)).rejects.toThrow('are not those that the index names');
    }
  });
});
