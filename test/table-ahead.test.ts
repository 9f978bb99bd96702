import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { paths } from '../src/contract/snapshot.ts';
import { readPage } from '../src/table/page.ts';
import type { Block, Table } from '../src/table/table.ts';
import { useDirectories } from './support/directories.ts';
import { openMadeTable, toMadeRow } from './support/table.ts';

const directory = useDirectories('tables');

describe('a filtered page of rows that lie in a block each', () => {
  const name = 'changes';
  const made = Array.from({ length: 40 }, (_, at) => toMadeRow(name, { key: 'all', number: at + 1, form: '8-K', eventType: 'report', filedAt: '2026-01-01', acceptanceDateTime: null, text: 'x'.repeat(40_000) }));
  const request = { key: 'all', form: '8-K' };

  it('begins to read some blocks before it searches them, and none that it does not need', async () => {
    const table = await openMadeTable(directory(), name, made);
    const calls: string[] = [];
    const counted: Table = {
      ...table,
      readAhead: (block) => (calls.push('begun'), table.readAhead(block)),
      read: (block) => (calls.push('searched'), table.read(block)),
    };
    for (const limit of [1, 2, 5, 30]) {
      calls.length = 0;
      expect((await readPage(counted, { ...request, limit })).rows).toBe(limit);
      // The first block is read alone; then eight are on their way as long as the page needs so many.
      const ahead = Array.from({ length: Math.min(8, limit - 1) }, () => 'begun');
      expect(calls.slice(0, ahead.length + 2)).toEqual(['searched', ...ahead, ...(limit > 1 ? ['searched'] : [])]);
      expect(calls.filter((call) => call === 'begun').length).toBe(limit - 1);
      expect(calls.filter((call) => call === 'searched').length).toBe(limit);
    }
    await table.close();
  });

  it('fails at a rotten block only if it needs its rows', async () => {
    const path = directory();
    const table = await openMadeTable(path, name, made);
    const file = join(path, paths.table(name));
    const rotten = readFileSync(file);
    rotten.fill(0x20, rotten.length - 100, rotten.length - 50);
    writeFileSync(file, rotten);
    expect((await readPage(table, { ...request, limit: 39 })).rows).toBe(39);
    table.readAhead((await table.at({ page: 0, line: 39 })) as Block);
    await expect(readPage(table, { ...request, limit: 40 })).rejects.toThrow('are not those that its index names');
    await table.close();
  });
});
