import { describe, expect, it } from 'vitest';
import type { Fetched } from '../../build/ingest/fetch.ts';
import {
  afterReading,
  entriesOfWholeFilings,
  gapOf,
  readFeed,
  settleEnd,
  type Reading,
  type SeenFeed,
} from '../../build/follow/reading/feed-reading.ts';
import { entriesPerPage, type FeedEntry, type FeedPage } from '../../build/sources/current-feed.ts';
import { entriesOf, feedFiling, noonMs, pageOf, partyOf } from '../support/told.ts';

const nothing: SeenFeed = { seen: new Set(), readThroughMs: null, madeAtMs: 0 };
/** Entries of filings by number, newest first: number N was accepted N seconds after noon. */
const feedOf = (from: number, to: number) =>
  entriesOf(Array.from({ length: to - from + 1 }, (_, at) => feedFiling(to - at)));
const ok = (parsed: FeedPage): Fetched<FeedPage> => ({ kind: 'ok', parsed, asOfMs: 0, changed: true });
const lost = (reason = 'HTTP 503', cause: 'failed' | 'throttled' = 'failed'): Fetched<FeedPage> => ({
  kind: 'lost',
  reason,
  cause,
});
const numbers = ({ entries }: Reading) => [
  ...new Set(entries.map(({ accepted }) => ((accepted?.atMs ?? 0) - noonMs) / 1000)),
];

/** Reads a feed; `change` is told of each page before it is given, and may change the feed. */
async function read(
  feed: { entries: FeedEntry[] },
  seen: SeenFeed,
  change: (page: number) => void = () => {},
): Promise<{ reading: Reading; asked: number[] }> {
  const asked: number[] = [];
  const reading = await readFeed(async (start) => {
    change(asked.length);
    asked.push(start);
    const entries = feed.entries.slice(start, start + entriesPerPage);
    return entries.length === 0 ? lost() : ok(pageOf(entries));
  }, seen);
  return { reading, asked };
}

describe('a reading of the feed', () => {
  it('a reading of the feed goes to the end at first, and later back to what it knows', async () => {
    const feed = { entries: feedOf(1, 250) };
    const first = await read(feed, nothing);
    expect([first.asked, first.reading.end, numbers(first.reading).length]).toEqual([
      [0, 100, 200],
      { kind: 'end' },
      250,
    ]);
    const seen = afterReading(nothing, first.reading);
    expect([seen.seen.size, seen.readThroughMs]).toEqual([250, noonMs + 250_000]);
    feed.entries = feedOf(1, 253);
    const second = await read(feed, seen);
    expect([second.asked, second.reading.end]).toEqual([[0, 100], { kind: 'known' }]);
    expect(numbers(second.reading).filter((number) => number > 250)).toEqual([253, 252, 251]);
    const third = await read(feed, afterReading(seen, second.reading));
    expect(third.asked).toEqual([0]);
  });
  it('a reading reports each page at once, but holds back a filing whose parties may follow', async () => {
    const both = feedFiling(7, { parties: [partyOf(7), partyOf(8, 'filed_by')] });
    const entries = [...feedOf(20, 118), ...entriesOf([both]), ...feedOf(1, 3)];
    const told: string[][] = [];
    const { end } = await readFeed(
      async (start) => ok(pageOf(entries.slice(start, start + entriesPerPage))),
      nothing,
      (some) => told.push(entriesOfWholeFilings(some).map(({ accessionNo }) => accessionNo)),
    );
    expect([end, told.length, told[0]?.length, told[0]?.includes(both.accessionNo)]).toEqual([
      { kind: 'end' },
      1,
      99,
      false,
    ]);
  });
  it('a reading takes as many pages as a busy minute has', async () => {
    const seen = afterReading(nothing, (await read({ entries: feedOf(1, 150) }, nothing)).reading);
    const { reading, asked } = await read({ entries: feedOf(1, 730) }, seen);
    expect(asked).toEqual([0, 100, 200, 300, 400, 500, 600]);
    expect(numbers(reading)).toEqual(
      expect.arrayContaining(Array.from({ length: 580 }, (_, at) => 151 + at)),
    );
  });
  it('a reading loses nothing while pages shift', async () => {
    const feed = { entries: feedOf(1, 300) };
    let newest = 300;
    const { reading } = await read(feed, nothing, (page) => {
      if (page > 0 && page < 4) feed.entries = feedOf(1, (newest += 37));
    });
    expect(numbers(reading)).toEqual(expect.arrayContaining(Array.from({ length: 300 }, (_, at) => 1 + at)));
    const after = await read(feed, afterReading(nothing, reading));
    expect(numbers(after.reading)).toEqual(
      expect.arrayContaining(Array.from({ length: newest - 300 }, (_, at) => 301 + at)),
    );
  });
  it('a reading finds what the feed lists late among known entries', async () => {
    const seen = afterReading(nothing, (await read({ entries: feedOf(1, 150) }, nothing)).reading);
    const late = feedFiling(999, { secondsAfterNoon: 120.5, parties: [partyOf(7), partyOf(8, 'filed_by')] });
    const entries = feedOf(1, 151);
    const { reading } = await read(
      { entries: [...entries.slice(0, 30), ...entriesOf([late]), ...entries.slice(30)] },
      seen,
    );
    expect(
      reading.entries
        .filter(({ accessionNo }) => accessionNo === late.accessionNo)
        .map(({ party }) => party.cik),
    ).toEqual(['0000000007', '0000000008']);
  });
  it('a reading after a restart stops at entries older than those read before', async () => {
    const { asked, reading } = await read(
      { entries: feedOf(1, 3000) },
      { ...nothing, readThroughMs: noonMs + 2900_000 },
    );
    // The last ten minutes before are looked at again: 700 of the entries.
    expect([asked.length, reading.end]).toEqual([8, { kind: 'known' }]);
  });
  it.each([
    [
      'a page that cannot be had',
      lost('HTTP 500'),
      { kind: 'broken', reason: 'HTTP 500', isThrottled: false },
    ],
    ['a block', lost('throttled', 'throttled'), { kind: 'broken', reason: 'throttled', isThrottled: true }],
    [
      'a page that lists nothing',
      ok(pageOf([])),
      { kind: 'broken', reason: 'the feed lists nothing', isThrottled: false },
    ],
    [
      'a page of which nothing is understood',
      ok({ ...pageOf([]), refused: Array(100).fill({ accessionNo: '', reason: 'title ""' }) }),
      { kind: 'broken', reason: 'no entry can be understood, the first: title ""', isThrottled: false },
    ],
    [
      'a page of another day',
      ok(pageOf(feedOf(1, 3), -86_400)),
      { kind: 'broken', reason: expect.stringMatching(/^it was made at 2026-03-01/), isThrottled: false },
    ],
  ])('a reading broken by %s does not count', async (_, answer, end) => {
    const before: SeenFeed = { seen: new Set(['x']), readThroughMs: noonMs, madeAtMs: noonMs };
    const reading = await readFeed(async () => answer, before);
    expect(reading.end).toEqual(end);
    expect(afterReading(before, reading)).toEqual(before);
  });
  it('a broken reading keeps what it read, and the next one goes as far back', async () => {
    const feed = { entries: feedOf(1, 300) };
    const broken = await readFeed(
      async (start) => (start < 200 ? ok(pageOf(feed.entries.slice(start, start + 100))) : lost()),
      nothing,
    );
    expect([broken.entries.length, broken.end.kind]).toEqual([200, 'broken']);
    expect((await read(feed, afterReading(nothing, broken))).asked).toEqual([0, 100, 200, 300]);
  });
  it('a reading that breaks three times behind a full page has found the end', async () => {
    const { reading } = await read({ entries: feedOf(1, 200) }, nothing);
    expect(reading.end.kind).toBe('broken');
    expect([0, 1, 2].map((before) => settleEnd(reading, before).end.kind)).toEqual([
      'broken',
      'broken',
      'end',
    ]);
    const none = await readFeed(async () => lost(), nothing);
    expect(settleEnd(none, 5).end.kind, 'the first page is no end').toBe('broken');
  });
});

describe('a gap', () => {
  const seen: SeenFeed = { seen: new Set(), readThroughMs: noonMs + 1000_000, madeAtMs: 0 };
  it('a gap lies between the last reading and the oldest entry of the feed', async () => {
    expect(gapOf(seen, (await read({ entries: feedOf(5000, 5050) }, seen)).reading)).toEqual({
      fromMs: noonMs + 1000_000,
      toMs: noonMs + 5000_000,
    });
  });
  it('no gap lies where readings touch, or at the first reading', async () => {
    expect(gapOf(seen, (await read({ entries: feedOf(990, 1050) }, seen)).reading)).toBeNull();
    expect(gapOf(seen, (await read({ entries: feedOf(1, 3000) }, seen)).reading)).toBeNull();
    expect(gapOf(nothing, (await read({ entries: feedOf(5000, 5050) }, nothing)).reading)).toBeNull();
  });
});
