import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { completenessOf, reconciliationOf } from '../../site/content/reconciliation.ts';
import { appendFound } from '../../build/ingest/append.ts';
import type { Fetched } from '../../build/ingest/fetch.ts';
import type { EntityFile, Upstream } from '../../build/ingest/upstream.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { batchDirectory } from '../../build/ledger/batch.ts';
import { daysOf } from '../../build/ledger/days.ts';
import {
  daysDue,
  describeDay,
  filingDays,
  newestIndexDay,
  noteOfIndex,
  resultOf,
  resultWithoutIndex,
} from '../../build/reconcile/day.ts';
import { easternTime } from '../../build/time/eastern-time.ts';
import { dayMs, minuteMs } from '../../src/time/units.ts';
import { reconcile, type Reconciled, type ReconcileOptions } from '../../build/reconcile/reconcile.ts';
import { lastRebuildMs, quartersDue } from '../../build/reconcile/withdrawn.ts';
import { prune } from '../../build/snapshot/prune.ts';
import { derivingAgain } from '../../build/verify/derived.ts';
import { verifyAgainstLedger } from '../../build/verify/verify.ts';
import type { IndexRow, MasterIndex } from '../../build/sources/master-index.ts';
import type { ExtraPage } from '../../build/sources/submissions.ts';
import type { ReconciledDay } from '../../src/contract/reconciled-days.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { useDirectories } from '../support/directories.ts';
import { readRows } from '../support/ledger-rows.ts';
import {
  appendMadeUp,
  batchAt,
  cikOf,
  company,
  entityOf,
  filing,
  operatingFacts as facts,
} from '../support/ledgers.ts';
import { serviceOver } from '../support/sample.ts';
import { buildQuietly } from '../support/snapshots.ts';
import { headerOf, partyOf } from '../support/told.ts';
import { currentId, manifestOf } from '../support/whole.ts';
import { daysIn, headsOf } from '../support/heads.ts';

const fresh = useDirectories('reconcile');
const monday = '2026-03-02';
const accession = (number: number) => filing(number).accessionNo;
/** A filing of company 1 that the ledger has, as indexes list it. */
const heldFiling = filing(1, { form: '8-K', filedAt: monday });

/** A row of an index: a filing of an invented company. */
const rowOf = (number: number, owner = 1): IndexRow => ({
  cik: cikOf(owner),
  name: `Company ${owner}`,
  form: '8-K',
  filedAt: monday,
  accessionNo: accession(number),
});
const indexOf = (
  rows: readonly IndexRow[],
  through = monday,
  refused: MasterIndex['refused'] = [],
): MasterIndex => ({ through, rows: [...rows], refused });
const ok = <Parsed>(parsed: Parsed): Fetched<Parsed> => ({ kind: 'ok', parsed, asOfMs: 0, changed: true });
const eightK = (row: LedgerFiling): LedgerFiling => ({ ...row, form: '8-K', filedAt: monday });
/** The submissions file of a company. */
const fileOf = (
  owner: number,
  rows: readonly LedgerFiling[],
  olderPages: readonly ExtraPage[] = [],
): Fetched<EntityFile> =>
  ok({
    entity: { ...entityOf(cikOf(owner), [`T${owner}`]), exchange: null, facts },
    rows: new Map(rows.map((row) => [row.accessionNo, { ...row, filerCiks: [cikOf(owner)] }])),
    refusals: [],
    olderPages,
  });
const lost = (cause: 'absent' | 'failed', reason: string): Fetched<never> => ({
  kind: 'lost',
  cause,
  reason,
});

interface Made {
  readonly ledger: string;
  readonly snapshots: string;
  readonly asked: string[];
  run(days: readonly string[], before?: readonly ReconciledDay[], at?: string): Promise<Reconciled>;
}

/**
 * A ledger with the first filing of two companies, and an upstream with indexes by day. Company 3 is known by
 * its name alone.
 */
async function made(
  indexes: Readonly<Record<string, Fetched<MasterIndex>>>,
  files: Partial<Pick<Upstream, 'header' | 'entityFile' | 'olderPage' | 'dailyRows' | 'quarterlyIndex'>> = {},
  append?: ReconcileOptions['append'],
  contents: ReconcileOptions['contents'] = [],
): Promise<Made> {
  const [ledger, snapshots] = [fresh(), fresh()];
  await appendMadeUp(ledger, 1, {
    filings: [heldFiling],
    companies: [company(1, 'T1', { facts }), company(2, 'T2', { facts }), company(3)],
  });
  const asked: string[] = [];
  const upstream: ReconcileOptions['upstream'] = {
    dailyIndex: async (day) => (
      asked.push(`index ${day}`), { now: indexes[day] ?? lost('absent', 'not there (403)'), before: null }
    ),
    dailyRows: async (day) => (indexes[day]?.kind === 'ok' ? indexes[day].parsed.rows : null),
    quarterlyIndex: async (quarter) => (asked.push(`quarter ${quarter}`), lost('absent', 'not there (403)')),
    header: async (cik, accessionNo) => (
      asked.push(`header ${accessionNo}`),
      ok(
        headerOf(1, {
          accessionNo,
          parties: [{ ...partyOf(Number(cik)), cik }, partyOf(9, 'reporting_owner')],
        }),
      )
    ),
    entityFile: async (cik) => (asked.push(`file ${cik}`), lost('absent', 'not there (404)')),
    contents: async ({ file }) => (
      asked.push(`contents ${file}`), { kind: 'lost', cause: 'absent', reason: 'not there (404)' }
    ),
    olderPage: async (_, name) => (asked.push(`page ${name}`), lost('absent', 'not there (404)')),
    ...files,
  };
  const folders = { ledgerDirectory: ledger, snapshotsDirectory: snapshots };
  return {
    ledger,
    snapshots,
    asked,
    run: (days, before = [], at = batchAt(2)) =>
      reconcile({
        upstream,
        folders,
        contents,
        append: append ?? ((addition) => appendFound(folders, addition)),
        days,
        isWanted: null,
        tickers: [],
        before,
        readsQuarters: true,
        universe: 'u',
        instant: () => at,
        log: () => {},
      }),
  };
}

describe('a day', () => {
  it('a day is compared with its index: missing filings of the universe are fetched', async () => {
    const index = indexOf([rowOf(1), rowOf(2, 2), rowOf(2, 9), rowOf(3, 2), rowOf(4, 9), rowOf(5, 3)]);
    const { ledger, asked, run } = await made(
      { [monday]: ok(index) },
      {
        entityFile: async (cik) => (asked.push(`file ${cik}`), fileOf(2, [filing(2), filing(3)].map(eightK))),
      },
    );
    const { results } = await run([monday]);
    expect(results).toEqual([
      {
        day: monday,
        indexed: 5,
        listed: 3,
        held: 1,
        fetched: 2,
        missing: 0,
        found: 3,
        corrected: 0,
        different: 0,
        open: 0,
        added: 0,
        reasons: [],
        withdrawn: [],
        quarterReadAt: null,
        note: null,
        checkedAt: batchAt(2),
        looks: [{ at: batchAt(2), index: 'daily', fetched: 2, corrected: 0 }],
      },
    ]);
    expect(asked.sort()).toEqual([
      `file ${cikOf(2)}`,
      `header ${accession(2)}`,
      `header ${accession(3)}`,
      `index ${monday}`,
    ]);
    const rows = await readRows(ledger);
    expect(rows.filings.map(({ accessionNo, filerCiks }) => [accessionNo, filerCiks])).toEqual([
      [accession(1), heldFiling.filerCiks],
      [accession(2), [cikOf(2), cikOf(9)]],
      [accession(3), [cikOf(2), cikOf(9)]],
    ]);
    expect(await daysIn(ledger)).toEqual(results);
    const again = await run([monday], results);
    expect(again.results).toMatchObject([{ listed: 3, held: 3, fetched: 0, missing: 0 }]);
  });
  it('a filing that cannot be fetched is a refusal of the batch, with the reason', async () => {
    const { ledger, run } = await made(
      { [monday]: ok(indexOf([rowOf(1), rowOf(2)])) },
      { header: async () => lost('absent', 'not there (404)') },
    );
    const { results } = await run([monday]);
    const reason = 'form 8-K: its header: not there (404); the submissions file: not there (404)';
    expect(results).toMatchObject([
      { listed: 2, held: 1, fetched: 0, missing: 1, reasons: [{ accessionNo: accession(2), reason }] },
    ]);
    expect(readFileSync(join(batchDirectory(ledger, 2), 'refusals.csv'), 'utf8')).toContain(
      `${cikOf(1)},daily-index/2026/QTR1/master.20260302.idx,${accession(2)},${reason}`,
    );
    expect((await headsOf(ledger))[1]?.head.run).toMatchObject({
      status: 'partial',
      target: `reconcile ${monday}: u`,
    });
  });
  it('a missing filing comes from submissions file and header', async () => {
    const files = {
      entityFile: async () => fileOf(1, [eightK(filing(2, { primaryDocument: 'b.htm' }))]),
    };
    const { ledger, run } = await made(
      { [monday]: ok(indexOf([rowOf(2)])) },
      { ...files, header: async () => lost('failed', 'HTTP 500') },
    );
    expect((await run([monday])).results).toMatchObject([{ fetched: 1, missing: 0 }]);
    expect((await readRows(ledger)).filings[1]).toMatchObject({
      accessionNo: accession(2),
      primaryDocument: 'b.htm',
    });
  });
  it('a filing from before the main submissions file comes from the older page of its time', async () => {
    const page = (number: number, filingTo: string) => ({
      name: `CIK${cikOf(1)}-submissions-00${number}.json`,
      filingCount: null,
      filingTo,
    });
    const pages = [page(1, '2026-12-31'), page(2, '2026-03-20'), page(3, '2025-12-31')];
    const read: string[] = [];
    const { ledger, run } = await made(
      { [monday]: ok(indexOf([rowOf(2), rowOf(3)])) },
      {
        entityFile: async () => fileOf(1, [], pages),
        olderPage: async (entity, name) => (
          read.push(name),
          ok({
            refusals: [],
            rows: new Map(
              name === page(2, '').name
                ? [2, 3].map((number) => [
                    accession(number),
                    {
                      ...eightK(filing(number, { primaryDocument: `${number}.htm` })),
                      filerCiks: [entity.cik],
                    },
                  ])
                : [],
            ),
          })
        ),
        header: async () => lost('absent', 'not there (404)'),
      },
    );
    expect((await run([monday])).results).toMatchObject([{ fetched: 2, missing: 0, open: 0 }]);
    expect(read).toEqual([page(2, '').name]);
    expect((await readRows(ledger)).filings.slice(1).map(({ primaryDocument }) => primaryDocument)).toEqual([
      '2.htm',
      '3.htm',
    ]);
  });
  it('a day without an index waits until a later day has one', async () => {
    const { run } = await made({ '2026-03-03': ok(indexOf([rowOf(1)], '2026-03-03')) });
    expect(await run([monday])).toMatchObject({ results: [], absent: [monday], failed: [] });
    const { results, absent } = await run([monday, '2026-03-03', '2026-03-04']);
    expect(absent).toEqual(['2026-03-04']);
    expect(results).toMatchObject([
      { day: monday, indexed: 0, note: 'no daily index of this day could be had', looks: [] },
      { day: '2026-03-03', listed: 1, held: 1, note: null },
    ]);
  });
  it('a day whose index fails is named, and does not stop the other days', async () => {
    const failed = lost('failed', 'HTTP 500');
    const { asked, run } = await made({
      [monday]: failed,
      '2026-03-03': ok(indexOf([rowOf(1)], '2026-03-03')),
      '2026-03-04': failed,
      '2026-03-05': failed,
      '2026-03-06': failed,
      '2026-03-09': failed,
    });
    const done = await run(filingDays(monday, '2026-03-09'));
    expect([done.results.map(({ day }) => day), done.failed.map(({ day }) => day)]).toEqual([
      ['2026-03-03'],
      [monday, '2026-03-04', '2026-03-05', '2026-03-09'],
    ]);
    expect(asked).not.toContain('index 2026-03-06');
  });
  it('days whose indexes are broken for good do not keep those after them from being compared', async () => {
    const broken = lost('failed', 'it lists no filing');
    const good = (day: string) => ok(indexOf([rowOf(1)], day));
    const { asked, run } = await made({
      [monday]: broken,
      '2026-03-03': broken,
      '2026-03-04': good('2026-03-04'),
      '2026-03-05': good('2026-03-05'),
      '2026-03-09': broken,
    });
    const done = await run(filingDays(monday, '2026-03-10'));
    expect(done.results.map(({ day }) => day)).toEqual(['2026-03-04', '2026-03-05']);
    expect(done.failed.map(({ day }) => day)).toEqual([monday, '2026-03-03', '2026-03-09']);
    expect(done.absent, 'the newest day, which was asked for before them, is not there yet').toEqual([
      '2026-03-10',
      '2026-03-06',
    ]);
    expect(asked.filter((name) => name.startsWith('index'))).toHaveLength(7);
  });
});

describe('a filing that EDGAR has withdrawn', () => {
  const friday = '2026-03-06';
  const rows = [rowOf(1), rowOf(2, 2), rowOf(3, 9)];
  const dayOf = (day: string, members: Partial<ReconciledDay> = {}): ReconciledDay => ({
    ...resultWithoutIndex(day, batchAt(1)),
    indexed: 3,
    note: null,
    ...members,
  });
  const quarter =
    (...listed: readonly IndexRow[]) =>
    async () =>
      ok(indexOf(listed, friday));

  it('a withdrawn filing is named once the quarterly index lacks it, and stays in the ledger', async () => {
    const { ledger, run } = await made(
      { [monday]: ok(indexOf(rows)), [friday]: ok(indexOf([rowOf(1)], friday)) },
      { quarterlyIndex: quarter(rowOf(2, 2)) },
    );
    const before = (await run([monday, friday])).results;
    expect(before.map(({ withdrawn, quarterReadAt }) => [withdrawn, quarterReadAt])).toEqual([
      [[], null],
      [[], null],
    ]);
    const readAt = '2026-03-09T03:00:00.000Z';
    const { results, failed } = await run([], before, readAt);
    expect(failed).toEqual([]);
    // Filing 3 is of nobody in the universe; filing 1 is listed by two days.
    expect(results.map(({ day, withdrawn, quarterReadAt }) => [day, withdrawn, quarterReadAt])).toEqual([
      [monday, [accession(1)], readAt],
      [friday, [accession(1)], readAt],
    ]);
    expect((await readRows(ledger)).filings.map(({ accessionNo }) => accessionNo)).toContain(accession(1));
    const days = await daysIn(ledger);
    expect(completenessOf({ reconciledDays: days })).toMatchObject({
      withdrawnFilings: 1,
      missingFilings: 0,
    });
    // A day that is held against its own index once more does not forget it.
    expect((await run([monday], days, readAt)).results).toMatchObject([
      { day: monday, withdrawn: [accession(1)] },
    ]);
  });
  it.each([
    ['2026-03-07T11:59:00Z', '2026-02-28T12:00:00.000Z'],
    ['2026-03-07T12:00:00Z', '2026-03-07T12:00:00.000Z'],
  ])('at %s indexes of quarters were last made at %s', (at, madeAt) =>
    expect(new Date(lastRebuildMs(Date.parse(at))).toISOString()).toBe(madeAt),
  );
  const before = ['2025-11-03', '2025-12-30', monday, friday, '2026-03-09'].map((day) => dayOf(day));
  const read = dayOf(friday, { quarterReadAt: '2026-03-07T13:00:00.000Z' });
  const lastQuarter = ['2025/QTR4', '2025-12-30'];
  it.each<[string, string, readonly ReconciledDay[], readonly (readonly string[])[]]>([
    ['on Saturday', '2026-03-07T12:00:00Z', before, [lastQuarter, ['2026/QTR1', monday, friday]]],
    [
      'where no other is',
      '2026-03-09T12:00:00Z',
      [...before.slice(0, 3), read],
      [lastQuarter, ['2026/QTR1', monday]],
    ],
    ['on the next Saturday', '2026-03-14T12:00:00Z', [read], [['2026/QTR1', friday]]],
  ])('withdrawn filings are looked for once after each Saturday: %s', (_, at, results, expected) => {
    const due = [...quartersDue(results, Date.parse(at))];
    expect(due.map(([name, days]) => [name, ...days.map(({ day }) => day)])).toEqual(expected);
  });
  it('a filing whose date was corrected into another quarter is not withdrawn', async () => {
    const moved = { ...rowOf(1), filedAt: '2026-04-01' };
    const { run } = await made(
      { '2026-04-01': ok(indexOf([moved, rowOf(2, 2)], '2026-04-01')) },
      { quarterlyIndex: async () => ok(indexOf([rowOf(3, 9)], '2026-04-03')) },
    );
    // The ledger has the corrected date of filing 1, which the index of its quarter tells.
    const { results } = await run([], [dayOf('2026-04-01')], '2026-04-04T15:00:00.000Z');
    expect(results).toMatchObject([{ day: '2026-04-01', withdrawn: [] }]);
  });
  it('a filing that only the index of a quarter lists, on a Saturday that ends it, is fetched with the last day', async () => {
    const saturday = { ...rowOf(2), filedAt: '2023-09-30' };
    const { run } = await made(
      { '2023-09-29': ok(indexOf([rowOf(3, 9)], '2023-09-29')) },
      { quarterlyIndex: async () => ok(indexOf([saturday], '2023-09-30')) },
    );
    const { results } = await run([], [dayOf('2023-09-29')], '2023-10-07T15:00:00.000Z');
    expect(results).toMatchObject([{ day: '2023-09-29', listed: 1, fetched: 1, added: 1 }]);
  });
  it('a broken or absent index withdraws no filing', async () => {
    const many = Array.from({ length: 60 }, (_, at) => rowOf(at + 10));
    const { run } = await made({ [monday]: ok(indexOf(many)) }, { quarterlyIndex: quarter(rowOf(1)) });
    expect(await run([], [dayOf(monday)], '2026-03-09T03:00:00.000Z')).toMatchObject({
      results: [],
      failed: [
        {
          day: '2026/QTR1',
          reason: 'it lacks 60 of 60 rows that the indexes of its days have, so it is not whole',
        },
      ],
    });
    const absent = await made({});
    expect(await absent.run([], [dayOf(monday)], '2026-03-09T03:00:00.000Z')).toMatchObject({
      results: [],
      failed: [{ day: '2026/QTR1', reason: 'not there (403)' }],
    });
  });
});

it('what is open for want of a list of documents stays open when the index of its quarter is read', async () => {
  const { asked, run } = await made(
    { [monday]: ok(indexOf([rowOf(1)])) },
    { quarterlyIndex: async () => ok(indexOf([rowOf(1)], '2026-03-06')) },
    undefined,
    ['documents'],
  );
  const { results } = await run([monday], [], '2026-03-03T03:05:00.000Z');
  expect(results).toMatchObject([{ day: monday, open: 1 }]);
  const saturday = await run([], results, '2026-03-07T15:00:00.000Z');
  expect(saturday.results).toMatchObject([{ day: monday, open: 1, looks: [{}], reasons: [{}] }]);
  expect(asked.filter((name) => name.startsWith('contents'))).toHaveLength(2);
});

describe('what is odd about an index', () => {
  const before: ReconciledDay = { ...resultWithoutIndex(monday, batchAt(1)), indexed: 3 };
  it.each([
    ['nothing', indexOf([rowOf(1), rowOf(2), rowOf(3)]), [rowOf(1)], before, null],
    [
      'that it lost some, by name',
      indexOf([rowOf(1)]),
      [rowOf(1), rowOf(2), rowOf(2, 2), rowOf(3)],
      before,
      `it no longer lists ${accession(2)}, ${accession(3)}`,
    ],
    [
      'that it lost some, by number',
      indexOf([rowOf(1)]),
      null,
      before,
      'it lists 2 fewer than when it was read before',
    ],
    [
      'that rows are strange',
      indexOf([rowOf(1), rowOf(2), rowOf(3)], monday, [{ accessionNo: '', reason: 'it has no name' }]),
      null,
      null,
      '1 of its rows cannot be understood, the first: it has no name',
    ],
  ])('an index is odd: %s', (_, index, rows, result, note) =>
    expect(noteOfIndex(index, rows, result)).toBe(note),
  );
});

describe('the days that are due', () => {
  const looked = (at: string) => ({ at, index: 'daily' as const, fetched: 0, corrected: 0 });
  const done = (day: string, members: Partial<ReconciledDay> = {}): ReconciledDay => ({
    ...resultWithoutIndex(day, '2026-03-05T00:00:00.000Z'),
    indexed: 5,
    note: null,
    // It was compared again on a later business day.
    looks: [looked('2026-02-28T12:00:00.000Z')],
    ...members,
  });
  const [friday, tuesday, wednesday] = ['2026-02-27', '2026-03-03', '2026-03-04'];
  const autumn = filingDays('2025-10-20', wednesday);
  const proven = [...autumn.slice(0, 5), wednesday].map((day) => done(day));
  const missing = { missing: 2 };
  const missingLong = [
    done('2026-02-02', { ...missing, looks: [looked('2026-02-03T12:00:00.000Z')] }),
    ...filingDays('2026-02-03', monday).map((day) => done(day)),
  ];
  const missingNow = done(monday, { ...missing, checkedAt: '2026-03-08T23:00:00.000Z' });
  const [evening, next] = ['2026-03-03T03:05:00.000Z', '2026-03-04T03:05:00.000Z'];
  const once = done(monday, { looks: [looked(evening)], checkedAt: evening });
  const open = done(monday, { open: 1 });

  it.each<[string, readonly ReconciledDay[], since: string, newest: string, readonly string[], at?: string]>([
    ['leave out days on which EDGAR is closed', [], friday, tuesday, [friday, monday, tuesday]],
    ['are those after the last result', [done(monday)], monday, wednesday, [tuesday, wednesday]],
    ['are those before the first result', [done(monday)], friday, monday, [friday]],
    ['are none if all have results', [done(monday), done(tuesday)], monday, tuesday, []],
    ['include gaps', [done(monday), done(wednesday)], monday, wednesday, [tuesday]],
    ['include days whose index is late', [done(monday, { indexed: 0 })], monday, monday, [monday]],
    ['include days with missing filings', [done(monday, missing)], monday, monday, [monday]],
    ['leave out those that were just looked at', [missingNow], monday, monday, []],
    ['leave out those of a month ago', missingLong, monday, monday, []],
    [
      'include old days with missing filings that were first looked at lately',
      [done('2025-03-03', missing), done('2025-03-04', { open: 1 })],
      monday,
      monday,
      ['2025-03-03', monday],
    ],
    ['are all without results, however many', [], '2025-10-20', wednesday, autumn],
    ['are all since the last proven one', proven, '2025-10-20', wednesday, autumn.slice(5, -1)],
    ['wait for the next index', [once], monday, monday, [], '2026-03-04T02:00:00Z'],
    ['come once more with the next index', [once], tuesday, tuesday, [monday, tuesday], next],
    ['come no third time', [{ ...once, checkedAt: next }], tuesday, tuesday, [tuesday], next],
    ['include those of older releases', [{ ...once, looks: [] }], monday, monday, [monday], evening],
    ['end at the look-back', [once], '2026-07-01', '2026-07-01', ['2026-07-01'], '2026-07-02T12:00:00Z'],
    ['wait half a day for open filings', [open], tuesday, tuesday, [tuesday], '2026-03-05T11:00:00Z'],
    ['include open filings', [open], tuesday, tuesday, [monday, tuesday], '2026-03-05T13:00:00Z'],
    ['leave them to the quarter', [open], '2026-03-10', '2026-03-10', ['2026-03-10'], '2026-03-11T13:00:00Z'],
  ])('due days %s', (_, results, since, newest, expected, at = '2026-03-09T00:00:00Z') =>
    expect(daysDue(results, since, newest, Date.parse(at))).toEqual(expected),
  );
  it.each([
    [monday, 21.9, '2026-02-27'],
    [monday, 22, monday],
    ['2026-03-08', 23, '2026-03-06'],
    ['2025-12-25', 23, '2025-12-23'],
  ])('on %s at %s the newest day that may have an index is %s', (day, hours, newest) =>
    expect(newestIndexDay({ day, hours })).toBe(newest),
  );
});

it('in a month each daily index is asked for twice, and quarterly ones once after each Saturday', {
  tags: ['slow'],
}, async () => {
  const days = filingDays(monday, '2026-03-31');
  const rows = days.map((day, at) => ({ ...rowOf(at + 50, 9), filedAt: day }));
  const quarters: string[] = [];
  const published: Record<string, Fetched<MasterIndex>> = {};
  let batches = 0;
  const { asked, run } = await made(
    published,
    { quarterlyIndex: async (name) => (quarters.push(name), ok(indexOf(rows, '2026-03-31'))) },
    async () => ({ batch: ++batches, run: null, added: [], corrected: [], contents: 0, refused: 0 }),
  );
  let results: readonly ReconciledDay[] = [];
  const firstMs = Date.parse('2026-03-03T03:05:00Z');
  for (let atMs = firstMs; atMs < firstMs + 29 * dayMs; atMs += 30 * minuteMs) {
    const newest = newestIndexDay(easternTime(atMs));
    const at = days.indexOf(newest);
    published[newest] ??= ok(indexOf([rows[at] as IndexRow], newest));
    const due = daysDue(results, monday, newest, atMs);
    if (due.length === 0 && quartersDue(results, atMs).size === 0) continue;
    const done = await run(due, results, new Date(atMs).toISOString());
    results = daysOf([...results, ...done.results]);
  }
  expect(results.map(({ day }) => day)).toEqual(days);
  for (const day of days.slice(0, -1))
    expect([day, asked.filter((name) => name === `index ${day}`).length]).toEqual([day, 2]);
  expect(quarters).toEqual(Array(4).fill('2026/QTR1'));
  // Each evening has one batch, and each Saturday one.
  expect(batches).toBeLessThanOrEqual(days.length + quarters.length);
});

describe('how far a ledger is proven to be complete', () => {
  const days = (...names: string[]) =>
    names.map((day, at) => ({ ...resultWithoutIndex(day, ''), indexed: 5, missing: at, note: null }));
  const withoutIndex = (quarterReadAt: string | null) => {
    const [first, between, last] = ['2026-02-24', '2026-02-27', '2026-03-04'].map((day) => ({
      ...resultWithoutIndex(day, ''),
      quarterReadAt,
    })) as [ReconciledDay, ReconciledDay, ReconciledDay];
    return [first, ...days('2026-02-25', '2026-02-26'), between, ...days(monday, '2026-03-03'), last];
  };
  it.each<[string, readonly ReconciledDay[], from: string | null, through: string | null, missing: number]>([
    ['nothing', [], null, null, 0],
    ['days without a gap', days('2026-02-26', '2026-02-27', monday), '2026-02-26', monday, 3],
    ['the newest run', days('2026-02-24', '2026-02-26', '2026-02-27', monday), '2026-02-26', monday, 6],
    ['a day read with its quarter', withoutIndex('2026-03-07T17:00:00Z'), '2026-02-25', '2026-03-03', 2],
    ['no day without an index', withoutIndex(null), monday, '2026-03-03', 2],
    ['nothing if the only day has none', [resultWithoutIndex(monday, '')], null, null, 0],
  ])('a ledger is complete for %s', (_, results, from, through, missing) =>
    expect(reconciliationOf(results)).toEqual({ from, through, missing }),
  );
  it('the newest result of each day counts, in any order', async () => {
    expect(completenessOf({ reconciledDays: days(monday).reverse() })).toEqual({
      reconciledFrom: monday,
      reconciledThrough: monday,
      missingFilings: 0,
      openFilings: 0,
      withdrawnFilings: 0,
    });
    expect(daysOf([...days(monday), { ...resultWithoutIndex(monday, ''), missing: 5 }])).toMatchObject([
      { missing: 5 },
    ]);
  });
});

it('reconciliation is told in one line', () => {
  expect(
    describeDay(
      resultOf({
        day: monday,
        at: '',
        index: 'daily',
        indexed: 9,
        look: {
          listed: 5,
          fetched: ['f'],
          corrected: ['c'],
          unsettled: [
            { accessionNo: 'o', kind: 'open', reason: 'waits' },
            { accessionNo: 'm', kind: 'missing', reason: 'gone' },
          ],
        },
        heldBesides: 0,
        quarter: null,
        note: 'odd',
      }),
    ),
  ).toBe(
    `${monday}: 5 of 9 filings are of the universe: 3 held, 1 fetched, 1 missing, 1 corrected, 1 open (m gone; o waits); odd`,
  );
});

it('reconciliation is published in a document, health, statistics and the status page', {
  tags: ['slow'],
}, async () => {
  const { ledger, snapshots, run } = await made(
    {
      [monday]: ok(indexOf([rowOf(1), rowOf(2)])),
      '2026-03-03': ok(indexOf([rowOf(1)], '2026-03-03')),
    },
    { entityFile: async () => lost('failed', 'HTTP 503') },
  );
  await buildQuietly(ledger, snapshots);
  await run([monday]);
  await buildQuietly(ledger, snapshots);
  await run(['2026-03-03']);
  const id = await buildQuietly(ledger, snapshots);
  expect(await buildQuietly(ledger, fresh())).toBe(id);
  const service = await serviceOver(snapshots);
  try {
    const json = async (path: string) => (await (await service.get(path)).json()) as Record<string, unknown>;
    const complete = {
      reconciledFrom: monday,
      reconciledThrough: '2026-03-03',
      missingFilings: 0,
      openFilings: 1,
      withdrawnFilings: 0,
    };
    expect(await json('/health')).toMatchObject(complete);
    expect(await json('/v1/sec/stats')).toMatchObject({ meta: complete });
    expect(await json('/reconciliation.json')).toMatchObject({
      data: [
        { day: '2026-03-03', held: 1, found: 1 },
        { day: monday, fetched: 1, found: 1, open: 1, reasons: [{ accessionNo: accession(2) }] },
      ],
      meta: { count: 2, ...complete },
    });
    const page = await (await service.get('/status')).text();
    expect(page).toContain('From 2 Mar 2026 through 3 Mar 2026');
    expect(page).toContain('Of 1 filing it does not know all facts yet.');
    expect(page).toContain(', once');
    const proof = await (await service.get('/completeness')).text();
    expect(proof).toContain(
      'From 2 Mar 2026 through 3 Mar 2026, every filing that EDGAR lists for a company of the universe is served here. Of 1 filing not all facts are known yet.',
    );
    expect(proof).toContain(`<code>${accession(2)}</code>`);
    expect(proof).toContain('DAY=20260303; QUARTER=2026/QTR1');
  } finally {
    await service.close();
  }
  expect(await currentId(snapshots)).toBe(id);
  await verifyAgainstLedger(
    snapshots,
    await manifestOf(snapshots),
    id,
    ledger,
    derivingAgain(snapshots, await manifestOf(snapshots)),
  );
  const folder = openPartFolder(snapshots);
  await prune(folder, Date.now());
  await folder.close();
});
