import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { filingDays } from '../../build/reconcile/day.ts';
import { sinceFile } from '../../build/reconcile/since.ts';
import { start } from '../support/command.ts';
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
import { until } from '../support/wait.ts';

const fresh = useDirectories('reconcile-gap');
const running: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(running.map((end) => end())));

const of = (number: number, filedAt: string, owner = 1): TrueFiling => ({
  number,
  form: '8-K',
  filedAt,
  owners: [owner],
});
const [old, missed] = [of(1, '2026-10-19'), of(2, '2026-10-28')];
const gap = filingDays('2026-10-19', '2026-11-20');
const sunday = '2026-11-22T17:00:00.000Z';

/** A ledger of 20 October that was never reconciled, and an EDGAR of 22 November. */
async function afterAMonth(): Promise<IndexedEdgar> {
  const world = await startIndexedEdgar(fresh(), [rightRow(old)], '2026-10-20T20:00:00.000Z');
  running.push(() => world.edgar.close());
  world.serve([old, missed]);
  const strangers = gap.map((day, at) => of(100 + at, day, 50));
  for (const [at, day] of gap.entries())
    world.daily(day, [
      strangers[at] as TrueFiling,
      ...[old, missed].filter(({ filedAt }) => filedAt === day),
    ]);
  world.quarterly('2026/QTR4', '2026-11-20', [...strangers, old, missed]);
  world.setTime(sunday);
  return world;
}
const namesOfDays = async (ledger: string) => (await daysIn(ledger)).map(({ day }) => day);
const accessionsIn = async (ledger: string) =>
  (await readRows(ledger)).filings.map(({ accessionNo }) => accessionNo).sort();

describe.concurrent('a gap of a month', { tags: ['slow'], timeout: 180_000 }, () => {
  it('reconcile begins at the last proven day, goes on after a stop, and then has nothing to do', async () => {
    const world = await afterAMonth();
    const stop = new AbortController();
    const stopped = world.reconcileAt(sunday, false, stop.signal);
    await until(() => world.edgar.requests.some(({ path }) => path.includes('master.20261105')));
    stop.abort();
    await expect(stopped).rejects.toThrow();
    const before = await namesOfDays(world.ledger);
    expect(before[0]).toBe('2026-10-19');
    expect(before.length).toBeLessThan(gap.length);
    world.asked();
    const said = await world.reconcileAt(sunday, true);
    expect(said).toContainEqual(
      expect.stringMatching(/^\d+ days are compared with EDGAR's indexes, 2026-1\d-\d\d to 2026-11-20$/),
    );
    expect(await namesOfDays(world.ledger)).toEqual(gap);
    expect(await accessionsIn(world.ledger)).toEqual([1, 2].map(accessionOf));
    expect(world.asked()).not.toContain('daily-index/2026/QTR4/master.20261019.idx');
    const batches = (await headsOf(world.ledger)).length;
    await world.reconcileAt(sunday);
    expect((await headsOf(world.ledger)).length).toBe(batches);
  });

  it('rebuild reconciles the gap that its own batch would hide', async () => {
    const world = await afterAMonth();
    const { code, stderr } = await start(
      ['rebuild', '--universe', '1', '--ledger', world.ledger],
      world.environment,
    ).ended;
    // A command that takes longer says how far it is.
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('not reconciled')]);
    expect(JSON.parse(readFileSync(join(world.ledger, sinceFile), 'utf8'))).toEqual({ since: '2026-10-19' });
    expect(await namesOfDays(world.ledger)).toEqual(gap);
  });
});
