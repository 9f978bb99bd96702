import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableDefinition, tableNames, type ListTable, type RecordTable } from '../src/contract/snapshot.ts';
import { createChunkCache } from '../src/table/cache.ts';
import { lineText } from '../src/table/chunk.ts';
import { readPage, withoutLastRow, type PageRequest } from '../src/table/page.ts';
import { findRecord, rowBytes } from '../src/table/record.ts';
import type { Table } from '../src/table/table.ts';
import { hostileText } from './support/arbitraries.ts';
import { useDirectories } from './support/directories.ts';
import { accessionOf, inTableOrder, openMadeTable, orderOf, rowsOf, toMadeRow, writeTable, type ListRow } from './support/table.ts';

const directory = useDirectories('tables');
const isList = (name: string): name is ListTable => ['history', 'feed'].includes(tableDefinition(name as ListTable).shape);
const lists = tableNames.filter(isList);

const forms = ['4', '8-K', '8-K/A', '10-K', 'K', 'X.1&(2)'];
const families = ['current_report', 'report', 'insider'];
const days = ['1999-12-31', '2026-01-01', '2026-01-02', '2026-02-28'];
const keys = ['0000000002', '0000000004', '0000000006'];
/** Keys that rows have, and such that stand before, between and behind them. */
const wanted = ['', ...keys, '0000000001', '0000000005', '0000000009', 'all'];

const listRow: fc.Arbitrary<ListRow> = fc.record({
  key: fc.constantFrom(...keys), number: fc.integer({ min: 1, max: 60 }), form: fc.constantFrom(...forms), eventType: fc.constantFrom(...families),
  filedAt: fc.option(fc.constantFrom(...days), { nil: null, freq: 8 }), acceptanceDateTime: fc.option(fc.constantFrom('20260101000000', '20260101000001'), { nil: null }),
  // Long rows make blocks of few rows; texts that look like members must not be taken for them.
  text: fc.oneof({ weight: 4, arbitrary: fc.constant('') }, { weight: 2, arbitrary: hostileText }, { weight: 1, arbitrary: fc.constantFrom(...forms).map((form) => `","form":"${form}","filedAt":"9999-01-01`) }, { weight: 2, arbitrary: fc.integer({ min: 20_000, max: 70_000 }).map((length) => 'x'.repeat(length)) }),
});
const listRows = fc.uniqueArray(listRow, { selector: ({ key, number }) => `${key} ${number}`, maxLength: 50 });
const orNone = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined });
const filters = fc.record({ since: orNone(fc.constantFrom(...days, '2026-01-15', '3000-01-01')), form: orNone(fc.constantFrom(...forms, 'NOPE', '8')), eventType: orNone(fc.constantFrom(...families, 'nothing')) });

/** What a page must hold: the rows of the array that match, behind a place. */
function expectedRows(name: ListTable, sorted: readonly ListRow[], { key, after, since, form, eventType }: Omit<PageRequest, 'limit'>): ListRow[] {
  const isHistory = tableDefinition(name).shape === 'history';
  const isBehind = (order: string) => after === undefined || (isHistory ? order < after : order > after);
  return sorted.filter((row) => row.key === key && isBehind(orderOf(name, row)) && (since === undefined || (row.filedAt ?? '') >= since) && (form === undefined || row.form === form) && (eventType === undefined || row.eventType === eventType));
}

const jsonOf = (name: ListTable, rows: readonly ListRow[]) => rows.map((row) => toMadeRow(name, row).json);

async function withTable<Result>(name: ListTable, sorted: readonly ListRow[], work: (table: Table) => Promise<Result>): Promise<Result> {
  const table = await openMadeTable(directory(), name, sorted.map((row) => toMadeRow(name, row)));
  try {
    return await work(table);
  } finally {
    await table.close();
  }
}

describe.each(lists)('pages of %s', (name) => {
  it('are the rows of a filtered and sorted array, wherever they begin', () =>
    fc.assert(fc.asyncProperty(listRows, fc.array(fc.record({ key: fc.constantFrom(...wanted), limit: fc.integer({ min: 1, max: 60 }), filter: filters, after: orNone(listRow) }), { minLength: 1, maxLength: 12 }), async (rows, requests) => {
      const sorted = inTableOrder(name, rows);
      await withTable(name, sorted, async (table) => {
        for (const { key, limit, filter, after } of requests) {
          // A place may be that of a row, or one between rows.
          const request = { key, after: after && orderOf(name, after), ...filter };
          const expected = expectedRows(name, sorted, request).slice(0, limit);
          const page = await readPage(table, { ...request, limit });
          expect(rowsOf(page)).toEqual(jsonOf(name, expected));
          expect(page.rows).toBe(expected.length);
          const last = expected.at(-1);
          expect(page.last()).toBe(last ? orderOf(name, last) : null);
          if (expected.length > 0) expect(rowsOf(withoutLastRow(page))).toEqual(jsonOf(name, expected.slice(0, -1)));
        }
      });
    }), { numRuns: 60 }));

  it('followed one by one give every row that matches exactly once, in order', () =>
    fc.assert(fc.asyncProperty(listRows, fc.constantFrom(...keys), filters, fc.integer({ min: 1, max: 9 }), async (rows, key, filter, limit) => {
      const sorted = inTableOrder(name, rows);
      await withTable(name, sorted, async (table) => {
        const walked: string[] = [];
        let after: string | undefined;
        for (let pages = 0; pages <= rows.length; pages++) {
          const page = await readPage(table, { key, after, limit, ...filter });
          if (page.rows === 0) break;
          walked.push(...rowsOf(page));
          after = page.last() ?? undefined;
        }
        expect(walked).toEqual(jsonOf(name, expectedRows(name, sorted, { key, ...filter })));
      });
    }), { numRuns: 40 }));
});

describe('a list with more keys than a page of its index holds', () => {
  // A block holds rows of one key: so many keys make an index of several pages. Every hundredth key has more blocks.
  const key = (number: number) => String(number * 2).padStart(10, '0');
  const rows: ListRow[] = Array.from({ length: 1500 }, (_, number) => number).flatMap((number) =>
    Array.from({ length: number % 100 === 50 ? 40 : 2 }, (__, at): ListRow => ({ key: key(number), number: at + 1, form: at % 10 === 0 ? '8-K' : '4', eventType: 'report', filedAt: number % 500 === 7 ? '2026-02-02' : '2026-01-01', acceptanceDateTime: null, text: number % 100 === 50 ? 'x'.repeat(5000) : '' })),
  );
  const name = 'company-changes';
  const sorted = inTableOrder(name, rows);
  let table: Table;
  let pageFirsts: string[];
  beforeAll(async () => {
    const path = directory();
    const made = sorted.map((row) => toMadeRow(name, row));
    table = await openMadeTable(path, name, made, createChunkCache(100_000));
    pageFirsts = writeTable(path, name, made).map((page) => page.key);
  });
  afterAll(() => table.close());

  it('is one', () => expect(pageFirsts.length).toBeGreaterThan(3));

  it('finds the rows of any key, and none for keys between them', async () => {
    const border = pageFirsts.flatMap((first) => [-1, 0, 1].map((step) => Number(first) / 2 + step));
    for (const number of new Set([...border, 0, 49, 50, 51, 750, 1498, 1499])) {
      for (const filter of [{}, { since: '2026-02-01' }, { form: '8-K' }]) {
        const request = { key: key(number), ...filter };
        expect(rowsOf(await readPage(table, { ...request, limit: 200 }))).toEqual(jsonOf(name, expectedRows(name, sorted, request)));
        expect(rowsOf(await readPage(table, { ...request, after: orderOf(name, { ...(rows[0] as ListRow), number: 1 }), limit: 200 }))).toEqual(jsonOf(name, expectedRows(name, sorted, request).filter((row) => row.number > 1)));
        expect((await readPage(table, { ...request, key: String(number * 2 + 1).padStart(10, '0'), limit: 5 })).rows).toBe(0);
      }
    }
    for (const missing of ['', '!', '9999999999', 'all']) expect((await readPage(table, { key: missing, limit: 5 })).rows).toBe(0);
  });

  it('is walked as a whole, block by block', async () => {
    const walked: string[] = [];
    for (let block = await table.at({ page: 0, line: 0 }); block; block = await table.next(block.place)) {
      const chunk = await table.read(block);
      expect(chunk.ends.length).toBe(block.rows);
      for (let line = 0; line < block.rows; line++) walked.push(lineText(chunk, line));
    }
    expect(walked).toEqual(jsonOf(name, sorted));
  });
});

describe('a table without rows', () => {
  it.each(tableNames)('%s gives nothing', async (name) => {
    const table = await openMadeTable(directory(), name, []);
    expect(await table.at({ page: 0, line: 0 })).toBeUndefined();
    expect(await table.seek('all', '')).toBeUndefined();
    if (isList(name)) expect((await readPage(table, { key: 'all', limit: 5, since: '2026-01-01', form: '4' })).rows).toBe(0);
    else if (tableDefinition(name).shape === 'record') expect(await findRecord(table, '')).toBeUndefined();
    await table.close();
  });
});

describe('records', () => {
  const recordNames = tableNames.filter((name): name is RecordTable => tableDefinition(name).shape === 'record');
  const record = (name: RecordTable, key: string, text: string) => ({ key, json: JSON.stringify({ [tableDefinition(name).keyMember as string]: key, text }), facts: { order: '', filedAt: '', tags: [] } });

  it.each(recordNames)('of %s are found by their key, and no others', (name) =>
    fc.assert(fc.asyncProperty(fc.uniqueArray(fc.constantFrom(...Array.from({ length: 40 }, (_, at) => `K${at}`), 'K1-B', 'K', 'L'), { maxLength: 30 }), fc.array(fc.oneof(hostileText, fc.constantFrom('x'.repeat(30_000), `{"${tableDefinition(name).keyMember}":"K1"`)), { minLength: 30, maxLength: 30 }), async (own, texts) => {
      const rows = own.toSorted().map((key, at) => record(name, key, texts[at] as string));
      const table = await openMadeTable(directory(), name, rows);
      for (const { key, json } of rows) {
        const found = await findRecord(table, key);
        expect(found && rowBytes(found).toString()).toBe(json);
      }
      for (const key of ['', 'J', 'K0', 'K05', 'K3', 'K39x', 'K1-', 'Z', '"', 'k1'].filter((each) => !own.includes(each))) expect(await findRecord(table, key)).toBeUndefined();
      await table.close();
    }), { numRuns: 25 }));

  it('are found behind several pages of the index, at the borders of blocks and pages too', async () => {
    // Two of these rows do not fit one block.
    const numbers = Array.from({ length: 1100 }, (_, at) => at * 2 + 1);
    const keyOf = (number: number) => accessionOf({ number });
    const path = directory();
    const rows = numbers.map((number) => record('summaries', keyOf(number), 'x'.repeat(33_000)));
    const table = await openMadeTable(path, 'summaries', rows);
    expect(writeTable(path, 'summaries', rows).length).toBeGreaterThan(1);
    for (const number of numbers) {
      const found = await findRecord(table, keyOf(number));
      expect(found && rowBytes(found).toString('utf8', 0, 40)).toContain(keyOf(number));
    }
    for (const number of [0, 2, 918, 1100, 2200, 999_999]) expect(await findRecord(table, keyOf(number))).toBeUndefined();
    await table.close();
  });
});

describe('an index that does not fit its table', () => {
  it('is refused when it is read', async () => {
    const path = directory();
    const made = inTableOrder('latest', [1, 2, 3].map((number): ListRow => ({ key: 'all', number, form: '4', eventType: 'insider', filedAt: '2026-01-01', acceptanceDateTime: null, text: '' }))).map((row) => toMadeRow('latest', row));
    const table = await openMadeTable(path, 'latest', made);
    writeTable(path, 'latest', made.slice(1));
    await expect(readPage(table, { key: 'all', limit: 3 })).rejects.toThrow('are not those that its index names');
    await table.close();
  });
});
