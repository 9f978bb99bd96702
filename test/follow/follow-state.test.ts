import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { easternTime } from '../../build/time/eastern-time.ts';
import { spanText, timeOf } from '../../build/time/told-time.ts';
import {
  afterFailure,
  healthyFeed,
  isPolling,
  nextInRound,
  nextReadingMs,
  type Round,
} from '../../build/follow/reading/poll.ts';
import { parseSaved, readSaved, savedFile, savedText, writeSaved } from '../../build/follow/reading/saved.ts';
import { scopeOf, wantedOf, type Scope } from '../../build/follow/reading/scope.ts';
import {
  admit,
  afterAppend,
  emptyState,
  readyOf,
  takeFeed,
  takeFile,
  takeHeader,
  type FollowState,
} from '../../build/follow/reading/follow-state.ts';
import type { Pending } from '../../build/follow/reading/pending.ts';
import { behindMs, statusLine, type Status } from '../../build/follow/status-line.ts';
import { createWork } from '../../build/follow/common/work.ts';
import { parseUniverse } from '../../build/ingest/universe.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { mergeFiling } from '../../build/ledger/merge-filing.ts';
import { hourMs } from '../../src/time/units.ts';
import { useDirectories } from '../support/directories.ts';
import { cikOf, filing } from '../support/made-up.ts';
import { feedFiling, headerOf, noonMs, partyOf } from '../support/told.ts';

const fresh = useDirectories('follow-state');
const scope: Scope = {
  universe: { kind: 'named', entries: [cikOf(1), cikOf(2)] },
  isWanted: (cik) => cik === cikOf(1) || cik === cikOf(2),
  members: [cikOf(1), cikOf(2)],
  unknown: [],
  tickers: [],
};
const none = { filings: new Map<string, LedgerFiling>(), contents: new Map(), kinds: [] };
const known = (...rows: LedgerFiling[]) => new Map(rows.map((row) => [row.accessionNo, row]));
const accession = (number: number) => filing(number).accessionNo;
const never = () => false;

/** A state to which the feed has listed filings that the ledger lacks. */
function following(...numbers: number[]): FollowState {
  const { state, listed } = takeFeed(
    emptyState,
    numbers.map((number) => feedFiling(number)),
    new Set(),
    scope,
  );
  return admit(state, listed, none, 0, never).state;
}

describe('what the feed lists', () => {
  it('a listed filing belongs to the universe if it names one of its companies in any role', () => {
    const filings = [
      feedFiling(1, { parties: [partyOf(7)] }),
      feedFiling(2, { parties: [partyOf(7, 'reporting_owner'), partyOf(2, 'issuer')] }),
      feedFiling(3, { parties: [partyOf(1, 'filed_by'), partyOf(2, 'subject')] }),
    ];
    const { listed } = takeFeed(emptyState, filings, new Set(), scope);
    expect(listed.map(({ accessionNo, ciks }) => [accessionNo, ciks])).toEqual([
      [accession(2), [cikOf(2)]],
      [accession(3), [cikOf(2), cikOf(1)]],
    ]);
    expect(wantedOf(scope, [cikOf(9)])).toBeNull();
  });
  it('a listed filing is taken once, however often it is listed', () => {
    const state = following(1);
    expect(takeFeed(state, [feedFiling(1)], new Set(), scope)).toEqual({ state, listed: [] });
    expect(takeFeed(emptyState, [feedFiling(1)], new Set([accession(1)]), scope).listed).toEqual([]);
  });
  it('a listed filing gets the parties of a later page of the feed', () => {
    const cut = { ...following(1) };
    const both = feedFiling(1, { parties: [partyOf(1), partyOf(8, 'filed_by')] });
    const { state, listed } = takeFeed(cut, [both], new Set(), scope);
    expect([listed, state.pending.get(accession(1))?.told.feed?.parties.length]).toEqual([[], 2]);
    expect(takeFeed(state, [feedFiling(1)], new Set(), scope).state).toBe(state);
  });
  it('a listed filing is pending only if the ledger lacks it', () => {
    const { state, listed } = takeFeed(emptyState, [feedFiling(1), feedFiling(2)], new Set(), scope);
    const held = filing(2, {
      filedAt: '2026-03-02',
      acceptedEastern: feedFiling(2).accepted?.eastern ?? null,
      filerCiks: [cikOf(1)],
      roles: [`${cikOf(1)}:filer`],
      items: ['8.01'],
      sizeBytes: 1,
      primaryDocument: 'a.htm',
    });
    const admitted = admit(state, listed, { filings: known(held), contents: new Map(), kinds: [] }, 0, never);
    expect([[...admitted.state.pending.keys()], admitted.corrections]).toEqual([[accession(1)], []]);
  });
  it('the feed corrects parties and acceptance where the ledger knows less, and no documents', () => {
    const { state, listed } = takeFeed(
      emptyState,
      [feedFiling(2, { form: '4', parties: [partyOf(8, 'reporting_owner'), partyOf(1, 'issuer')] })],
      new Set(),
      scope,
    );
    const held = filing(2, {
      form: '4',
      acceptedEastern: null,
      subjectCik: cikOf(1),
      filerCiks: [],
      sizeBytes: 1,
      primaryDocument: 'a.xml',
    });
    const { corrections, state: after } = admit(
      state,
      listed,
      { filings: known(held), contents: new Map(), kinds: [] },
      0,
      never,
    );
    expect(corrections.map(({ accessionNo, sightings }) => [accessionNo, sightings.at(-1)?.row])).toEqual([
      [accession(2), held],
    ]);
    expect(after.pending.size).toBe(0);
  });
  it('a filing that the ledger has without documents is completed', () => {
    const { state, listed } = takeFeed(emptyState, [feedFiling(2)], new Set(), scope);
    const { pending } = admit(
      state,
      listed,
      {
        filings: known(filing(2, { sizeBytes: null, primaryDocument: null })),
        contents: new Map(),
        kinds: [],
      },
      0,
      never,
    ).state;
    expect([...pending.values()]).toMatchObject([{ accessionNo: accession(2), isPublished: true }]);
  });
});

describe('a submissions file', () => {
  it('a submissions file completes every filing that waits for it', () => {
    const { state } = takeFile(following(1, 2, 3), cikOf(1), known(filing(1), filing(3)), 10, '2026-01-01');
    expect(readyOf(state, 10).whole.map(({ accessionNo }) => accessionNo)).toEqual([
      accession(1),
      accession(3),
    ]);
    expect(state.pending.get(accession(2))?.file).toEqual({ asked: 1, unanswered: 0, nextAtMs: 2510 });
  });
  it('a submissions file brings unlisted filings from a day on', () => {
    const rows = known(
      filing(1),
      filing(5, { filedAt: '2026-03-01' }),
      filing(6, { filedAt: '2026-02-01' }),
      filing(7, { filedAt: '2026-03-01' }),
    );
    const seen: FollowState = {
      ...following(1),
      feed: { ...emptyState.feed, seen: new Set([accession(7)]) },
    };
    const { listed, state } = takeFile(seen, cikOf(1), rows, 10, '2026-02-15');
    expect(listed).toEqual([
      { accessionNo: accession(5), feed: null, row: rows.get(accession(5)), ciks: [cikOf(1)] },
    ]);
    const admitted = admit(state, listed, none, 10, never).state;
    expect(
      readyOf(takeHeader(admitted, accession(5), headerOf(5), 10), 10).whole.map(
        ({ accessionNo }) => accessionNo,
      ),
    ).toEqual([accession(1), accession(5)]);
    expect(readyOf(takeFeed(admitted, [feedFiling(5)], new Set(), scope).state, 10).whole).toHaveLength(2);
  });
  it('a submissions file brings a back-dated filing that was accepted from a day on', () => {
    const rows = known(
      filing(5, { filedAt: '2026-02-01', acceptedEastern: '20260214235959' }),
      filing(6, { filedAt: '2026-02-01', acceptedEastern: '20260215000000' }),
      filing(7, { filedAt: '2026-02-01', acceptedEastern: null }),
      filing(8, { filedAt: '2026-02-17', acceptedEastern: '20260213173000' }),
    );
    const { listed } = takeFile(emptyState, cikOf(1), rows, 10, '2026-02-15');
    expect(listed.map(({ accessionNo }) => accessionNo)).toEqual([accession(6), accession(8)]);
  });
  it('the files of several companies of a pending filing count together, each once, and after a restart', () => {
    const [first, second] = [filing(5, { filerCiks: [cikOf(1)] }), filing(5, { filerCiks: [cikOf(2)] })];
    const { listed } = takeFile(emptyState, cikOf(1), known(first), 10, '2026-01-01');
    const pending = admit(emptyState, listed, none, 10, never).state;
    const both = takeFile(pending, cikOf(2), known(second), 20, '2026-01-01');
    expect(both.listed).toEqual([]);
    for (const [cik, row] of [
      [cikOf(1), first],
      [cikOf(2), second],
    ] as const)
      expect(takeFile(both.state, cik, known(row), 30, '2026-01-01').state).toBe(both.state);
    // No header comes.
    const saved = parseSaved(savedText(both.state), 0) as FollowState;
    for (const { overdue } of [readyOf(both.state, 2 * hourMs), readyOf(saved, 2 * hourMs)]) {
      // So older releases read what this one saves.
      const sightings = Object.values((overdue[0] as Pending).told);
      expect(sightings.map(({ source }) => source)).toEqual(['file', 'file']);
      expect(mergeFiling(undefined, sightings, never).filerCiks).toEqual([cikOf(1), cikOf(2)]);
    }
  });
  it('a submissions file adds its company to a filing of the ledger, and asks for no contents of it', () => {
    const held = filing(5, { filerCiks: [cikOf(1)] });
    const admittedOf = (number: number) => {
      const row = filing(5, { filerCiks: [cikOf(number)] });
      const { listed } = takeFile(emptyState, cikOf(number), known(row), 10, '2026-01-01');
      return admit(emptyState, listed, { ...none, filings: known(held), kinds: ['documents'] }, 10, never);
    };
    expect(admittedOf(1)).toEqual({ state: emptyState, corrections: [] });
    const { state, corrections } = admittedOf(2);
    expect(state).toBe(emptyState);
    expect(corrections.map(({ sightings }) => mergeFiling(held, sightings, never).filerCiks)).toEqual([
      [cikOf(1), cikOf(2)],
    ]);
  });
  it('a failed submissions file is asked for again, an absent one is not', () => {
    const unanswered = takeFile(following(1), cikOf(1), 'unanswered', 10, '').state.pending;
    expect(unanswered.get(accession(1))).toMatchObject({
      ciks: [cikOf(1)],
      file: { asked: 0, unanswered: 1 },
    });
    expect(takeFile(following(1), cikOf(1), 'absent', 10, '').state.pending.get(accession(1))).toMatchObject({
      ciks: [],
    });
  });
});

it('an appended filing is done; one published early waits to be completed', () => {
  const { state } = takeFile(following(1, 2), cikOf(1), known(filing(1)), 0, '2026-12-01');
  const { whole, overdue } = readyOf(state, 60_000);
  const after = afterAppend(state, whole, overdue);
  expect([...after.pending.values()]).toMatchObject([{ accessionNo: accession(2), isPublished: true }]);
  expect(readyOf(after, 120_000)).toEqual({ whole: [], overdue: [], lost: [] });
});

describe('what is kept for the next start', () => {
  const state: FollowState = {
    ...following(1, 2),
    since: '2026-03-02',
    feed: { seen: new Set(['a']), readThroughMs: noonMs, madeAtMs: 5 },
  };
  it('the state for the next start is read back as it was', async () => {
    const directory = fresh();
    await writeSaved(directory, savedText(state));
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
  it.each([
    ['cut off', (text: string) => text.slice(0, -40)],
    ['changed', (text: string) => text.replace('2026-03-02', '2026-03-03')],
    ['of nobody', () => '{}'],
    ['empty', () => ''],
  ])('a state that is %s is ignored with a message', async (_, change) => {
    const directory = fresh();
    writeFileSync(join(directory, savedFile), change(savedText(state)));
    const lines: string[] = [];
    expect(await readSaved(directory, 0, (line) => void lines.push(line))).toEqual(emptyState);
    expect(lines).toEqual([expect.stringContaining(savedFile)]);
    expect(parseSaved(change(savedText(state)), 0)).toBeNull();
  });
  it('there is no state before the first start', async () =>
    expect(await readSaved(fresh(), 0, expect.fail)).toEqual(emptyState));
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
    expect([
      isPolling(failed, [cikOf(1)], 120_999, 120_000),
      isPolling(failed, [cikOf(1)], 121_000, 120_000),
    ]).toEqual([false, true]);
    expect(isPolling(healthyFeed, [cikOf(1)], 1e9, 0)).toBe(false);
    expect(isPolling(failed, null, 1e9, 0)).toBe(false);
    expect(
      isPolling(
        failed,
        Array.from({ length: 1001 }, (_, at) => cikOf(at + 1)),
        1e9,
        0,
      ),
    ).toBe(false);
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
  it('the time is that of this machine, unless it is off by more than half an hour', () => {
    expect(timeOf(null, 5, 0)).toEqual({ nowMs: 5, wrongByMs: null });
    expect(timeOf(told, noonMs + 29 * 60_000, 1000)).toEqual({
      nowMs: noonMs + 29 * 60_000,
      wrongByMs: null,
    });
    expect(timeOf(told, noonMs + 5 * 3_600_000, 3000)).toEqual({
      nowMs: noonMs + 2000,
      wrongByMs: 5 * 3_600_000 - 2000,
    });
    expect(timeOf(told, 0, 3000).nowMs).toBe(noonMs + 2000);
  });
  it('the time is read on the Eastern clock', () => {
    expect(easternTime(Date.parse('2026-07-02T02:30:00Z'))).toEqual({ day: '2026-07-01', hours: 22.5 });
    expect(easternTime(Date.parse('2026-12-02T03:30:00Z'))).toEqual({ day: '2026-12-01', hours: 22.5 });
  });
  it('spans of time are written in words', () =>
    expect([90_000, 7_200_000, -29_721_600_000].map(spanText)).toEqual(['2 minutes', '2 hours', '344 days']));
});

describe('the status', () => {
  const pending = [...following(1, 2).pending.values()].map((each) => ({ ...each, listedAtMs: 57_000 }));
  const status: Status = {
    atMs: 60_000,
    listed: 12,
    published: 10,
    pending,
    unreadHistories: 0,
    feedReadMs: 58_000,
    intervalMs: 5000,
    requestsPerSecond: 2.34,
    lastError: null,
    polled: null,
    feedFailedMs: null,
    clockWrongByMs: null,
  };
  it('the status is one line', () => {
    expect(statusLine(status)).toBe(
      'listed 12 · published 10 · pending 2 · behind by 3 s · 2.3 requests a second · last error: none',
    );
    expect(
      statusLine({
        ...status,
        pending: [{ ...(pending[0] as (typeof pending)[0]), isPublished: true }],
        lastError: 'HTTP 503',
        polled: 120,
        feedFailedMs: 600_000,
        clockWrongByMs: -7_200_000,
      }),
    ).toBe(
      'listed 12 · published 10 · pending 0 and 1 to be completed · behind by 0 s · 2.3 requests a second · the feed has failed for 10 minutes · following 120 entities by their submissions files in turn · the clock of this machine is 2 hours behind · last error: HTTP 503',
    );
  });
  it('the status says how far behind the feed it is, also while the feed cannot be read', () => {
    expect(behindMs({ ...status, feedReadMs: 10_000 })).toBe(50_000);
    expect(behindMs({ ...status, pending: [], feedReadMs: 51_000 })).toBe(0);
    const before = pending.map((each) => ({ ...each, isBacklog: true }));
    expect(statusLine({ ...status, pending: before })).toContain(
      'pending 2, 2 of them listed before the start · behind by 0 s',
    );
  });
});

describe('the universe', () => {
  const tickers = [{ cik: cikOf(5), ticker: 'FIVE', name: 'Five', exchange: null }];
  it('the universe comes from the ticker files and the ledger', () => {
    const made = scopeOf(parseUniverse('five,0000000001,OLD,GONE'), tickers, new Map([['OLD', cikOf(6)]]));
    expect([made.members, made.unknown]).toEqual([[cikOf(1), cikOf(5), cikOf(6)], ['GONE']]);
    expect(scopeOf(parseUniverse('listed'), tickers, new Map()).members).toEqual([cikOf(5)]);
  });
  it('the universe can be everyone', () => {
    const made = scopeOf(parseUniverse('all'), tickers, new Map());
    expect([made.isWanted(cikOf(77)), made.members]).toEqual([true, null]);
  });
});

describe('work beside the loop', () => {
  it('work beside the loop runs once, leaves its result, and wakes who waits', async () => {
    const work = createWork<string>(() => false);
    let runs = 0;
    const run = async () => {
      runs++;
      return 'done';
    };
    work.start('ask a', run);
    work.start('ask a', run);
    expect([work.count('ask '), work.isUnderway('ask a')]).toEqual([1, true]);
    await work.wait(10_000);
    expect([runs, work.take(), work.take(), work.count('')]).toEqual([1, ['done'], [], 0]);
  });
  it('work beside the loop is dropped if it fails, unless that ends everything', async () => {
    const work = createWork<string>((error) => (error as Error).message === 'all');
    work.start('one', () => Promise.reject(new Error('one')));
    await work.settle();
    expect(work.take()).toEqual([]);
    work.start('all', () => Promise.reject(new Error('all')));
    await work.settle();
    expect(() => work.take()).toThrow('all');
  });
});
