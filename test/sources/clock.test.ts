import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  clockOfVotes,
  easternAcceptance,
  firstUnsettledDay,
  inferClock,
  voteOfSharedFiling,
  type Clock,
  type ClockColumns,
} from '../../build/sources/clock.ts';
import { easternOffsetHours, readDay, readStamp } from '../../src/time/eastern.ts';
import { has, needs } from '../support/needs.ts';

const clocks: readonly Clock[] = ['eastern', 'utc'];
const daySeconds = 86_400;

interface Row {
  readonly accessionNumber: string;
  readonly form: string;
  readonly filingDate: string;
  readonly acceptanceDateTime: string;
}

function toColumns(rows: readonly Row[]): ClockColumns {
  return {
    accessionNumber: rows.map((row) => row.accessionNumber),
    form: rows.map((row) => row.form),
    filingDate: rows.map((row) => row.filingDate),
    acceptanceDateTime: rows.map((row) => row.acceptanceDateTime),
  };
}

const row = (
  form: string,
  filingDate: string,
  acceptanceDateTime: string,
  accessionNumber = '0001234567-25-000001',
): Row => ({ accessionNumber, form, filingDate, acceptanceDateTime: `${acceptanceDateTime}.000Z` });
const easternRow = row('10-Q', '2023-08-04', '2023-08-03T18:04:43');
const utcRow = row('8-K', '2023-08-03', '2023-08-03T20:30:32');
const onDay = (each: Row, day: string): Row => ({
  ...each,
  filingDate: day,
  acceptanceDateTime: day + each.acceptanceDateTime.slice(10),
});
const votes = (...rows: Row[]) => {
  const { easternOnly, utcOnly } = inferClock(toColumns(rows)).evidence;
  return [easternOnly, utcOnly];
};

/** Writes a moment of the Eastern wall clock, in seconds since 1970, as a file of either clock does. */
function write(easternSeconds: number, clock: Clock): string {
  const summer = easternSeconds + 4 * 3600;
  const shift = clock === 'eastern' ? 0 : easternOffsetHours(summer) === 4 ? 4 : 5;
  return new Date((easternSeconds + shift * 3600) * 1000).toISOString();
}

const dayText = (day: number) => new Date(day * daySeconds * 1000).toISOString().slice(0, 10);
const isWeekend = (day: number) => new Date(day * daySeconds * 1000).getUTCDay() % 6 === 0;

describe('inferClock', () => {
  it.each([
    ['the cutoff: filed on the next day, so after 17:30, so not 14:04', easternRow, [1, 0]],
    ['over a weekend', row('8-K', '2025-10-06', '2025-10-03T17:45:00'), [1, 0]],
    ['over a holiday on Monday', row('8-K', '2025-10-14', '2025-10-10T17:45:00'), [1, 0]],
    ['before EDGAR opens, read as UTC', row('8-K', '2025-10-02', '2025-10-02T07:30:32'), [1, 0]],
    ['the same on an insider form', row('4', '2025-10-02', '2025-10-02T09:59:59'), [1, 0]],
    ['in winter an hour longer', row('4', '2025-12-02', '2025-12-02T10:59:59'), [1, 0]],
    ['the cutoff: filed on the same day, so before 17:30', utcRow, [0, 1]],
    ['after midnight', row('4', '2025-10-02', '2025-10-03T01:58:19'), [0, 1]],
    ['after midnight, filed on the next day', row('424B2', '2025-08-15', '2025-08-15T01:34:59'), [0, 1]],
    ['after EDGAR closes, read as Eastern', row('144', '2025-10-02', '2025-10-02T22:30:00'), [0, 1]],
    ['a day without a time, in summer', row('10-K', '1997-08-05', '1997-08-05T04:00:00'), [0, 1]],
    ['a day without a time, in winter', row('10-K', '1997-12-05', '1997-12-05T05:00:00'), [0, 1]],
    ['noon can be either', row('8-K', '2025-10-02', '2025-10-02T12:00:00'), [0, 0]],
    ['an insider form keeps its date until 22:00', row('4', '2025-10-02', '2025-10-02T21:59:59'), [0, 0]],
    ['and a little longer', row('4', '2022-10-04', '2022-10-04T22:05:07'), [0, 0]],
    ['so does its amendment', row('4/A', '2025-10-02', '2025-10-02T20:00:00'), [0, 0]],
    ['so does Form 144', row('144', '2025-10-02', '2025-10-02T20:00:00'), [0, 0]],
    ['so do 13D and 13G', row('SCHEDULE 13G/A', '2025-10-02', '2025-10-02T20:00:00'), [0, 0]],
    ['so did their older spelling', row('SC 13D', '2024-10-02', '2024-10-02T20:00:00'), [0, 0]],
    ['so does a registration under Rule 462(b)', row('S-3MEF', '2005-08-16', '2005-08-16T21:27:02'), [0, 0]],
    ['a transmission that began before the cutoff', row('8-K', '2025-10-02', '2025-10-02T17:59:00'), [0, 0]],
    ['a day without a time, as written', row('10-K', '1997-08-05', '1997-08-05T00:00:00'), [0, 0]],
    ['4:00 in winter is no midnight', row('10-K', '1997-12-05', '1997-12-05T04:00:00'), [0, 0]],
    [
      'a midnight of another day than its filing date',
      row('10-K', '1997-08-06', '1997-08-05T04:00:00'),
      [0, 0],
    ],
    ['a filing date much later has other reasons', row('8-K', '2025-10-08', '2025-10-03T17:45:00'), [0, 0]],
    ['so has an earlier one', row('F-3', '2023-06-08', '2023-06-09T08:01:00'), [0, 0]],
    [
      'a letter of the staff',
      row('UPLOAD', '2024-04-02', '2024-04-02T07:36:07', '0001193125-24-003505'),
      [0, 0],
    ],
    ['a letter to the staff', row('CORRESP', '2024-04-02', '2024-04-02T20:36:07'), [0, 0]],
    ['an effectiveness notice', row('EFFECT', '2025-10-02', '2025-10-02T07:15:00'), [0, 0]],
    ['a paper filing', row('11-K', '2017-06-29', '2017-06-29T07:11:00', '9999999997-17-007455'), [0, 0]],
    [
      'a number of the staff',
      row('8-K', '2017-06-29', '2017-06-29T07:11:00', '0000000000-17-007455'),
      [0, 0],
    ],
    ['no time at all', { ...utcRow, acceptanceDateTime: '2023-08-03' }, [0, 0]],
    ['a time with another zone', { ...utcRow, acceptanceDateTime: '2023-08-03T20:30:32-04:00' }, [0, 0]],
    ['no filing date', { ...utcRow, filingDate: '' }, [0, 0]],
  ])('inferClock counts a row: %s', (_, each, expected) => expect(votes(each)).toEqual(expected));

  it('inferClock ignores rows without evidence', () => {
    const nothing = inferClock({
      accessionNumber: [null],
      form: [null],
      filingDate: [null],
      acceptanceDateTime: [null],
    });
    expect(nothing).toEqual({
      clock: null,
      evidence: { easternOnly: 0, utcOnly: 0, easternOnlyDays: 0, utcOnlyDays: 0 },
    });
    expect(inferClock(toColumns([])).clock).toBeNull();
  });

  it('inferClock takes no vote for Eastern of rows that are Eastern in every file', () => {
    const rows = [
      onDay(row('8-K', '', '____-__-__T20:30:00'), '2023-06-05'),
      onDay(row('8-K', '', '____-__-__T20:30:00'), '2023-06-06'),
      onDay(row('8-K', '', '____-__-__T07:00:00'), '2023-06-07'),
    ];
    const decide = (unsettledFrom?: string) => inferClock(toColumns(rows), unsettledFrom).clock;
    expect([decide(), decide('2023-06-08'), decide('2023-06-07')]).toEqual([null, null, 'utc']);
  });

  it('inferClock needs two days of which four in five rows agree', () => {
    const days = ['2023-06-05', '2023-06-06', '2023-06-07', '2023-06-08', '2023-06-12'];
    const early = row('8-K', '', '____-__-__T07:00:00');
    const afternoon = row('8-K', '', '____-__-__T20:30:00');
    const decide = (eastern: number, utc: number) =>
      inferClock(
        toColumns(
          days.map((day, at) => onDay(at < eastern ? early : afternoon, day)).slice(0, eastern + utc),
        ),
      ).clock;
    expect([decide(1, 0), decide(2, 0), decide(3, 1), decide(4, 1), decide(3, 2)]).toEqual([
      null,
      'eastern',
      null,
      'eastern',
      null,
    ]);
    expect([decide(0, 1), decide(0, 2), decide(1, 3), decide(1, 4), decide(2, 3)]).toEqual([
      null,
      'utc',
      null,
      'utc',
      null,
    ]);
    const oneDay = inferClock(toColumns(Array.from({ length: 50 }, () => onDay(afternoon, '2020-06-29'))));
    expect(oneDay).toEqual({
      clock: null,
      evidence: { easternOnly: 0, utcOnly: 50, easternOnlyDays: 0, utcOnlyDays: 1 },
    });
  });

  const lateForms = ['3', '4', '4/A', '5', '144', 'SC 13G/A', 'SCHEDULE 13D', 'S-3MEF'];
  const forms = [
    ...lateForms,
    '8-K',
    '8-K/A',
    '10-Q',
    '10-K',
    '424B2',
    'FWP',
    'DEF 14A',
    'S-8',
    'UPLOAD',
    'EFFECT',
  ];
  const filing = fc.record({
    form: fc.constantFrom(...forms),
    day: fc
      .integer({ min: readDay('1996-01-01'), max: readDay('2035-12-31') })
      .map((day) => (isWeekend(day) ? day + 2 : day)),
    time: fc.oneof(
      fc.integer({ min: 6 * 3600, max: 22 * 3600 }),
      fc.integer({ min: 16 * 3600, max: 18 * 3600 }),
      fc.constant(0),
    ),
  });

  /**
   * What EDGAR makes of a filing: late ones are filed on the next business day, those without a time on their
   * day.
   */
  function toRow(
    { form, day, time }: { form: string; day: number; time: number },
    clock: Clock,
    outageOn: number,
  ): Row {
    let filedOn = day;
    if (time > 17.5 * 3600 && !lateForms.includes(form) && day !== outageOn)
      do filedOn++;
      while (isWeekend(filedOn));
    const undated = form === 'UPLOAD' || form === 'EFFECT';
    return {
      accessionNumber: '0001234567-25-000001',
      form,
      filingDate: dayText(undated ? day + 40 : filedOn),
      acceptanceDateTime: write(day * daySeconds + time, clock),
    };
  }

  it('inferClock finds the clock of any file that is not small', () => {
    let undecided = 0;
    fc.assert(
      fc.property(fc.array(filing, { maxLength: 60 }), fc.boolean(), (filings, hasOutage) => {
        const outageOn = hasOutage ? (filings[0]?.day ?? -1) : -1;
        for (const clock of clocks) {
          const found = inferClock(toColumns(filings.map((each) => toRow(each, clock, outageOn)))).clock;
          if (found === null) undecided++;
          else expect(found).toBe(clock);
        }
      }),
      { numRuns: 1000 },
    );
    expect(undecided).toBeGreaterThan(0);
    fc.assert(
      fc.property(fc.array(filing, { minLength: 150, maxLength: 200 }), (filings) => {
        for (const clock of clocks)
          expect(inferClock(toColumns(filings.map((each) => toRow(each, clock, -1)))).clock).toBe(clock);
      }),
      { numRuns: 100 },
    );
  });
});

describe('easternAcceptance', () => {
  it.each([
    ['2025-10-02T16:25:50.000Z', 'eastern', '20251002162550'],
    ['2025-10-02T20:25:50.000Z', 'utc', '20251002162550'],
    ['2025-12-02T01:25:50.000Z', 'utc', '20251201202550'],
    ['1997-08-05T00:00:00.000Z', 'eastern', null],
    ['1997-08-05T00:00:00.000Z', 'utc', null],
    ['1997-08-05T04:00:00.000Z', 'utc', null],
    ['1997-12-05T05:00:00.000Z', 'utc', null],
    ['2025-10-02T20:25:50.000Z', null, null],
    ['2025-10-02T20:25:50Z', 'utc', null],
    ['2025-10-02T20:25:50.000-04:00', 'utc', null],
    ['2025-10-02T20:25:50.000E', 'eastern', null],
    ['2025-10-02T20:25:50-0400', 'eastern', null],
    ['2025-10-02T20:25:50.000', 'eastern', null],
    ['2025-02-30T20:25:50.000Z', 'eastern', null],
    ['20251002202550', 'eastern', null],
    ['', 'utc', null],
    [null, 'utc', null],
    [undefined, 'eastern', null],
  ] as const)('easternAcceptance reads %j by the clock %j as %j', (raw, clock, expected) =>
    expect(easternAcceptance(raw, clock)).toBe(expected),
  );

  it('easternAcceptance gives the moment that was written, by either clock', () => {
    const moments = fc.integer({
      min: readStamp('1990-01-01T06:00:00'),
      max: readStamp('2040-12-31T22:00:00'),
    });
    fc.assert(
      fc.property(moments, (seconds) => {
        fc.pre(seconds % daySeconds >= 6 * 3600);
        const digits = new Date(seconds * 1000).toISOString().slice(0, 19).replace(/\D/g, '');
        for (const clock of clocks) {
          const raw = write(seconds, clock);
          fc.pre(!raw.includes('T00:00:00'));
          expect(easternAcceptance(raw, clock)).toBe(digits);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('easternAcceptance gives null for rows of UTC files that upstream may not have rewritten yet', () => {
    const today = firstUnsettledDay(Date.parse('2026-04-24T20:00:00Z'));
    expect(today).toBe('2026-04-24');
    expect(easternAcceptance('2026-04-24T12:14:00.000Z', 'utc', today)).toBeNull();
    expect(easternAcceptance('2026-04-25T01:14:00.000Z', 'utc', today)).toBeNull();
    expect(easternAcceptance('2026-04-24T12:14:00.000Z', 'eastern', today)).toBe('20260424121400');
    expect(easternAcceptance('2026-04-23T23:59:59.000Z', 'utc', today)).toBe('20260423195959');
  });
});

describe('firstUnsettledDay', () => {
  it.each([
    ['2026-04-24T09:59:59Z', '2026-04-23'],
    ['2026-04-24T10:00:00Z', '2026-04-24'],
    ['2026-04-25T03:59:59Z', '2026-04-24'],
    ['2026-01-01T10:59:59Z', '2025-12-31'],
    ['2026-01-01T11:00:00Z', '2026-01-01'],
  ])('firstUnsettledDay of a file fetched at %s is %s', (fetchedAt, day) =>
    expect(firstUnsettledDay(Date.parse(fetchedAt))).toBe(day),
  );
});

/**
 * Decides a file by the filings that it shares with others, of which `acceptedAtOf` knows the Eastern time.
 */
function clockOfSharedFilings(
  { accessionNumber, acceptanceDateTime }: Pick<ClockColumns, 'accessionNumber' | 'acceptanceDateTime'>,
  acceptedAtOf: (accessionNo: string) => string | null,
): Clock | null {
  const votes = accessionNumber.map((accessionNo, row) => {
    const truth = acceptedAtOf(accessionNo ?? '');
    return truth === null ? null : voteOfSharedFiling(acceptanceDateTime[row], truth);
  });
  const count = (clock: Clock) => votes.filter((vote) => vote === clock).length;
  return clockOfVotes(count('eastern'), count('utc'));
}

describe('voteOfSharedFiling and clockOfVotes', () => {
  const known = new Map([
    ['a', '20251002162550'],
    ['b', '20251202162550'],
    ['c', '20251003120000'],
  ]);
  const decide = (stamps: Record<string, string>) =>
    clockOfSharedFilings(
      { accessionNumber: Object.keys(stamps), acceptanceDateTime: Object.values(stamps) },
      (accessionNo) => known.get(accessionNo) ?? null,
    );

  const [easternA, utcA] = ['2025-10-02T16:25:50.000Z', '2025-10-02T20:25:50.000Z'];
  const [easternB, utcB] = ['2025-12-02T16:25:50.000Z', '2025-12-02T21:25:50.000Z'];
  it.each<[string, Record<string, string>, Clock | null]>([
    ['by their known times', { a: easternA, other: utcA }, 'eastern'],
    ['by their known times', { a: utcA }, 'utc'],
    ['by their known times', { b: utcB, a: utcA }, 'utc'],
    ['without a filing', {}, null],
    ['without a filing that is known', { other: easternA }, null],
    ['without evidence', { a: '2025-10-02T00:00:00.000Z', b: '2025-12-02T20:25:50.000Z' }, null],
    ['which contradict each other', { a: easternA, b: utcB, c: '2025-10-03T12:00:00.000Z' }, null],
    ['which contradict each other', { a: easternA, b: utcB }, null],
    ['which agree', { a: easternA, b: easternB }, 'eastern'],
  ])('shared filings %s: %j is %j', (_, stamps, clock) => expect(decide(stamps)).toBe(clock));

  it('shared filings decide the clock although the newest row of a UTC file is still Eastern', () => {
    const shared = Array.from({ length: 10 }, (_, at) => String(at));
    const stamps = shared.map((_, at) =>
      at === 0 ? '2025-10-02T12:25:50.000Z' : '2025-10-02T16:25:50.000Z',
    );
    expect(
      clockOfSharedFilings({ accessionNumber: shared, acceptanceDateTime: stamps }, () => '20251002122550'),
    ).toBe('utc');
  });
});

// Recorded answers of the SEC are not part of the project.
const recordings = new URL('../../../shared/edgar/', import.meta.url);
const folders = ['2026-04-24', '2026-07-01', '2026-08-18', 'heavy-filer', 'odd'];

interface RecordedFile {
  readonly name: string;
  readonly columns: ClockColumns;
}

function readRecordedFiles(): RecordedFile[] {
  return folders.flatMap((folder) => {
    const at = new URL(`${folder}/data.sec.gov/submissions/`, recordings);
    return readdirSync(at)
      .sort()
      .map((file) => {
        const json = JSON.parse(readFileSync(new URL(file, at), 'utf8'));
        return {
          name: `${folder}/${file}`,
          columns: {
            accessionNumber: [],
            form: [],
            filingDate: [],
            acceptanceDateTime: [],
            ...(json.filings?.recent ?? json),
          },
        };
      });
  });
}

describe('recorded answers', needs('recordings'), () => {
  const files = has('recordings')
    ? readRecordedFiles().map((file) => ({ ...file, ...inferClock(file.columns) }))
    : [];

  it('inferClock decides all recorded files but the one without rows', () => {
    expect(files.filter(({ clock }) => clock === 'eastern').map(({ name }) => name)).toEqual([
      '2026-04-24/CIK0001045810.json',
      '2026-07-01/CIK0000050863.json',
      '2026-07-01/CIK0000865941.json',
      '2026-07-01/CIK0000945436.json',
      '2026-07-01/CIK0001731289.json',
      'odd/CIK0000004904.json',
      'odd/CIK0000073986.json',
    ]);
    expect(files.filter(({ clock }) => clock === 'utc')).toHaveLength(132);
    expect(files.filter(({ clock }) => clock === null).map(({ name }) => name)).toEqual([
      'odd/CIK0000350001.json',
    ]);
  });

  it('only three rows of all recorded files contradict their clock', () => {
    const sum = (count: (file: (typeof files)[number]) => number) =>
      files.reduce((total, file) => total + count(file), 0);
    expect(
      sum(({ clock, evidence }) => (clock === 'eastern' ? evidence.easternOnly : evidence.utcOnly)),
    ).toBeGreaterThan(140_000);
    // Two filings of 19:09 and 18:22 that kept their date, a D of 2011 and an S-1 of 2021, and an 11-K of
    // 2026 that was accepted at 14:16 and filed on the next business day. The clock of their files is right
    // for them, too.
    expect(
      sum(({ clock, evidence }) => (clock === 'eastern' ? evidence.utcOnly : evidence.easternOnly)),
    ).toBe(3);
    const least = files
      .filter(({ clock }) => clock !== null)
      .reduce((one, other) => (days(one) <= days(other) ? one : other));
    expect([least.name, days(least)]).toEqual(['2026-08-18/CIK0002115436.json', 3]);
  });

  const days = ({ evidence }: (typeof files)[number]) => evidence.easternOnlyDays + evidence.utcOnlyDays;

  it('recorded files agree with the headers of the filings, which are always Eastern', () => {
    const headers = new Map<string, string>();
    for (const file of readdirSync(new URL('headers/', recordings))) {
      const accepted = /^<ACCEPTANCE-DATETIME>(\d{14})$/m.exec(
        readFileSync(new URL(`headers/${file}`, recordings), 'latin1'),
      )?.[1];
      if (accepted !== undefined) headers.set(file.replace('.txt', ''), accepted);
    }
    const compared = new Set<string>();
    let pairs = 0;
    for (const { columns, clock, name } of files) {
      columns.accessionNumber.forEach((accessionNo, at) => {
        const truth = headers.get(accessionNo ?? '');
        if (truth === undefined) return;
        pairs++;
        compared.add(`${accessionNo}`);
        expect(easternAcceptance(columns.acceptanceDateTime[at], clock), `${name} ${accessionNo}`).toBe(
          truth,
        );
      });
    }
    expect([headers.size, compared.size, pairs]).toEqual([117, 8, 19]);
  });

  it('recorded files agree about the filings that they share, but for one that was new', {
    tags: ['slow'],
  }, () => {
    const byAccession = new Map<
      string,
      { eastern: string | null; settled: string | null; clock: Clock | null }[]
    >();
    for (const { columns, clock, name } of files) {
      const unsettledFrom = /^\d{4}-\d{2}-\d{2}/.exec(name)?.[0];
      columns.accessionNumber.forEach((accessionNo, at) => {
        const raw = columns.acceptanceDateTime[at];
        const seen = byAccession.get(accessionNo ?? '') ?? [];
        seen.push({
          eastern: easternAcceptance(raw, clock),
          settled: easternAcceptance(raw, clock, unsettledFrom),
          clock,
        });
        byAccession.set(accessionNo ?? '', seen);
      });
    }
    const shared = [...byAccession].filter(([, seen]) => seen.length > 1);
    const differ = (values: readonly unknown[]) => new Set(values).size > 1;
    expect(shared).toHaveLength(21_156);
    expect(shared.filter(([, seen]) => differ(seen.map(({ clock }) => clock)))).toHaveLength(1100);
    // A Form 144 that is 12:14 in a UTC file of the day itself, 2026-04-24, and 16:14 in the same file four
    // months later.
    expect(
      shared
        .filter(([, seen]) => differ(seen.map(({ eastern }) => eastern)))
        .map(([accessionNo]) => accessionNo),
    ).toEqual(['0001959173-26-003065']);
    expect(
      shared.filter(([, seen]) => differ(seen.map(({ settled }) => settled).filter((time) => time !== null))),
    ).toEqual([]);
  });

  it('recorded files cut into small ones by either clock are never decided wrongly', {
    tags: ['slow'],
  }, () => {
    const counts = { right: 0, undecided: 0, wrong: 0 };
    for (const { columns, clock: truth } of files) {
      for (const clock of clocks) {
        const stamps = columns.acceptanceDateTime.map((raw) => rewrite(raw ?? '', truth ?? clock, clock));
        for (const size of [5, 10, 20, 50, 100]) {
          for (let from = 0; from + size <= stamps.length; from += Math.max(size, 20)) {
            const piece = (column: readonly (string | null)[]) => column.slice(from, from + size);
            const { clock: found } = inferClock({
              accessionNumber: piece(columns.accessionNumber),
              form: piece(columns.form),
              filingDate: piece(columns.filingDate),
              acceptanceDateTime: piece(stamps),
            });
            if (found === null) counts.undecided++;
            else if (found === clock) counts.right++;
            else counts.wrong++;
          }
        }
      }
    }
    expect(counts.wrong).toBe(0);
    expect(counts.right).toBeGreaterThan(30_000);
  });

  /** A time as a file of another clock writes it; a day without a time stays one. */
  function rewrite(raw: string, from: Clock, to: Clock): string {
    const written = readStamp(raw);
    if (from === to || written % daySeconds === 0) return raw;
    return write(from === 'utc' ? written - easternOffsetHours(written) * 3600 : written, to);
  }

  it('recorded files decide each other by the filings that they share', () => {
    const truths = new Map<string, string>();
    for (const { columns, clock, name } of files) {
      columns.accessionNumber.forEach((accessionNo, at) => {
        const eastern = easternAcceptance(
          columns.acceptanceDateTime[at],
          clock,
          /^\d{4}-\d{2}-\d{2}/.exec(name)?.[0],
        );
        if (eastern !== null && name.startsWith('2026-08-18/')) truths.set(accessionNo ?? '', eastern);
      });
    }
    const found = files
      .filter(({ name }) => name.startsWith('2026-04-24/'))
      .map(({ columns, clock, name }) => ({
        name,
        clock,
        found: clockOfSharedFilings(columns, (accessionNo) => truths.get(accessionNo) ?? null),
      }));
    expect(found.filter(({ clock, found: decided }) => decided !== null && decided !== clock)).toEqual([]);
    expect(found.filter(({ found: decided }) => decided === 'utc')).toHaveLength(5);
    expect(found.filter(({ found: decided }) => decided === 'eastern').map(({ name }) => name)).toEqual([
      '2026-04-24/CIK0001045810.json',
    ]);
  });
});
