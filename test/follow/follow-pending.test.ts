import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sightingOf } from '../../build/ingest/sightings.ts';
import {
  afterFile,
  afterHeader,
  beyondMaximum,
  countPending,
  dueRequests,
  newPending,
  nextDueMs,
  requestName,
  stateOf,
  withFeed,
  type Pending,
} from '../../build/follow/reading/pending.ts';
import { cikOf, filing } from '../support/made-up.ts';
import { feedFiling, headerOf } from '../support/told.ts';

const second = 1000;
const minute = 60 * second;
const listed = (number = 1, members: Partial<Pending> = {}): Pending => ({
  ...newPending(
    filing(number).accessionNo,
    { feed: sightingOf.feed(feedFiling(number)) },
    [cikOf(1)],
    0,
    false,
  ),
  ...members,
});
const files = (pending: Pending, atMs: number) => dueRequests([pending], atMs).map(({ kind }) => kind);

/** When the submissions file is asked for, as long as it does not show the filing, up to a time. */
function questions(pending: Pending, untilMs: number): number[] {
  const times: number[] = [];
  for (let each = pending, atMs = 0; atMs <= untilMs; atMs += second) {
    if (!dueRequests([each], atMs).some(({ kind }) => kind === 'file')) continue;
    times.push(atMs / second);
    each = afterFile(each, 'nothing', atMs);
  }
  return times;
}

describe('a filing that the feed lists', () => {
  it('a listed filing is looked for in the submissions file at once, and is whole when found', () => {
    expect(dueRequests([listed()], 0)).toEqual([{ kind: 'file', cik: cikOf(1) }]);
    expect(stateOf(listed(), 0)).toBe('waiting');
    expect(stateOf(afterFile(listed(), filing(1), second), second)).toBe('whole');
    expect(dueRequests([afterFile(listed(), filing(1), second)], minute)).toEqual([]);
  });
  it('a listed filing is looked for at growing intervals, up to a quarter of an hour', () => {
    const times = questions(listed(), 3 * 60 * minute);
    expect(times.slice(0, 6)).toEqual([0, 3, 8, 18, 38, 78]);
    const pauses = times.slice(1).map((time, at) => time - (times[at] as number));
    expect(pauses.every((pause, at) => at === 0 || pause >= (pauses[at - 1] as number) - 1)).toBe(true);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(15 * 60 + 1);
  });
  it('a listed filing needs its header once the submissions file is late', () => {
    expect(files(listed(), 0)).toEqual(['file']);
    expect(files(afterFile(listed(), 'nothing', 0), minute)).toEqual(['file']);
    const late = afterFile(afterFile(listed(), 'nothing', 0), 'nothing', 3 * second);
    expect(files(late, 3 * second)).toEqual(['header']);
    expect(stateOf(afterHeader(late, headerOf(1), 4 * second), 4 * second)).toBe('waiting');
  });
  it('a listed filing without acceptance time needs its header at once', () => {
    const undecided = newPending(
      filing(1).accessionNo,
      { feed: sightingOf.feed(feedFiling(1, { accepted: null })) },
      [cikOf(1)],
      0,
      false,
    );
    expect(files(undecided, 0)).toEqual(['file', 'header']);
    expect(stateOf(afterFile(undecided, filing(1), 0), 0)).toBe('waiting');
    expect(stateOf(afterHeader(afterFile(undecided, filing(1), 0), headerOf(1), 0), 0)).toBe('whole');
  });
  it('a listed filing is published within seconds from the feed alone if no request is possible', () => {
    expect(stateOf(listed(), 3 * second - 1)).toBe('waiting');
    expect(stateOf(listed(), 3 * second)).toBe('overdue');
    expect(nextDueMs([listed(1, { file: { asked: 0, unanswered: 0, nextAtMs: minute } })])).toBe(3 * second);
    const published = listed(1, { isPublished: true });
    expect([stateOf(published, minute), files(published, minute)]).toEqual(['waiting', ['file']]);
    // Without its acceptance it waits: that is right at first sight.
    expect(
      stateOf(
        newPending(
          filing(1).accessionNo,
          { feed: sightingOf.feed(feedFiling(1, { accepted: null })) },
          [cikOf(1)],
          0,
          false,
        ),
        30 * second,
      ),
    ).toBe('waiting');
    expect(stateOf(listed(1, { isBacklog: true }), 30 * second)).toBe('waiting');
  });
  it('a listed filing is published after a minute with what is known, and completed later', () => {
    const late = afterFile(listed(), 'nothing', 0);
    expect(stateOf(late, minute - 1)).toBe('waiting');
    expect(stateOf(late, minute)).toBe('overdue');
    const published = { ...late, isPublished: true };
    expect(stateOf(published, 10 * minute)).toBe('waiting');
    expect(files(published, 10 * minute)).toEqual(['file']);
    expect(stateOf(afterFile(published, filing(1), 10 * minute), 10 * minute)).toBe('whole');
  });
  it('a listed filing is looked for under each of its entities, and published if none has a file', () => {
    const two = newPending(
      filing(1).accessionNo,
      { feed: sightingOf.feed(feedFiling(1)) },
      [cikOf(1), cikOf(2)],
      0,
      false,
    );
    const second = afterFile(two, 'absent', 0);
    expect(dueRequests([second], 0)).toEqual([{ kind: 'file', cik: cikOf(2) }]);
    const none = afterFile(second, 'absent', 0);
    expect(dueRequests([none], 0)).toEqual([
      { kind: 'header', accessionNo: none.accessionNo, cik: cikOf(1) },
    ]);
    expect(stateOf(afterHeader(none, headerOf(1), 0), 0)).toBe('overdue');
  });
  it('a listed filing that no file shows is given up in the end', () => {
    let each = listed(1, { isPublished: true });
    let asked = 0;
    for (let atMs = 0; atMs < 48 * 60 * minute; atMs += second)
      for (const { kind } of dueRequests([each], atMs)) {
        asked++;
        each = kind === 'file' ? afterFile(each, 'nothing', atMs) : afterHeader(each, 'absent', atMs);
      }
    expect(asked).toBe(40);
    expect(stateOf(each, 48 * 60 * minute)).toBe('lost');
  });
  it('requests without an answer say nothing: a filing is completed after eight hours of them', () => {
    let each = listed(1, { isPublished: true });
    let asked = 0;
    for (let atMs = 0; atMs < 8 * 60 * minute; atMs += second)
      for (const { kind } of dueRequests([each], atMs)) {
        asked++;
        each = kind === 'file' ? afterFile(each, 'unanswered', atMs) : afterHeader(each, 'unanswered', atMs);
      }
    expect(asked).toBeGreaterThan(35);
    expect([each.file.asked, each.header.asked]).toEqual([0, 0]);
    expect(stateOf(each, 8 * 60 * minute)).toBe('waiting');
    const answered = afterFile(each, 'nothing', 8 * 60 * minute).file;
    expect(answered).toMatchObject({ asked: 1, unanswered: 0 });
    expect(stateOf(afterFile(each, filing(1), 9 * 60 * minute), 9 * 60 * minute)).toBe('whole');
  });
  it('a published filing is left to the comparison with the index after two days, or if too many wait', () => {
    const published = (number: number, listedAtMs: number) =>
      listed(number, { isPublished: true, listedAtMs });
    expect(stateOf(published(1, 0), 48 * 60 * minute - 1)).toBe('waiting');
    expect(stateOf(published(1, 0), 48 * 60 * minute)).toBe('lost');
    const all = [published(1, 5), published(2, 1), published(3, 9), listed(4)];
    expect(beyondMaximum(all, 1).map(({ accessionNo }) => accessionNo)).toEqual(
      [2, 1].map((number) => filing(number).accessionNo),
    );
    expect(beyondMaximum(all)).toEqual([]);
  });
  it('a filing listed before the start waits longer, unless it was looked for in vain', () => {
    const before = listed(1, { isBacklog: true });
    expect(stateOf(before, 14 * minute)).toBe('waiting');
    expect(stateOf(before, 15 * minute)).toBe('overdue');
    expect(stateOf(afterFile(afterFile(before, 'nothing', 0), 'nothing', 0), minute)).toBe('overdue');
  });
});

describe('a filing that a submissions file showed first', () => {
  const shown = newPending(filing(1).accessionNo, { file: sightingOf.file(filing(1)) }, [cikOf(1)], 0, false);
  it('a filing of a submissions file waits a little for the feed before its header is fetched', () => {
    expect(dueRequests([shown], 9 * second)).toEqual([]);
    expect(files(shown, 10 * second)).toEqual(['header']);
    expect(stateOf(withFeed(shown, feedFiling(1)), second)).toBe('whole');
    expect(stateOf(afterHeader(shown, headerOf(1), second), second)).toBe('whole');
  });
  it('a paper filing is published after a minute without a header', () => {
    expect(stateOf(afterHeader(shown, 'absent', 10 * second), 59 * second)).toBe('waiting');
    expect(stateOf(afterHeader(shown, 'absent', 10 * second), minute)).toBe('overdue');
  });
});

describe('requests', () => {
  it('each file is asked for once, however many filings wait for it', () => {
    expect(dueRequests([listed(1), listed(2), listed(3)], 0)).toEqual([{ kind: 'file', cik: cikOf(1) }]);
  });
  it('requests for new filings come before those for older and published ones', () => {
    const of = (number: number, members: Partial<Pending>) => ({
      ...newPending(
        filing(number).accessionNo,
        { feed: sightingOf.feed(feedFiling(number)) },
        [cikOf(number)],
        0,
        false,
      ),
      ...members,
    });
    const pending = [
      of(1, { isPublished: true }),
      of(2, { isBacklog: true }),
      of(3, { listedAtMs: 5 }),
      of(4, { listedAtMs: 1 }),
    ];
    expect(dueRequests(pending, minute).map(requestName)).toEqual([4, 3, 2, 1].map(cikOf));
  });
  it('requests are due when the next one is announced', () => {
    expect(nextDueMs([])).toBeNull();
    expect(nextDueMs([listed()])).toBe(0);
    const asked = afterFile(listed(), 'nothing', 0);
    expect(nextDueMs([asked])).toBe(2500);
    expect(dueRequests([asked], 2499)).toEqual([]);
    expect(dueRequests([asked], 2500)).not.toEqual([]);
  });
});

it('counts tell how many filings wait to be published and to be completed', () => {
  expect(
    countPending([
      listed(1),
      listed(2, { isPublished: true, isBacklog: true }),
      listed(3, { isBacklog: true }),
    ]),
  ).toEqual({ unpublished: 2, backlog: 1, incomplete: 1 });
});

it('any filing is published within about a minute, and never again once it is whole', () => {
  const answers = fc.array(
    fc.record({
      pauseMs: fc.integer({ min: 0, max: 20_000 }),
      file: fc.constantFrom('nothing', 'absent', 'row'),
      header: fc.boolean(),
    }),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(answers, fc.boolean(), (steps, isFromFeed) => {
      let each = newPending(
        filing(1).accessionNo,
        isFromFeed ? { feed: sightingOf.feed(feedFiling(1)) } : { file: sightingOf.file(filing(1)) },
        [cikOf(1), cikOf(2)],
        0,
        false,
      );
      let atMs = 0;
      const became: string[] = [];
      for (const { pauseMs, file, header } of steps) {
        atMs += pauseMs;
        for (const request of dueRequests([each], atMs)) {
          each =
            request.kind === 'header'
              ? afterHeader(each, header ? headerOf(1) : 'absent', atMs)
              : afterFile(each, file === 'row' ? filing(1) : (file as 'nothing' | 'absent'), atMs);
        }
        const is = stateOf(each, atMs);
        if (is === 'waiting') continue;
        became.push(is);
        if (is !== 'overdue') break;
        each = { ...each, isPublished: true };
      }
      if (atMs > 60_000) expect(became.length).toBeGreaterThan(0);
      expect(became.filter((is) => is === 'overdue').length).toBeLessThanOrEqual(1);
      expect(each.told).not.toEqual({});
    }),
  );
});
