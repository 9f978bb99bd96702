import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHashedFile } from '../../build/segments/hashed-file.ts';
import { compress, compressingInto } from '../../build/segments/table-files.ts';
import { createTableWriter, type RowFacts } from '../../build/segments/table-writer.ts';
import { factsOfLine } from '../../build/segments/row-facts.ts';
import { collectGarbage } from '../../build/work/garbage.ts';
import { blockBytes, historySortKey, issuerLabel, type Direction } from '../../src/format/snapshot.ts';
import { toBlock } from '../../src/table/block.ts';
import { makeLine, type Keys } from '../../src/table/line.ts';
import { blockBytesMaximum } from '../../src/table/table.ts';
import { entriesOf, entryAt } from '../../src/table/index-entry.ts';
import { TableHead } from '../../src/table/table-head.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { naiveBlocks, naiveEntry } from '../support/blocks.ts';
import { form4, transaction } from '../support/contents.ts';
import { useDirectories } from '../support/directories.ts';

const directory = useDirectories('table');

interface Row {
  readonly keys: Keys;
  readonly line: string;
  readonly facts: RowFacts;
}

/** A row whose line has so many bytes, its newline included. */
function rowOf(
  partition: string,
  sort: string,
  bytes: number,
  facts: RowFacts = { filedAt: '', labels: [] },
): Row {
  const keys = { partition, sort };
  const around = Buffer.byteLength(makeLine(keys, '""'));
  return { keys, line: makeLine(keys, `"${'x'.repeat(Math.max(0, bytes - around))}"`), facts };
}

/** Writes rows into memory. */
function write(direction: Direction, rows: readonly Row[]) {
  const blocks: Buffer[] = [];
  const pages: Buffer[] = [];
  const writer = createTableWriter(
    direction,
    compressingInto({ write: (bytes) => void blocks.push(bytes) }),
    compressingInto({ write: (bytes) => void pages.push(bytes) }),
  );
  for (const { keys, line, facts } of rows)
    writer.add(keys, { block: toBlock(Buffer.from(line), ''), line: 0 }, facts);
  return { head: writer.finish(), blocks, pages };
}

/** What an entry must tell of a block whose stored bytes are given. */
const entryOf = (rows: readonly Row[], stored: Buffer, offset: number) =>
  naiveEntry(
    (rows[0] as Row).keys,
    offset,
    stored,
    rows.length,
    rows.map(({ facts }) => facts.filedAt),
    rows.flatMap(({ facts }) => facts.labels),
  );

/** Expects that a table and its index are what follows from the rows. */
function expectTable(direction: Direction, rows: readonly Row[]): ReturnType<typeof write> {
  const written = write(direction, rows);
  const { head, blocks, pages } = written;
  const expected = naiveBlocks(rows, blockBytes);
  expect(blocks.map((stored) => gunzipSync(stored).toString())).toEqual(
    expected.map((held) => held.map(({ line }) => line).join('')),
  );
  let offset = 0;
  const entries = expected.map((held, at) => {
    const entry = entryOf(held, blocks[at] as Buffer, offset);
    offset += (blocks[at] as Buffer).length;
    return { held, entry };
  });
  // The index is cut in the same way; its entries tell of the rows behind their lines.
  const lines = entries.map(({ held, entry: { partition, sort, ...rest } }) => ({
    held,
    line: makeLine({ partition, sort }, JSON.stringify(rest)),
  }));
  const cut = naiveBlocks(lines, blockBytes / 2);
  expect(pages.map((stored) => gunzipSync(stored).toString())).toEqual(
    cut.map((held) => held.map(({ line }) => line).join('')),
  );
  const indexBlocks = pages.map((stored) => toBlock(gunzipSync(stored), ''));
  expect(indexBlocks.flatMap(entriesOf)).toEqual(entries.map(({ entry }) => entry));
  // Reads parse labels when they are asked for.
  const readEntries = indexBlocks.flatMap((block) =>
    Array.from(block.ends, (_, line) => entryAt(block, line)),
  );
  expect(readEntries.map((entry) => ({ ...entry, labels: entry.labels }))).toEqual(
    entries.map(({ entry }) => entry),
  );
  let at = 0;
  const root = cut.map((page, number) => {
    const { labels: _, ...entry } = entryOf(
      page.flatMap(({ held }) => held),
      pages[number] as Buffer,
      at,
    );
    at += (pages[number] as Buffer).length;
    return { ...entry, rows: page.length };
  });
  expect(head).toEqual({ direction, rows: rows.length, root });
  expect(TableHead.parse(head)).toEqual(head);
  return written;
}

/** Lists of rows as a history has them: partitions ascending, sort keys descending within each. */
const histories = fc
  .uniqueArray(fc.tuple(fc.constantFrom('', 'a', 'b', 'é'), fc.nat({ max: 9999 })), {
    selector: ([partition, number]) => `${partition} ${number}`,
    maxLength: 60,
  })
  .chain((keys) =>
    fc.tuple(
      fc.constant(keys),
      fc.array(fc.integer({ min: 2, max: 40_000 }), { minLength: keys.length, maxLength: keys.length }),
      fc.array(fc.subarray(['8-K', '10-K', '4', '*', '2.02', 'a","labels":["é"]']), {
        minLength: keys.length,
        maxLength: keys.length,
      }),
    ),
  )
  .map(([keys, lengths, labels]) =>
    keys
      .map(([partition, number], at) =>
        rowOf(partition, `2026 ${String(number).padStart(4, '0')}`, lengths[at] as number, {
          filedAt: number % 5 === 0 ? '' : `2026-01-${String((number % 28) + 1).padStart(2, '0')}`,
          labels: labels[at] as string[],
        }),
      )
      .sort((a, b) =>
        a.keys.partition === b.keys.partition
          ? a.keys.sort < b.keys.sort
            ? 1
            : -1
          : a.keys.partition < b.keys.partition
            ? -1
            : 1,
      ),
  );

describe('a table that is written', () => {
  it('a written table is its rows, and its index follows from them', () =>
    fc.assert(
      fc.property(histories, (rows) => void expectTable('descending', rows)),
      { numRuns: 60 },
    ));

  it('a large table has an index of several blocks, none longer than a block', () => {
    const { head, pages, blocks } = expectTable(
      'ascending',
      Array.from({ length: 1000 }, (_, at) =>
        rowOf('a', `${String(at).padStart(4, '0')}${'o'.repeat(40)}`, blockBytes - 10, {
          filedAt: `20${String(10 + (at % 17))}-01-01`,
          labels: [],
        }),
      ),
    );
    expect([blocks.length, pages.length > 2]).toEqual([1000, true]);
    expect(pages.every((stored) => gunzipSync(stored).length <= blockBytes / 2)).toBe(true);
    expect(
      head.root.every(({ filedFrom, filedTo }) => filedFrom === '2010-01-01' && filedTo === '2026-01-01'),
    ).toBe(true);
  });

  it('a row longer than a block has a block of its own, up to a limit', () => {
    const longRow = blockBytesMaximum / 2;
    const lengths = (...bytes: number[]) =>
      write(
        'ascending',
        bytes.map((each, at) => rowOf('a', String(at), each)),
      ).blocks.map((stored) => gunzipSync(stored).length);
    expect(lengths(100, blockBytes + 1, 100, longRow, 100)).toEqual([100, blockBytes + 1, 100, longRow, 100]);
    expect(lengths(blockBytes)).toEqual([blockBytes]);
    expect(lengths(blockBytes - 100, 100, 60)).toEqual([blockBytes, 60]);
    expect(lengths(blockBytesMaximum)).toEqual([blockBytesMaximum]);
    expect(() => lengths(100, blockBytesMaximum + 1)).toThrow(
      `the line of (a, 1) is ${blockBytesMaximum + 1} bytes long`,
    );
  });

  it.each([
    ['descending', 'a 2', 'a 1', 'b 9', true],
    ['descending', 'a 1', 'a 2', null, false],
    ['descending', 'a 1', 'a 1', null, false],
    ['descending', 'b 1', 'a 9', null, false],
    ['ascending', 'a 1', 'a 2', 'b 1', true],
    ['ascending', 'a 2', 'a 1', null, false],
    ['ascending', 'a 1', 'a 1', null, false],
    ['ascending', 'b 1', 'a 2', null, false],
    ['ascending', 'a ', 'b ', 'c ', true],
    ['ascending', 'b ', 'a ', null, false],
    ['ascending', ' ', ' ', null, false],
  ] as const)('%s: after %j comes %j and then %j: %j', (direction, first, second, third, isGood) => {
    const rows = [first, second, third].flatMap((keys) =>
      keys === null ? [] : [rowOf(keys.split(' ')[0] as string, keys.split(' ')[1] as string, 50)],
    );
    if (isGood) expect(write(direction, rows).head.rows).toBe(3);
    else expect(() => write(direction, rows)).toThrow(`may not follow (${first.replace(' ', ', ')})`);
  });
});

describe('what the index tells of a row', () => {
  const listed = '{"sequence":1,"form":"4","items":[],"sic":"3571","exchange":"Nasdaq","listed":"true"';
  const own = ['4', 'industry code 3571', 'exchange NASDAQ', 'listed true'];
  const filing = '"filing":{"accessionNo":"a","form":"8-K","items":["2.02"],"filedAt":"2026-01-01"}';
  const [day, note] = ['"2026-01-01 1"', '["8-K",null,null,"false"]'];
  it.each<[name: string, row: string | null, note: string | undefined, filedAt: string, labels: string[]]>([
    ['a listed filing', `${listed}}`, undefined, '', own],
    ['one of its issuer', `${listed},"issuer":true}`, undefined, '', [...own, issuerLabel]],
    ['one that was corrected', `${listed}}`, '{"revision":2}', '', [...own, '*']],
    ['a change', `{"sequence":1,${filing}}`, undefined, '2026-01-01', ['8-K', '2.02', 'first entries']],
    [
      'a correction',
      `{"sequence":2,"cause":"rules",${filing}}`,
      '{"before":null}',
      '2026-01-01',
      ['8-K', '2.02', '*', 'cause rules'],
    ],
    ['a day of a change', day, note, '2026-01-01', ['first entries']],
    ['a day of a correction', day, note.replace(']', ',"rules"]'), '2026-01-01', ['cause rules']],
    ['a row that hides', null, undefined, '', ['*']],
  ])('the index tells form, other labels and day of %s', (_, row, own, filedAt, labels) => {
    const keys = { partition: 'p', sort: 'one' };
    const block = toBlock(Buffer.from(makeLine(keys, row, own)), '');
    expect(factsOfLine({ keys, block, line: 0 })).toEqual({ filedAt, labels });
    expect(factsOfLine({ keys, row, note: own })).toEqual({ filedAt, labels });
    const listed = {
      partition: 'p',
      sort: historySortKey({ filedAt: '2025-12-31', acceptanceDateTime: null, accessionNo: 'a' }),
    };
    expect(factsOfLine({ keys: listed, row, note: own }).filedAt).toBe(filedAt || '2025-12-31');
  });
});

describe('compression', () => {
  const rows = (ownershipOf: (number: number) => object | null) =>
    Buffer.from(
      Array.from(
        { length: 50 },
        (_, number) => `${JSON.stringify({ ownership: ownershipOf(number) })}\n`,
      ).join(''),
    );

  it('changes that tell what a document says are compressed with more work', () => {
    const told = rows(
      (number) => form4([number], [transaction(1, { shares: (number * 7919) % 1009 })]).ownership,
    );
    expect(compress(told)).toEqual(gzipSync(told, { level: 5 }));
    expect(gzipSync(told, { level: 3 }).length).toBeGreaterThan(compress(told).length);
    expect(compress(told, 6)).toEqual(gzipSync(told, { level: 6 }));
    const untold = rows(() => null);
    expect(compress(untold)).toEqual(gzipSync(untold, { level: 3 }));
  });
});

describe('memory', () => {
  it('the index in memory keeps nothing of the texts that keys were cut from', { tags: ['slow'] }, () => {
    const textCharacters = 64 * 1024;
    const lines = 30_000;
    const writer = createTableWriter(
      'ascending',
      compressingInto({ write() {} }),
      compressingInto({ write() {} }),
      1,
    );
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let at = 0; at < lines; at++) {
      // A block of a run, as text; a key of more than twelve characters that is cut from it keeps all of it.
      const text = `${String(at).padStart(20, '0')}${'x'.repeat(textCharacters)}`;
      const keys = { partition: text.slice(0, 20), sort: '' };
      writer.addText(keys, makeLine(keys, '1'), { filedAt: '', labels: [] });
    }
    collectGarbage();
    const grown = process.memoryUsage().heapUsed - before;
    const { root } = writer.finish();
    expect(root.length).toBeGreaterThan(50);
    expect(grown).toBeLessThan((root.length * textCharacters) / 4);
  });
});

describe('a file that is hashed on the way', () => {
  it('a hashed file has the size and the digest of its bytes', () => {
    const path = join(directory(), 'file');
    const file = createHashedFile(path);
    const long = Buffer.alloc(3 * 1024 * 1024, 'ü');
    for (const part of [Buffer.from('one'), Buffer.from(''), long, Buffer.from('zwö')]) file.write(part);
    const expected = Buffer.concat([Buffer.from('one'), long, Buffer.from('zwö')]);
    expect(file.finish()).toEqual({ bytes: expected.length, sha256: sha256Of(expected) });
    expect(readFileSync(path).equals(expected)).toBe(true);
  });
  it('a hashed file without writes is empty', () => {
    const path = join(directory(), 'file');
    expect(createHashedFile(path).finish()).toEqual({ bytes: 0, sha256: sha256Of('') });
    expect(existsSync(path)).toBe(true);
  });
  it('a hashed file never replaces an existing one', () => {
    const path = join(directory(), 'file');
    writeFileSync(path, 'precious');
    expect(() => createHashedFile(path)).toThrow('EEXIST');
    expect(readFileSync(path, 'utf8')).toBe('precious');
  });
});
