import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeStaging, removeStagings } from '../../build/disk/staging.ts';
import {
  appendBatch,
  withLedgerEnd,
  type BatchEnd,
  type OpenBatch,
  batchDirectory,
  BrokenLedger,
  openBatch,
  readBatchFile,
  type BatchContent,
} from '../../build/ledger/batch.ts';
import { readCompanies, readFilings, readRefusals } from '../../build/ledger/read.ts';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { useDirectories } from '../support/directories.ts';
import { readModel, type LedgerModel } from '../support/ledger-model.ts';
import { bareFiling } from '../support/made-up.ts';
import { rewriteBatch } from '../support/published.ts';
import { headsOf, batchNumbers } from '../support/heads.ts';

const directory = useDirectories('ledger');

const filing = (number: number, members: Partial<LedgerFiling> = {}): LedgerFiling =>
  bareFiling(number, {
    accessionNo: `0000000001-26-${String(number).padStart(6, '0')}`,
    items: ['8.01'],
    primaryDocument: 'a "quoted",\nname.htm',
    sizeBytes: 7,
    ...members,
  });
const company: LedgerCompany = {
  cik: '0000000001',
  name: 'Ünï, "Inc."',
  tickers: ['AAA'],
  exchange: null,
  formerNames: ['Old'],
};
const batch = (day: number, content: Partial<BatchContent> = {}): BatchContent => ({
  run: { target: 'AAA', status: 'success', message: null, createdAt: `2026-03-0${day}T12:00:00.000Z` },
  filings: [filing(day)],
  companies: [],
  refusals: [],
  ...content,
});
const refusal = { cik: '', file: 'company_tickers.json', accessionNo: '', reason: 'not there (404)' };

/** Everything that a ledger has, or null if it has no batch. Throws `BrokenLedger`. */
async function readLedger(ledger: string): Promise<LedgerModel | null> {
  const heads = await headsOf(ledger);
  for (const { head } of heads) await readRefusals(ledger, head);
  return heads.length === 0 ? null : readModel(ledger);
}
const headOf = async (ledger: string, number: number) => (await readBatchFile(ledger, number)).head;

/** A ledger with every kind of file, in three batches. */
async function threeBatches(): Promise<string> {
  const ledger = directory();
  await appendBatch(ledger, batch(1, { companies: [company], refusals: [refusal] }));
  await appendBatch(ledger, batch(2, { filings: [filing(1, { form: '8-K/A' }), filing(2)] }));
  await appendBatch(ledger, batch(3, { filings: [] }));
  return ledger;
}
const batchNames = (ledger: string) => readdirSync(join(ledger, 'batches/00000')).sort();
const filesOf = (ledger: string) =>
  readdirSync(join(ledger, 'batches/00000'), { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

it('a batch under the number of another one is refused', async () => {
  const ledger = directory();
  await appendBatch(ledger, batch(1));
  cpSync(batchDirectory(ledger, 1), batchDirectory(ledger, 2), { recursive: true });
  await expect(readBatchFile(ledger, 2)).rejects.toThrow('it says that it is batch 1');
});

describe('appendBatch', () => {
  it('writes a head, and a file for what there is', async () => {
    const ledger = await threeBatches();
    expect(filesOf(ledger).map((path) => path.slice(join(ledger, 'batches/00000/').length))).toEqual([
      '00000001/batch.json',
      '00000001/companies.csv',
      '00000001/filings-1.csv',
      '00000001/refusals.csv',
      '00000002/batch.json',
      '00000002/filings-1.csv',
      '00000003/batch.json',
    ]);
    const [first, second, third] = await Promise.all(
      [1, 2, 3].map((number) => readBatchFile(ledger, number)),
    );
    expect([first?.head.previousSha256, second?.head.previousSha256, third?.head.previousSha256]).toEqual([
      null,
      first?.sha256,
      second?.sha256,
    ]);
    expect(first?.head.run).toEqual(batch(1).run);
    const state = await readLedger(ledger);
    expect(state).toMatchObject({
      latestRun: batch(3).run,
      batches: [
        { number: 1, sha256: first?.sha256, lastSequence: 1, changes: 1 },
        { number: 2, lastSequence: 3, changes: 2 },
        { number: 3, sha256: third?.sha256, lastSequence: 3, changes: 0 },
      ],
    });
    expect([...(state?.rows.values() ?? [])]).toEqual([filing(1, { form: '8-K/A' }), filing(2)]);
    expect([...(state?.newest.values() ?? [])]).toMatchObject([
      { sequence: 3, revision: 2, filing: { ingestedAt: batch(1).run.createdAt } },
      { sequence: 2, revision: 1, filing: { ingestedAt: batch(2).run.createdAt } },
    ]);
    expect(state?.companies.get(company.cik)).toMatchObject(company);
    expect([
      await readRefusals(ledger, await headOf(ledger, 1)),
      await readRefusals(ledger, await headOf(ledger, 2)),
    ]).toEqual([[refusal], []]);
  });

  it('cuts many rows into files, whether they come at once or in pieces, and reads them one after the other', {
    tags: ['slow'],
  }, async () => {
    const [whole, pieces] = [directory(), directory()];
    const filings = Array.from({ length: 50_001 }, (_, at) => filing(at + 1));
    const companies = filings.map(
      (_, at): LedgerCompany => ({ ...company, cik: String(at + 1).padStart(10, '0') }),
    );
    await appendBatch(whole, batch(1, { filings: filings.toReversed(), companies, refusals: [refusal] }));
    const head = await headOf(whole, 1);
    expect(head.files.map(({ name, rows }) => [name, rows])).toEqual([
      ['filings-1.csv', 50_000],
      ['filings-2.csv', 1],
      ['companies.csv', 50_000],
      ['companies-2.csv', 1],
      ['refusals.csv', 1],
    ]);
    const parts: number[] = [];
    for await (const { rows } of readFilings(whole, head)) parts.push(rows.length);
    expect([parts.length, parts.reduce((sum, rows) => sum + rows)]).toEqual([26, 50_001]);
    parts.length = 0;
    for await (const { rows } of readCompanies(whole, head)) parts.push(rows.length);
    expect(parts).toEqual([50_000, 1]);
    const open = await openBatch(pieces);
    for (let from = 0; from < filings.length; from += 9_999)
      await open.addFilings(filings.slice(from, from + 9_999));
    await open.addFilings([]);
    for (const rows of [companies.slice(0, 7), companies.slice(7)]) await open.addCompanies(rows);
    await withLedgerEnd(pieces, (at) => open.finish(at, { run: batch(1).run, refusals: [refusal] }));
    expect((await readBatchFile(pieces, 1)).sha256).toBe((await readBatchFile(whole, 1)).sha256);
  });

  it('sorts filings by accession number, in whatever order they come', async () => {
    const [upwards, downwards] = [directory(), directory()];
    await appendBatch(upwards, batch(1, { filings: [filing(1), filing(2), filing(10)] }));
    await appendBatch(downwards, batch(1, { filings: [filing(10), filing(2), filing(1)] }));
    expect((await readBatchFile(downwards, 1)).sha256).toBe((await readBatchFile(upwards, 1)).sha256);
    expect([...((await readLedger(downwards))?.rows.keys() ?? [])]).toEqual(
      [1, 2, 10].map((number) => filing(number).accessionNo),
    );
  });

  it.each([
    ['a filing', { filings: [filing(9), filing(10, { form: 'not, a form' })] }],
    ['a company', { companies: [{ ...company, cik: '1' }] }],
    ['a run', { run: { ...batch(4).run, createdAt: 'today' } }],
  ])('leaves nothing of a batch with %s that is wrong', async (_, content) => {
    const ledger = await threeBatches();
    const before = filesOf(ledger);
    await expect(appendBatch(ledger, batch(4, content))).rejects.toThrow();
    expect(filesOf(ledger)).toEqual(before);
    expect(batchNames(ledger)).toEqual(['00000001', '00000002', '00000003']);
    expect(await appendBatch(ledger, batch(4))).toBe(4);
  });

  it('of several at the same time each gets a number of its own', async () => {
    const ledger = directory();
    await appendBatch(ledger, batch(1));
    const written = await Promise.all([2, 3, 4, 5].map((day) => appendBatch(ledger, batch(day))));
    expect(written.toSorted()).toEqual([2, 3, 4, 5]);
    expect(batchNames(ledger)).toEqual(['00000001', '00000002', '00000003', '00000004', '00000005']);
    expect([...((await readLedger(ledger))?.rows.keys() ?? [])].sort()).toEqual(
      [1, 2, 3, 4, 5].map((number) => filing(number).accessionNo),
    );
  });

  it('does not go on after a batch that is broken', async () => {
    const ledger = await threeBatches();
    rmSync(batchDirectory(ledger, 2), { recursive: true });
    await expect(appendBatch(ledger, batch(4))).rejects.toThrow(BrokenLedger);
    writeFileSync(join(batchDirectory(ledger, 3), 'batch.json'), '{');
    await expect(appendBatch(ledger, batch(4))).rejects.toThrow(BrokenLedger);
  });
});

describe('openBatch', () => {
  const end = { run: batch(1).run, refusals: [] };
  const finish = (ledger: string, open: OpenBatch, content: BatchEnd = end) =>
    withLedgerEnd(ledger, (at) => open.finish(at, content));
  it('leaves out rows that do not fit, and tells of them', async () => {
    const ledger = directory();
    const open = await openBatch(ledger);
    const told: unknown[] = [];
    await open.addFilings(
      [filing(1), filing(2, { filerCiks: [] }), filing(3)],
      ({ accessionNo }, reason) => void told.push([accessionNo, reason]),
    );
    await open.addCompanies(
      [company, { ...company, cik: '2' }],
      ({ cik }, reason) => void told.push([cik, reason]),
    );
    await finish(ledger, open);
    expect(told).toEqual([
      [filing(2).accessionNo, 'it names no company'],
      ['2', expect.stringContaining('cik: ')],
    ]);
    const state = await readLedger(ledger);
    expect([[...(state?.rows.keys() ?? [])], state?.companies.size]).toEqual([
      [filing(1).accessionNo, filing(3).accessionNo],
      1,
    ]);
  });
  it('leaves nothing of what was discarded, or came in a wrong order', async () => {
    const ledger = directory();
    const open = await openBatch(ledger);
    await open.addFilings([filing(2)]);
    await expect(open.addFilings([filing(1)])).rejects.toThrow('may not follow');
    await open.discard();
    expect([await batchNumbers(ledger), readdirSync(join(ledger, 'batches'))]).toEqual([[], []]);
  });
  it('becomes the next batch after those that came while it was written', async () => {
    const ledger = directory();
    const open = await openBatch(ledger);
    await open.addFilings([filing(7)]);
    await appendBatch(ledger, batch(1));
    expect(await finish(ledger, open)).toBe(2);
    expect([...((await readLedger(ledger))?.rows.keys() ?? [])]).toEqual([
      filing(1).accessionNo,
      filing(7).accessionNo,
    ]);
    expect(batchNames(ledger)).toEqual(['00000001', '00000002']);
  });
});

describe('a ledger', () => {
  it('a ledger that is absent or has no batch is none', async () => {
    const empty = directory();
    mkdirSync(join(empty, 'batches'));
    for (const ledger of [empty, join(empty, 'nowhere')])
      expect([await batchNumbers(ledger), await readLedger(ledger)]).toEqual([[], null]);
  });

  it('a ledger with a gap, with swapped or foreign batches is refused', async () => {
    const moves: ((ledger: string) => unknown)[] = [
      (ledger) => rmSync(batchDirectory(ledger, 1), { recursive: true }),
      (ledger) => rmSync(batchDirectory(ledger, 2), { recursive: true }),
      (ledger) => renameSync(batchDirectory(ledger, 3), batchDirectory(ledger, 5)),
      (ledger) => {
        renameSync(batchDirectory(ledger, 1), join(ledger, 'aside'));
        renameSync(batchDirectory(ledger, 2), batchDirectory(ledger, 1));
        renameSync(join(ledger, 'aside'), batchDirectory(ledger, 2));
      },
      (ledger) => (
        rmSync(batchDirectory(ledger, 3), { recursive: true }),
        cpSync(batchDirectory(ledger, 2), batchDirectory(ledger, 3), { recursive: true })
      ),
      async (ledger) => {
        const other = directory();
        for (const day of [4, 5]) await appendBatch(other, batch(day));
        rmSync(batchDirectory(ledger, 2), { recursive: true });
        cpSync(batchDirectory(other, 2), batchDirectory(ledger, 2), { recursive: true });
      },
      async (ledger) => {
        const other = directory();
        await appendBatch(other, batch(6));
        rmSync(batchDirectory(ledger, 1), { recursive: true });
        cpSync(batchDirectory(other, 1), batchDirectory(ledger, 1), { recursive: true });
      },
    ];
    for (const move of moves) {
      const ledger = await threeBatches();
      await move(ledger);
      await expect(readLedger(ledger)).rejects.toThrow(BrokenLedger);
      await expect(readLedger(ledger)).rejects.toThrow(/batches\/00000\/0000000\d/);
    }
  });

  it('a ledger whose last batch was removed is the one before', async () => {
    const ledger = await threeBatches();
    rmSync(batchDirectory(ledger, 3), { recursive: true });
    expect((await readLedger(ledger))?.batches.length).toBe(2);
  });

  it('a ledger does not read files that no head names', async () => {
    const ledger = await threeBatches();
    writeFileSync(join(batchDirectory(ledger, 1), 'filings-2.csv'), 'junk');
    mkdirSync(join(ledger, 'batches', '.staging-1-x'));
    mkdirSync(join(ledger, 'batches', 'notes'));
    expect((await readLedger(ledger))?.filings.length).toBe(2);
  });

  it('a batch whose rows are not sorted is refused, within a file and across files', {
    tags: ['slow'],
  }, async () => {
    const plain = (number: number) => filing(number, { primaryDocument: 'plain.htm' });
    const ledger = directory();
    await appendBatch(ledger, batch(1, { filings: [plain(1), plain(2), plain(3)] }));
    await rewriteBatch(ledger, 1, 'filings-1.csv', (text) => {
      const [header, first, second, ...others] = text.split('\n');
      return [header, second, first, ...others].join('\n');
    });
    await expect(readLedger(ledger)).rejects.toThrow(BrokenLedger);
    await expect(readLedger(ledger)).rejects.toThrow(
      /000001\/filings-1\.csv: 0000000001-26-000001 comes after 0000000001-26-000002/,
    );

    const long = directory();
    await appendBatch(long, batch(1, { filings: Array.from({ length: 50_001 }, (_, at) => plain(at + 2)) }));
    await rewriteBatch(long, 1, 'filings-2.csv', (text) => text.replace('-050002,', '-000001,'));
    await expect(readLedger(long)).rejects.toThrow(
      /000001\/filings-2\.csv: 0000000001-26-000001 comes after 0000000001-26-050001/,
    );
  });
});

describe('what killed runs left aside', () => {
  it('an append removes what killed runs left, and not what a running one has', async () => {
    const batches = join(await threeBatches(), 'batches');
    const alive = await makeStaging(batches);
    const dead = join(batches, '.staging-abcdef');
    // Of an older version, which named its process: one of yesterday, and one of now.
    const [old, recent] = [`.staging-${process.pid}-abcdef`, '.staging-99999-abcdef'].map((name) =>
      join(batches, name),
    ) as [string, string];
    for (const path of [dead, old, recent]) mkdirSync(join(path, 'inside'), { recursive: true });
    writeFileSync(`${dead}.lock`, '');
    const yesterday = Date.now() / 1000 - 25 * 3600;
    utimesSync(old, yesterday, yesterday);
    await removeStagings(batches);
    expect([dead, `${dead}.lock`, old, recent, alive.path].map((path) => existsSync(path))).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
    await alive.remove();
    expect(readdirSync(batches).filter((name) => name.startsWith('.'))).toEqual([basename(recent)]);
    await removeStagings(join(batches, 'nowhere'));
  });
});
