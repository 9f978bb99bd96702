import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { easternTime } from '../../build/time/eastern-time.ts';
import { createClock, spanText } from '../../build/time/told-clock.ts';
import {
  afterFailure,
  healthyFeed,
  isPolling,
  nextInRound,
  nextReadingMs,
  type Round,
} from '../../build/follow/reading/poll.ts';
import {
  parseSaved,
  readSaved,
  removeLeftovers,
  savedFile,
  savedText,
  stateText,
  writeSaved,
} from '../../build/follow/reading/saved.ts';
import { scopeOf, type Scope } from '../../build/follow/reading/scope.ts';
import {
  admit,
  afterAppend,
  createState,
  readyOf,
  takeFeed,
  takeFile,
  takeHeader,
  type FollowState,
  type KnownOfListed,
  type Listed,
} from '../../build/follow/reading/follow-state.ts';
import { behindMs, statusLine, type Status } from '../../build/follow/status-line.ts';
import { createWork } from '../../build/follow/common/work.ts';
import { parseUniverse } from '../../build/ingest/universe.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { mergeFiling } from '../../build/ledger/merge-filing.ts';
import { dayMs, hourMs, minuteMs } from '../../src/time/units.ts';
import { useDirectories } from '../support/directories.ts';
import { cikOf, filing } from '../support/made-up.ts';
import { feedFiling, headerOf, noonMs, partyOf } from '../support/told.ts';

const fresh = useDirectories('follow-state');
const [one, two] = [cikOf(1), cikOf(2)];
const scope: Scope = {
  universe: { kind: 'named', entries: [one, two] },
  isWanted: (cik) => cik === one || cik === two,
  members: [one, two],
  unknown: [],
  tickers: [],
};
const rowsOf = (...rows: LedgerFiling[]) => new Map(rows.map((row) => [row.accessionNo, row]));
const accession = (number: number) => filing(number).accessionNo;
const accessions = (filings: Iterable<{ readonly accessionNo: string }>) =>
  [...filings].map(({ accessionNo }) => accessionNo);
const never = () => false;

/** Admits what is listed, where the ledger has nothing but what is given. */
const admitted = (state: FollowState, listed: readonly Listed[], known: Partial<KnownOfListed> = {}) =>
  admit(state, listed, { filings: new Map(), contents: new Map(), kinds: [], ...known }, 0, never);

/** A state to which the feed has listed filings that the ledger lacks. */
function following(...numbers: number[]): FollowState {
  const state = createState();
  const filings = numbers.map((number) => feedFiling(number));
  admitted(state, takeFeed(state, filings, scope));
  return state;
}

describe('what the feed lists', () => {
  it('a listed filing belongs to the universe if it names one of its companies in any role', () => {
    const filings = [
      feedFiling(1, { parties: [partyOf(7)] }),
      feedFiling(2, { parties: [partyOf(7, 'reporting_owner'), partyOf(2, 'issuer')] }),
      feedFiling(3, { parties: [partyOf(1, 'filed_by'), partyOf(2, 'subject')] }),
    ];
    const listed = takeFeed(createState(), filings, scope);
    expect(listed.map(({ accessionNo, ciks }) => [accessionNo, ciks])).toEqual([
      [accession(2), [two]],
      [accession(3), [two, one]],
    ]);
  });
  it('a listed filing is taken once, however often it is listed, with the parties of a later page', () => {
    const state = following(1);
    const partiesNow = () => state.pending.get(accession(1))?.told.feed?.parties.length;
    const both = feedFiling(1, { parties: [partyOf(1), partyOf(8, 'filed_by')] });
    for (const [listing, parties] of [
      [feedFiling(1), 1],
      [both, 2],
      [feedFiling(1), 2],
    ] as const)
      expect([takeFeed(state, [listing], scope), partiesNow()]).toEqual([[], parties]);
    const seen = createState();
    seen.feed = { ...seen.feed, seen: new Set([accession(1)]) };
    expect(takeFeed(seen, [feedFiling(1)], scope)).toEqual([]);
  });

  const held = filing(2, {
    filedAt: '2026-03-02',
    acceptedEastern: feedFiling(2).accepted?.eastern ?? null,
    filerCiks: [one],
    roles: [`${one}:filer`],
    items: ['8.01'],
  });
  it.each<[string, Partial<LedgerFiling>, { pending: readonly string[]; corrected: readonly string[] }]>([
    ['as the feed tells it', {}, { pending: [], corrected: [] }],
    [
      'without acceptance and roles is corrected, and keeps its documents',
      { acceptedEastern: null, roles: [] },
      { pending: [], corrected: [accession(2)] },
    ],
    [
      'without documents is completed',
      { sizeBytes: null, primaryDocument: null },
      { pending: [accession(2)], corrected: [] },
    ],
  ])('a filing that the ledger has %s', (_, members, { pending, corrected }) => {
    const state = createState();
    const listed = takeFeed(state, [feedFiling(1), feedFiling(2)], scope);
    const row = { ...held, ...members };
    const corrections = admitted(state, listed, { filings: rowsOf(row) });
    expect(accessions(corrections)).toEqual(corrected);
    for (const { sightings } of corrections) expect(sightings.at(-1)?.row).toBe(row);
    expect(accessions(state.pending.values())).toEqual([accession(1), ...pending]);
    for (const each of pending) expect(state.pending.get(each)?.isPublished).toBe(true);
  });
});

describe('a submissions file', () => {
  it('a submissions file completes every filing that waits for it', () => {
    const state = following(1, 2, 3);
    takeFile(state, one, rowsOf(filing(1), filing(3)), 10, '2026-01-01');
    expect(accessions(readyOf(state, 10).whole)).toEqual([accession(1), accession(3)]);
    expect(state.pending.get(accession(2))?.file).toEqual({ asked: 1, unanswered: 0, nextAtMs: 2510 });
  });
  it('a submissions file brings unlisted filings from a day on', () => {
    const rows = rowsOf(
      filing(1),
      filing(5, { filedAt: '2026-03-01' }),
      filing(6, { filedAt: '2026-02-01' }),
      filing(7, { filedAt: '2026-03-01' }),
    );
    for (const isInFeed of [true, false]) {
      const state = following(1);
      state.feed = { ...state.feed, seen: new Set([accession(7)]) };
      const listed = takeFile(state, one, rows, 10, '2026-02-15');
      expect(listed).toEqual([
        { accessionNo: accession(5), feed: null, row: rows.get(accession(5)), ciks: [one] },
      ]);
      admitted(state, listed);
      if (isInFeed) takeFeed(state, [feedFiling(5)], scope);
      else takeHeader(state, accession(5), headerOf(5), 10);
      expect(accessions(readyOf(state, 10).whole)).toEqual([accession(1), accession(5)]);
    }
  });
  it('a submissions file brings a back-dated filing that was accepted from a day on', () => {
    const rows = rowsOf(
      filing(5, { filedAt: '2026-02-01', acceptedEastern: '20260214235959' }),
      filing(6, { filedAt: '2026-02-01', acceptedEastern: '20260215000000' }),
      filing(7, { filedAt: '2026-02-01', acceptedEastern: null }),
      filing(8, { filedAt: '2026-02-17', acceptedEastern: '20260213173000' }),
    );
    expect(accessions(takeFile(createState(), one, rows, 10, '2026-02-15'))).toEqual([6, 8].map(accession));
  });
  it('the files of several companies of a pending filing count together, each once, and after a restart', () => {
    const state = createState();
    const take = (cik: string) =>
      takeFile(state, cik, rowsOf(filing(5, { filerCiks: [cik] })), 10, '2026-01-01');
    admitted(state, take(one));
    for (const cik of [two, one, two]) expect(take(cik)).toEqual([]);
    // No header comes.
    const saved = parseSaved(savedText(state), 0) as FollowState;
    for (const { overdue } of [readyOf(state, 2 * hourMs), readyOf(saved, 2 * hourMs)]) {
      // So older releases read what this one saves.
      const sightings = overdue.flatMap(({ told }) => Object.values(told));
      expect(sightings.map(({ source }) => source)).toEqual(['file', 'file']);
      expect(mergeFiling(undefined, sightings, never).filerCiks).toEqual([one, two]);
    }
  });
  it('a submissions file adds its company to a filing of the ledger, and asks for no contents of it', () => {
    const held = filing(5, { filerCiks: [one] });
    const filersAfter = (cik: string) => {
      const state = createState();
      const listed = takeFile(state, cik, rowsOf(filing(5, { filerCiks: [cik] })), 10, '2026-01-01');
      const corrections = admitted(state, listed, { filings: rowsOf(held), kinds: ['documents'] });
      expect(state.pending.size).toBe(0);
      return corrections.map(({ sightings }) => mergeFiling(held, sightings, never).filerCiks);
    };
    expect([filersAfter(one), filersAfter(two)]).toEqual([[], [[one, two]]]);
  });
  it.each([
    [
      'that gives no answer is asked for again',
      'unanswered',
      { ciks: [one], file: { asked: 0, unanswered: 1 } },
    ],
    ['that is absent is not', 'absent', { ciks: [] }],
  ] as const)('a submissions file %s', (_, answer, expected) => {
    const state = following(1);
    takeFile(state, one, answer, 10, '');
    expect(state.pending.get(accession(1))).toMatchObject(expected);
  });
});

it('an appended filing is done; one published early waits to be completed', () => {
  const state = following(1, 2);
  takeFile(state, one, rowsOf(filing(1)), 0, '2026-12-01');
  const { whole, overdue } = readyOf(state, minuteMs);
  afterAppend(state, whole, overdue);
  expect([...state.pending.values()]).toMatchObject([{ accessionNo: accession(2), isPublished: true }]);
  expect(readyOf(state, 2 * minuteMs)).toEqual({ whole: [], overdue: [], lost: [] });
});

describe('what is kept for the next start', () => {
  const state: FollowState = {
    ...following(1, 2),
    since: '2026-03-02',
    feed: { seen: new Set(['a']), readThroughMs: noonMs, madeAtMs: 5 },
  };
  it('the state for the next start is read back as it was', async () => {
    const directory = fresh();
    expect(await readSaved(directory, 0, expect.fail)).toEqual(createState());
    await writeSaved(directory, stateText(state));
    const again = await readSaved(directory, 700, expect.fail);
    expect(again).toMatchObject({ since: '2026-03-02', feed: { readThroughMs: noonMs, madeAtMs: 0 } });
    expect([...again.pending.values()]).toMatchObject(
      [1, 2].map((number) => ({
        accessionNo: accession(number),
        listedAtMs: 700,
        file: { asked: 0, nextAtMs: 700 },
      })),
    );
  });
  it('what is kept does not change with each request that gets no answer', () => {
    const waiting = { ...state, pending: new Map(state.pending) };
    const before = stateText(waiting);
    takeFile(waiting, one, 'unanswered', 10, '');
    takeHeader(waiting, accession(1), 'unanswered', 10);
    expect(waiting.pending).not.toEqual(state.pending);
    expect(stateText(waiting)).toBe(before);
    takeFile(waiting, one, rowsOf(filing(1)), 10, '2026-01-01');
    expect(stateText(waiting)).not.toBe(before);
  });
  it.each([
    ['cut off', (text: string) => text.slice(0, -40)],
    ['changed', (text: string) => text.replace('2026-03-02', '2026-03-03')],
    ['of nobody', () => '{}'],
    ['empty', () => ''],
  ])('a state that is %s is ignored with a message', async (_, change) => {
    const directory = fresh();
    writeFileSync(join(directory, savedFile), change(savedText(state)));
    const lines: string[] = [];
    expect(await readSaved(directory, 0, (line) => void lines.push(line))).toEqual(createState());
    expect(lines).toEqual([expect.stringContaining(savedFile)]);
  });
});

it('what killed programs left beside the state goes, and what another one may be writing stays', async () => {
  const directory = fresh();
  const nowMs = Date.now();
  const old = ['.follow.json.17-6dec1f59.tmp', '.reconcile.json.17-fefccd36.tmp'];
  const kept = ['.follow.json', '.follow.json.18-49440f23.tmp', '.lock', 'notes.tmp'];
  for (const name of [...old, ...kept]) writeFileSync(join(directory, name), '{');
  for (const name of [...old, '.follow.json', '.lock', 'notes.tmp'])
    utimesSync(join(directory, name), nowMs / 1000 - 90, nowMs / 1000 - 90);
  await removeLeftovers(directory, nowMs);
  expect(readdirSync(directory).sort()).toEqual(kept);
});

describe('a feed that fails', () => {
  it('a failing feed is asked for after growing pauses of at most a minute', () => {
    let health = healthyFeed;
    const pauses: number[] = [];
    for (let atMs = 0; pauses.length < 8; ) {
      health = afterFailure(health, atMs);
      const nextMs = nextReadingMs(health, atMs, atMs + 100, 5000);
      pauses.push(nextMs - atMs - 100);
      atMs = nextMs;
    }
    expect(pauses).toEqual([2500, 5000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
    expect(health.failedSinceMs).toBe(0);
    expect(nextReadingMs(healthyFeed, 1000, 1500, 5000)).toBe(6000);
  });
  it('after a time the files of a small universe replace a failing feed', () => {
    const failed = { ...healthyFeed, failures: 3, failedSinceMs: 1000 };
    const many = Array.from({ length: 1001 }, (_, at) => cikOf(at + 1));
    const polls = [
      isPolling(failed, [one], 120_999, 120_000),
      isPolling(failed, [one], 121_000, 120_000),
      isPolling(healthyFeed, [one], 1e9, 0),
      isPolling(failed, null, 1e9, 0),
      isPolling(failed, many, 1e9, 0),
    ];
    expect(polls).toEqual([false, true, false, false, false]);
  });
  it('a round asks for each file once, and takes at least a minute', () => {
    const members = [cikOf(1), cikOf(2), cikOf(3)];
    const asked: [number, string][] = [];
    let round: Round | null = null;
    for (let atMs = 0; atMs <= 130_000; atMs += 1000) {
      const next: ReturnType<typeof nextInRound> = nextInRound(round, members, atMs);
      if (next === null) continue;
      round = next.round;
      asked.push([atMs / 1000, next.cik]);
    }
    expect(asked).toEqual([0, 60, 120].flatMap((from) => members.map((cik, at) => [from + at, cik])));
  });
});

describe('the time', () => {
  const told = { toldMs: noonMs, atMs: 1000 };
  it.each([
    ['by this machine if nobody else tells it', null, 5, 0, { nowMs: 5, wrongByMs: null }],
    [
      'by this machine if that is off by less than half an hour',
      told,
      noonMs + 29 * minuteMs,
      1000,
      { nowMs: noonMs + 29 * minuteMs, wrongByMs: null },
    ],
    [
      'by EDGAR if this machine is ahead',
      told,
      noonMs + 5 * hourMs,
      3000,
      { nowMs: noonMs + 2000, wrongByMs: 5 * hourMs - 2000 },
    ],
    [
      'by EDGAR if this machine is behind',
      told,
      0,
      3000,
      { nowMs: noonMs + 2000, wrongByMs: -noonMs - 2000 },
    ],
  ])('the time is %s', (_, known, machineMs, elapsedMs, expected) => {
    const clock = createClock(
      () => elapsedMs,
      () => machineMs,
    );
    if (known) clock.tell(known.toldMs, known.atMs);
    expect(clock.now()).toEqual(expected);
  });
  it.each<readonly [string, machineMs: number, told: readonly (readonly [number, boolean])[]]>([
    [
      'what contradicts it, once a later one agrees',
      noonMs,
      [
        [noonMs, true],
        [noonMs + dayMs, false],
        [noonMs + dayMs, false],
        [noonMs + dayMs + 1000, true],
      ],
    ],
    [
      'not what one page says',
      noonMs,
      [
        [noonMs, true],
        [noonMs + dayMs, false],
        [noonMs, true],
        [noonMs + dayMs, false],
      ],
    ],
    [
      'what this machine says, too',
      noonMs + dayMs,
      [
        [noonMs, true],
        [noonMs + dayMs, true],
      ],
    ],
    [
      'what it told before, if this machine is wrong',
      0,
      [
        [noonMs, true],
        [noonMs - dayMs, false],
        [noonMs, true],
      ],
    ],
  ])('of what EDGAR tells is believed: %s', (_, machineMs, told) => {
    const clock = createClock(
      () => 0,
      () => machineMs,
    );
    expect(told.map(([toldMs]) => clock.tell(toldMs, 0))).toEqual(told.map(([, isBelieved]) => isBelieved));
  });
  it('the time is read on the Eastern clock, and spans of it are written in words', () => {
    expect(easternTime(Date.parse('2026-07-02T02:30:00Z'))).toEqual({ day: '2026-07-01', hours: 22.5 });
    expect(easternTime(Date.parse('2026-12-02T03:30:00Z'))).toEqual({ day: '2026-12-01', hours: 22.5 });
    expect([90_000, 7_200_000, -29_721_600_000].map(spanText)).toEqual(['2 minutes', '2 hours', '344 days']);
  });
});

describe('the status', () => {
  const pending = [...following(1, 2).pending.values()].map((each) => ({ ...each, listedAtMs: 57_000 }));
  const status: Status = {
    atMs: 60_000,
    listed: 12,
    published: 10,
    pending,
    unpublishedSinceMs: null,
    unreadHistories: 0,
    feedReadMs: 58_000,
    intervalMs: 5000,
    requestsPerSecond: 2.34,
    lastError: null,
    polled: null,
    feedFailedMs: null,
    clockWrongByMs: null,
  };
  it.each<[string, Partial<Status>, string]>([
    [
      'when all is well',
      {},
      'listed 12 · published 10 · pending 2 · behind by 3 s · 2.3 requests a second · last error: none',
    ],
    [
      'when nothing is',
      {
        pending: pending.slice(0, 1).map((each) => ({ ...each, isPublished: true })),
        unreadHistories: 2,
        lastError: 'HTTP 503',
        polled: 120,
        feedFailedMs: 600_000,
        clockWrongByMs: -7_200_000,
      },
      'listed 12 · published 10 · pending 0 and 1 to be completed · 2 histories to read · behind by 0 s · 2.3 requests a second · the feed has failed for 10 minutes · following 120 entities by their submissions files in turn · the clock of this machine is 2 hours behind · last error: HTTP 503',
    ],
    [
      'with what was listed before the start, which leaves nobody behind',
      { pending: pending.map((each) => ({ ...each, isBacklog: true })) },
      'listed 12 · published 10 · pending 2, 2 of them listed before the start · behind by 0 s · 2.3 requests a second · last error: none',
    ],
  ])('the status is one line %s', (_, members, line) =>
    expect(statusLine({ ...status, ...members })).toBe(line),
  );
  it('the status says how far behind the feed it is, also while the feed cannot be read', () => {
    expect(behindMs({ ...status, feedReadMs: 10_000 })).toBe(50_000);
    expect(behindMs({ ...status, pending: [], feedReadMs: 51_000 })).toBe(0);
  });
  it('a filing that is in the ledger is behind until it is published', () =>
    expect(behindMs({ ...status, pending: [], unpublishedSinceMs: 20_000 })).toBe(40_000));
});

it.each([
  ['five,0000000001,OLD,GONE', [one, cikOf(5), cikOf(6)], ['GONE']],
  ['listed', [cikOf(5)], []],
  ['all', null, []],
])('the universe %s comes from the ticker files and the ledger', (universe, members, unknown) => {
  const tickers = [{ cik: cikOf(5), ticker: 'FIVE', name: 'Five', exchange: null }];
  const made = scopeOf(parseUniverse(universe), tickers, new Map([['OLD', cikOf(6)]]));
  expect([made.members, made.unknown]).toEqual([members, unknown]);
  expect(made.isWanted(cikOf(77))).toBe(universe === 'all');
});

describe('work beside the loop', () => {
  it('work beside the loop runs once, leaves what handles its result, and wakes who waits', async () => {
    const work = createWork(
      () => false,
      (error) => expect.fail(String(error)),
    );
    const taken: string[] = [];
    let runs = 0;
    const run = async (leave: (handler: () => void) => void) => {
      leave(() => void taken.push('before the end'));
      return `run ${++runs}`;
    };
    const start = () => work.start('ask a', run, (result) => void taken.push(result));
    start();
    start();
    expect([work.count('ask '), work.isUnderway('ask a')]).toEqual([1, true]);
    await work.wait(10_000);
    await work.settle();
    for (const handle of work.take()) await handle();
    expect([taken, work.take(), work.count('')]).toEqual([['before the end', 'run 1'], [], 0]);
  });
  it('work beside the loop is told if it fails, unless that ends everything', async () => {
    const told: unknown[] = [];
    const work = createWork(
      (error) => (error as Error).message === 'all',
      (error) => void told.push((error as Error).message),
    );
    const fail = (message: string) =>
      work.start(message, () => Promise.reject(new Error(message)), expect.fail);
    fail('one');
    await work.settle();
    expect(work.take()).toEqual([]);
    fail('all');
    await work.settle();
    expect(() => work.take()).toThrow('all');
    expect(told).toEqual(['one']);
  });
});
