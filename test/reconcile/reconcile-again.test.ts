// @module-tag slow
import { afterAll, describe, expect, it } from 'vitest';
import { daysIn, headsOf } from '../support/heads.ts';
import { useDirectories } from '../support/directories.ts';
import {
  accessionOf,
  rightRow,
  startIndexedEdgar,
  type IndexedEdgar,
  type TrueFiling,
} from '../support/indexed-edgar.ts';
import { readRows } from '../support/ledger-rows.ts';
import { appendMadeUp } from '../support/ledgers.ts';
import { cikOf } from '../support/made-up.ts';

const fresh = useDirectories('reconcile-again');
const running: IndexedEdgar[] = [];
afterAll(() => Promise.all(running.map(({ edgar }) => edgar.close())));

async function begin(...[rows, batchAt]: [Parameters<typeof startIndexedEdgar>[1], string]) {
  const world = await startIndexedEdgar(fresh(), rows, batchAt);
  running.push(world);
  return world;
}
const dayIn = async (ledger: string, day: string) => (await daysIn(ledger)).find((each) => each.day === day);
/** The rows of a ledger as the made-up EDGAR tells filings, by number; the newest row of each counts. */
const heldIn = async (ledger: string) =>
  new Map(
    (await readRows(ledger)).filings.map((row) => [
      Number(row.accessionNo.slice(-6)),
      [row.form, row.filedAt, row.filerCiks.map(Number), row.primaryDocument],
    ]),
  );

const monday = '2026-03-02';
const onMonday = (number: number, members: Partial<TrueFiling> = {}): TrueFiling => ({
  number,
  form: '8-K',
  filedAt: monday,
  owners: [1],
  ...members,
});
const joint = onMonday(1, { owners: [1, 2] });
const [bare, misnamed, good, late, hidden] = [2, 3, 4, 5, 6].map((number) => onMonday(number)) as [
  TrueFiling,
  TrueFiling,
  TrueFiling,
  TrueFiling,
  TrueFiling,
];
const tuesday = onMonday(7, { filedAt: '2026-03-03' });

describe.concurrent('what one comparison does not see', () => {
  it('a reconciliation puts right what the ledger has otherwise, and finds late and hidden filings', async () => {
    const world = await begin(
      [
        { ...rightRow(joint), filerCiks: [cikOf(1)] },
        { ...rightRow(bare), primaryDocument: null, sizeBytes: null },
        { ...rightRow(misnamed), form: '10-Q', filedAt: '2026-02-27' },
        rightRow(good),
      ],
      '2026-03-02T22:00:00.000Z',
    );
    world.serve([joint, bare, misnamed, good, late, hidden, tuesday]);
    world.daily('2026-02-27', [onMonday(90, { filedAt: '2026-02-27', owners: [50] })]);
    world.daily(monday, [joint, bare, misnamed, good]);
    await world.reconcileAt('2026-03-03T03:10:00Z');
    expect(await dayIn(world.ledger, monday)).toMatchObject({
      indexed: 4,
      listed: 4,
      held: 4,
      fetched: 0,
      missing: 0,
      found: 4,
      corrected: 3,
      open: 0,
      different: 0,
      added: 0,
      reasons: [],
      looks: [{ index: 'daily', corrected: 3 }],
    });
    const held = await heldIn(world.ledger);
    expect([held.get(1), held.get(2), held.get(3)]).toEqual([
      ['8-K', monday, [1, 2], 'd1.htm'],
      ['8-K', monday, [1], 'd2.htm'],
      ['8-K', monday, [1], 'd3.htm'],
    ]);

    // On the next business day the index of Monday is read once more; a late row has come.
    world.daily(monday, [joint, bare, misnamed, good, late]);
    world.daily('2026-03-03', [tuesday]);
    const batches = (await headsOf(world.ledger)).length;
    await world.reconcileAt('2026-03-04T03:10:00Z');
    expect(await dayIn(world.ledger, monday)).toMatchObject({
      indexed: 5,
      listed: 5,
      held: 4,
      fetched: 1,
      found: 5,
      corrected: 0,
      looks: [{ corrected: 3 }, { index: 'daily', fetched: 1 }],
    });
    expect((await headsOf(world.ledger)).length - batches).toBeLessThanOrEqual(2);

    // On Saturday the rebuilt index of the quarter has a filing that no daily index had, and lacks one.
    world.quarterly('2026/QTR1', '2026-03-03', [joint, bare, misnamed, late, hidden, tuesday]);
    await world.reconcileAt('2026-03-07T15:00:00Z');
    expect(await dayIn(world.ledger, monday)).toMatchObject({
      indexed: 5,
      listed: 6,
      held: 5,
      fetched: 1,
      found: 6,
      added: 1,
      missing: 0,
      withdrawn: [accessionOf(4)],
      quarterReadAt: expect.stringMatching(/^2026-03-07T15/),
      looks: [{}, {}, { index: 'quarterly', fetched: 1 }],
    });
    expect((await heldIn(world.ledger)).get(6)).toEqual(['8-K', monday, [1], 'd6.htm']);

    // A week later nothing of this week is looked at but by the index of the quarter.
    world.asked();
    const friday = onMonday(91, { filedAt: '2026-03-13', owners: [50] });
    world.daily('2026-03-13', [friday]);
    world.quarterly('2026/QTR1', '2026-03-13', [joint, bare, misnamed, late, hidden, tuesday, friday]);
    await world.reconcileAt('2026-03-14T15:00:00Z');
    const asked = world.asked();
    expect(asked).toContain('full-index/2026/QTR1/master.idx');
    expect(asked).not.toContain('daily-index/2026/QTR1/master.20260302.idx');
    expect(asked.filter((path) => path.endsWith('.hdr.sgml'))).toEqual([]);
  });

  it('a difference that stays is recorded with its reason, and sources are not asked again', async () => {
    const other = onMonday(1, { form: 'SERIOUS DEFICIEN' });
    const world = await begin([rightRow(onMonday(1))], '2026-03-02T22:00:00.000Z');
    world.serve([onMonday(1)]);
    world.daily(monday, [other]);
    world.daily('2026-03-03', [tuesday]);
    world.serve([onMonday(1), tuesday]);
    await world.reconcileAt('2026-03-03T03:10:00Z');
    const stays = {
      listed: 1,
      held: 1,
      found: 0,
      corrected: 0,
      different: 1,
      open: 0,
      missing: 0,
      reasons: [{ accessionNo: accessionOf(1), reason: 'form SERIOUS DEFICIEN in the index, 8-K here' }],
    };
    expect(await dayIn(world.ledger, monday)).toMatchObject(stays);
    expect(world.asked().filter((path) => path.endsWith('.hdr.sgml'))).toHaveLength(1);
    await world.reconcileAt('2026-03-04T03:10:00Z');
    expect(await dayIn(world.ledger, monday)).toMatchObject(stays);
    expect(world.asked().filter((path) => path.includes('000001.hdr.sgml'))).toEqual([]);
    expect((await readRows(world.ledger)).filings.filter(({ form }) => form !== '8-K')).toEqual([]);
  });

  it('a filing without documents is open until a submissions file shows it, unless it has none', async () => {
    const paper = onMonday(2);
    const world = await begin(
      [joint, paper].map((each) => ({ ...rightRow(each), primaryDocument: null, sizeBytes: null })),
      '2026-03-02T22:00:00.000Z',
    );
    world.daily('2026-02-27', [onMonday(90, { owners: [50] })]);
    world.daily(monday, [joint, paper]);
    world.serve([{ ...joint, isInFiles: false }, paper]);
    const { dataUrl } = world.edgar;
    expect(dataUrl).not.toBe('');
    const file = await (await fetch(`${dataUrl}/submissions/CIK${cikOf(1)}.json`, agent)).json();
    const { recent } = (file as { filings: { recent: Record<string, unknown[]> } }).filings;
    recent.primaryDocument = [''];
    recent.size = [null];
    world.edgar.route(`/data.sec.gov/submissions/CIK${cikOf(1)}.json`, (__, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(file));
    });
    await world.reconcileAt('2026-03-03T03:10:00Z');
    expect(await dayIn(world.ledger, monday)).toMatchObject({
      listed: 2,
      found: 1,
      open: 1,
      different: 0,
      missing: 0,
      reasons: [{ accessionNo: accessionOf(1), reason: expect.stringMatching(/^no submissions file tells/) }],
    });
    world.serve([joint, paper]);
    await world.reconcileAt('2026-03-03T16:00:00Z');
    expect(await dayIn(world.ledger, monday)).toMatchObject({ found: 2, corrected: 2, open: 0, reasons: [] });
  });

  it('a ledger of everyone gets filings of unknown companies that an index lists', async () => {
    const stranger = onMonday(8, { owners: [77] });
    const world = await begin([rightRow(good)], '2026-03-02T22:00:00.000Z');
    world.serve([good, stranger]);
    world.daily('2026-02-27', [onMonday(90, { filedAt: '2026-02-27', owners: [50] })]);
    world.daily(monday, [good, stranger]);
    await appendMadeUp(world.ledger, 2, {
      run: { target: 'follow: all', status: 'success', message: null, createdAt: '2026-03-02T23:00:00.000Z' },
    });
    await world.reconcileAt('2026-03-03T03:10:00Z');
    expect(await dayIn(world.ledger, monday)).toMatchObject({
      indexed: 2,
      listed: 2,
      fetched: 1,
      missing: 0,
    });
    expect((await heldIn(world.ledger)).get(8)).toEqual(['8-K', monday, [77], 'd8.htm']);
    expect((await headsOf(world.ledger)).at(-1)?.head.run.target).toMatch(/^reconcile [^:]*: all$/);
  });
});

const agent = { headers: { 'user-agent': 'Reconcile Test test@example.com' } };
