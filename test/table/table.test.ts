import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { WrittenTable } from '../../build/segments/table-files.ts';
import { feedSortKey, type Direction } from '../../src/format/snapshot.ts';
import { compareKeys, keysOf, makeLine, noteOf } from '../../src/table/line.ts';
import { findRow } from '../../src/table/finder.ts';
import { readPage, type PageWalk } from '../../src/table/merge.ts';
import { sortIn, visitRows, type MergedRow } from '../../src/table/merged-walk.ts';
import { rowBytes, type Table } from '../../src/table/table.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { hostileText } from '../support/arbitraries.ts';
import { useDirectories } from '../support/directories.ts';
import {
  opened,
  stateOf,
  toLine,
  toMadeRow,
  writeRows,
  type ListRow,
  type MadeRow,
} from '../support/table.ts';

const directory = useDirectories('tables');
const directions: readonly Direction[] = ['ascending', 'descending'];

const forms = ['4', '8-K', '8-K/A', '10-K', 'K', 'X.1&(2)'];
const days = ['1999-12-31', '2026-01-01', '2026-01-02', '2026-02-28'];
const partitions = ['0000000002', '0000000004', '0000000006'];
/** Partitions that rows have, and such that stand before, between and behind them. */
const wanted = ['', ...partitions, '0000000001', '0000000005', '0000000009', 'all'];

const listRow: fc.Arbitrary<ListRow & { readonly isHidden: boolean }> = fc.record({
  partition: fc.constantFrom(...partitions),
  number: fc.integer({ min: 1, max: 40 }),
  form: fc.constantFrom(...forms),
  items: fc.subarray(['2.02', '9.01']),
  filedAt: fc.constantFrom(...days),
  acceptanceDateTime: fc.option(fc.constantFrom('20260101000000', '20260101000001'), { nil: null }),
  isHidden: fc.integer({ max: 5, min: 0 }).map((each) => each === 0),
  // Long rows make blocks of few rows; texts that look like members must not be taken for them.
  text: fc.oneof(
    { weight: 4, arbitrary: fc.constant('') },
    { weight: 2, arbitrary: hostileText },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(...forms)
        .map((form) => `","form":"${form}","filedAt":"9999-01-01","row":null}`),
    },
    { weight: 2, arbitrary: fc.integer({ min: 20_000, max: 70_000 }).map((length) => 'x'.repeat(length)) },
  ),
});
/**
 * Tables that are given oldest first. Later ones hide rows of earlier ones, and have others with their keys.
 */
const manyTables = fc.array(fc.array(listRow, { maxLength: 20 }), { minLength: 1, maxLength: 4 });
const orNone = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined });

function madeRows(
  direction: Direction,
  rows: readonly (ListRow & { readonly isHidden: boolean })[],
): MadeRow[] {
  return rows.map((row) => ({ ...toMadeRow(direction, row), ...(row.isHidden ? { row: null } : {}) }));
}

interface Asked {
  readonly partitions: readonly string[];
  readonly start?: string | undefined;
  readonly isBehind: boolean;
  readonly form?: string | undefined;
  readonly end?: string | undefined;
  readonly limit: number;
}

/** The walk that is asked for. What the index tells leaves out blocks; whatever hides is read. */
function walkOf(
  direction: Direction,
  { partitions: own, start, isBehind, form, end, limit }: Asked,
): PageWalk {
  return {
    partitions: own,
    limit,
    ...(isBehind ? { after: start } : { from: start }),
    wanted:
      form === undefined ? undefined : ({ labels = ['*'] }) => labels.includes('*') || labels.includes(form),
    matches: form === undefined ? undefined : (row) => formOf(rowBytes(row).toString()) === form,
    endsAt: end === undefined ? undefined : (sort) => (direction === 'ascending' ? sort >= end : sort <= end),
  };
}

const formOf = (text: string) => {
  const record = JSON.parse(text) as { form?: string; filing?: { form: string } };
  return record.filing?.form ?? record.form;
};

/**
 * What a page must hold: of each partition its newest rows, merged by their sort keys, between two sort
 * keys.
 */
function expectedRows(
  direction: Direction,
  tables: readonly (readonly MadeRow[])[],
  { partitions: own, start, isBehind, form, end, limit }: Asked,
): [string, string][] {
  const bySort = new Map<string, string[]>();
  for (const { partition, sort, row } of stateOf(tables, direction))
    if (own.includes(partition) && row !== null) bySort.set(sort, [...(bySort.get(sort) ?? []), row]);
  const compare = (a: string, b: string) =>
    compareKeys(direction, { partition: '', sort: a }, { partition: '', sort: b });
  return [...bySort]
    .sort(([a], [b]) => compare(a, b))
    .filter(
      ([sort, [row = '']]) =>
        (start === undefined || compare(sort, start) >= (isBehind ? 1 : 0)) &&
        (end === undefined || compare(sort, end) < 0) &&
        (form === undefined || formOf(row) === form),
    )
    .slice(0, limit)
    .map(([sort, [row = '']]) => [sort, row]);
}

const found = (rows: readonly MergedRow[]) => rows.map((each) => [each.sort, rowBytes(each).toString()]);

describe.each(directions)('pages of %s tables', (direction) => {
  const asked: fc.Arbitrary<Asked> = fc.record({
    partitions: fc.constantFrom(...wanted).map((each) => [each]),
    start: orNone(listRow.map((row) => toMadeRow(direction, row).sort)),
    isBehind: fc.boolean(),
    form: orNone(fc.constantFrom(...forms, 'NOPE', '8')),
    end: orNone(listRow.map((row) => toMadeRow(direction, row).sort)),
    limit: fc.integer({ min: 1, max: 60 }),
  });
  const tablesOf = (path: string, made: readonly (readonly MadeRow[])[]) =>
    made.map((rows, at) => opened(writeRows(path, `table-${at}`, direction, rows))).reverse();

  it('pages are the rows of a filtered and sorted array', () =>
    fc.assert(
      fc.asyncProperty(
        manyTables,
        fc.array(asked, { minLength: 1, maxLength: 12 }),
        async (all, requests) => {
          // A filter is told of every row that replaces another one of another form: here none does, as its form
          // would not change.
          const forms = new Map(all.flat().map((row) => [toMadeRow(direction, row).sort, row.form]));
          const made = all.map((rows) =>
            madeRows(
              direction,
              rows.map((row) => ({ ...row, form: forms.get(toMadeRow(direction, row).sort) ?? row.form })),
            ),
          );
          const tables = tablesOf(directory(), made);
          for (const each of requests)
            expect(found(readPage(tables, walkOf(direction, each)))).toEqual(
              expectedRows(direction, made, each),
            );
        },
      ),
      { numRuns: 50 },
    ));

  it('a walk tells the table of each row, and where its sort key is', () =>
    fc.assert(
      fc.asyncProperty(manyTables, fc.constantFrom(...partitions), async (all, partition) => {
        const made = all.map((rows) => madeRows(direction, rows));
        const newestFirst = made.toReversed();
        const visited: unknown[] = [];
        await visitRows(
          tablesOf(directory(), made),
          { partitions: [partition] },
          () => 1,
          (row) => {
            visited.push([row.age, sortIn(row), rowBytes(row).toString()]);
            return true;
          },
        );
        expect(visited).toEqual(
          expectedRows(direction, made, { partitions: [partition], isBehind: false, limit: Infinity }).map(
            ([sort, row]) => [
              newestFirst.findIndex((rows) =>
                rows.some((each) => each.partition === partition && each.sort === sort),
              ),
              sort,
              row,
            ],
          ),
        );
      }),
      { numRuns: 30 },
    ));

  it('pages of several partitions are one list, in which a row counts once', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.array(
            fc.record({
              number: fc.integer({ min: 1, max: 12 }),
              from: fc.subarray(partitions),
              hidden: fc.subarray(partitions),
              text: fc.constantFrom('', 'x'.repeat(40_000)),
            }),
            { maxLength: 10 },
          ),
          { minLength: 1, maxLength: 4 },
        ),
        fc.subarray([...partitions, '0000000005'], { minLength: 1 }),
        asked,
        async (all, own, request) => {
          // The same row stands in some partitions, as a filing under its items; a later table takes it out of
          // some of them.
          const made = all.map((rows, at) =>
            rows.flatMap(({ number, from, hidden, text }): MadeRow[] => {
              const row = toMadeRow(direction, {
                partition: '',
                number,
                form: '4',
                items: [],
                filedAt: days[number % days.length] as string,
                acceptanceDateTime: null,
                text: `${text}${at}`,
              });
              return [
                ...hidden.map((partition) => ({ ...row, partition, row: null })),
                ...from.map((partition) => ({ ...row, partition })),
              ];
            }),
          );
          // What is said of a filing in one table is said of it in every partition that still has it.
          const state = new Map<string, MadeRow>();
          const consistent = made.map((rows) => {
            const news = new Map(rows.map((row) => [`${row.partition} ${row.sort}`, row]));
            const texts = new Map(rows.flatMap(({ sort, row }) => (row === null ? [] : [[sort, row]])));
            for (const [key, row] of state)
              if (row.row !== null && !news.has(key) && texts.has(row.sort))
                news.set(key, { ...row, row: texts.get(row.sort) as string });
            for (const [key, row] of news)
              news.set(key, row.row === null ? row : { ...row, row: texts.get(row.sort) as string });
            for (const [key, row] of news) state.set(key, row);
            return [...news.values()];
          });
          const tables = tablesOf(directory(), consistent);
          const each = { ...request, partitions: own, form: undefined };
          expect(found(readPage(tables, walkOf(direction, each)))).toEqual(
            expectedRows(direction, consistent, each),
          );
        },
      ),
      { numRuns: 50 },
    ));
});

describe('a list with more partitions than a block of its index tells of', () => {
  const key = (number: number) => String(number * 2).padStart(10, '0');
  // Long rows in short blocks: an index of several blocks. Every hundredth partition has many blocks.
  const rows = Array.from({ length: 700 }, (_, number) => number).flatMap((number) =>
    Array.from({ length: number % 100 === 50 ? 40 : 2 }, (__, at) =>
      toMadeRow('ascending', {
        partition: key(number),
        number: at + 1,
        form: at % 10 === 0 ? '8-K' : '4',
        items: [],
        filedAt: number % 500 === 7 ? '2026-02-02' : '2026-01-01',
        acceptanceDateTime: null,
        text: 'x'.repeat(33_000),
      }),
    ),
  );
  let stored: WrittenTable;
  let table: Table;
  beforeAll(() => {
    stored = writeRows(directory(), 'many', 'ascending', rows);
    table = opened(stored, createBlockCache(400_000));
  });

  it('a list with many partitions is one', () => expect(stored.head.root.length).toBeGreaterThan(3));

  it('a list with many partitions finds the rows of any partition', async () => {
    const border = stored.head.root.flatMap(({ partition }) =>
      [-1, 0, 1].map((step) => Number(partition) / 2 + step),
    );
    for (const number of new Set([...border, 0, 49, 50, 51, 350, 698, 699])) {
      for (const form of [undefined, '8-K']) {
        for (const start of [undefined, '000000000001']) {
          const asked = { partitions: [key(number)], start, isBehind: true, form, limit: 200 };
          expect(found(readPage([table], walkOf('ascending', asked)))).toEqual(
            expectedRows('ascending', [rows.filter(({ partition }) => partition === key(number))], asked),
          );
        }
      }
      const between = String(number * 2 + 1).padStart(10, '0');
      expect(readPage([table], { partitions: [between], limit: 5 })).toEqual([]);
      const first = rows.find(({ partition }) => partition === key(number));
      const record = first && findRow([table], first.partition, first.sort);
      expect(record && rowBytes(record).toString()).toBe(first?.row);
      expect(findRow([table], between, feedSortKey(1))).toBeNull();
    }
    for (const missing of ['', '!', '9999999999', 'all'])
      expect(readPage([table], { partitions: [missing], limit: 5 })).toEqual([]);
  });

  it('a list with many partitions is walked block by block', async () => {
    const walked: MadeRow[] = [];
    for (const entry of table.blocksFrom({ partition: '', sort: '' })) {
      const block = await table.read(entry);
      expect(block.ends.length).toBe(entry.rows);
      for (let line = 0; line < block.ends.length; line++)
        walked.push({ ...keysOf(block, line), row: rowBytes({ block, line }).toString() });
    }
    expect(walked.length).toBe(rows.length);
    expect(walked).toEqual(rows);
  });
});

describe('a page of many companies', () => {
  it('no block is read of a table all of whose rows come later, not even of its index', async () => {
    const rowsOf = (day: string) =>
      partitions.flatMap((partition) =>
        Array.from({ length: 9 }, (_, number): MadeRow => {
          const row = { partition, number, form: '4', items: [], acceptanceDateTime: null, text: '' };
          // As in lists of companies, where the filing date is in the sort key alone.
          return {
            ...toMadeRow('descending', { ...row, filedAt: day }),
            row: `{"sequence":${number},"form":"4"}`,
          };
        }),
      );
    const ages = ['2026-02-28', '2025-12-31'].map((day) => ({ day, read: 0, indexRead: 0 }));
    const tables = ages.map((age) => {
      const table = opened(writeRows(directory(), age.day, 'descending', rowsOf(age.day)));
      return {
        ...table,
        read: (entry: Parameters<Table['read']>[0]) => (age.read++, table.read(entry)),
        *blocksFrom(...from: Parameters<Table['blocksFrom']>) {
          age.indexRead++;
          yield* table.blocksFrom(...from);
        },
      };
    });
    const [newer, older] = ages;
    expect(readPage(tables, { partitions, limit: 9 })).toHaveLength(9);
    expect([newer?.read, older?.read, older?.indexRead]).toEqual([3, 0, 0]);
    expect(readPage(tables, { partitions, limit: 10 })).toHaveLength(10);
    expect(older?.read).toBe(3);
  });

  it('the first row may be in the block behind the one that begins before its company', () => {
    const rowOf = (partition: string, number: number, filedAt: string) =>
      toMadeRow('descending', {
        partition,
        number,
        form: '4',
        items: [],
        filedAt,
        acceptanceDateTime: null,
        text: 'x'.repeat(40_000),
      });
    const [company, other] = ['0000000004', '0000000006'];
    const rows = [
      rowOf(company, 1, '2026-01-01'),
      rowOf(company, 4, '1999-12-31'),
      rowOf(other, 1, '2026-01-01'),
    ];
    const table = opened(writeRows(directory(), 'behind', 'descending', rows));
    const page = readPage([table], { partitions: [company, other], limit: 2 });
    expect(page.map(({ sort }) => sort)).toEqual([rows[0]?.sort, rows[1]?.sort]);
  });

  it('the first row may be in the block of the index behind the one that begins before its company', () => {
    const companies = Array.from({ length: 300 }, (_, at) => String(at + 1).padStart(10, '0'));
    /** A table in which each company has one row, in a block of its own. */
    const tableOf = (name: string, dayOf: (company: string) => string) => {
      const rows = companies.map((partition) =>
        toMadeRow('descending', {
          partition,
          number: Number(partition),
          form: '4',
          items: [],
          filedAt: dayOf(partition),
          acceptanceDateTime: null,
          text: 'x'.repeat(40_000),
        }),
      );
      return opened(writeRows(directory(), name, 'descending', rows));
    };
    const startsOf = ({ head }: Table) => head.root.map(({ partition }) => partition);
    const [, border = ''] = startsOf(tableOf('even', () => '2026-01-01'));
    // All before the border are older than all behind it, and what is there is the newest.
    const dayOf = (company: string) =>
      company < border ? '1999-12-31' : company === border ? '2026-02-28' : '2026-01-01';
    const table = tableOf('uneven', dayOf);
    expect(startsOf(table)[1]).toBe(border);
    const page = readPage([table], { partitions: companies, limit: 300 });
    const found = page.map(({ block, line }) => dayOf(keysOf(block, line).partition));
    expect(found).toEqual(companies.map(dayOf).sort().reverse());
  });
});

describe('a line', () => {
  it('a line gives back its keys, its note and its row', () =>
    fc.assert(
      fc.property(
        fc.constantFrom('', 'all', 'form 4', 'é', ',"row":'.replaceAll('"', '')),
        fc.constantFrom('', '2026-01-01', '~'),
        hostileText,
        fc.option(fc.constantFrom('{"before":null}', '{"text":",\\"note\\":"}')),
        (partition, sort, text, note) => {
          const row = JSON.stringify({ text, note: text, sort: { row: text } });
          const { block, line } = toLine({ partition, sort, row, ...(note === null ? {} : { note }) });
          expect(keysOf(block, line)).toEqual({ partition, sort });
          expect([rowBytes({ block, line }).toString(), noteOf(block, line)]).toEqual([row, note]);
          expect(JSON.parse(makeLine({ partition, sort }, row, note ?? undefined))).toEqual({
            partition,
            sort,
            ...(note === null ? {} : { note: JSON.parse(note) as unknown }),
            row: JSON.parse(row) as unknown,
          });
        },
      ),
    ));
});

describe('an index that does not fit its table', () => {
  it('an index that does not fit its table is refused when it is read', async () => {
    const rows = [1, 2, 3].map((number) =>
      toMadeRow('descending', {
        partition: 'all',
        number,
        form: '4',
        items: [],
        filedAt: '2026-01-01',
        acceptanceDateTime: null,
        text: '',
      }),
    );
    const [whole, other] = [
      writeRows(directory(), 'one', 'descending', rows),
      writeRows(directory(), 'one', 'descending', rows.slice(1)),
    ];
    for (const mixed of [
      { ...whole, rows: other.rows },
      { ...whole, index: other.index },
      { ...other, head: whole.head },
    ]) {
      const reading = () => readPage([opened(mixed)], { partitions: ['all'], limit: 3 });
      expect(reading).toThrow(CorruptSnapshot);
      expect(reading).toThrow('are not those that the index names');
    }
  });
});
