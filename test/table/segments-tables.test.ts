import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFinder, createLineFinder, findRow } from '../../src/table/finder.ts';
import { createRuns } from '../../build/segments/runs.ts';
import { mergeLines, noteIn, readLines, rowOf, type StoredTable } from '../../build/segments/table-files.ts';
import type { Direction } from '../../src/format/snapshot.ts';
import { compareKeys, isHiding, keysOf, noteOf } from '../../src/table/line.ts';
import { rowBytes } from '../../src/table/table.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { hostileText } from '../support/arbitraries.ts';
import { useDirectories } from '../support/directories.ts';
import { opened, stateOf, toLine, writeRows, writeTable, type MadeRow } from '../support/table.ts';

const fresh = useDirectories('segments');

/** What a batch does to a table: rows that it sets, and rows that it hides (null). */
type Batch = readonly MadeRow[];

const keyText = fc.constantFrom('', '10-K', '8-K', 'SC 13D/A', 'é', 'zz', '2.02', '0000320193');
const sortText = fc.oneof(keyText, fc.integer({ min: 0, max: 30 }).map(String));
// Some rows are long, so that small tables have several blocks.
const row = fc.oneof(
  fc.constant(null),
  fc
    .record({
      form: fc.constantFrom('4', '8-K', '10-K'),
      items: fc.constant([]),
      filedAt: fc.constantFrom('2026-01-01', '2026-02-01', '2026-03-01'),
      text: fc.oneof(fc.string(), hostileText, fc.constant('x'.repeat(30_000))),
    })
    .map((value) => JSON.stringify(value)),
);
const note = fc.option(
  fc
    .record({ before: fc.constantFrom('8-K', null), text: fc.constantFrom('"', ',"note":', '}') })
    .map((value) => JSON.stringify(value)),
  { nil: undefined },
);
const batch: fc.Arbitrary<Batch> = fc.array(
  fc
    .record({ partition: keyText, sort: sortText, row, note })
    .map(({ note: own, ...rest }) =>
      own === undefined || rest.row === null ? rest : { ...rest, note: own },
    ),
  { maxLength: 12 },
);
const direction = fc.constantFrom<Direction>('ascending', 'descending');

/** Tables of which neighbours were joined, one join after the other: of a pair by the number of the older one. */
function joined(
  directory: string,
  order: Direction,
  tables: readonly StoredTable[],
  joins: readonly number[],
): readonly StoredTable[] {
  return joins.reduce((all, join, number) => {
    const at = join % Math.max(1, all.length - 1);
    const [older, newer] = [all[at], all[at + 1]];
    if (!older || !newer) return all;
    const lines = mergeLines(order, [readLines(newer), readLines(older)]);
    return all.toSpliced(at, 2, writeTable(directory, `joined-${number}`, order, lines));
  }, tables);
}

describe('a finder', () => {
  it('a finder finds what a map holds, in any order, however tables were joined', { tags: ['slow'] }, () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(batch, { maxLength: 5 }),
        direction,
        fc.array(fc.nat({ max: 6 })),
        fc.array(fc.record({ partition: keyText, sort: sortText }), { maxLength: 40 }),
        async (batches, order, joins, asked) => {
          const directory = fresh();
          const written = batches.map((each, at) => writeRows(directory, `batch-${at}`, order, each));
          const tables = joined(directory, order, written, joins)
            .map((table) => opened(table))
            .reverse();
          const state = new Map(
            stateOf(batches, order).map((each) => [`${each.partition}\n${each.sort}`, each]),
          );
          const inOrder = [...asked, ...stateOf(batches, order)].sort((a, b) => compareKeys(order, a, b));
          for (const keys of [inOrder, asked, inOrder.toReversed()]) {
            const [find, findLine] = [createFinder(tables), createLineFinder(tables)];
            for (const { partition, sort } of keys) {
              const [shown, line] = [await find(partition, sort), await findLine(partition, sort)];
              const alone = findRow(tables, partition, sort);
              const expected = state.get(`${partition}\n${sort}`);
              for (const each of [shown, alone]) {
                expect(each && rowBytes(each).toString()).toBe(expected?.row ?? null);
                expect(each && noteOf(each.block, each.line)).toBe((each && expected?.note) ?? null);
              }
              expect(line && keysOf(line.block, line.line)).toEqual(
                expected === undefined ? null : { partition, sort },
              );
              if (line) expect(isHiding(line.block, line.line)).toBe(expected?.row === null);
            }
          }
        },
      ),
      { numRuns: 60 },
    ),
  );

  it('a finder that is asked in order reads each block once at most', async () => {
    const rows = Array.from(
      { length: 400 },
      (_, at): MadeRow => ({
        partition: 'a',
        sort: String(at).padStart(4, '0'),
        row: JSON.stringify('x'.repeat(1000)),
      }),
    );
    const stored = writeRows(fresh(), 'one', 'ascending', rows, false);
    const table = opened(stored);
    const read: string[] = [];
    const find = createFinder([{ ...table, read: (entry) => (read.push(entry.sort), table.read(entry)) }]);
    for (const { partition, sort } of rows) expect(await find(partition, sort)).not.toBeNull();
    expect(read.length).toBeGreaterThan(5);
    expect(new Set(read).size).toBe(read.length);
  });
});

describe('a table on the disk', () => {
  it('a table refuses rows out of order, and keys that sort differently as bytes', () => {
    const wrong = (lines: ReturnType<typeof toLine>[]) => () =>
      writeTable(fresh(), 'one', 'ascending', lines);
    const line = (partition: string, sort: string) =>
      toLine({ partition, sort, row: '{"form":"4","items":[],"filedAt":"2026-01-01"}' });
    expect(wrong([line('b', ''), line('a', '')])).toThrow('may not follow');
    expect(wrong([line('a', '1'), line('a', '1')])).toThrow('may not follow');
    for (const key of ['"', '\\', '\n', '\u{1f600}', '\uffff'])
      expect(() => line(key, '')).toThrow('is no key');
  });
});

describe('runs', () => {
  const tables = {
    one: { direction: 'ascending', isLookedUp: true },
    two: { direction: 'descending', isLookedUp: true },
    listed: { direction: 'ascending' },
  } as const;
  const added = fc.array(
    fc.record({
      table: fc.constantFrom('one' as const, 'two' as const),
      partition: keyText,
      sort: sortText,
      row,
      isFlushed: fc.boolean(),
    }),
    { maxLength: 60 },
  );

  it('runs sort rows in memory and on the disk, and the last of equals counts', () =>
    fc.assert(
      fc.property(added, fc.boolean(), fc.constantFrom(0, 100, Infinity), (rows, isFlushedAtLast, plain) => {
        const runs = createRuns(fresh(), tables, plain);
        let flushed: typeof rows = [];
        for (const [at, { table, partition, sort, row: text, isFlushed }] of rows.entries()) {
          runs.add(table, partition, sort, text);
          expect(runs.held()).toBeGreaterThan(0);
          if (!isFlushed && !(isFlushedAtLast && at === rows.length - 1)) continue;
          runs.flush();
          flushed = rows.slice(0, at + 1);
          expect(runs.held()).toBe(0);
        }
        for (const table of ['one', 'two'] as const) {
          const order = tables[table].direction;
          const expectedOf = (added: typeof rows) =>
            stateOf([added.filter((each) => each.table === table)], order);
          const lines = [...runs.lines(table)];
          expect(lines.map((line) => ({ keys: line.keys, row: rowOf(line) }))).toEqual(
            expectedOf(rows).map(({ partition, sort, row: text }) => ({
              keys: { partition, sort },
              row: text,
            })),
          );
          const expected = expectedOf(flushed);
          // What hides in a newer run takes a row of an older one away.
          const find = runs.finder(table);
          for (const { partition, sort, row: text } of expected)
            expect(find({ partition, sort })).toEqual({
              keys: { partition, sort },
              row: text,
              note: undefined,
            });
          expect(find({ partition: 'no partition', sort: '' })).toBeNull();
        }
      }),
      { numRuns: 60 },
    ));

  it('runs keep notes, and refuse other tables', () => {
    const runs = createRuns(fresh(), tables);
    runs.add('one', 'a', '1', '{}', '{"before":"4"}');
    runs.add('one', 'a', '2', '{}');
    runs.flush();
    expect([...runs.lines('one')].map(noteIn)).toEqual(['{"before":"4"}', undefined]);
    runs.flush();
    expect([...runs.lines('two')]).toEqual([]);
    expect(() => runs.add('three', 'a', '1', '{}')).toThrow('no table is called three');
    runs.add('listed', 'a', '1', '{}');
    runs.flush();
    expect([...runs.lines('listed')]).toHaveLength(1);
    expect(() => runs.finder('listed')).toThrow('nothing is looked up');
  });

  it('rows that tell their partition share a text with those of another table, and are found in memory', () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(keyText, fc.nat(3), fc.boolean()), { maxLength: 40 }), (added) => {
        const runs = createRuns(fresh(), {
          feed: { direction: 'ascending', comesInOrder: true },
          alone: { direction: 'ascending', partitionOf: (row) => row.slice(row.indexOf('\t') + 1) },
        });
        const held = new Map<string, string>();
        const all = new Map<string, string>();
        const feeds = new Map<string, string[]>();
        for (const [at, [name, feed, isFlushed]] of added.entries()) {
          const row = `${at}\t${name}`;
          const kept = runs.keep(String(at).padStart(3, '0'), row);
          runs.addKept('alone', name, kept);
          runs.addKept('feed', String(feed), kept);
          for (const map of [held, all]) map.set(name, row);
          feeds.set(String(feed), [...(feeds.get(String(feed)) ?? []), row]);
          expect(runs.findHeld('alone', name)?.row).toBe(row);
          if (!isFlushed) continue;
          runs.flush();
          held.clear();
        }
        for (const name of all.keys())
          expect(runs.findHeld('alone', name)?.row ?? null).toBe(held.get(name) ?? null);
        const sorted = (names: Iterable<string>) => [...names].sort();
        expect(
          [...runs.lines('alone')].map((line) => [line.keys.partition, line.keys.sort, rowOf(line)]),
        ).toEqual(sorted(all.keys()).map((name) => [name, '', all.get(name)]));
        expect([...runs.lines('feed')].map((line) => [line.keys.partition, rowOf(line)])).toEqual(
          sorted(feeds.keys()).flatMap((feed) => (feeds.get(feed) ?? []).map((row) => [feed, row])),
        );
      }),
      { numRuns: 60 },
    ));

  it.each([0, Infinity])('runs give no row of changed bytes (plain up to %d)', (plain) => {
    const folder = fresh();
    const runs = createRuns(folder, tables, plain);
    for (let at = 0; at < 2000; at++) runs.add('one', String(at % 7), String(at).padStart(4, '0'), `"${at}"`);
    runs.flush();
    const path = join(folder, 'run-0');
    const whole = readFileSync(path);
    const headBytes = 8;
    for (let at = 0; at < whole.length; at += at < headBytes ? 1 : 97) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] as number) ^ 1;
      writeFileSync(path, changed);
      expect(() => [...runs.lines('one')]).toThrow(CorruptSnapshot);
      expect(() => runs.finder('one')({ partition: '0', sort: '0000' })).toThrow(CorruptSnapshot);
    }
    writeFileSync(path, whole);
    expect([...runs.lines('one')]).toHaveLength(2000);
  });
});
