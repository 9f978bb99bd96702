import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinedAtOnce, layoutAfter, waitingJoins, type BatchRange } from '../../build/segments/layout.ts';
import { storedTable } from '../../build/segments/segment-writer.ts';
import { hides, readLines } from '../../build/segments/table-files.ts';
import { tableDefinition, type SegmentEntry, type TableName } from '../../src/format/snapshot.ts';
import { noteOf } from '../../src/table/line.ts';
import { mergedRows } from '../../src/table/merge.ts';
import { openSegment, readSegmentHead, segmentParts, checkSegment } from '../../src/table/segment.ts';
import { rowBytes } from '../../src/table/table.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { useDirectories } from '../support/directories.ts';
import { contentBelow } from '../support/snapshots.ts';
import { makeSegment, openSegments, partsIn, stateOf, type SegmentRow } from '../support/table.ts';
import { needs } from '../support/needs.ts';

const fresh = useDirectories('segments');
const names: readonly TableName[] = ['latest', 'summaries'];

/** A row of a table; one that is filtered has what filters need. */
function made(
  table: TableName,
  partition: string,
  sort: string,
  text: string | null,
  note?: string,
): SegmentRow {
  return {
    table,
    partition,
    sort,
    row: text === null ? null : JSON.stringify({ form: '4', items: ['2.02'], filedAt: '2026-01-01', text }),
    ...(note === undefined ? {} : { note }),
  };
}

const row: fc.Arbitrary<SegmentRow> = fc
  .record({
    table: fc.constantFrom(...names),
    partition: fc.constantFrom('', 'a', 'b'),
    sort: fc.integer({ min: 0, max: 25 }).map((number) => String(number).padStart(2, '0')),
    text: fc.option(fc.string({ maxLength: 20 })),
    isNoted: fc.boolean(),
  })
  .map(({ table, partition, sort, text, isNoted }) =>
    made(table, partition, sort, text, text !== null && isNoted ? '{"revision":2}' : undefined),
  );
/** Rows of batches. As in a fold, a row that replaces an earlier one with its keys has the note. */
const batches = fc.array(fc.array(row, { maxLength: 8 }), { minLength: 1, maxLength: 9 }).map((all) => {
  const said = new Set<string>();
  return all.map((batch) =>
    batch.map((each): SegmentRow => {
      const name = `${each.table} ${each.partition} ${each.sort}`;
      const isAgain = said.has(name);
      said.add(name);
      return isAgain && each.table === 'latest' && each.row !== null
        ? { ...each, note: '{"revision":2}' }
        : each;
    }),
  );
});

/**
 * Brings segments up to the batches: what the layout wants and is not there is made of what is, and of new
 * batches.
 */
async function publish(
  directory: string,
  kept: readonly SegmentEntry[],
  rows: readonly (readonly SegmentRow[])[],
  heldMaximum = Infinity,
): Promise<SegmentEntry[]> {
  const segments: SegmentEntry[] = [];
  const covered = kept.at(-1)?.to ?? 0;
  for (const range of layoutAfter(
    kept,
    rows.slice(covered).map(({ length }) => length),
  )) {
    const inside = kept.filter(({ from, to }) => from >= range.from && to <= range.to);
    const added = rows.slice(Math.max(covered, range.from - 1), Math.max(covered, range.to)).flat();
    const isThere = inside.length === 1 && inside[0]?.to === range.to;
    segments.push(
      isThere
        ? (inside[0] as SegmentEntry)
        : await makeSegment(directory, range, added, { before: segments, inside, heldMaximum }),
    );
  }
  return segments;
}

async function listOf(
  directory: string,
  entries: readonly SegmentEntry[],
  table: TableName,
  partition: string,
): Promise<string[]> {
  const segments = await openSegments(directory, entries);
  const found: string[] = [];
  for (const row of mergedRows(
    segments.toReversed().map(({ tables }) => tables[table]),
    { partitions: [partition] },
  ))
    found.push(rowBytes(row).toString());
  return found;
}

/** The lines of a table of one segment: keys, row and note. */
async function linesOf(
  directory: string,
  { name, headSha256 }: SegmentEntry,
  table: TableName,
): Promise<[string, string | null, string | null][]> {
  const head = await readSegmentHead(partsIn(directory), name, headSha256);
  return [...readLines(storedTable(directory, name, head, table))].map((line) => [
    `${line.keys.partition} ${line.keys.sort}`,
    hides(line) ? null : rowBytes(line).toString(),
    noteOf(line.block, line.line),
  ]);
}

describe('the layout of segments', () => {
  /** Quiet minutes, bursts and large fills, in any order. */
  const counts = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.nat({ max: 200 }) },
      { weight: 2, arbitrary: fc.nat({ max: 8000 }) },
      { weight: 1, arbitrary: fc.nat({ max: 90_000 }) },
      { weight: 1, arbitrary: fc.constant(20_000_000) },
    ),
    { maxLength: 300 },
  );
  const name = ({ from, to }: BatchRange) => `${from}-${to}`;
  const sizeOf = (layout: readonly BatchRange[]) => layout.reduce((sum, { rows }) => sum + rows, 0);
  /** What the specification says, step by step: it looks for a join from the newest pair on until there is none. */
  const specified = (rows: readonly number[]) => {
    const layout: BatchRange[] = [];
    rows.forEach((count, at) => {
      layout.push({ from: at + 1, to: at + 1, rows: Math.max(1, count) });
      for (let joined = true; joined; ) {
        joined = false;
        for (let older = layout.length - 2; older >= 0 && !joined; older--) {
          const [a, b] = [layout[older], layout[older + 1]] as [BatchRange, BatchRange];
          const behind = sizeOf(layout.slice(older + 2));
          joined = a.rows < 4 * b.rows && (a.rows + b.rows <= 5000 || 64 * behind >= a.rows + b.rows);
          if (joined) layout.splice(older, 2, { from: a.from, to: b.to, rows: a.rows + b.rows });
        }
      }
    });
    return layout;
  };

  it('the layout covers every batch once, as the specification says', () =>
    fc.assert(
      fc.property(counts, (rows) => {
        const segments = layoutAfter([], rows);
        expect(segments).toEqual(specified(rows));
        expect(
          segments.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at)),
        ).toEqual(rows.map((_, at) => at + 1));
        for (const { from, to, rows: size } of segments)
          expect(size).toBe(rows.slice(from - 1, to).reduce((sum, each) => sum + Math.max(1, each), 0));
      }),
    ));

  it('each segment has at least four times the rows of the next, or their join waits', () =>
    fc.assert(
      fc.property(counts, (rows) => {
        const segments = layoutAfter([], rows);
        const waiting = waitingJoins(segments);
        const inPairs = waiting.flat();
        expect(new Set(inPairs).size).toBe(inPairs.length);
        for (const [older, newer] of waiting) {
          const both = sizeOf(segments.slice(older, newer + 1));
          expect(both).toBeGreaterThan(joinedAtOnce);
          expect(64 * sizeOf(segments.slice(newer + 1))).toBeLessThan(both);
        }
        segments.slice(1).forEach(({ rows: size }, at) => {
          if (!waiting.some(([older]) => older === at))
            expect(segments[at]?.rows).toBeGreaterThanOrEqual(4 * size);
        });
      }),
    ));

  it('a continued layout is the one made from nothing', () =>
    fc.assert(
      fc.property(counts, fc.array(fc.nat({ max: 300 }), { maxLength: 6 }), (rows, stops) => {
        let layout: ReturnType<typeof layoutAfter> = [];
        let done = 0;
        for (const stop of [
          ...stops.map((each) => Math.min(each, rows.length)).sort((a, b) => a - b),
          rows.length,
        ]) {
          const before = Object.freeze(layout.map((each) => Object.freeze(each)));
          layout = layoutAfter(before, rows.slice(done, stop));
          expect(layout).toEqual(layoutAfter([], rows.slice(0, stop)));
          done = stop;
        }
        expect(layoutAfter(layout, [])).toEqual(layout);
      }),
    ));

  /** Publishes batch by batch, and prepares after each publication as the follower does. */
  function live(batches: Iterable<number>) {
    let layout: BatchRange[] = [];
    let prepared = new Set<string>();
    const made = { rows: 0, byPublications: 0, beforehand: 0, most: 0, longest: 0 };
    for (const count of batches) {
      const next = layoutAfter(layout, [count]);
      const had = new Set(layout.map(name));
      const written = sizeOf(next.filter((each) => !had.has(name(each)) && !prepared.has(name(each))));
      made.rows += Math.max(1, count);
      made.byPublications += written;
      made.longest = Math.max(made.longest, written - count);
      layout = next;
      made.most = Math.max(made.most, layout.length);
      const joins = waitingJoins(layout).map(([older, newer]): BatchRange => {
        const [a, b] = [layout[older], layout[newer]] as [BatchRange, BatchRange];
        return { from: a.from, to: b.to, rows: a.rows + b.rows };
      });
      made.beforehand += sizeOf(joins.filter((each) => !prepared.has(name(each))));
      prepared = new Set(joins.map(name));
    }
    return made;
  }
  function* repeated(first: readonly number[], times: number, count: (at: number) => number) {
    yield* first;
    for (let at = 0; at < times; at++) yield count(at);
  }

  it.each([
    ['a thousand publications of 50 rows onto 100,000', repeated([100_000], 1000, () => 50)],
    ['publications of 50 rows onto 20 million', repeated([20_000_000], 20_000, () => 50)],
    ['publications of 50 rows onto nothing', repeated([], 20_000, () => 50)],
    ['single rows', repeated([], 50_000, () => 1)],
    ['a fill after a start', repeated([50, 900, 20_000_000], 20_000, (at) => 20 + (at % 60))],
  ])('no publication waits for the join of large segments: %s', (_, batches) => {
    const { rows, byPublications, beforehand, most, longest } = live(batches);
    expect(longest).toBeLessThanOrEqual(joinedAtOnce);
    expect(most).toBeLessThanOrEqual(12);
    expect((byPublications + beforehand) / rows).toBeLessThan(25);
  });

  it('bursts of 60,000 rows make neither many segments nor many rewrites', () => {
    const { rows, byPublications, beforehand, most } = live(
      repeated([5_000_000], 4000, (at) => (at % 100 === 50 ? 60_000 : 50)),
    );
    expect(most).toBeLessThanOrEqual(12);
    expect((byPublications + beforehand) / rows).toBeLessThan(12);
  });
});

describe('segments that were brought up batch by batch', () => {
  it('segments made batch by batch are the same bytes as those made at once', () =>
    fc.assert(
      fc.asyncProperty(
        batches,
        fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }),
        async (rows, isPublished) => {
          const [stepwise, atOnce] = [fresh(), fresh()];
          let kept: SegmentEntry[] = [];
          for (let number = 1; number <= rows.length; number++)
            if (isPublished[number - 1] === true || number === rows.length)
              kept = await publish(stepwise, kept, rows.slice(0, number));
          const whole = await publish(atOnce, [], rows, 300);
          expect(kept).toEqual(whole);
          for (const { name } of kept)
            expect(contentBelow(join(stepwise, 'segments', name))).toEqual(
              contentBelow(join(atOnce, 'segments', name)),
            );

          for (const table of names) {
            const sorted = stateOf(
              rows.map((batch) => batch.filter((each) => each.table === table)),
              tableDefinition(table).direction,
            );
            for (const partition of ['', 'a', 'b', 'c'])
              expect(await listOf(stepwise, kept, table, partition)).toEqual(
                sorted
                  .filter((each) => each.partition === partition && each.row !== null)
                  .map((each) => each.row),
              );
          }
        },
      ),
      { numRuns: 20 },
    ));

  it('segments leave no temporary files, and those of a killed run do no harm', async () => {
    const directory = fresh();
    const rows = [[made('latest', '', '1', 'x')]];
    const [first] = await publish(directory, [], rows);
    writeFileSync(join(directory, '.staging-1-killed'), 'torn', { flag: 'wx' });
    const again = await publish(directory, [], rows);
    expect(again).toEqual([first]);
    expect(readdirSync(join(directory, 'segments'))).toEqual([first?.name]);
    expect(readdirSync(directory).sort()).toEqual(['.staging-1-killed', 'segments']);
  });

  it('rotten segments are replaced when they are made again', async () => {
    const directory = fresh();
    const rows = [[made('latest', '', '1', 'x'), made('summaries', 'a', '', 'y')]];
    const [first] = await publish(directory, [], rows);
    const { name } = first as SegmentEntry;
    const whole = contentBelow(join(directory, 'segments', name));
    for (const part of [
      segmentParts.head(name),
      segmentParts.rows(name, 'latest'),
      segmentParts.index(name, 'summaries'),
    ]) {
      const bytes = readFileSync(join(directory, part));
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
      writeFileSync(join(directory, part), bytes);
      expect(contentBelow(join(directory, 'segments', name))).not.toEqual(whole);
      expect(await publish(directory, [], rows)).toEqual([first]);
      expect(contentBelow(join(directory, 'segments', name))).toEqual(whole);
    }
  });
});

describe('a row that hides', () => {
  it('a hiding row stays only where an older segment shows what it hides', async () => {
    const directory = fresh();
    const entries = [
      await makeSegment(
        directory,
        { from: 1, to: 1, rows: 3 },
        [made('latest', 'a', '1', 'one'), made('latest', 'a', '2', 'two'), made('latest', 'b', '1', null)],
        { before: [] },
      ),
    ];
    expect(await linesOf(directory, entries[0] as SegmentEntry, 'latest')).toEqual([
      ['a 2', expect.any(String), null],
      ['a 1', expect.any(String), null],
    ]);
    const hiding = [
      made('latest', 'a', '1', null),
      made('latest', 'a', '3', null),
      made('latest', 'b', '1', null),
    ];
    entries.push(await makeSegment(directory, { from: 2, to: 2, rows: 3 }, hiding, { before: entries }));
    expect(await linesOf(directory, entries[1] as SegmentEntry, 'latest')).toEqual([['a 1', null, null]]);
    // What is hidden already is not hidden again.
    entries.push(await makeSegment(directory, { from: 3, to: 3, rows: 3 }, hiding, { before: entries }));
    expect(await linesOf(directory, entries[2] as SegmentEntry, 'latest')).toEqual([]);
    // Without an older segment the hiding row is left out.
    const joined = await makeSegment(directory, { from: 1, to: 3, rows: 9 }, [], {
      before: [],
      inside: entries,
    });
    expect(await linesOf(directory, joined, 'latest')).toEqual([['a 2', expect.any(String), null]]);
    const behind = await makeSegment(directory, { from: 2, to: 3, rows: 6 }, [], {
      before: entries.slice(0, 1),
      inside: entries.slice(1),
    });
    expect(await linesOf(directory, behind, 'latest')).toEqual([['a 1', null, null]]);
  });
});

describe('a reader in another language', () => {
  const reader = fileURLToPath(new URL('../support/segments.py', import.meta.url));
  const read = (directory: string, segments: readonly SegmentEntry[], table: string, partition: string) =>
    spawnSync(
      'python3',
      [
        reader,
        directory,
        table,
        partition,
        ...segments.map(({ name, headSha256 }) => `${name}=${headSha256}`).reverse(),
      ],
      { encoding: 'utf8' },
    );

  it('a reader in Python, written from the specification, reads the same rows', {
    ...needs('python'),
    tags: ['slow'],
  }, async () => {
    const directory = fresh();
    const number = (at: number) => String(at).padStart(3, '0');
    const many = Array.from({ length: 300 }, (_, at) => [
      made('latest', 'a', number(at), 'x'.repeat(1000), '{"revision":2}'),
      made('summaries', ['a', 'b', 'c'][at % 3] as string, number(at), 'é "quoted"', '{"revision":1}'),
    ]).flat();
    const segments = await publish(
      directory,
      [],
      [
        many,
        [
          made('latest', 'a', '007', 'new', '{"revision":2}'),
          made('latest', 'a', '008', null),
          made('summaries', 'b', '001', 'new'),
        ],
        [made('latest', 'a', '301', 'last')],
      ],
    );
    expect(segments.length).toBeGreaterThan(1);
    for (const [table, partition, rows] of [
      ['latest', 'a', 300],
      ['summaries', 'b', 100],
      ['summaries', 'c', 100],
      ['summaries', 'd', 0],
      ['change-dates', 'all', 0],
    ] as const) {
      const { stdout, stderr } = read(directory, segments, table, partition);
      expect([stdout.split('\n').slice(0, -1), stderr]).toEqual([
        await listOf(directory, segments, table, partition),
        '',
      ]);
      expect(stdout.split('\n').length - 1).toBe(rows);
    }
    for (const part of [
      segmentParts.head,
      (name: string) => segmentParts.rows(name, 'latest'),
      (name: string) => segmentParts.index(name, 'latest'),
    ]) {
      const path = join(directory, part((segments[0] as SegmentEntry).name));
      const whole = readFileSync(path);
      const changed = Buffer.from(whole);
      changed[changed.length >> 1] = (changed[changed.length >> 1] as number) ^ 1;
      writeFileSync(path, changed);
      expect(read(directory, segments, 'latest', 'a')).toMatchObject({
        status: 1,
        stdout: '',
        stderr: expect.stringContaining(`${path} is not what its digest says`) as string,
      });
      writeFileSync(path, whole);
    }
  });
});

describe('a segment', () => {
  it('a segment with another head is not opened', async () => {
    const directory = fresh();
    const [segment] = await publish(directory, [], [[made('latest', '', '1', 'x')]]);
    const { name, headSha256 } = segment as SegmentEntry;
    const path = join(directory, segmentParts.head(name));
    const whole = readFileSync(path);
    const opening = (as = name) =>
      openSegment(partsIn(directory), { name: as, headSha256 }, createBlockCache(1024));
    await opening();
    for (let at = 0; at < whole.length; at += 37) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] as number) ^ 4;
      writeFileSync(path, changed);
      await expect(opening()).rejects.toThrow(CorruptSnapshot);
      await expect(opening()).rejects.toThrow(segmentParts.head(name));
    }
    writeFileSync(path, whole);
    truncateSync(path, whole.length - 1);
    await expect(opening()).rejects.toThrow(CorruptSnapshot);
    writeFileSync(path, whole);
    expect((await opening()).head.to).toBe(1);
    // Another head under this name is refused, too.
    const other = name.replace(/^1-1/, '1-2');
    const renamed = {
      read: (part: string, offset: number, length: number) =>
        partsIn(directory).read(part.replace(other, name), offset, length),
    };
    await expect(openSegment(renamed, { name: other, headSha256 }, createBlockCache(1024))).rejects.toThrow(
      `belongs to ${name}`,
    );
  });

  it('a changed, cut off or longer part of a segment is named when it is checked', async () => {
    const directory = fresh();
    const rows = Array.from({ length: 200 }, (_, at) => [
      made('latest', 'a', String(at).padStart(3, '0'), `${'x'.repeat(900)}${at}`),
      made('summaries', String(at).padStart(3, '0'), '', 'y'),
    ]).flat();
    const [segment] = await publish(directory, [], [rows]);
    const { name, headSha256 } = segment as SegmentEntry;
    const folder = openPartFolder(directory);
    const check = async () =>
      checkSegment(folder, { name, head: await readSegmentHead(folder, name, headSha256) });
    await check();
    const parts = readdirSync(join(directory, 'segments', name));
    expect(parts.length).toBeGreaterThan(5);
    for (const file of parts) {
      const part = `segments/${name}/${file}`;
      const path = join(directory, part);
      const whole = readFileSync(path);
      const flipped = Buffer.from(whole);
      if (whole.length > 0) flipped[whole.length >> 1] = (flipped[whole.length >> 1] as number) ^ 1;
      for (const damaged of [
        ...(whole.length > 0 ? [flipped, whole.subarray(0, -1)] : []),
        Buffer.concat([whole, Buffer.from('x')]),
      ]) {
        writeFileSync(path, damaged);
        const error = await check().catch((reason: unknown) => reason);
        expect(error, part).toBeInstanceOf(CorruptSnapshot);
        expect((error as Error).message).toContain(part);
      }
      writeFileSync(path, whole);
    }
    await check();
    await folder.close();
  });
});
