import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layoutOf } from '../build/segments/layout.ts';
import { joinSegments, writeSegment, type SegmentRow, type StoredSegment, type TableDefinitions } from '../build/segments/segment.ts';
import { compareKeys, type Keys } from '../src/segments/line.ts';
import { mergedRows } from '../src/segments/merge.ts';
import { openSegment, segmentParts } from '../src/segments/segment.ts';
import { rowBytes, type PartReader } from '../src/segments/table.ts';
import { createChunkCache } from '../src/table/cache.ts';
import { CorruptSnapshot } from '../src/table/file.ts';
import { useDirectories } from './support/directories.ts';
import { contentBelow } from './support/snapshots.ts';

const fresh = useDirectories('segments');

const definitions: TableDefinitions = { latest: { direction: 'descending', isFiltered: true }, changes: { direction: 'ascending', isFiltered: false } };

const row: fc.Arbitrary<SegmentRow> = fc.record({
  table: fc.constantFrom(...Object.keys(definitions)),
  keys: fc.record({ partition: fc.constantFrom('', 'a', 'b'), sort: fc.integer({ min: 0, max: 25 }).map((number) => String(number).padStart(2, '0')) }),
  row: fc.option(fc.record({ form: fc.constantFrom('4', '10-K'), items: fc.constant(['2.02']), filedAt: fc.constant('2026-01-01'), text: fc.string({ maxLength: 20 }) }).map((value) => JSON.stringify(value))),
});
const batches = fc.array(fc.array(row, { maxLength: 8 }), { minLength: 1, maxLength: 9 });

const folder = (directory: string): PartReader => ({
  async read(part, offset, length) {
    const handle = await open(join(directory, part), 'r');
    try {
      const bytes = Buffer.alloc(Math.min(length, (await handle.stat()).size));
      return bytes.subarray(0, (await handle.read(bytes, 0, bytes.length, offset)).bytesRead);
    } finally {
      await handle.close();
    }
  },
});

/** Brings segments up to the batches: what the layout wants and is not there is made of what is, and of new batches. */
async function publish(directory: string, kept: readonly StoredSegment[], rows: readonly (readonly SegmentRow[])[]): Promise<StoredSegment[]> {
  const segments: StoredSegment[] = [];
  for (const { from, to } of layoutOf(rows.map(({ length }) => length))) {
    const inside = kept.filter(({ head }) => head.from >= from && head.to <= to);
    const covered = Math.max(from - 1, ...inside.map(({ head }) => head.to));
    const fresh = covered < to ? [await writeSegment(directory, { from: covered + 1, to }, definitions, rows.slice(covered, to).flat(), 200)] : [];
    const parts = [...inside, ...fresh];
    segments.push(parts.length === 1 ? (parts[0] as StoredSegment) : await joinSegments(directory, parts, definitions));
  }
  return segments;
}

async function listOf(directory: string, segments: readonly StoredSegment[], table: string, partition: string): Promise<string[]> {
  const opened = await Promise.all(segments.map(({ name, headSha256 }) => openSegment(folder(directory), name, headSha256, createChunkCache(1024 * 1024))));
  const found: string[] = [];
  for await (const place of mergedRows(opened.map((each) => each.table(table)).reverse(), definitions[table]?.direction ?? 'ascending', { partition })) found.push(rowBytes(place).toString());
  return found;
}

describe('segments that were brought up batch by batch', () => {
  it('are the same bytes as those made at once, at any points of publication, and hold what a map holds', () =>
    fc.assert(fc.asyncProperty(batches, fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }), async (rows, isPublished) => {
      const [stepwise, atOnce] = [fresh(), fresh()];
      let kept: StoredSegment[] = [];
      for (let number = 1; number <= rows.length; number++) if (isPublished[number - 1] === true || number === rows.length) kept = await publish(stepwise, kept, rows.slice(0, number));
      const whole = await publish(atOnce, [], rows);
      expect(kept.map(({ name }) => name)).toEqual(whole.map(({ name }) => name));
      for (const { name } of kept) expect(contentBelow(join(stepwise, 'segments', name))).toEqual(contentBelow(join(atOnce, 'segments', name)));

      for (const [table, { direction }] of Object.entries(definitions)) {
        const state = new Map<string, { keys: Keys; row: string | null }>();
        for (const each of rows.flat()) if (each.table === table) state.set(`${each.keys.partition} ${each.keys.sort}`, each);
        const sorted = [...state.values()].sort((a, b) => compareKeys(direction, a.keys, b.keys));
        for (const partition of ['', 'a', 'b', 'c']) expect(await listOf(stepwise, kept, table, partition)).toEqual(sorted.filter((each) => each.keys.partition === partition && each.row !== null).map((each) => each.row));
      }
    }), { numRuns: 40 }));

  it('leave nothing beside them, and what was left of a run that was killed does no harm', async () => {
    const directory = fresh();
    const rows = [[{ table: 'latest', keys: { partition: '', sort: '1' }, row: '{"form":"4"}' }]];
    const [first] = await publish(directory, [], rows);
    writeFileSync(join(directory, 'segments', '.1-1.making'), 'torn', { flag: 'wx' });
    const again = await publish(directory, [], rows);
    expect(again[0]?.name).toBe(first?.name);
    expect(readdirSync(join(directory, 'segments'))).toEqual([first?.name]);
  });
});

describe('a reader in another language', () => {
  const reader = fileURLToPath(new URL('support/segments.py', import.meta.url));
  const hasPython = spawnSync('python3', ['--version']).status === 0;
  const read = (directory: string, segments: readonly StoredSegment[], table: string, partition: string) =>
    spawnSync('python3', [reader, directory, table, partition, ...segments.map(({ name, headSha256 }) => `${name}=${headSha256}`).reverse()], { encoding: 'utf8' });

  it.skipIf(!hasPython)('that was written from the specification reads the same rows, and none that were changed', async () => {
    const directory = fresh();
    const made = (sort: number, text: string | null, table = 'latest', partition = 'a'): SegmentRow => ({ table, keys: { partition, sort: String(sort).padStart(3, '0') }, row: text === null ? null : JSON.stringify({ form: '4', filedAt: '2026-01-01', text }), note: '{"revision":1}' });
    const many = Array.from({ length: 300 }, (_, at) => [made(at, 'x'.repeat(1000)), made(at, 'é "quoted"', 'changes', ['a', 'b', 'c'][at % 3])]).flat();
    const segments = await publish(directory, [], [many, [made(7, 'new'), made(8, null)], [made(301, 'last')]]);
    expect(segments.length).toBeGreaterThan(1);
    for (const [table, partition] of [['latest', 'a'], ['changes', 'b'], ['changes', 'c'], ['changes', 'd']] as const) {
      expect(read(directory, segments, table, partition).stdout.split('\n').slice(0, -1)).toEqual(await listOf(directory, segments, table, partition));
    }
    const { name } = segments[0] as StoredSegment;
    const path = join(directory, segmentParts.rows(name, 'latest'));
    const whole = readFileSync(path);
    whole[whole.length >> 1] = (whole[whole.length >> 1] as number) ^ 1;
    writeFileSync(path, whole);
    expect(read(directory, segments, 'latest', 'a')).toMatchObject({ status: 1, stderr: expect.stringContaining('is not what its digest says') as string });
  });
});

describe('a segment', () => {
  it('is not opened when its head is not the one that was named', async () => {
    const directory = fresh();
    const [segment] = await publish(directory, [], [[{ table: 'latest', keys: { partition: '', sort: '1' }, row: '{"form":"4"}' }]]);
    const { name, headSha256 } = segment as StoredSegment;
    const path = join(directory, segmentParts.head(name));
    const whole = readFileSync(path);
    const opening = (as = name) => openSegment(folder(directory), as, headSha256, createChunkCache(1024));
    await opening();
    for (let at = 0; at < whole.length; at += 7) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] as number) ^ 4;
      writeFileSync(path, changed);
      await expect(opening()).rejects.toThrow(CorruptSnapshot);
    }
    writeFileSync(path, whole);
    truncateSync(path, whole.length - 1);
    await expect(opening()).rejects.toThrow(CorruptSnapshot);
    writeFileSync(path, whole);
    expect((await opening()).head.to).toBe(1);
  });
});
