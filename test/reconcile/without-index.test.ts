import { describe, expect, it } from 'vitest';
import { daysDue, resultOf, resultWithoutIndex } from '../../build/reconcile/day.ts';
import { quartersDue } from '../../build/reconcile/withdrawn.ts';
import { dailyIndexFile, parseMasterIndex } from '../../build/sources/master-index.ts';
import { refusalReason } from '../../build/sources/source-rows.ts';
import { reconciliationDocument } from '../../site/content/reconciliation.ts';
import { isReconciled } from '../../src/contract/reconciled-days.ts';
import { dayMs } from '../../src/time/units.ts';

describe('the index of a day', () => {
  it.each([
    ['1994-07-01', 'daily-index/1994/QTR3/master.070194.idx'],
    ['1994-12-30', 'daily-index/1994/QTR4/master.123094.idx'],
    ['1995-01-03', 'daily-index/1995/QTR1/master.950103.idx'],
    ['1998-03-30', 'daily-index/1998/QTR1/master.980330.idx'],
    ['1998-03-31', 'daily-index/1998/QTR1/master.19980331.idx'],
    ['2026-03-02', 'daily-index/2026/QTR1/master.20260302.idx'],
  ])('of %s has the name that EDGAR gave then', (day, path) => expect(dailyIndexFile(day)).toBe(path));

  const text = (through: string, rows: string) =>
    Buffer.from(
      `Last Data Received:    ${through}\n\nCIK|Company Name|Form Type|Date Filed|File Name\n${'-'.repeat(80)}\n${rows}`,
    );
  const row = '1|N|10-K|19980327|edgar/data/1/0000000001-98-000001.txt\n';
  const file = dailyIndexFile('1998-03-27');
  it('is read under that name, and refused if it belongs to another day', () => {
    expect(parseMasterIndex(text('Mar 27, 1998', row), file)).toMatchObject({ through: '1998-03-27' });
    expect(() => parseMasterIndex(text('Mar 26, 1998', row), file)).toThrow('it goes through 1998-03-26');
  });
  it('keeps its day if its last row is bad, and is cut off only without the end of that line', () => {
    const bad = '538467     2|BAD ROW INC|10-K|19980327|edgar/data/1/0000000001-98-000002.txt';
    expect(parseMasterIndex(text('Mar 27, 1998', `${row}${bad}\n`), file)).toMatchObject({
      rows: [{ accessionNo: '0000000001-98-000001' }],
      refused: [{ accessionNo: '0000000001-98-000002' }],
    });
    expect(() => parseMasterIndex(text('Mar 27, 1998', `${row}${bad}`), file)).toThrow('it is cut off');
  });
});

describe('a day of which no index could be had', () => {
  const nowMs = Date.parse('2026-03-11T12:00:00Z');
  const at = (daysAgo: number) => new Date(nowMs - daysAgo * dayMs).toISOString();
  const dueOf = (result: ReturnType<typeof resultWithoutIndex>) =>
    daysDue([result], '2026-03-11', '2026-03-10', nowMs).includes(result.day);

  it('is looked at again: each half day for a week, and then each month', () => {
    expect(dueOf(resultWithoutIndex('2026-03-09', at(0.4)))).toBe(false);
    expect(dueOf(resultWithoutIndex('2026-03-09', at(0.6)))).toBe(true);
    expect(dueOf(resultWithoutIndex('1999-03-09', at(29)))).toBe(false);
    expect(dueOf(resultWithoutIndex('1999-03-09', at(31)))).toBe(true);
  });
  it('is looked at again at once if an older release recorded it', () => {
    const older = { ...resultWithoutIndex('1998-03-27', at(0)), note: 'EDGAR has no index of this day' };
    expect(dueOf(older)).toBe(true);
    expect(dueOf({ ...older, indexed: 3 })).toBe(false);
  });
  it('is read from the index of its quarter, however old it is', () => {
    const result = resultWithoutIndex('1998-03-27', at(1));
    expect([...quartersDue([result], nowMs).keys()]).toEqual(['1998/QTR1']);
    expect([...quartersDue([{ ...result, quarterReadAt: at(1) }], nowMs).keys()]).toEqual([]);
    expect([...quartersDue([{ ...result, indexed: 1 }], nowMs).keys()]).toEqual([]);
  });
  it('is published beside the reconciled days, and not among them', () => {
    const without = resultWithoutIndex('1998-03-27', at(1));
    const read = { ...resultWithoutIndex('1998-03-26', at(1)), indexed: 2 };
    const document = reconciliationDocument({ reconciledDays: [without, read] });
    expect(document).toMatchObject({ data: [read], withoutIndex: [without], meta: { count: 1 } });
    expect(isReconciled(without)).toBe(false);
  });
  it('keeps what the index of its quarter told', () => {
    const look = { listed: 2, fetched: [], corrected: [], unsettled: [] };
    const day = '2026-03-09';
    const told = resultOf(
      {
        day,
        at: at(2),
        index: 'quarterly',
        indexed: 0,
        note: null,
        look,
        heldBesides: 0,
        quarter: { added: 2, withdrawn: [] },
      },
      resultWithoutIndex(day, at(3)),
    );
    expect(isReconciled(told)).toBe(true);
    expect(resultWithoutIndex(day, at(1), told)).toEqual({ ...told, checkedAt: at(1) });
  });
});

describe('a filing date of the future', () => {
  const number = '0000000001-26-000001';
  it.each([
    ['2027-01-04', null, null],
    ['2028-01-03', null, 'numbered in 2026'],
    ['2062-11-25', '2062-11-25', 'numbered in 2026'],
    ['2026-03-11', '2026-03-02T23:00:00.000Z', null],
    ['2026-04-02', '2026-03-02', null],
    ['2026-04-03', '2026-03-02', 'EDGAR had on 2026-03-02'],
    ['2026-12-31', '2026-03-02T16:00:00.000Z', 'EDGAR had on 2026-03-02'],
    ['2026-12-31', 'no time', null],
    ['2026-12-31', '', null],
  ])('%s of a filing of 2026 that EDGAR had on %s: %j', (filedAt, hadOn, reason) => {
    const refused = refusalReason(number, '8-K', filedAt, hadOn);
    if (reason === null) expect(refused).toBeNull();
    else expect(refused).toContain(reason);
  });
});
