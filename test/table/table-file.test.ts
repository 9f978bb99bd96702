import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockBytesMaximum, openTable, type Table } from '../../src/table/table.ts';
import type { BlockEntry } from '../../src/table/table-head.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import type { Block } from '../../src/table/block.ts';
import { CorruptSnapshot, sha256Of } from '../../src/files/bytes.ts';
import { closing } from '../support/closing.ts';
import { useDirectories } from '../support/directories.ts';
import { needs } from '../support/needs.ts';
import { countingReads, farPartsIn } from '../support/table.ts';
import { inPasses } from '../../src/table/passes.ts';

const directory = useDirectories('file');
function openFolder() {
  const folder = openPartFolder(directory());
  closing(() => folder.close());
  return folder;
}
/** The first line of a block. */
const firstLine = ({ bytes, ends }: Block) => bytes.toString('utf8', 0, ends[0]);
const lines = ['first', 'second row', 'dritte Zeile ü', 'last'];

/** Makes a file with a block for each text, and the index entries of the blocks. */
function blocksOf(texts: readonly string[]): { readonly content: Buffer; readonly entries: BlockEntry[] } {
  const pieces = texts.map((text) => gzipSync(text));
  let offset = 0;
  const entries = pieces.map((stored, at): BlockEntry => {
    const entry = {
      partition: '',
      sort: String(at),
      offset,
      bytes: stored.length,
      rows: (texts[at] as string).split('\n').length - 1,
      filedFrom: '',
      filedTo: '',
      sha256: sha256Of(stored),
      labels: [],
    };
    offset += stored.length;
    return entry;
  });
  return { content: Buffer.concat(pieces), entries };
}

const { content, entries } = blocksOf(lines.map((line) => `${line}\n`));
const second = entries[1] as BlockEntry;

function openContent(bytes: Buffer = content, cacheBytes = 1024) {
  const folder = openFolder();
  const path = join(folder.directory, 'rows.jsonl.gz');
  writeFileSync(path, bytes);
  return {
    path,
    folder,
    table: openTable(
      folder,
      'rows.jsonl.gz',
      'index.jsonl.gz',
      { direction: 'ascending', rows: 4, root: [] },
      createBlockCache(cacheBytes),
    ),
  };
}

function refusal(table: Table, entry: BlockEntry): unknown {
  try {
    return table.read(entry);
  } catch (error) {
    return error;
  }
}

describe('a file that is read by blocks', () => {
  it('a table refuses a block with one flipped bit, and names the file', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(second.bytes - 1), fc.nat(7), async (at, bit) => {
        const flipped = Buffer.from(content);
        flipped[second.offset + at] = (flipped[second.offset + at] as number) ^ (1 << bit);
        const { table } = openContent(flipped);
        const refused = refusal(table, second);
        expect(refused).toBeInstanceOf(CorruptSnapshot);
        expect((refused as Error).message).toContain('rows.jsonl.gz: the ');
        // The other blocks can still be read.
        expect(firstLine(table.read(entries[2] as BlockEntry))).toBe(lines[2]);
      }),
      { numRuns: 30 },
    ));

  it.each([content.length - 1, second.offset + second.bytes - 1, second.offset, 0])(
    'a table file that is cut off at byte %i gives only the blocks that end before this byte',
    async (length) => {
      const { path, table } = openContent();
      truncateSync(path, length);
      for (const entry of entries) {
        if (entry.offset + entry.bytes <= length) expect(table.read(entry).ends.length).toBe(1);
        else expect(() => table.read(entry)).toThrow(CorruptSnapshot);
      }
    },
  );

  const unended = blocksOf(['first']);
  const many = blocksOf(['one\ntwo\n']);
  const long = blocksOf([`${'x'.repeat(blockBytesMaximum)}\n`]);
  const plain = Buffer.from('one\n');
  it.each([
    ['behind the end of the file', content, { ...second, offset: 5000 }],
    ['without a newline at its end', unended.content, { ...(unended.entries[0] as BlockEntry), rows: 1 }],
    ['without bytes', content, { ...second, bytes: 0, sha256: sha256Of('') }],
    ['with more rows than its entry says', many.content, { ...(many.entries[0] as BlockEntry), rows: 1 }],
    [
      'that is not compressed',
      plain,
      { ...second, offset: 0, bytes: plain.length, rows: 1, sha256: sha256Of(plain) },
    ],
    ['that inflates to more than a block may have', long.content, long.entries[0] as BlockEntry],
    ['with fewer rows than its entry says', many.content, { ...(many.entries[0] as BlockEntry), rows: 3 }],
  ])('a table file refuses a block %s', async (_, bytes, entry) => {
    const { table } = openContent(bytes);
    const refused = refusal(table, entry);
    expect(refused).toBeInstanceOf(CorruptSnapshot);
    expect((refused as Error).message).toContain('rows.jsonl.gz: the ');
  });

  it('a block is read whose gzip header has a file name', async () => {
    const named = Buffer.from(content.subarray(0, second.offset));
    const hasName = 8;
    named[3] = hasName;
    const bytes = Buffer.concat([named.subarray(0, 10), Buffer.from('rows\0'), named.subarray(10)]);
    const { table } = openContent(bytes);
    const entry = { ...(entries[0] as BlockEntry), bytes: bytes.length, sha256: sha256Of(bytes) };
    expect(firstLine(table.read(entry))).toBe(lines[0]);
  });

  it('readers of one block of a host share one read, which fails for all of them, and the next reader reads it again', async () => {
    const { path, folder } = openContent(Buffer.alloc(content.length));
    const far = countingReads(farPartsIn(folder.directory));
    const table = openTable(
      far,
      'rows.jsonl.gz',
      '',
      { direction: 'ascending', rows: 4, root: [] },
      createBlockCache(1024),
    );
    const twice = () =>
      Promise.allSettled([inPasses(() => table.read(second)), inPasses(() => table.read(second))]);
    expect((await twice()).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(far.reads.length).toBe(1);
    writeFileSync(path, content);
    const found = (await twice()).flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(found.map(firstLine)).toEqual([lines[1], lines[1]]);
    expect(far.reads.length).toBe(2);
    // The block is not read again, although the file has changed.
    writeFileSync(path, Buffer.alloc(content.length));
    expect(table.read(second)).toBe(found[0]);
  });

  it('a table verifies a block again after the block has left the cache', async () => {
    const { path, table } = openContent(content, 1);
    table.read(second);
    table.read(entries[0] as BlockEntry);
    const rotten = readFileSync(path);
    rotten.fill(0x20, second.offset, second.offset + 3);
    writeFileSync(path, rotten);
    expect(() => table.read(second)).toThrow(CorruptSnapshot);
  });

  it('two tables that share a cache give each their own rows', async () => {
    const cache = createBlockCache(1024);
    const folder = openFolder();
    const made = ['one\n', 'two\n'].map((text, at) => ({ text, part: `rows-${at}`, ...blocksOf([text]) }));
    for (const { part, content: bytes } of made) writeFileSync(join(folder.directory, part), bytes);
    const tables = made.map(({ part }) =>
      openTable(folder, part, '', { direction: 'ascending', rows: 1, root: [] }, cache),
    );
    for (let round = 0; round < 2; round++) {
      for (const [at, { text, entries: own }] of made.entries())
        expect((await tables[at]?.read(own[0] as BlockEntry))?.bytes.toString()).toBe(text);
    }
  });
});

describe('a directory of parts', () => {
  const countOpenFilesBelow = (path: string) =>
    readdirSync('/proc/self/fd').filter((descriptor) => {
      try {
        return readlinkSync(join('/proc/self/fd', descriptor)).startsWith(`${path}/`);
      } catch {
        return false;
      }
    }).length;

  it('a part folder gives the bytes of a range, and names an absent part', async () => {
    const folder = openFolder();
    writeFileSync(join(folder.directory, 'part'), '0123456789');
    const texts = await Promise.all(
      (
        [
          [0, 4],
          [4, 100],
          [10, 5],
          [0, 1e9],
        ] as const
      ).map(async ([offset, length]) => (await folder.read('part', offset, length)).toString()),
    );
    expect(texts).toEqual(['0123', '456789', '', '0123456789']);
    await expect(folder.read('missing', 0, 1)).rejects.toThrow(CorruptSnapshot);
    await expect(folder.read('missing', 0, 1)).rejects.toThrow(join(folder.directory, 'missing'));
    // A part may appear later.
    writeFileSync(join(folder.directory, 'missing'), 'x');
    expect((await folder.read('missing', 0, 1)).toString()).toBe('x');
  });

  // A part of the second size is hashed in a thread of its own.
  it.each([1000, 5 * 1024 * 1024])(
    'a part folder compares length and digest of a part of %i bytes',
    async (bytes) => {
      const folder = openFolder();
      const path = join(folder.directory, 'part');
      const whole = Buffer.alloc(bytes, 'ab');
      const expected = { bytes, sha256: sha256Of(whole) };
      writeFileSync(path, whole);
      await folder.check('part', expected);
      const refused = async (reason: string) => {
        const error = await folder.check('part', expected).catch((each: unknown) => each);
        expect(error).toBeInstanceOf(CorruptSnapshot);
        expect((error as Error).message).toMatch(new RegExp(`^${path}.*${reason}`));
      };
      const flipped = Buffer.from(whole);
      flipped[bytes - 1] = 0;
      writeFileSync(path, flipped);
      await refused('does not have the expected SHA-256');
      writeFileSync(path, whole.subarray(1));
      await refused(`is ${bytes - 1} bytes long, not ${bytes}`);
      rmSync(path);
      await refused('ENOENT');
    },
  );

  it(
    'a part folder keeps a bounded number of files open, and no file after it was closed',
    needs('descriptors'),
    async () => {
      const folder = openPartFolder(directory());
      mkdirSync(join(folder.directory, 'parts'));
      const parts = Array.from({ length: 300 }, (_, at) => `parts/${at}`);
      for (const part of parts) writeFileSync(join(folder.directory, part), part);
      for (const part of [...parts, ...parts.toReversed()])
        expect((await folder.read(part, 0, 100)).toString()).toBe(part);
      expect(countOpenFilesBelow(folder.directory)).toBeGreaterThan(50);
      expect(countOpenFilesBelow(folder.directory)).toBeLessThanOrEqual(130);
      // A read that has begun gets all bytes, and then the file is closed.
      const reads = Promise.all(parts.map(async (part) => (await folder.read(part, 0, 100)).toString()));
      await folder.close();
      expect(await reads).toEqual(parts);
      await folder.close();
      await expect.poll(() => countOpenFilesBelow(folder.directory)).toBe(0);
      // A later read opens the file that has the name then.
      rmSync(join(folder.directory, 'parts/0'));
      writeFileSync(join(folder.directory, 'parts/0'), 'other');
      expect((await folder.read('parts/0', 0, 100)).toString()).toBe('other');
      await folder.close();
      expect(countOpenFilesBelow(folder.directory)).toBe(0);
    },
  );
});
