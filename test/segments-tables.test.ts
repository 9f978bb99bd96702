import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layoutOf } from '../build/segments/layout.ts';
import { createSorter } from '../build/segments/sorter.ts';
import { mergeLines, readLines, writeTable, type Line, type StoredTable } from '../build/segments/table-files.ts';
import type { RowFacts } from '../build/segments/table-writer.ts';
import { compareKeys, makeLine, rowExtent, type Direction, type Keys } from '../src/segments/line.ts';
import { findRecord, mergedRows } from '../src/segments/merge.ts';
import { openTable, rowBytes, type BlockEntry, type PartReader, type Table } from '../src/segments/table.ts';
import { createChunkCache } from '../src/table/cache.ts';
import { toChunk } from '../src/table/chunk.ts';
import { CorruptSnapshot } from '../src/table/file.ts';
import { useDirectories } from './support/directories.ts';

const fresh = useDirectories('segments');

/** What a batch does to a table: rows that it sets, and rows that it hides (null). */
type Batch = ReadonlyMap<string, { readonly keys: Keys; readonly row: string | null }>;

const keyText = fc.constantFrom('', '10-K', '8-K', 'SC 13D/A', 'é', 'zz', '2.02', '0000320193');
const keys = fc.record({ partition: keyText, sort: fc.oneof(keyText, fc.integer({ min: 0, max: 30 }).map(String)) });
// Some rows are long, so that small tables have several blocks.
const row = fc.oneof(fc.constant(null), fc.record({ filedAt: fc.constantFrom('2026-01-01', '2026-02-01', '2026-03-01'), form: fc.constantFrom('4', '8-K', '10-K'), text: fc.oneof(fc.string(), fc.constant('x'.repeat(30_000))) }).map((value) => JSON.stringify(value)));
const batch: fc.Arbitrary<Batch> = fc.array(fc.record({ keys, row }), { maxLength: 12 }).map((rows) => new Map(rows.map((each) => [`${each.keys.partition}\n${each.keys.sort}`, each])));
const direction = fc.constantFrom<Direction>('ascending', 'descending');

const toLine = ({ keys: at, row: text }: { keys: Keys; row: string | null }): Line => ({ keys: at, chunk: toChunk(Buffer.from(makeLine(at, text)), ''), line: 0 });

function factsOf({ chunk, line }: Line): RowFacts {
  const { from, to } = rowExtent(chunk, line);
  const value = JSON.parse(chunk.bytes.toString('utf8', from, to)) as { filedAt: string; form: string } | null;
  return { filedAt: value?.filedAt ?? '', labels: value ? [value.form] : [] };
}

/** The state that batches lead to, in the order of the table. */
function stateOf(batches: readonly Batch[], order: Direction) {
  return [...new Map(batches.flatMap((each) => [...each])).values()].sort((a, b) => compareKeys(order, a.keys, b.keys));
}

function write(directory: string, name: string, order: Direction, lines: Iterable<Line>): StoredTable {
  mkdirSync(directory, { recursive: true });
  return writeTable(order, lines, factsOf, { rows: join(directory, `${name}.jsonl.gz`), index: join(directory, `${name}.index.jsonl.gz`) });
}

const files: PartReader = {
  async read(part, offset, length) {
    const handle = await open(part, 'r');
    try {
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, (await handle.read(bytes, 0, length, offset)).bytesRead);
    } finally {
      await handle.close();
    }
  },
};

const opened = ({ rows, index, head }: StoredTable): Table => openTable(files, rows, index, head, createChunkCache(1024 * 1024));

async function walk(tables: readonly Table[], order: Direction, partition: string, after?: string, limit = Infinity, wanted?: (entry: BlockEntry) => boolean): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for await (const each of mergedRows(tables, order, { partition, after, wanted })) {
    found.push([each.keys.sort, rowBytes(each).toString()]);
    if (found.length >= limit) break;
  }
  return found;
}

describe('tables that are read as one', () => {
  it('hold what the batches say, from every place on, however the batches were joined', () =>
    fc.assert(fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 7 }), direction, fc.array(fc.nat({ max: 6 })), keyText, fc.option(keys), fc.integer({ min: 1, max: 6 }), async (batches, order, joins, partition, from, limit) => {
      const directory = fresh();
      let tables = batches.map((each, at) => ({ from: at, table: write(directory, `batch-${at}`, order, stateOf([each], order).map(toLine)) }));
      joins.forEach((join, number) => {
        const at = join % Math.max(1, tables.length - 1);
        const [older, newer] = [tables[at], tables[at + 1]];
        if (!older || !newer) return;
        const joined = write(directory, `joined-${number}`, order, mergeLines(order, [readLines(newer.table), readLines(older.table)], older.from === 0));
        tables = [...tables.slice(0, at), { from: older.from, table: joined }, ...tables.slice(at + 2)];
      });
      const newestFirst = tables.map(({ table }) => opened(table)).reverse();
      const expected = stateOf(batches, order).filter((each) => each.keys.partition === partition && each.row !== null);
      const after = from?.sort;
      const behind = after === undefined ? expected : expected.filter((each) => compareKeys(order, each.keys, { partition, sort: after }) > 0);
      expect(await walk(newestFirst, order, partition, after, limit)).toEqual(behind.slice(0, limit).map((each) => [each.keys.sort, each.row]));
    }), { numRuns: 60 }));

  it('are the same bytes whether batches came one at a time or all at once', () =>
    fc.assert(fc.property(fc.array(batch, { minLength: 2, maxLength: 6 }), direction, (batches, order) => {
      const directory = fresh();
      let joined: StoredTable | null = null;
      batches.forEach((each, at) => {
        const table = write(directory, `batch-${at}`, order, stateOf([each], order).map(toLine));
        joined = joined === null ? table : write(directory, `joined-${at}`, order, mergeLines(order, [readLines(table), readLines(joined)], true));
      });
      const atOnce = write(directory, 'at-once', order, stateOf(batches, order).filter((each) => each.row !== null).map(toLine));
      const last = write(directory, 'last', order, mergeLines(order, [readLines(joined as unknown as StoredTable)], true));
      for (const part of ['rows', 'index'] as const) expect(readFileSync(last[part]).equals(readFileSync(atOnce[part]))).toBe(true);
      expect(last.head).toEqual(atOnce.head);
    }), { numRuns: 40 }));

  it('leave out blocks in which nothing is wanted', () =>
    fc.assert(fc.asyncProperty(batch, direction, keyText, fc.constantFrom('4', '8-K', '10-K'), fc.constantFrom('2026-01-01', '2026-03-01'), async (rows, order, partition, form, since) => {
      const table = opened(write(fresh(), 'one', order, stateOf([rows], order).map(toLine)));
      const matches = (text: string) => text.includes(`"form":"${form}"`) && (JSON.parse(text) as { filedAt: string }).filedAt >= since;
      const found = (await walk([table], order, partition, undefined, Infinity, ({ labels, filedAt }) => labels.includes(form) && filedAt >= since)).filter(([, text]) => matches(text));
      const expected = stateOf([rows], order).filter((each) => each.keys.partition === partition && each.row !== null && matches(each.row));
      expect(found.map(([sort]) => sort)).toEqual(expected.map((each) => each.keys.sort));
    }), { numRuns: 60 }));

  it('give the newest record of a key, and none that was hidden', async () => {
    const directory = fresh();
    const table = (name: string, rows: [string, string | null][]) => opened(write(directory, name, 'ascending', rows.map(([partition, text]) => toLine({ keys: { partition, sort: '' }, row: text }))));
    const tables = [table('newest', [['b', null], ['c', '{"n":3}']]), table('older', [['b', '{"n":2}']]), table('oldest', [['a', '{"n":1}'], ['c', '{"n":0}']])];
    const recordOf = async (key: string) => {
      const place = await findRecord(tables, key);
      return place && rowBytes(place).toString();
    };
    expect(await Promise.all(['a', 'b', 'c', 'd', ''].map(recordOf))).toEqual(['{"n":1}', null, '{"n":3}', null, null]);
  });
});

describe('a table on the disk', () => {
  const rows = Array.from({ length: 900 }, (_, at) => ({ keys: { partition: String(at % 7), sort: String(at).padStart(4, '0') }, row: JSON.stringify({ filedAt: '2026-01-01', form: '4', text: 'x'.repeat(300), at }) }))
    .sort((a, b) => compareKeys('ascending', a.keys, b.keys));

  it('is what any program that knows gzip and JSON Lines reads', () => {
    const { rows: path, head } = write(fresh(), 'one', 'ascending', rows.map(toLine));
    const lines = gunzipSync(readFileSync(path)).toString().trimEnd().split('\n').map((line) => JSON.parse(line) as Keys & { row: unknown });
    expect(lines.map(({ partition, sort, row: value }) => ({ keys: { partition, sort }, row: JSON.stringify(value) }))).toEqual(rows);
    expect(head.rows).toBe(rows.length);
  });

  it('gives no row of bytes that were changed', async () => {
    const stored = write(fresh(), 'one', 'ascending', rows.map(toLine));
    for (const part of ['rows', 'index'] as const) {
      const whole = readFileSync(stored[part]);
      for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 40)) {
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] as number) ^ 1;
        writeFileSync(stored[part], changed);
        const results = await Promise.allSettled([...'0123456'].map((partition) => walk([opened(stored)], 'ascending', partition)));
        const failures = results.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
        expect(failures.length, `${part} at ${at}`).toBeGreaterThan(0);
        for (const failure of failures) expect(failure).toBeInstanceOf(CorruptSnapshot);
        expect(() => [...readLines(stored)]).toThrow(CorruptSnapshot);
      }
      writeFileSync(stored[part], whole.subarray(0, whole.length - 1));
      expect(() => [...readLines(stored)]).toThrow(CorruptSnapshot);
      writeFileSync(stored[part], whole);
    }
  });

  it('refuses rows that are out of order, and keys that bytes would order in another way', () => {
    const wrong = (lines: Line[]) => () => write(fresh(), 'one', 'ascending', lines);
    const line = (partition: string, sort: string) => toLine({ keys: { partition, sort }, row: '{}' });
    expect(wrong([line('b', ''), line('a', '')])).toThrow('may not follow');
    expect(wrong([line('a', '1'), line('a', '1')])).toThrow('may not follow');
    for (const key of ['"', '\\', '\n', '\u{1f600}', '\uffff']) expect(() => line(key, '')).toThrow('is no key');
  });
});

describe('sorting', () => {
  it('in runs that fit into memory gives the order of all, the last of equals', () =>
    fc.assert(fc.property(fc.array(fc.record({ keys, row: fc.integer().map(String) }), { maxLength: 60 }), direction, fc.integer({ min: 40, max: 4000 }), (lines, order, bytesMaximum) => {
      const sorter = createSorter(order, join(fresh(), 'runs'), bytesMaximum);
      for (const each of lines) sorter.add(each.keys, makeLine(each.keys, each.row));
      const sorted = [...sorter.sorted()].map(({ keys: at, chunk, line }) => ({ keys: at, row: chunk.bytes.toString('utf8', ...Object.values(rowExtent(chunk, line)) as [number, number]) }));
      sorter.remove();
      expect(sorted).toEqual(stateOf([new Map(lines.map((each) => [`${each.keys.partition}\n${each.keys.sort}`, each]))], order));
    }), { numRuns: 60 }));
});

describe('the layout of segments', () => {
  const counts = fc.array(fc.nat({ max: 5000 }), { maxLength: 300 });

  it('covers every batch once, in order, with segments that are at least four times the next', () =>
    fc.assert(fc.property(counts, (rows) => {
      const segments = layoutOf(rows);
      expect(segments.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at))).toEqual(rows.map((_, at) => at + 1));
      const sizes = segments.map(({ from, to }) => rows.slice(from - 1, to).reduce((sum, each) => sum + Math.max(1, each), 0));
      sizes.slice(1).forEach((size, at) => expect(sizes[at]).toBeGreaterThanOrEqual(4 * size));
    })));

  it('has a dozen segments after a year of a batch each minute, and writes each row again a bounded number of times', () => {
    const year = Array.from({ length: 20_000 }, (_, at) => 20 + (at % 60));
    const before = [10_000_000];
    let written = 0;
    let segments = layoutOf(before);
    const total = year.reduce((sum, each) => sum + each, 0);
    // The layout after each batch, as a build makes it: what is not there yet has to be written.
    const rows = [...before];
    for (const each of year.slice(0, 2000)) {
      rows.push(each);
      const next = layoutOf(rows);
      for (const { from, to } of next) if (!segments.some((known) => known.from === from && known.to === to)) written += rows.slice(from - 1, to).reduce((sum, count) => sum + count, 0);
      segments = next;
    }
    expect(layoutOf([...before, ...year]).length).toBeLessThanOrEqual(12);
    expect(total).toBeGreaterThan(900_000);
    expect(written / year.slice(0, 2000).reduce((sum, each) => sum + each, 0)).toBeLessThan(12);
  });
});
