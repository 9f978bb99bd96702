import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RowFacts } from '../build/snapshot/facts.ts';
import { createHashedFile, createTableCutter } from '../build/snapshot/table-writer.ts';
import { blockBytes, indexColumns, rowBytesMaximum, type IndexPage, type TableName } from '../src/contract/snapshot.ts';
import { sha256Of } from '../src/table/file.ts';
import { useDirectories } from './support/directories.ts';

const directory = useDirectories('table');

interface Row {
  readonly key: string;
  readonly json: string;
  readonly facts: RowFacts;
}

const plain = { order: '', filedAt: '', tags: [] } as const;

/** Cuts rows in memory. */
function cut(name: TableName, rows: readonly Row[]) {
  const blocks: Buffer[] = [];
  const index: Buffer[] = [];
  const cutter = createTableCutter(name, { block: (bytes) => void blocks.push(bytes), index: (bytes) => void index.push(bytes) });
  for (const { key, json, facts } of rows) cutter.add(key, json, facts);
  const result = cutter.finish();
  return { ...result, table: Buffer.concat(blocks), index: Buffer.concat(index), blocks };
}

/** Lists of rows as a history has them: keys ascending, order values descending within each. */
const histories = fc
  .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'cc'), fc.nat({ max: 9999 })), { selector: ([key, number]) => `${key} ${number}`, maxLength: 60 })
  .chain((places) => fc.tuple(fc.constant(places), fc.array(fc.integer({ min: 2, max: 40_000 }), { minLength: places.length, maxLength: places.length }), fc.array(fc.constantFrom('8-K', '10-K', '4'), { minLength: places.length, maxLength: places.length })))
  .map(([places, lengths, forms]) =>
    places
      .map(([key, number], at): Row => ({ key, json: `"${'ü'.repeat((lengths[at] as number) / 2)}"`, facts: { order: `2026 ${String(number).padStart(4, '0')}`, filedAt: `2026-01-${String((number % 28) + 1).padStart(2, '0')}`, tags: [forms[at] as string] } }))
      .sort((a, b) => (a.key === b.key ? (a.facts.order < b.facts.order ? 1 : -1) : a.key < b.key ? -1 : 1)),
  );

describe('a table that is cut', () => {
  it('is its rows, and its index can be made again from them', () => {
    fc.assert(fc.property(histories, (rows) => {
      const { table, index, blocks, rows: rowCount, lines, pages } = cut('latest', rows);
      expect(table.toString()).toBe(rows.map(({ json }) => `${json}\n`).join(''));
      expect([rowCount, lines]).toEqual([rows.length, blocks.length]);
      const [header, ...indexLines] = index.toString().trimEnd().split('\n');
      expect(header).toBe(indexColumns.join(','));
      expect(indexLines.length).toBe(blocks.length);
      let at = 0;
      let offset = 0;
      for (const [number, bytes] of blocks.entries()) {
        const count = bytes.toString().split('\n').length - 1;
        const held = rows.slice(at, at + count);
        expect(new Set(held.map(({ key }) => key)).size).toBe(1);
        const newest = held.map(({ facts }) => facts.filedAt).sort().at(-1);
        const tags = [...new Set(held.flatMap(({ facts }) => facts.tags))].sort();
        expect(indexLines[number]).toBe([held[0]?.key, held[0]?.facts.order, offset, bytes.length, count, newest, sha256Of(bytes), `|${tags.join('|')}|`].join(','));
        expect(bytes.length <= blockBytes || count === 1).toBe(true);
        const next = rows[at + count];
        if (next && next.key === held[0]?.key) expect(bytes.length + Buffer.byteLength(next.json) + 1).toBeGreaterThan(blockBytes);
        at += count;
        offset += bytes.length;
      }
      checkPages(index, pages);
    }), { numRuns: 60 });
  });

  it('has pages of whole index lines, none longer than a block', () => {
    const rows = Array.from({ length: 2000 }, (_, at): Row => ({ key: String(at).padStart(10, '0'), json: '{}', facts: { order: 'o'.repeat(40), filedAt: `20${String(10 + (at % 17))}-01-01`, tags: [] } }));
    const { index, pages, lines } = cut('company-filings', rows);
    expect(lines).toBe(2000);
    expect(pages.length).toBeGreaterThan(2);
    checkPages(index, pages);
    expect(pages.every(({ filedAt }) => filedAt === '2026-01-01')).toBe(true);
  });

  it('of nothing is a header', () => {
    expect(cut('latest', [])).toMatchObject({ rows: 0, lines: 0, pages: [], table: Buffer.alloc(0), index: Buffer.from(`${indexColumns.join(',')}\n`) });
  });

  it('has a row that is longer than a block in a block of its own, up to a limit', () => {
    const row = (bytes: number, order: string): Row => ({ key: 'a', json: 'x'.repeat(bytes - 1), facts: { ...plain, order } });
    expect(cut('latest', [row(100, '9'), row(blockBytes + 1, '8'), row(100, '7'), row(rowBytesMaximum, '6'), row(100, '5')]).blocks.map(({ length }) => length)).toEqual([100, blockBytes + 1, 100, rowBytesMaximum, 100]);
    expect(cut('latest', [row(blockBytes, '9')]).blocks.length).toBe(1);
    expect(cut('latest', [row(blockBytes - 100, '9'), row(100, '8'), row(1, '7')]).blocks.map(({ length }) => length)).toEqual([blockBytes, 1]);
    expect(() => cut('latest', [row(rowBytesMaximum + 1, '9')])).toThrow('table latest: the row of a is 1048577 bytes long');
    expect(() => cut('latest', [{ key: 'a', json: 'ü'.repeat(rowBytesMaximum / 2), facts: plain }])).toThrow('bytes long');
  });

  it.each([
    ['latest', 'a 2', 'a 1', 'b 9', true], ['latest', 'a 1', 'a 2', null, false], ['latest', 'a 1', 'a 1', null, false], ['latest', 'b 1', 'a 9', null, false],
    ['company-changes', 'a 1', 'a 2', 'b 1', true], ['company-changes', 'a 2', 'a 1', null, false], ['changes', 'a 1', 'a 1', null, false],
    ['profiles', 'a ', 'b ', 'c ', true], ['profiles', 'b ', 'a ', null, false], ['summaries', 'a ', 'a ', null, false],
    ['companies', ' ', ' ', ' ', true],
  ] as const)('%s: after %j comes %j and then %j: %j', (name, first, second, third, isGood) => {
    const rows = [first, second, third].flatMap((place) => (place === null ? [] : [{ key: place.split(' ')[0] as string, json: '{}', facts: { ...plain, order: place.split(' ')[1] as string } }]));
    if (isGood) expect(cut(name, rows).rows).toBe(3);
    else expect(() => cut(name, rows)).toThrow(`table ${name}: (`);
  });
});

function checkPages(index: Buffer, pages: readonly IndexPage[]): void {
  let offset = index.indexOf('\n') + 1;
  for (const page of pages) {
    const bytes = index.subarray(page.offset, page.offset + page.bytes);
    const fields = bytes.toString().trimEnd().split('\n').map((line) => line.split(','));
    expect(page).toEqual({ key: fields[0]?.[0], first: fields[0]?.[1], offset, bytes: bytes.length, filedAt: fields.map((line) => line[5] as string).sort().at(-1), sha256: sha256Of(bytes) });
    expect(bytes.length).toBeLessThanOrEqual(blockBytes);
    expect(bytes.at(-1)).toBe(0x0a);
    offset += page.bytes;
  }
  expect(offset).toBe(index.length);
}

describe('a file that is hashed on the way', () => {
  it('has the size and the digest of its bytes', () => {
    const path = join(directory(), 'file');
    const file = createHashedFile(path);
    for (const part of ['one', '', 'zwö']) file.write(Buffer.from(part));
    expect(file.size()).toBe(7);
    expect(file.finish('tables/x', 2)).toEqual({ path: 'tables/x', bytes: 7, sha256: sha256Of('onezwö'), rows: 2 });
    expect(readFileSync(path, 'utf8')).toBe('onezwö');
  });
  it('is never one that is there already', () => {
    const path = join(directory(), 'file');
    writeFileSync(path, 'precious');
    expect(() => createHashedFile(path)).toThrow('EEXIST');
    expect(readFileSync(path, 'utf8')).toBe('precious');
  });
});
