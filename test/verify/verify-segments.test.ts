import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { appendBatch } from '../../build/ledger/batch.ts';
import { buildSnapshot } from '../../build/snapshot/build.ts';
import { publish, snapshotNamed } from '../../build/snapshot/pointer.ts';
import { derivingAgain } from '../../build/verify/derived.ts';
import { verifyAgainstLedger, verifySnapshot, type DerivedFiles } from '../../build/verify/verify.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { paths, Routes, tableNames, type Manifest, type TableName } from '../../src/format/snapshot.ts';
import { CorruptSnapshot, sha256Of } from '../../src/files/bytes.ts';
import { useDirectories } from '../support/directories.ts';
import { histories } from '../support/histories.ts';
import { cikOf } from '../support/made-up.ts';
import {
  forgeBlocks,
  forgeSegment,
  linesOfTable,
  makeSmallSnapshot,
  writeFile,
  writeManifest,
  type ForgedBlock,
  type ForgedLine,
  type Forgery,
  type SmallSnapshot,
} from '../support/segments.ts';
import { writeSmallLedger } from '../support/small-ledger.ts';
import { filesBelow } from '../support/files-below.ts';

const fresh = useDirectories('verify');
let ledger: string;
let sound: SmallSnapshot;

beforeAll(async () => {
  ledger = fresh();
  await writeSmallLedger(ledger);
  sound = await makeSmallSnapshot(fresh(), ledger);
});

/** The sound snapshot once more, to be damaged. */
function copy(): SmallSnapshot {
  const directory = fresh();
  cpSync(sound.directory, directory, { recursive: true });
  return { ...sound, directory };
}

/** What verification says of a snapshot; null if it is sound. */
async function refusal({ directory, id }: SmallSnapshot): Promise<string | null> {
  try {
    await verifySnapshot(directory, id);
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(CorruptSnapshot);
    return (error as Error).message;
  }
}

/** Names a file of a table in any segment, or a file of the log. */
const file = (table: TableName | 'log', what: string) =>
  table === 'log'
    ? new RegExp(`files/[0-9a-f]{2}/[0-9a-f]{64}.*${what}`, 's')
    : new RegExp(`segments/\\d+-\\d+-[0-9a-f]{16}/${table}\\.jsonl\\.gz.*${what}`, 's');

const derivedFiles = ({ directory, manifest }: SmallSnapshot): DerivedFiles => ({
  documents: manifest.documents,
  routes: Routes.parse(JSON.parse(readFileSync(join(directory, paths.file(manifest.routes.sha256)), 'utf8'))),
});
const againstLedger = (snapshot: SmallSnapshot, files = derivedFiles(snapshot), from = ledger) =>
  verifyAgainstLedger(snapshot.directory, snapshot.manifest, snapshot.id, from, async () => files);

describe('a snapshot', () => {
  it('a snapshot with corrections, hidden, renamed and refused rows is sound', async () => {
    expect(sound.manifest.segments.map(({ from, to }) => [from, to])).toEqual([
      [1, 2],
      [3, 3],
      [4, 4],
    ]);
    const hidden = await Promise.all(
      (['latest', 'company-filings', 'companies', 'search'] as const).map(
        async (table) => (await linesOfTable(sound, 1, table)).filter(({ row }) => row === null).length,
      ),
    );
    expect(Math.min(...hidden)).toBeGreaterThan(0);
    expect((await linesOfTable(sound, 1, 'refusals')).length).toBe(2);
    expect(await refusal(sound)).toBeNull();
    await againstLedger(sound);
  });

  const isSoundAlways = async (runs: number) =>
    fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const [directory, from] = [fresh(), fresh()];
        for (const { run, filings, companies } of history)
          await appendBatch(from, { run, filings, companies, refusals: [] });
        expect(await refusal(await makeSmallSnapshot(directory, from))).toBeNull();
        for (const made of [directory, from]) rmSync(made, { recursive: true });
      }),
      { numRuns: runs },
    );
  it('a snapshot of any history is sound', { tags: ['slow'] }, () => isSoundAlways(20));
  it('a snapshot of any of many histories is sound', { tags: ['slow', 'nightly'], timeout: 900_000 }, () =>
    isSoundAlways(500),
  );
});

describe('a damaged file', () => {
  const damages: readonly (readonly [string, (bytes: Buffer) => Buffer | null])[] = [
    [
      'with a flipped bit',
      (bytes) =>
        bytes.length === 0
          ? null
          : Buffer.from(bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 1 : byte))),
    ],
    ['that is cut short', (bytes) => (bytes.length === 0 ? null : bytes.subarray(0, -1))],
    ['that goes on', (bytes) => Buffer.concat([bytes, Buffer.from('\n')])],
  ];
  it.each(damages)('verification names any file %s', { tags: ['slow'] }, async (_, damage) => {
    const { directory, id } = copy();
    const files = filesBelow(directory);
    expect(files.length).toBeGreaterThan(50);
    for (const path of files) {
      const whole = readFileSync(join(directory, path));
      const damaged = damage(whole);
      if (damaged === null) continue;
      writeFileSync(join(directory, path), damaged);
      const said = await refusal({ ...sound, directory, id });
      expect(said).toContain(path);
      expect(said).not.toContain('\n');
      writeFileSync(join(directory, path), whole);
    }
  });
  it('verification names any missing file', { tags: ['slow'] }, async () => {
    const { directory, id } = copy();
    const files = filesBelow(directory);
    expect(files.length).toBeGreaterThan(50);
    for (const path of files) {
      const whole = readFileSync(join(directory, path));
      rmSync(join(directory, path));
      expect(await refusal({ ...sound, directory, id })).toContain(path);
      writeFileSync(join(directory, path), whole);
    }
  });
  it('verification names a foreign file in the folder of a segment', async () => {
    const snapshot = copy();
    writeFileSync(
      join(snapshot.directory, paths.segments, snapshot.manifest.segments[0]?.name ?? '', 'latest.jsonl'),
      '',
    );
    expect(await refusal(snapshot)).toMatch(/latest\.jsonl is not a file of the segment/);
  });
});

it('a pointer that tells another SHA-256 of the current snapshot is refused', async () => {
  const { directory, id } = copy();
  const manifestSha256 = sha256Of(readFileSync(join(directory, paths.manifest(id))));
  await publish(directory, id, manifestSha256);
  const folder = openPartFolder(directory);
  try {
    expect((await snapshotNamed(folder)).id).toBe(id);
    await publish(directory, id, `${manifestSha256.slice(0, -1)}${manifestSha256.endsWith('0') ? '1' : '0'}`);
    await expect(snapshotNamed(folder)).rejects.toThrow(
      /manifests.* its SHA-256 is not the one in the pointer/,
    );
    expect((await snapshotNamed(folder, id)).id).toBe(id);
  } finally {
    await folder.close();
  }
});

describe('blocks', () => {
  const broken = (change: (blocks: ForgedBlock[]) => ForgedBlock[], table: TableName = 'company-changes') =>
    forgeBlocks(copy(), 0, table, change).then(refusal);
  const first = (change: (block: ForgedBlock) => ForgedBlock) => (blocks: ForgedBlock[]) =>
    blocks.map((block, at) => (at === 0 ? change(block) : block));
  /** Blocks of these lines, one after the other. */
  const blocksOf = (lines: readonly string[], like: ForgedBlock): ForgedBlock => {
    const stored = gzipSync(lines.map((line) => `${line}\n`).join(''));
    const { partition, sort } = JSON.parse(lines[0] ?? '') as ForgedLine;
    return {
      stored,
      entry: {
        ...like.entry,
        partition,
        sort,
        bytes: stored.length,
        rows: lines.length,
        sha256: sha256Of(stored),
      },
    };
  };
  const inOrder = (blocks: ForgedBlock[]) => {
    let offset = 0;
    return blocks.map(({ entry, stored }) => ({
      stored,
      entry: { ...entry, offset: (offset += stored.length) - stored.length },
    }));
  };
  const linesOf = ({ stored }: ForgedBlock) => gunzipSync(stored).toString().split('\n').slice(0, -1);

  it('untouched blocks are sound when the index is made again', async () =>
    expect(await broken((blocks) => blocks)).toBeNull());
  it('blocks in another order are refused', async () => {
    const swapped = ([a, b, ...rest]: ForgedBlock[]) => [b, a, ...rest] as ForgedBlock[];
    expect(await broken(swapped)).toMatch(/do(es)? not (begin|have)|are not those/);
    expect(await broken((blocks) => inOrder(swapped(blocks)))).toMatch(
      file('company-changes', 'may not follow'),
    );
  });
  it.each([
    ['filedTo', (block: ForgedBlock) => ({ ...block, entry: { ...block.entry, filedTo: '2026-01-01' } })],
    ['filedFrom', (block: ForgedBlock) => ({ ...block, entry: { ...block.entry, filedFrom: '' } })],
    [
      'a label too few',
      (block: ForgedBlock) => ({ ...block, entry: { ...block.entry, labels: block.entry.labels.slice(1) } }),
    ],
    [
      'a label too many',
      (block: ForgedBlock) => ({
        ...block,
        entry: { ...block.entry, labels: [...block.entry.labels, 'ZZ'] },
      }),
    ],
    [
      'other first keys',
      (block: ForgedBlock) => ({ ...block, entry: { ...block.entry, sort: '2027-01-01' } }),
    ],
    [
      'a member that nobody knows',
      (block: ForgedBlock) => ({ ...block, entry: { ...block.entry, more: 1 } }),
    ],
  ])('an index with %s is refused', async (_, change) =>
    expect(await broken(first(change))).toMatch(
      /company-changes\.index\.jsonl\.gz: the entry of \(\d{10}, .*\) does not match its block/,
    ),
  );
  it('an index of a list with dates or other labels is refused', async () => {
    const dated = first((block) => ({
      ...block,
      entry: { ...block.entry, filedFrom: '2026-01-01', filedTo: '2026-03-01' },
    }));
    const labelled = first((block) => ({ ...block, entry: { ...block.entry, labels: ['10-Q'] } }));
    for (const table of ['latest', 'company-filings'] as const) {
      for (const change of [dated, labelled])
        expect(await broken(change, table)).toMatch(
          new RegExp(`/${table}\\.index\\.jsonl\\.gz: the entry of .* does not match its block`),
        );
    }
  });
  it('an index with another count of rows is refused', async () =>
    expect(await broken(first((block) => ({ ...block, entry: { ...block.entry, rows: 7 } })))).toMatch(
      file('company-changes', 'has \\d+ rows, not 7'),
    ));
  it('a root that differs from its index is refused', async () => {
    for (const change of [{ labels: [] }, { filedTo: '2027-01-01' }]) {
      const forged = await forgeBlocks(
        copy(),
        0,
        'company-changes',
        (blocks) => blocks,
        (root) => root.map((entry) => ({ ...entry, ...change })),
      );
      expect(await refusal(forged)).toMatch(/company-changes\.index\.jsonl\.gz: the root/);
    }
    const without = await forgeBlocks(
      copy(),
      0,
      'company-changes',
      (blocks) => blocks,
      () => [],
    );
    expect(await refusal(without)).toMatch(file('company-changes', 'has 0 rows, not'));
  });
  it('an index with longer blocks, and labels in its root, is sound in a segment of rules before 5 alone', async () => {
    const blocksOfTable = (blocks: ForgedBlock[]) => blocks;
    const asOf = async (rules: number) => {
      let forged = copy();
      for (const table of tableNames)
        forged = await forgeBlocks(forged, 0, table, blocksOfTable, (root) => root, 4);
      return refusal(await forgeSegment(forged, 0, {}, (head) => ({ ...head, rules })));
    };
    expect(await asOf(4)).toBeNull();
    expect(await asOf(5)).toMatch(/is not cut by the rule|the root describes/);
  });
  it('blocks that are cut elsewhere are refused', async () => {
    const split = ([head, ...rest]: ForgedBlock[]) =>
      inOrder([
        blocksOf(linesOf(head as ForgedBlock).slice(0, 5), head as ForgedBlock),
        blocksOf(linesOf(head as ForgedBlock).slice(5), head as ForgedBlock),
        ...rest,
      ]);
    expect(await broken(split)).toMatch(/is not cut by the rule|does not match its block/);
    const joined = ([a, b, ...rest]: ForgedBlock[]) =>
      inOrder([
        blocksOf([...linesOf(a as ForgedBlock), ...linesOf(b as ForgedBlock)], a as ForgedBlock),
        ...rest,
      ]);
    expect(await broken(joined)).toMatch(file('company-changes', 'is not cut by the rule'));
  });
  it('a block whose gzip checksum or header is not that of its content is refused, though its digest is right', async () => {
    const changed = (at: number) =>
      first(({ entry, stored }) => {
        const bytes = Buffer.from(stored);
        const offset = at < 0 ? bytes.length + at : at;
        bytes[offset] = (bytes[offset] as number) ^ 1;
        return { stored: bytes, entry: { ...entry, sha256: sha256Of(bytes) } };
      });
    const checksum = -8;
    const inflatedLength = -4;
    for (const at of [checksum, inflatedLength, 0])
      expect(await broken(changed(at)), `byte ${at}`).toMatch(file('company-changes', 'cannot be inflated'));
  });
  it('bytes between or behind blocks, or that are no gzip, are refused', async () => {
    const between = ([a, ...rest]: ForgedBlock[]) => [
      { ...(a as ForgedBlock), stored: Buffer.concat([(a as ForgedBlock).stored, Buffer.from('x')]) },
      ...rest.map(({ entry, stored }) => ({ stored, entry: { ...entry, offset: entry.offset + 1 } })),
    ];
    expect(await broken(between)).toMatch(
      file('company-changes', 'does not begin where the one before ends'),
    );
    expect(
      await broken((blocks) => [
        ...blocks.slice(0, -1),
        {
          ...(blocks.at(-1) as ForgedBlock),
          stored: Buffer.concat([(blocks.at(-1) as ForgedBlock).stored, Buffer.from('x')]),
        },
      ]),
    ).toMatch(file('company-changes', 'bytes after its last block'));
    const plain = Buffer.from('no gzip');
    expect(
      await broken((blocks) =>
        inOrder(
          first(({ entry }) => ({
            stored: plain,
            entry: { ...entry, bytes: plain.length, sha256: sha256Of(plain) },
          }))(blocks),
        ),
      ),
    ).toMatch(file('company-changes', 'the block at 0'));
  });
  it('a block with a malformed line is refused', async () => {
    const spoil = (change: (line: string) => string, table?: TableName) =>
      broken(
        (blocks) =>
          inOrder(
            first((block) => {
              const stored = gzipSync(
                linesOf(block)
                  .map((line, at) => `${at === 1 ? change(line) : line}\n`)
                  .join(''),
              );
              return { stored, entry: { ...block.entry, bytes: stored.length, sha256: sha256Of(stored) } };
            })(blocks),
          ),
        table,
      );
    expect(await spoil((line) => line.replace('"sort"', '"sart"'))).toMatch(
      file('company-changes', 'is not a line of a table'),
    );
    expect(await spoil((line) => line.replace('{"partition"', ' {"partition"'))).toMatch(
      file('company-changes', 'is not a line of a table'),
    );
    expect(await spoil((line) => line.replace('"row":{', '"row":{"more":1,'), 'summaries')).toMatch(
      file('summaries', 'is not written as its schema requires'),
    );
    expect(await spoil((line) => line.slice(0, -2), 'summaries')).toMatch(
      file('summaries', 'is not a line of a table'),
    );
  });
});

/** Lines of which one is changed: the first that is asked for. A change to null drops it. */
const edit =
  (
    isWanted: (line: ForgedLine, at: number) => boolean,
    change: (line: ForgedLine) => ForgedLine | ForgedLine[] | null,
  ) =>
  (lines: ForgedLine[]): ForgedLine[] => {
    const at = lines.findIndex(isWanted);
    expect(at).toBeGreaterThanOrEqual(0);
    const changed = change(lines[at] as ForgedLine);
    return [
      ...lines.slice(0, at),
      ...(changed === null ? [] : Array.isArray(changed) ? changed : [changed]),
      ...lines.slice(at + 1),
    ];
  };
const drop = () => null;
const inPartition = (partition: string) => (line: ForgedLine) =>
  line.partition === partition && line.row !== null;
const member =
  (name: string, value: unknown) =>
  (line: ForgedLine): ForgedLine => {
    const row = JSON.parse(line.row ?? '') as Record<string, unknown>;
    expect(row[name]).not.toEqual(value);
    return { ...line, row: JSON.stringify({ ...row, [name]: value }) };
  };
const ofFiling =
  (name: string, value: unknown) =>
  (line: ForgedLine): ForgedLine => {
    const row = JSON.parse(line.row ?? '') as { filing: Record<string, unknown> };
    return { ...line, row: JSON.stringify({ ...row, filing: { ...row.filing, [name]: value } }) };
  };
const text =
  (from: string, to: string) =>
  (line: ForgedLine): ForgedLine => {
    expect(line.row).toContain(from);
    return { ...line, row: (line.row ?? '').replace(from, to) };
  };
const leadsTo =
  (sequence: number) =>
  (line: ForgedLine): ForgedLine => {
    expect(Number(line.row)).not.toBe(sequence);
    return { ...line, row: String(sequence) };
  };
/** Filing 40, which nothing corrects, with another size; in a change or a summary. */
const resized = (line: ForgedLine): ForgedLine =>
  line.row?.includes('"accessionNo":"0000009999-26-000040"')
    ? { ...line, row: line.row.replace(/"size":\d+/, '"size":7') }
    : line;
const hiding = (partition: string, sort: string): ForgedLine => ({ partition, sort, row: null });
const anyRow = ({ row }: ForgedLine) => row !== null;
const every = (change: (line: ForgedLine) => ForgedLine) => (lines: ForgedLine[]) => lines.map(change);

describe('a forgery with every digest made right', () => {
  it('a forgery that changes nothing is sound', async () => {
    for (const segment of [0, 1, 2])
      expect(
        await refusal(
          await forgeSegment(copy(), segment, {
            latest: (lines) => lines,
            profiles: (lines) => lines,
            refusals: (lines) => lines,
          }),
        ),
      ).toBeNull();
  });

  const unknownPlaceholder = (line: ForgedLine): ForgedLine => ({
    ...line,
    row: (line.row ?? '').replace('"summary":"', '"summary":"{name} '),
  });
  const later = '2026-12-31T00:00:00.000Z';
  /** What is refused by its bytes alone, and what only a comparison with the ledger finds. */
  const forgeries: readonly (readonly [string, number, Forgery, RegExp | 'the ledger'])[] = [
    // Filings.
    [
      'another sequence in latest',
      0,
      { latest: edit(inPartition('all'), leadsTo(3)) },
      file(
        'latest',
        'or company-filings lists a filing under other keys than its own: as many rows, but not the same',
      ),
    ],
    [
      'another sequence in latest under a form',
      0,
      { latest: edit(inPartition('form 8-K'), leadsTo(3)) },
      file(
        'latest',
        'or company-filings lists a filing under other keys than its own: as many rows, but not the same',
      ),
    ],
    [
      'another sequence in latest under an item',
      1,
      { latest: edit(inPartition('item 2.02 8-K'), leadsTo(3)) },
      file(
        'latest',
        'or company-filings lists a filing under other keys than its own: as many rows, but not the same',
      ),
    ],
    [
      'a row less in latest',
      0,
      { latest: edit(inPartition('all'), drop) },
      file('latest', 'does not list every filing once: \\d+ rows, not \\d+'),
    ],
    [
      'a row less in latest under a form',
      0,
      { latest: edit(inPartition('form 4'), drop) },
      file('latest', 'does not list every filing of form \\d+ once: \\d+ rows, not \\d+'),
    ],
    [
      'a row in latest under another form',
      0,
      { latest: edit(inPartition('form 4'), (line) => [{ ...line, sort: `${line.sort}9` }, line]) },
      file('latest', 'does not list every filing of form \\d+ once: \\d+ rows, not \\d+'),
    ],
    [
      'a row in latest under a form of nobody',
      0,
      { latest: edit(inPartition('form 4'), (line) => [{ ...line, partition: 'form 3' }, line]) },
      'the ledger',
    ],
    [
      'a row in latest under other keys',
      0,
      { latest: edit(inPartition('all'), (line) => ({ ...line, sort: `${line.sort}9` })) },
      file(
        'latest',
        'or company-filings lists a filing under other keys than its own: as many rows, but not the same',
      ),
    ],
    [
      'a row in latest that does not fit',
      0,
      { latest: edit(inPartition('all'), (line) => ({ ...line, row: '"5"' })) },
      file('latest', 'does not fit'),
    ],
    [
      'a row in latest with a note',
      0,
      { latest: edit(inPartition('all'), (line) => ({ ...line, note: '{"revision":2}' })) },
      file('latest', 'has a note'),
    ],
    [
      'a row in company-filings of another company',
      0,
      { 'company-filings': edit(inPartition(cikOf(1)), (line) => ({ ...line, partition: '0000000000' })) },
      file('profiles', 'counts other filings than company-filings holds'),
    ],
    [
      'a row less in company-filings',
      2,
      { 'company-filings': edit(anyRow, drop) },
      file('profiles', 'counts other filings than company-filings holds'),
    ],
    [
      'another form in company-filings',
      0,
      { 'company-filings': edit(inPartition(cikOf(1)), member('form', '10-KT')) },
      file('profiles', 'counts other filings than company-filings holds'),
    ],
    [
      'another sequence in company-filings',
      0,
      { 'company-filings': edit(inPartition(cikOf(1)), member('sequence', 1000)) },
      file('company-filings', 'leads to entry \\d+, which is the last revision of no filing'),
    ],
    [
      'a row less in company-filings that is replaced',
      0,
      { 'company-filings': edit(({ sort }) => sort.endsWith('-000001'), drop) },
      'the ledger',
    ],
    [
      'a row less in summaries',
      0,
      { summaries: edit(({ partition }) => partition.endsWith('-000040'), drop) },
      file('latest', 'leads to entry \\d+, which is the last revision of no filing'),
    ],
    [
      'another entry of the log in summaries',
      0,
      { summaries: edit(anyRow, member('sequence', 7)) },
      'the ledger',
    ],
    [
      'a placeholder that is not known in a summary that is replaced',
      0,
      { summaries: edit(anyRow, unknownPlaceholder) },
      file('summaries', 'has a placeholder that is not known'),
    ],
    [
      'a placeholder that is not known in a summary',
      0,
      { summaries: edit(({ partition }) => partition.endsWith('-000040'), unknownPlaceholder) },
      file('summaries', 'has a placeholder that is not known'),
    ],
    [
      'a summary that is advice',
      0,
      { summaries: edit(anyRow, member('notInvestmentAdvice', false)) },
      file('summaries', 'notInvestmentAdvice'),
    ],
    [
      'a summary under another number',
      0,
      { summaries: edit(anyRow, (line) => ({ ...line, partition: '0000000000-26-000001' })) },
      file(
        'summaries',
        'does not lead to the filings and revisions of the log: as many rows, but not the same',
      ),
    ],
    [
      'a summary with a revision less',
      1,
      {
        summaries: edit(
          ({ note }) => note !== undefined,
          (line) => ({ ...line, note: undefined }),
        ),
      },
      'the ledger',
    ],
    [
      'a summary with a revision more',
      1,
      {
        summaries: edit(
          ({ note }) => note === '{"revision":2}',
          (line) => ({ ...line, note: '{"revision":3}' }),
        ),
      },
      file(
        'summaries',
        'does not lead to the filings and revisions of the log: as many rows, but not the same',
      ),
    ],
    [
      'a summary with a revision of nothing',
      1,
      {
        summaries: edit(
          ({ note }) => note === undefined,
          (line) => ({ ...line, note: '{"revision":1}' }),
        ),
      },
      file('summaries', 'has the note'),
    ],
    ['a row less in summaries that is replaced', 0, { summaries: edit(anyRow, drop) }, 'the ledger'],
    [
      'a row less in latest that is replaced',
      0,
      {
        latest: edit(
          ({ partition, sort, row }) => partition === 'form 10-Q' && row !== null && sort.endsWith('-000001'),
          drop,
        ),
      },
      'the ledger',
    ],
    // The log.
    [
      'another filing in the log',
      0,
      { log: edit(inPartition('log'), ofFiling('size', 1)) },
      file('company-changes', 'does not repeat the entries of the log: as many rows, but not the same'),
    ],
    [
      'other filings in the log',
      0,
      { log: every(resized) },
      file('company-changes', 'does not repeat the entries of the log: as many rows, but not the same'),
    ],
    [
      'another date in changes under a form',
      0,
      { 'change-dates': edit(inPartition('form 8-K'), (line) => ({ ...line, row: '"2020-01-01"' })) },
      file('change-dates', 'does not repeat the dates of the log: as many rows, but not the same'),
    ],
    [
      'another date in changes under an item',
      0,
      { 'change-dates': edit(inPartition('item 2.02 8-K'), (line) => ({ ...line, row: '"2020-01-01"' })) },
      file('change-dates', 'does not repeat the dates of the log: as many rows, but not the same'),
    ],
    [
      'no date in changes under a form',
      0,
      { 'change-dates': edit(inPartition('form 8-K'), (line) => ({ ...line, row: '""' })) },
      file('change-dates', '\\(form 8-K, .*does not fit'),
    ],
    [
      'a date alone in changes',
      0,
      { log: edit(inPartition('log'), (line) => ({ ...line, row: '"2020-01-01"' })) },
      file('log', '\\(log, .*does not fit'),
    ],
    [
      'a whole entry in changes under a form',
      0,
      {
        'change-dates': edit(inPartition('form 8-K'), (line) => ({ ...line, row: '{"sequence":1}' })),
      },
      file('change-dates', '\\(form 8-K, .*does not fit'),
    ],
    [
      'an entry less in changes',
      0,
      { log: edit(inPartition('log'), drop) },
      /\(log\): the log ends at sequence \d+, not at/,
    ],
    [
      'the last entry less in changes',
      2,
      { log: (lines) => lines.slice(0, -1) },
      /\(log\): the log ends at sequence \d+, not at/,
    ],
    [
      'an entry less in changes under a form',
      0,
      { 'change-dates': edit(inPartition('form 8-K'), drop) },
      'the ledger',
    ],
    [
      'an entry in changes under another form',
      0,
      {
        'change-dates': edit(inPartition('form 10-Q'), (line) => [{ ...line, partition: 'form 10-P' }, line]),
      },
      'the ledger',
    ],
    [
      'an entry in changes at another time',
      0,
      { log: edit(inPartition('log'), member('observedAt', later)) },
      file('log', 'was not observed when batch 1 was recorded'),
    ],
    [
      'an entry in changes that corrects nothing',
      0,
      { log: edit(inPartition('log'), text('"revision":1', '"revision":2')) },
      file('log', 'names corrected members'),
    ],
    [
      'entries of the log in another order',
      1,
      { log: ([first, second, ...rest]) => [second, first, ...rest] as ForgedLine[] },
      file('log', 'follows sequence 0'),
    ],
    [
      'an entry less in company-changes',
      1,
      { 'company-changes': edit(anyRow, drop) },
      file('log', 'is in the feed of no company'),
    ],
    [
      'an entry in company-changes only under the items of its company',
      0,
      {
        'company-changes': (lines) => {
          const { row: only } = lines.find(({ partition }) => partition.endsWith(' item')) as ForgedLine;
          return lines.filter(({ partition, row }) => row !== only || partition.endsWith(' item'));
        },
      },
      file('log', 'is in the feed of no company'),
    ],
    [
      'another filing in company-changes under the items of its company',
      0,
      { 'company-changes': edit(({ partition }) => partition.endsWith(' item'), ofFiling('size', 1)) },
      file('company-changes', 'does not repeat the entries of the log: as many rows, but not the same'),
    ],
    [
      'an entry in company-changes of another company',
      0,
      { 'company-changes': edit(inPartition(cikOf(1)), (line) => ({ ...line, partition: '0000000000' })) },
      'the ledger',
    ],
    [
      'another note in company-changes',
      1,
      {
        'company-changes': edit(
          ({ note }) => note !== undefined,
          (line) => ({ ...line, note: '{"before":"5"}' }),
        ),
      },
      'the ledger',
    ],
    [
      'no note in company-changes',
      1,
      {
        'company-changes': edit(
          ({ note }) => note !== undefined,
          (line) => ({ ...line, note: undefined }),
        ),
      },
      'the ledger',
    ],
    // Companies.
    [
      'another count in a profile',
      2,
      { profiles: edit(anyRow, member('filingCount', 1)) },
      file('profiles', 'counts 1 filings'),
    ],
    [
      'other forms in a profile',
      2,
      { profiles: edit(anyRow, text('"form":"10-Q"', '"form":"10-KT"')) },
      file('profiles', 'counts other filings than company-filings holds'),
    ],
    [
      'another newest filing in a profile',
      2,
      { profiles: edit(anyRow, member('latestFiling', null)) },
      file('profiles', 'has a newest filing of undefined, not \\d+-\\d+-\\d+'),
    ],
    [
      'another newest day in a profile',
      2,
      { profiles: edit(anyRow, member('latestFilingAt', '2020-01-01')) },
      file('profiles', 'not 2020-01-01'),
    ],
    [
      'another time in a profile',
      2,
      { profiles: edit(anyRow, member('latestIngestedAt', later)) },
      'the ledger',
    ],
    [
      'another first symbol in a profile',
      2,
      { profiles: edit(({ row }) => row?.includes('"ticker":"T2"') ?? false, member('ticker', 'T1')) },
      file('profiles', 'T1 first'),
    ],
    [
      'an unknown symbol in a profile',
      2,
      {
        profiles: edit(
          ({ row }) => row?.includes('"ticker":"T2"') ?? false,
          member('tickers', ['T2', 'T99']),
        ),
      },
      file('profiles', 'T99, which is not in symbols'),
    ],
    [
      'another relation in a profile',
      2,
      { profiles: edit(anyRow, member('relatedCiks', [cikOf(3)])) },
      'the ledger',
    ],
    [
      'another name in a profile',
      2,
      { profiles: edit(anyRow, member('name', 'Somebody')) },
      file('companies', 'does not hold the companies of the profiles: as many rows, but not the same'),
    ],
    [
      'a former name more in a profile',
      2,
      { profiles: edit(anyRow, member('formerNames', ['Somebody'])) },
      'the ledger',
    ],
    [
      'a profile less',
      1,
      { profiles: edit(inPartition(cikOf(90)), drop) },
      file('companies', 'does not hold the companies of the profiles: \\d+ too many'),
    ],
    [
      'a profile of another company',
      1,
      { profiles: edit(inPartition(cikOf(90)), member('cik', cikOf(91))) },
      file('profiles', 'holds the row of'),
    ],
    [
      'a company less',
      2,
      { companies: edit(anyRow, drop) },
      file('companies', 'does not hold the companies of the profiles: \\d+ too few'),
    ],
    [
      'a company twice',
      1,
      {
        companies: edit(anyRow, (line) => [
          line,
          { ...line, sort: `${line.sort.slice(0, 4)}zz${line.sort.slice(6)}` },
        ]),
      },
      file('companies', 'holds a row of other keys|may not follow'),
    ],
    [
      'a company less in the list of those without a symbol',
      1,
      { companies: edit(inPartition('listed false'), drop) },
      file('companies', 'has \\d+ companies with and without symbols, not \\d+'),
    ],
    [
      'another industry in the list of those without a symbol',
      1,
      { companies: edit(inPartition('listed false'), member('sic', '0100')) },
      'the ledger',
    ],
    [
      'a name for a company in the list of those without a symbol',
      1,
      {
        companies: edit(inPartition('listed false'), (line) => ({ ...line, sort: line.sort.slice(1) })),
      },
      file('companies', 'holds a row of other keys|may not follow'),
    ],
    [
      'another day in a company',
      1,
      { companies: edit(anyRow, member('latestFilingAt', '2020-01-01')) },
      file('companies', 'does not hold the companies of the profiles: as many rows, but not the same'),
    ],
    ['a word less in search', 1, { search: edit(anyRow, drop) }, 'the ledger'],
    ['another row in search', 1, { search: edit(anyRow, member('names', ['somebody'])) }, 'the ledger'],
    [
      'a word more in search',
      0,
      { search: (lines) => [...lines, { partition: 'zzz', sort: '0', row: '{"names":["zzz"]}' }] },
      'the ledger',
    ],
    [
      'a symbol that leads to nobody',
      0,
      { symbols: edit(inPartition('T5'), member('cik', cikOf(99))) },
      file('symbols', 'leads to 0000000099, which has no profile'),
    ],
    [
      'a symbol less',
      0,
      { symbols: edit(inPartition('T5'), drop) },
      file('profiles', 'T5, which is not in symbols'),
    ],
    [
      'a symbol under another one',
      0,
      { symbols: edit(inPartition('T5'), member('symbol', 'T6')) },
      file('symbols', 'holds the row of'),
    ],
    // Totals.
    [
      'another count of a form',
      2,
      { counts: edit(inPartition('forms'), (line) => ({ ...line, row: '7' })) },
      file('counts', 'is 7, the lists hold'),
    ],
    [
      'another count of a day',
      2,
      { counts: edit(inPartition('days'), (line) => ({ ...line, row: '777' })) },
      file('counts', 'is 777, the lists hold'),
    ],
    ['a count less', 1, { counts: edit(inPartition('companies'), drop) }, file('counts', 'the lists hold')],
    [
      'a count of another kind',
      0,
      { counts: (lines) => [...lines, { partition: 'zeros', sort: '', row: '0' }] },
      file('counts', 'zeros'),
    ],
    ['a batch less', 0, { batches: edit(anyRow, drop) }, file('batches', 'is batch 3, not 2')],
    [
      'a batch under another key',
      0,
      { batches: edit(anyRow, (line) => ({ ...line, sort: `${line.sort.slice(0, -1)}9` })) },
      file('batches', 'holds the row of \\(all, 000000000131 000000002\\)'),
    ],
    [
      'another first batch',
      0,
      { batches: edit(({ row }) => row?.includes('"number":1,') ?? false, member('sha256', '0'.repeat(64))) },
      file('batches', 'is not the first batch'),
    ],
    [
      'another last batch',
      2,
      { batches: edit(anyRow, member('sha256', '0'.repeat(64))) },
      file('batches', 'the last batch is'),
    ],
    [
      'a batch with more changes',
      0,
      { batches: edit(anyRow, member('changes', 251)) },
      file('batches', 'ends at sequence'),
    ],
    [
      'a batch of another time',
      0,
      { batches: edit(anyRow, member('createdAt', later)) },
      file('log', 'was not observed'),
    ],
    ['a refusal less', 1, { refusals: edit(anyRow, drop) }, /refus/],
    [
      'a refusal more',
      2,
      { refusals: () => [{ partition: 'all', sort: '000000004 000000000', row: '"x"' }] },
      file('refusals', 'refused by no batch'),
    ],
    // Rows that hide.
    [
      'a row that hides nothing',
      1,
      { latest: (lines) => [hiding('all', '2027-01-01 x'), ...lines] },
      file('latest', 'hides a row that no older segment shows'),
    ],
    [
      'a row that hides something in the oldest segment',
      0,
      { latest: edit(inPartition('all'), (line) => [hiding('all', `${line.sort}9`), line]) },
      file('latest', 'hides a row that no older segment shows'),
    ],
    [
      'a row that hides a filing',
      2,
      {
        latest: (lines) => [
          ...lines,
          hiding('item 9.01 8-K', '2026-02-15 20260215160000 0000009999-26-000014'),
        ],
      },
      'the ledger',
    ],
    [
      'a row that hides what is hidden',
      2,
      { latest: hideAgain },
      file('latest', 'hides a row that no older segment shows'),
    ],
    [
      'a row that hides an entry of the feed',
      2,
      { 'change-dates': (lines) => [hiding('form 10-K', '000000000001'), ...lines] },
      file('change-dates', 'nothing is hidden'),
    ],
    [
      'a row that hides a profile',
      2,
      { profiles: (lines) => [hiding(cikOf(0), ''), ...lines] },
      file('profiles', 'nothing is hidden'),
    ],
    [
      'an entry of the feed that replaces another one',
      2,
      { 'company-changes': (lines) => [replacing, ...lines] },
      file('company-changes', 'which never changes'),
    ],
    [
      'a hidden row that shows again',
      1,
      { latest: edit(({ row, partition }) => row === null && partition === 'all', drop) },
      file('latest', 'leads to entry \\d+, which is the last revision of no filing'),
    ],
    [
      'a row that is replaced and does not fit',
      0,
      {
        summaries: edit(
          ({ partition }) => partition.endsWith('-000001'),
          text('"summary":', '"summary":1,"was":'),
        ),
      },
      file('summaries', 'summary'),
    ],
    [
      'a row that is replaced under another key',
      0,
      { symbols: edit(inPartition('T3'), member('symbol', 'T4')) },
      file('symbols', 'other keys'),
    ],
  ];
  // Rows that the third segment hides again although the second one hides them; known when the tests run.
  function hideAgain(lines: ForgedLine[]): ForgedLine[] {
    const extra = { ...hiddenBySecond };
    return [...lines, extra].sort((a, b) =>
      a.partition !== b.partition ? (a.partition < b.partition ? -1 : 1) : a.sort > b.sort ? -1 : 1,
    );
  }
  let hiddenBySecond: ForgedLine = hiding('', '');
  /** An entry that the first segment has, too. */
  let replacing: ForgedLine = hiding('', '');
  beforeAll(async () => {
    [replacing] = (await linesOfTable(sound, 0, 'company-changes')) as [ForgedLine];
    const last = new Set(
      (await linesOfTable(sound, 2, 'latest')).map(({ partition, sort }) => `${partition} ${sort}`),
    );
    hiddenBySecond = (await linesOfTable(sound, 1, 'latest')).find(
      ({ row, partition, sort }) => row === null && !last.has(`${partition} ${sort}`),
    ) as ForgedLine;
  });

  it.each(forgeries)(
    'a forgery with %s is refused',
    { tags: ['slow'] },
    async (_, segment, forgery, message) => {
      const forged = await forgeSegment(copy(), segment, forgery);
      if (message !== 'the ledger') return expect(await refusal(forged)).toMatch(message);
      expect(await refusal(forged)).toBeNull();
      await expect(againstLedger(forged)).rejects.toThrow(CorruptSnapshot);
    },
  );

  it('a forgery that drops a filing everywhere is refused', async () => {
    const without = (lines: ForgedLine[]) =>
      lines.filter(({ row }) => !(row?.includes('"accessionNo":"0000009999-26-000040"') ?? false));
    const forged = await forgeSegment(copy(), 0, {
      latest: without,
      log: without,
      summaries: (lines) => lines.filter(({ partition }) => !partition.endsWith('-000040')),
      'company-filings': without,
      'company-changes': without,
    });
    expect(await refusal(forged)).toMatch(/\(log\): the log ends at sequence/);
  });
  it('a profile that an older segment has than the newest filings of its company is refused', async () => {
    const moved = (await linesOfTable(sound, 2, 'profiles')).find(({ row }) =>
      row?.includes('"relatedCiks":[]'),
    );
    expect(moved).toBeDefined();
    const isMoved = ({ partition }: ForgedLine) => partition === moved?.partition;
    const without = await forgeSegment(copy(), 2, {
      profiles: (lines) => lines.filter((line) => !isMoved(line)),
    });
    const forged = await forgeSegment(without, 1, {
      profiles: (lines) => lines.map((line) => (isMoved(line) ? (moved as ForgedLine) : line)),
    });
    expect(await refusal(forged)).toMatch(file('profiles', 'is not in segment 2, which has filings'));
  });
  it('a forgery that shows a corrected revision again is refused', async () => {
    const isOne = ({ partition }: ForgedLine) => partition.endsWith('-000001');
    const before = (await linesOfTable(sound, 1, 'summaries')).find(isOne)?.row ?? '';
    expect(before).not.toBe('');
    const old = (line: ForgedLine): ForgedLine => (isOne(line) ? { ...line, row: before } : line);
    const forged = await forgeSegment(copy(), 2, { summaries: every(old) });
    expect(await refusal(forged)).toMatch(file('latest', 'is the last revision of no filing'));
  });
  it('a forgery whose lists lead to a corrected revision is refused', async () => {
    const isOne = ({ partition, sort, row }: ForgedLine) =>
      partition === 'all' && row !== null && sort.endsWith('-000001');
    const before = Number((await linesOfTable(sound, 1, 'latest')).find(isOne)?.row);
    const now = Number((await linesOfTable(sound, 2, 'latest')).find(isOne)?.row);
    expect([before > 0, now > before]).toEqual([true, true]);
    const old = (line: ForgedLine): ForgedLine =>
      line.sort.endsWith('-000001') && line.row !== null
        ? { ...line, row: line.row.replace(new RegExp(`\\b${now}\\b`), String(before)) }
        : line;
    expect(
      await refusal(await forgeSegment(copy(), 2, { latest: every(old), 'company-filings': every(old) })),
    ).toMatch(file('latest', 'is the last revision of no filing'));
    expect(await refusal(await forgeSegment(copy(), 2, { 'company-filings': every(old) }))).toMatch(
      file('company-filings', 'is the last revision of no filing'),
    );
  });
  it('a comparison with the ledger finds a forgery that exchanges the numbers of two revisions', async () => {
    const numbers: Readonly<Record<string, string>> = { '2': '3', '3': '2' };
    const swap = (line: ForgedLine): ForgedLine =>
      line.row?.includes('-000001"')
        ? {
            ...line,
            row: line.row.replace(
              /"revision":([23])/,
              (_, number: string) => `"revision":${numbers[number]}`,
            ),
          }
        : line;
    const once = await forgeSegment(copy(), 0, { log: every(swap), 'company-changes': every(swap) });
    const forged = await forgeSegment(once, 1, { 'company-changes': every(swap) });
    // The last revision is still the last one, and as many come before it.
    expect(await refusal(forged)).toBeNull();
    await expect(againstLedger(forged)).rejects.toThrow(CorruptSnapshot);
  });

  const heads: readonly (readonly [string, Parameters<typeof forgeSegment>[3], RegExp])[] = [
    [
      'another number of rows',
      (head) => ({
        ...head,
        tables: {
          ...head.tables,
          latest: { ...(head.tables['latest'] as (typeof head.tables)[string]), rows: 1 },
        },
      }),
      file('latest', 'rows, not 1'),
    ],
    [
      'another direction',
      (head) => ({
        ...head,
        tables: {
          ...head.tables,
          latest: { ...(head.tables['latest'] as (typeof head.tables)[string]), direction: 'ascending' },
        },
      }),
      file('latest', 'is ascending, not descending'),
    ],
    [
      'a table less',
      ({ tables: { symbols: _symbols, ...tables }, ...head }) => ({ ...head, tables }),
      /segment\.json names the tables/,
    ],
    ['other batches', (head) => ({ ...head, to: 3 }), /manifests\/.*: segment .* is not/],
  ];
  it.each(heads)('a forged head of a segment with %s is refused', async (_, change, message) =>
    expect(await refusal(await forgeSegment(copy(), 0, {}, change))).toMatch(message),
  );

  const segmentWith =
    (at: number, members: object) =>
    (manifest: Manifest): Manifest => ({
      ...manifest,
      segments: manifest.segments.map((each, number) => (number === at ? { ...each, ...members } : each)),
    });
  const manifests: readonly (readonly [string, (manifest: Manifest) => Manifest, RegExp])[] = [
    ['filingCount', (manifest) => ({ ...manifest, filingCount: 1 }), /filingCount is 1, not/],
    ['companyCount', (manifest) => ({ ...manifest, companyCount: 1 }), /companyCount is 1, not/],
    [
      'lastSequence',
      (manifest) => ({ ...manifest, lastSequence: 1 }),
      /segments end at sequence \d+, the snapshot at 1/,
    ],
    ['newestFiledAt', (manifest) => ({ ...manifest, newestFiledAt: null }), /newestFiledAt is null/],
    [
      'generatedAt',
      (manifest) => ({ ...manifest, generatedAt: '2026-03-05T12:00:00.000Z' }),
      file('batches', 'the time of the last batch'),
    ],
    [
      'number of batches',
      (manifest) => ({ ...manifest, ledger: { ...manifest.ledger, batches: 5 } }),
      /segments end at batch 4, the ledger at 5/,
    ],
    [
      'last batch',
      (manifest) => ({ ...manifest, ledger: { ...manifest.ledger, sha256: '0'.repeat(64) } }),
      file('batches', 'the last batch'),
    ],
    [
      'first batch',
      (manifest) => ({ ...manifest, ledger: { ...manifest.ledger, id: '0'.repeat(64) } }),
      file('batches', 'first batch'),
    ],
    [
      'order of segments',
      (manifest) => ({ ...manifest, segments: manifest.segments.toReversed() }),
      /does not follow batch 0/,
    ],
    [
      'number of segments',
      (manifest) => ({ ...manifest, segments: manifest.segments.slice(1) }),
      /does not follow batch 0/,
    ],
    ['length of a segment', segmentWith(1, { bytes: 1 }), /segment\.json: the segment has/],
    [
      'last sequence of a segment',
      segmentWith(0, { lastSequence: 3 }),
      file('batches', 'ends at sequence \\d+, the segment at 3'),
    ],
    ['digest of a head', segmentWith(0, { headSha256: '0'.repeat(64) }), /segment .* is not/],
    ['length of a head', segmentWith(0, { headBytes: 100_000 }), /has \d+ bytes, not 100000 as the manifest/],
    [
      'number of documents',
      ({ documents: { health: _health, ...documents }, ...manifest }) => ({ ...manifest, documents }),
      /names the documents/,
    ],
  ];
  it.each(manifests)('a forged manifest with another %s is refused', async (_, change, message) => {
    const { directory, manifest } = copy();
    expect(await refusal(writeManifest(directory, change(manifest)))).toMatch(message);
  });

  const documents: readonly (readonly ['stats' | 'health', string, string, RegExp])[] = [
    ['stats', '"filingCount":', '"filingCount":1', /\(stats\): filingCount is/],
    ['stats', '"companyCount":', '"companyCount":1', /\(stats\): companyCount is/],
    ['stats', '"form":"10-Q"', '"form":"10-KT"', /\(stats\): latestFiling|\(stats\): forms/],
    [
      'stats',
      '"eventType":"current_report","count":',
      '"eventType":"current_report","count":1',
      /\(stats\): eventTypes/,
    ],
    ['health', '"filingCount":', '"filingCount":1', /\(health\): filingCount is/],
    ['health', '"companyCount":', '"companyCount":1', /\(health\): companyCount is/],
    ['health', '{', '[', /is not JSON/],
  ];
  it.each(documents)(
    'a forged document is refused: %s, %s → %s',
    { tags: ['slow'] },
    async (name, from, to, message) => {
      const { directory, manifest } = copy();
      const text = readFileSync(join(directory, paths.file(manifest.documents[name]?.sha256 ?? '')), 'utf8');
      expect(text).toContain(from);
      expect(
        await refusal(
          writeManifest(directory, {
            ...manifest,
            documents: {
              ...manifest.documents,
              [name]: writeFile(directory, Buffer.from(text.replace(from, to))),
            },
          }),
        ),
      ).toMatch(message);
    },
  );

  it('a forged encoded variant is refused', async () => {
    const { directory, manifest } = copy();
    const withRoutes = (change: (routes: Routes) => unknown) => {
      const { routes } = derivedFiles({ ...sound, directory });
      return refusal(
        writeManifest(directory, {
          ...manifest,
          routes: writeFile(directory, Buffer.from(JSON.stringify(change(routes)))),
        }),
      );
    };
    const root = derivedFiles(sound).routes['/'] as Routes[string];
    expect(await withRoutes((routes) => routes)).toBeNull();
    expect(
      await withRoutes(() => ({ '/': { ...root, gzip: writeFile(directory, gzipSync('Another page.')) } })),
    ).toMatch(/is not the file of \/ encoded/);
    expect(await withRoutes(() => ({ '/': { ...root, br: root.gzip } }))).toMatch(
      /is not the file of \/ encoded/,
    );
    expect(await withRoutes(() => ({ '/': { ...root, file: null } }))).toMatch(/\(routes\): \/\.file/);
    expect(
      await withRoutes(() => ({ '/': { ...root, file: { sha256: '0'.repeat(64), bytes: 1 } } })),
    ).toMatch(/files\/00\/0000/);
  });
});

describe('a snapshot and its ledger', () => {
  it('a snapshot agrees with its ledger though another compressor made the segment', async () => {
    let offset = 0;
    const again = (blocks: ForgedBlock[]) =>
      blocks.map(({ entry, stored }) => {
        const other = gzipSync(gunzipSync(stored), { level: 9 });
        return {
          stored: other,
          entry: {
            ...entry,
            offset: (offset += other.length) - other.length,
            bytes: other.length,
            sha256: sha256Of(other),
          },
        };
      });
    const forged = await forgeBlocks(copy(), 0, 'latest', again);
    expect(forged.manifest.segments[0]?.name).not.toBe(sound.manifest.segments[0]?.name);
    expect(await refusal(forged)).toBeNull();
    await againstLedger(forged);
  });
  it('a snapshot agrees with its ledger though the ledger has grown', async () => {
    const longer = fresh();
    cpSync(ledger, longer, { recursive: true });
    await appendBatch(longer, {
      run: { target: 'more', status: 'success', message: null, createdAt: '2026-04-01T00:00:00.000Z' },
      filings: [],
      companies: [],
      refusals: [],
    });
    await againstLedger(sound, derivedFiles(sound), longer);
  });

  const sentence = (line: ForgedLine): ForgedLine => ({
    ...line,
    row: (line.row ?? '').replace('SEC accession number', 'Buy! SEC accession number'),
  });
  it.each([
    [
      'another sentence',
      { summaries: edit(({ partition }) => partition.endsWith('-000040'), sentence) },
      file('summaries', 'is not what the ledger gives: \\(0000009999-26-000040, \\) holds another row'),
    ],
    [
      'another symbol',
      { symbols: edit(inPartition('T5'), member('cik', cikOf(1))) },
      file('symbols', '\\(T5, \\) holds another row'),
    ],
    [
      'a symbol more',
      {
        symbols: edit(inPartition('T5'), (line) => [
          line,
          { ...line, partition: 'T6', row: (line.row ?? '').replace('T5', 'T6') },
        ]),
      },
      file('symbols', '\\(T6, \\) is found where \\(T7, \\) belongs'),
    ],
  ] as const)('verification against the ledger finds a difference in %s', async (_, forgery, message) => {
    const forged = await forgeSegment(copy(), 0, forgery);
    expect(await refusal(forged)).toBeNull();
    await expect(againstLedger(forged)).rejects.toThrow(message);
  });
  it('verification against the ledger finds other documents and pages', async () => {
    const { documents, routes } = derivedFiles(sound);
    const other = { sha256: '0'.repeat(64), bytes: 1 };
    const root = routes['/'] as Routes[string];
    await expect(againstLedger(sound, { documents: { ...documents, root: other }, routes })).rejects.toThrow(
      /manifests.*document root$/,
    );
    await expect(
      againstLedger(sound, { documents, routes: { '/': { ...root, file: other } } }),
    ).rejects.toThrow(/manifests.*path \/$/);
    await expect(againstLedger(sound, { documents, routes: { ...routes, '/more': root } })).rejects.toThrow(
      /manifests.*path \/more$/,
    );
    await againstLedger(sound, { documents, routes: { '/': { ...root, gzip: other } } });
  });
  it('verification makes documents and pages again, and finds one that differs', async () => {
    const directory = fresh();
    const id = await buildSnapshot({
      ledgerDirectory: ledger,
      snapshotsDirectory: directory,
      settings: { baseUrl: 'https://example.com', marketplaceUrl: null },
      replace: false,
      log: () => {},
    });
    const manifest = await verifySnapshot(directory, id);
    const again = (snapshot: SmallSnapshot) =>
      verifyAgainstLedger(
        directory,
        snapshot.manifest,
        snapshot.id,
        ledger,
        derivingAgain(directory, snapshot.manifest),
      );
    await again({ directory, id, manifest });
    const { routes } = derivedFiles({ directory, id, manifest });
    const root = writeFile(directory, Buffer.from('{}'));
    await expect(
      again(writeManifest(directory, { ...manifest, documents: { ...manifest.documents, root } })),
    ).rejects.toThrow(/manifests.*document root$/);
    const page = { ...(routes['/docs/verify'] as Routes[string]), file: root };
    await expect(
      again(
        writeManifest(directory, {
          ...manifest,
          routes: writeFile(directory, Buffer.from(JSON.stringify({ ...routes, '/docs/verify': page }))),
        }),
      ),
    ).rejects.toThrow(/manifests.*path \/docs\/verify$/);
    await expect(
      again(writeManifest(directory, { ...manifest, settings: { ...manifest.settings, baseUrl: null } })),
    ).rejects.toThrow(/manifests.* is not what the ledger gives: document subscription$/);
    await expect(
      again(writeManifest(directory, { ...manifest, documents: { ...manifest.documents, intents: root } })),
    ).rejects.toThrow(/\(intents\): counts/);
    await expect(again(writeManifest(directory, { ...manifest, productVersion: '0.0.0' }))).rejects.toThrow(
      /made by version 0\.0\.0, and only that version can check them/,
    );
  });
  it('a snapshot differs from an empty ledger', async () => {
    const nothing = fresh();
    await expect(againstLedger(sound, derivedFiles(sound), nothing)).rejects.toThrow(
      `${nothing} holds no batch`,
    );
  });
  it('verification against the ledger finds a manifest that differs', async () => {
    const { directory, manifest } = copy();
    const changed = (members: Partial<Manifest>) =>
      againstLedger(writeManifest(directory, { ...manifest, ...members }));
    await expect(changed({ ledger: { ...manifest.ledger, id: '0'.repeat(64) } })).rejects.toThrow(
      /is of another ledger/,
    );
    await expect(changed({ ledger: { ...manifest.ledger, batches: 7 } })).rejects.toThrow(
      /is of another ledger/,
    );
    await expect(changed({ sample: true })).rejects.toThrow(/sample/);
    await expect(
      changed({ segments: manifest.segments.map((each) => ({ ...each, rows: 1 })) }),
    ).rejects.toThrow(/the ledger gives 1-2 with \d+ rows/);
  });
});
