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
const hour = 60 * minute;
const { accessionNo } = filing(1);

/** A filing that the feed lists at time 0. */
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
const undecided = newPending(
  accessionNo,
  { feed: sightingOf.feed(feedFiling(1, { accepted: null })) },
  [cikOf(1)],
  0,
  false,
);
const shown = newPending(accessionNo, { file: sightingOf.file(filing(1)) }, [cikOf(1)], 0, false);
const [secondEntity, noEntity] = [1, 2].map((absent) =>
  Array.from({ length: absent }).reduce<Pending>(
    (each) => afterFile(each, 'absent', 0),
    listed(1, { ciks: [cikOf(1), cikOf(2)] }),
  ),
) as [Pending, Pending];
const published = { isPublished: true };
const missedOnce = afterFile(listed(), 'nothing', 0);
const missedTwice = afterFile(missedOnce, 'nothing', 3 * second);
const found = (pending: Pending) => afterFile(pending, filing(1), 0);
const withHeader = (pending: Pending) => afterHeader(pending, headerOf(1), 0);

describe('a filing that upstream listed', () => {
  it.each<[string, Pending, ...(readonly [number, ReturnType<typeof stateOf>, string])[]]>([
    [
      'is looked for in its file at once, and published from the feed alone after seconds if no request is possible',
      listed(),
      [0, 'waiting', 'file'],
      [2999, 'waiting', 'file'],
      [3000, 'overdue', 'file'],
    ],
    ['is whole when its file has it', found(listed()), [second, 'whole', ''], [minute, 'whole', '']],
    [
      'that its file lacks is published after a minute with what is known',
      missedOnce,
      [2499, 'waiting', ''],
      [2500, 'waiting', 'file'],
      [minute - 1, 'waiting', 'file'],
      [minute, 'overdue', 'file'],
    ],
    ['needs its header once its file is late', missedTwice, [3 * second, 'waiting', 'header']],
    ['waits for its file although it has its header', withHeader(missedTwice), [4 * second, 'waiting', '']],
    [
      'without acceptance needs its header at once, and waits for it: that is right at first sight',
      undecided,
      [0, 'waiting', 'file header'],
      [30 * second, 'waiting', 'file header'],
    ],
    [
      'without acceptance waits for its header although its file has it',
      found(undecided),
      [0, 'waiting', 'header'],
    ],
    ['without acceptance is whole with file and header', withHeader(found(undecided)), [0, 'whole', '']],
    ['is looked for under its next entity if one has no file', secondEntity, [0, 'waiting', 'file']],
    ['is published with its header if no entity has a file', noEntity, [0, 'waiting', 'header']],
    ['is published if nothing is left to ask for', withHeader(noEntity), [0, 'overdue', '']],
    [
      'and published is completed later, for two days',
      listed(1, published),
      [10 * minute, 'waiting', 'file'],
      [48 * hour - 1, 'waiting', 'file'],
      [48 * hour, 'lost', 'file'],
    ],
    ['and published is whole when its file has it', found(listed(1, published)), [10 * minute, 'whole', '']],
    [
      'before the start waits longer',
      listed(1, { isBacklog: true }),
      [14 * minute, 'waiting', 'file'],
      [15 * minute, 'overdue', 'file'],
    ],
    [
      'before the start waits no longer than others if it was looked for in vain',
      { ...missedTwice, isBacklog: true },
      [minute, 'overdue', 'file header'],
    ],
    [
      'in a file waits a little for the feed before its header is asked for',
      shown,
      [9 * second, 'waiting', ''],
      [10 * second, 'waiting', 'header'],
    ],
    ['in a file is whole with the feed', withFeed(shown, feedFiling(1)), [second, 'whole', '']],
    ['in a file is whole with its header', withHeader(shown), [second, 'whole', '']],
    [
      'on paper is published after a minute without a header',
      afterHeader(shown, 'absent', 10 * second),
      [minute - 1, 'waiting', 'header'],
      [minute, 'overdue', 'header'],
    ],
  ])('%s', (_, pending, ...moments) => {
    for (const [atMs, state, due] of moments) {
      const kinds = dueRequests([pending], atMs).map(({ kind }) => kind);
      expect([atMs, stateOf(pending, atMs), kinds.join(' ')]).toEqual([atMs, state, due]);
    }
  });
  it('asks for the files of its entities in their order, and for the header in the folder of the first', () => {
    expect([listed(), secondEntity, noEntity].map((each) => dueRequests([each], 0))).toEqual([
      [{ kind: 'file', cik: cikOf(1) }],
      [{ kind: 'file', cik: cikOf(2) }],
      [{ kind: 'header', accessionNo, cik: cikOf(1) }],
    ]);
  });
});

/** Asks about a published filing with answers that lack it, from time 0 on. Returns it, and when its file was asked for, in seconds. */
function askInVain(answer: 'nothing' | 'unanswered', untilMs: number): { pending: Pending; times: number[] } {
  let pending = listed(1, published);
  const times: number[] = [];
  for (let atMs = 0; atMs < untilMs; atMs = nextDueMs([pending]) ?? Infinity) {
    expect(dueRequests([pending], atMs)).toEqual([{ kind: 'file', cik: cikOf(1) }]);
    times.push(atMs / second);
    pending = afterFile(pending, answer, atMs);
  }
  return { pending, times };
}

describe('a filing that no file shows', () => {
  it('is looked for at growing intervals, up to a quarter of an hour, and given up in the end', () => {
    const { pending, times } = askInVain('nothing', 48 * hour);
    const pauses = times.slice(1).map((time, at) => time - (times[at] as number));
    expect(pauses.slice(0, 5)).toEqual([2.5, 5, 10, 20, 40]);
    expect(pauses).toEqual(pauses.toSorted((one, other) => one - other));
    expect(pauses.at(-1)).toBe(15 * 60);
    expect([times.length, stateOf(pending, 47 * hour)]).toEqual([40, 'lost']);
  });
  it('is not given up for requests without an answer: they say nothing', () => {
    const { pending, times } = askInVain('unanswered', 8 * hour);
    expect(times.length).toBeGreaterThan(35);
    expect([pending.file.asked, stateOf(pending, 8 * hour)]).toEqual([0, 'waiting']);
    expect(afterFile(pending, 'nothing', 8 * hour).file).toMatchObject({ asked: 1, unanswered: 0 });
    expect(stateOf(found(pending), 9 * hour)).toBe('whole');
  });
  it('is left to the comparison with the index if too many wait, the oldest ones first', () => {
    const all = [5, 1, 9].map((listedAtMs, at) => listed(at + 1, { ...published, listedAtMs }));
    expect(beyondMaximum([...all, listed(4)], 1)).toEqual([all[1], all[0]]);
    expect(beyondMaximum(all)).toEqual([]);
  });
});

describe('requests', () => {
  it('each file is asked for once, however many filings wait for it', () =>
    expect(dueRequests([listed(1), listed(2), listed(3)], 0)).toEqual([{ kind: 'file', cik: cikOf(1) }]));
  it('requests for new filings come before those for older and published ones', () => {
    const of = (number: number, members: Partial<Pending>) =>
      listed(number, { ciks: [cikOf(number)], ...members });
    const pending = [
      of(1, published),
      of(2, { isBacklog: true }),
      of(3, { listedAtMs: 5 }),
      of(4, { listedAtMs: 1 }),
    ];
    expect(dueRequests(pending, minute).map(requestName)).toEqual([4, 3, 2, 1].map(cikOf));
  });
  it('requests are due when the next one is announced, or when a filing has waited long enough', () => {
    const later = listed(1, { file: { asked: 0, unanswered: 0, nextAtMs: minute } });
    expect([[], [listed()], [missedOnce], [later]].map(nextDueMs)).toEqual([null, 0, 2500, 3 * second]);
  });
  it('counts tell how many filings wait to be published and to be completed', () =>
    expect(
      countPending([listed(1), listed(2, { ...published, isBacklog: true }), listed(3, { isBacklog: true })]),
    ).toEqual({ unpublished: 2, backlog: 1, incomplete: 1 }));
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
      let each: Pending = { ...(isFromFeed ? listed() : shown), ciks: [cikOf(1), cikOf(2)] };
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
