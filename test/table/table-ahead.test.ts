import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readPage } from '../../src/table/merge.ts';
import type { Table } from '../../src/table/table.ts';
import type { IndexedBlock } from '../../src/table/table-head.ts';
import { useDirectories } from '../support/directories.ts';
import { opened, toMadeRow, writeRows } from '../support/table.ts';

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

  /** Counts the reads of a table that are begun. */
  function counted(table: Table): { readonly table: Table; readonly begun: number[] } {
    const begun: number[] = [];
    return { begun, table: { ...table, read: (entry) => (begun.push(entry.offset), table.read(entry)) } };
  }

  const places = [
    // The first block is read alone; then eight are on their way as long as the page needs so many.
    [
      'a host reads some blocks ahead',
      true,
      (at: number, limit: number) => (at === 0 ? 1 : Math.min(limit, at + 8)),
    ],
    ['a folder reads a block when it is its turn', false, (at: number) => at + 1],
  ] as const;
  it.each(places)('a filtered page over %s, and none that it does not need', async (_, isFar, begunAt) => {
    const stored = writeRows(directory(), 'one', 'ascending', made);
    for (const limit of [1, 2, 5, 30, 40]) {
      const { table, begun } = counted({ ...opened(stored), isFar });
      const underWay: number[] = [];
      const matches = () => underWay.push(begun.length) > 0;
      expect((await readPage([table], { ...request, matches, limit })).length).toBe(limit);
      expect(underWay).toEqual(Array.from({ length: limit }, (_each, at) => begunAt(at, limit)));
      expect(begun.length).toBe(limit);
      expect(new Set(begun).size).toBe(begun.length);
      expect(begun).toEqual(begun.toSorted((a, b) => a - b));
    }
  });

  it('a filtered page reads the first block alone', async () => {
    const two = [0, 1].map((at) => ({
      ...(made[at] as (typeof made)[number]),
      row: JSON.stringify({ sequence: at, filing: { form: '8-K', items: [], filedAt: '2026-01-01' } }),
    }));
    const { table, begun } = counted(
      opened(writeRows(directory(), 'one', 'ascending', [...two, ...made.slice(2)])),
    );
    expect((await readPage([table], { ...request, limit: 1 })).length).toBe(1);
    expect(begun.length).toBe(1);
  });

  it('a page without a filter reads a block when it is its turn', async () => {
    const { table, begun } = counted(opened(writeRows(directory(), 'one', 'ascending', made)));
    for (const limit of [1, 5, 30]) {
      begun.length = 0;
      expect((await readPage([table], { partitions: ['0000000001'], limit })).length).toBe(limit);
      expect(begun.length).toBe(limit);
    }
  });

  it('a filtered page fails at a rotten block only if it needs its rows', async () => {
    const stored = writeRows(directory(), 'one', 'ascending', made);
    const rotten = readFileSync(stored.rows);
    rotten[rotten.length - 50] = (rotten[rotten.length - 50] as number) ^ 1;
    writeFileSync(stored.rows, rotten);
    const table = opened(stored);
    expect((await readPage([table], { ...request, limit: 39 })).length).toBe(39);
    await expect(readPage([table], { ...request, limit: 40 })).rejects.toThrow(
      'are not those that the index names',
    );
  });
});
