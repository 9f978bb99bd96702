import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openLogWriter, type LogStore, type WrittenLog } from '../../build/segments/log-writer.ts';
import { dateFilter } from '../../src/answers/row-filter.ts';
import { filedAtOf } from '../../src/rows/parts.ts';
import type { BulkPart } from '../../src/contract/bulk.ts';
import { lastSequenceOf, type LogList, type LogPart } from '../../src/format/log-files.ts';
import { paths, type FileReference } from '../../src/format/snapshot.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { indexLine } from '../../src/table/log-index.ts';
import { openLog } from '../../src/table/open-log.ts';
import { inPasses } from '../../src/table/passes.ts';
import { rowBytes, type PartReader } from '../../src/table/table.ts';
import { useDirectories } from '../support/directories.ts';
import { openFileStore, storingAtOnce } from '../../build/snapshot/file-store.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { writerIn } from '../support/log.ts';
import { needs } from '../support/needs.ts';
import { countingReads } from '../support/table.ts';

const fresh = useDirectories('log');

/** A store in memory, which counts what it keeps. */
function memoryStore(): LogStore & PartReader & { readonly files: Map<string, Buffer>; kept: number } {
  const files = new Map<string, Buffer>();
  const store = {
    files,
    kept: 0,
    async keep(bytes: Buffer): Promise<FileReference> {
      store.kept++;
      const sha256 = sha256Of(bytes);
      files.set(paths.file(sha256), bytes);
      return { sha256, bytes: bytes.length };
    },
    read: ((asked: FileReference | string, offset: number, length: number) => {
      if (typeof asked !== 'string') return Promise.resolve(files.get(paths.file(asked.sha256)) ?? null);
      const found = files.get(asked) ?? Buffer.alloc(0);
      return Promise.resolve(found.subarray(offset, offset + length));
    }) as unknown as LogStore['read'] & PartReader['read'],
    readNow: (part: string, offset: number, length: number) =>
      (files.get(part) ?? Buffer.alloc(0)).subarray(offset, offset + length),
    isThere: async ({ sha256 }: FileReference) => files.has(paths.file(sha256)),
  };
  return store;
}

interface Row {
  readonly filedAt: string;
  readonly text: string;
}

const rowOf = (sequence: number, filedAt: string, text: string): Row => ({
  filedAt,
  text: JSON.stringify({ sequence, text, filing: { filedAt } }),
});

const days = ['2026-01-01', '2026-01-02', '2026-02-28', '2025-12-31'];
const rows = fc
  .array(fc.tuple(fc.constantFrom(...days), fc.string({ maxLength: 20 })), { maxLength: 90 })
  .map((each) => each.map(([filedAt, text], at) => rowOf(at + 1, filedAt, text)));
const cuts = fc
  .tuple(fc.integer({ min: 1, max: 25 }), fc.integer({ min: 1, max: 9 }))
  .map(([rowsPerFile, rowsPerMember]) => ({ rowsPerFile, rowsPerMember }));

/** Writes rows in parts, each on top of the one before, and reads back what was just added. */
async function writeIn(
  store: ReturnType<typeof memoryStore>,
  all: readonly Row[],
  ends: readonly number[],
  cut: Pick<LogList, 'rowsPerFile' | 'rowsPerMember'>,
  published?: { readonly list: LogList | null; readonly bulk: readonly BulkPart[] },
): Promise<WrittenLog> {
  let written: WrittenLog = { list: { ...cut, files: [] }, bulk: [] };
  for (const [at, end] of [...ends, all.length].entries()) {
    const writer = await openLogWriter({
      store,
      parts: store,
      before: at === 0 ? null : { list: written.list, parts: store },
      published: published ?? written,
      cut,
      cache: createBlockCache(1000),
    });
    for (let sequence = lastSequenceOf(written.list) + 1; sequence <= end; sequence++) {
      const { filedAt, text } = all[sequence - 1] as Row;
      writer.add(sequence, filedAt, text);
      if (sequence % 7 === 0) await writer.settle();
      for (const each of [1, Math.ceil(sequence / 2), sequence])
        expect(rowBytes(writer.entry(each)).toString()).toBe(all[each - 1]?.text);
    }
    const { kept } = store;
    written = await writer.finish();
    // Of what was there only the file that was not full is written again, with its index.
    expect(store.kept - kept).toBeLessThanOrEqual(2 * (1 + Math.ceil(all.length / cut.rowsPerFile)));
  }
  return written;
}

describe('the log', () => {
  it('a log has the same bytes in one go as in parts, and they are its rows', () =>
    fc.assert(
      fc.asyncProperty(rows, fc.array(fc.nat(90), { maxLength: 4 }), cuts, async (all, moments, cut) => {
        const ends = moments.map((moment) => Math.min(moment, all.length)).sort((a, b) => a - b);
        const [once, often] = [memoryStore(), memoryStore()];
        const whole = await writeIn(once, all, [], cut);
        expect(await writeIn(often, all, ends, cut)).toEqual(whole);
        const text = whole.list.files
          .map(({ sha256 }) => gunzipSync(once.files.get(paths.file(sha256)) as Buffer).toString())
          .join('');
        expect(text).toBe(all.map((row) => `${row.text}\n`).join(''));
        expect(whole.list.files.map(({ rows: count }) => count)).toEqual(
          Array.from({ length: Math.ceil(all.length / cut.rowsPerFile) }, (_, at) =>
            Math.min(cut.rowsPerFile, all.length - at * cut.rowsPerFile),
          ),
        );
        expect(whole.bulk.map(({ sha256 }) => sha256)).toEqual(whole.list.files.map(({ sha256 }) => sha256));
      }),
      { numRuns: 150 },
    ));

  it('look-ups and pages equal a filtered array, and read no member that cannot match', () =>
    fc.assert(
      fc.asyncProperty(
        rows,
        cuts,
        fc.array(
          fc.record({
            after: fc.nat(95),
            limit: fc.integer({ min: 1, max: 40 }),
            since: fc.option(fc.constantFrom(...days), { nil: undefined }),
            until: fc.option(fc.constantFrom(...days), { nil: undefined }),
          }),
          { minLength: 8, maxLength: 8 },
        ),
        async (all, cut, walks) => {
          const store = memoryStore();
          const { list } = await writeIn(store, all, [], cut);
          const parts = countingReads(store);
          for (const { after, limit, ...bounds } of walks) {
            parts.reads.length = 0;
            const log = openLog(parts, list, createBlockCache(100_000));
            const found = log.page({
              after,
              limit,
              ...bounds,
              matches: dateFilter(bounds, filedAtOf),
            });
            const { since = '', until = '\uffff' } = bounds;
            const isWanted = ({ filedAt }: Row) => filedAt >= since && filedAt <= until;
            expect(found.map((row) => rowBytes(row).toString())).toEqual(
              all
                .slice(after)
                .filter(isWanted)
                .slice(0, limit)
                .map(({ text }) => text),
            );
            const members = parts.reads.filter(({ part }) =>
              list.files.some(({ sha256 }) => part === paths.file(sha256)),
            );
            const hasBounds = bounds.since !== undefined || bounds.until !== undefined;
            for (const { part, offset, length } of members)
              if (hasBounds)
                expect(
                  gunzipSync(await store.read(part, offset, length))
                    .toString()
                    .trimEnd()
                    .split('\n')
                    .some((line) => isWanted((JSON.parse(line) as { filing: Row }).filing)),
                ).toBe(true);
            const most = Math.ceil(limit / cut.rowsPerMember) + Math.ceil(limit / cut.rowsPerFile) + 2;
            if (!hasBounds) expect(members.length).toBeLessThanOrEqual(most);
          }
          const log = openLog(store, list, createBlockCache(0));
          for (const [at, { text }] of all.entries())
            expect(rowBytes(log.entry(at + 1)).toString()).toBe(text);
          expect(() => log.entry(all.length + 1)).toThrow(/the log has no entry/);
        },
      ),
      { numRuns: 80 },
    ));

  it('a page without a filter reads an index and its members, all at the same time', async () => {
    const store = memoryStore();
    const all = Array.from({ length: 64 }, (_, at) => rowOf(at + 1, '2026-01-01', 'x'));
    const { list } = await writeIn(store, all, [], { rowsPerFile: 64, rowsPerMember: 4 });
    /** How many reads are begun at the same time, one time after the other. */
    async function roundsOf(read: LogList): Promise<number[]> {
      const rounds: number[] = [];
      let begun = 0;
      const parts: PartReader = {
        async read(part, offset, length) {
          if (begun++ === 0) setImmediate(() => void (rounds.push(begun), (begun = 0)));
          await new Promise((resolve) => setTimeout(resolve, 5));
          return store.read(part, offset, length);
        },
      };
      const log = openLog(parts, read, createBlockCache(0));
      await inPasses(() => log.page({ after: 6, limit: 20 }));
      return rounds;
    }
    // The members lie in one span.
    expect(await roundsOf(list)).toEqual([2]);
    const files = list.files.map((file) => ({ ...file, spans: undefined }));
    expect(await roundsOf({ ...list, files })).toEqual([1, 6]);
  });
});

describe('spans of members', () => {
  const all = Array.from({ length: 90 }, (_, at) => rowOf(at + 1, days[at % 4] as string, `row ${at}`));
  const cut = { rowsPerFile: 40, rowsPerMember: 2 };
  const entriesBy = async (parts: PartReader, list: LogList) => {
    const texts: string[] = [];
    for (const at of all.keys()) {
      const log = openLog({ read: parts.read }, list, createBlockCache(0));
      texts.push(rowBytes(await inPasses(() => log.entry(at + 1))).toString());
    }
    return texts;
  };
  const texts = all.map(({ text }) => text);

  it('an entry is found by any spans: wrong ones only cost another read', async () => {
    const store = memoryStore();
    const { list } = await writeIn(store, all, [], cut);
    expect(list.files.map(({ spans }) => spans?.split(' ').length)).toEqual([3, 3, 1]);
    const wrong = [
      undefined,
      '1',
      'zz zz zz',
      '5 1 zzzz',
      `${list.files[0]?.spans} 1`,
      'zzzzzzzzzzzzzzzz 1 1',
    ];
    for (const spans of wrong) {
      const files = list.files.map((file) => ({ ...file, spans }));
      expect(await entriesBy(store, { ...list, files })).toEqual(texts);
    }
  });

  it('a range without a digest is checked when its index is there, and read again with the digest', async () => {
    const store = memoryStore();
    const { list } = await writeIn(store, all, [], cut);
    const files = new Set(list.files.map(({ sha256 }) => paths.file(sha256)));
    let withoutDigest = 0;
    /** Whoever sends wrong bytes, or none, for what the reader cannot check by itself. */
    const failing = (send: (right: Buffer) => Promise<Buffer>): PartReader => ({
      async read(part, offset, length, sha256) {
        const right = await store.read(part, offset, length);
        if (sha256 !== undefined || !files.has(part)) return right;
        withoutDigest++;
        return send(right);
      },
    });
    for (const send of [
      async (right: Buffer) => Buffer.alloc(right.length),
      async (right: Buffer) => right.subarray(0, 3),
      async () => Promise.reject(new Error('the host is down')),
    ])
      expect(await entriesBy(failing(send), list)).toEqual(texts);
    expect(withoutDigest).toBe(3 * all.length);
  });

  it('a log that goes on gives the files of an older version their spans', async () => {
    const store = memoryStore();
    const { list } = await writeIn(store, all, [], cut);
    const { membersPerSpan: _, ...older } = list;
    const files = list.files.map(({ spans: __, ...file }) => file);
    const writer = await openLogWriter({
      store,
      parts: store,
      before: { list: { ...older, files }, parts: store },
      cut,
      cache: createBlockCache(1000),
    });
    expect((await writer.finish()).list).toEqual(list);
  });
});

describe('a file that is made again', () => {
  const cut = { rowsPerFile: 20, rowsPerMember: 4 };
  const all = Array.from({ length: 50 }, (_, at) => rowOf(at + 1, '2026-01-01', `row ${at}`));

  it('a full file of another compressor stays with its index while its rows are the same', async () => {
    const store = memoryStore();
    const { list, bulk } = await writeIn(store, all, [], cut);
    // The same members, compressed otherwise.
    const first = list.files[0] as LogPart;
    let [bytes, index] = [Buffer.alloc(0), ''];
    for (let at = 0; at < 20; at += 4) {
      const text = all.slice(at, at + 4).map((row) => `${row.text}\n`);
      const member = gzipSync(text.join(''), { level: 1 });
      index += indexLine(bytes.length, sha256Of(member), ['2026-01-01']);
      bytes = Buffer.concat([bytes, member]);
    }
    const file = { ...first, ...(await store.keep(bytes)), index: await store.keep(Buffer.from(index)) };
    expect(file.sha256).not.toBe(first.sha256);
    const published = { list: { ...list, files: [file, ...list.files.slice(1)] }, bulk };
    expect((await writeIn(store, all, [], cut, published)).list.files[0]).toEqual(file);
    const changed = all.map((row, at) => (at === 3 ? rowOf(4, '2026-01-01', 'another') : row));
    expect((await writeIn(store, changed, [], cut, published)).list.files[0]).not.toEqual(file);
    // Without its index the file is of no use.
    store.files.delete(paths.file(file.index.sha256));
    expect((await writeIn(store, all, [], cut, published)).list.files[0]).toEqual(first);
  });

  it('a closed file for download of an older format stays for mirrors, beside the log', async () => {
    const store = memoryStore();
    const lines = (from: number, to: number) =>
      all
        .slice(from, to)
        .map(({ text }) => `${text}\n`)
        .join('');
    const older = async (number: number, text: string): Promise<BulkPart> => ({
      ...(await store.keep(gzipSync(text))),
      rows: 20,
      firstSequence: number * 20 + 1,
      lastSequence: number * 20 + 20,
      closed: true,
    });
    const bulk = [await older(0, lines(0, 20)), await older(1, lines(20, 40).replace('row 30', 'row 31'))];
    const made = await writeIn(store, all, [], cut, { list: null, bulk });
    expect(made.bulk[0]).toEqual(bulk[0]);
    expect(made.bulk[0]?.sha256).not.toBe(made.list.files[0]?.sha256);
    // A file with other rows does not stay.
    expect(made.bulk[1]?.sha256).toBe(made.list.files[1]?.sha256);
    // It stays in all later publications, too.
    const later = await writeIn(store, all, [45], cut, { list: null, bulk: made.bulk });
    expect(later.bulk).toEqual(made.bulk);
  });
});

it('a reader in Python, written from the specification, finds entries by their sequences', {
  ...needs('python'),
  tags: ['slow'],
}, async () => {
  const directory = fresh();
  const folder = openPartFolder(directory);
  const all = Array.from({ length: 90 }, (_, at) => rowOf(at + 1, '2026-01-01', `é "quoted" ${at}`));
  const writer = await writerIn(directory, 0, folder, { rowsPerFile: 40, rowsPerMember: 8 });
  for (const [at, { filedAt, text }] of all.entries()) writer.add(at + 1, filedAt, text);
  const { list } = await writer.finish();
  const { sha256 } = await storingAtOnce(openFileStore(directory, new Set())).keep(
    Buffer.from(JSON.stringify(list)),
  );
  const reader = fileURLToPath(new URL('../support/log.py', import.meta.url));
  const read = (first: number, last: number) =>
    spawnSync('python3', [reader, directory, sha256, String(first), String(last)], { encoding: 'utf8' });
  for (const [first, last] of [
    [1, 90],
    [40, 41],
    [81, 90],
  ] as const)
    expect(read(first, last)).toMatchObject({
      stderr: '',
      stdout: all
        .slice(first - 1, last)
        .map(({ text }) => `${text}\n`)
        .join(''),
    });
  for (const file of [list.files[1], list.files[1]?.index]) {
    const path = join(directory, paths.file(file?.sha256 ?? ''));
    const whole = readFileSync(path);
    writeFileSync(path, Buffer.from(whole.map((byte, at) => (at === 100 ? byte ^ 1 : byte))));
    expect(read(41, 48)).toMatchObject({ status: 1, stderr: `${path} is not what its digest says\n` });
    writeFileSync(path, whole);
  }
  await folder.close();
});
