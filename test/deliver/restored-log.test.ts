import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addAction, lineOf } from '../../build/deliver/operator.ts';
import { readState } from '../../build/deliver/delivery-state.ts';
import {
  createNews,
  type Feed,
  type FeedPage,
  handledUpTo,
  leftOf,
  nothingHandled,
} from '../../build/deliver/feed.ts';
import { parsePosition } from '../../clients/typescript/src/cursor.ts';
import { FilingEventsError, type Change, type ChangeFilter } from '../../clients/typescript/src/node.ts';
import { deliveriesOf } from '../support/delivering.ts';
import { useDirectories } from '../support/directories.ts';
import { secretOf, startReceivers } from '../support/receivers.ts';

const directory = useDirectories('restored-log');

/** A change of a log whose batches are of ten changes. `history` tells ledgers apart that went on differently. */
function changeOf(
  sequence: number,
  history: string,
  at = `2026-08-0${1 + Math.floor(sequence / 10)}`,
): Change {
  const accessionNo = `00000000${history}-26-${String(sequence).padStart(6, '0')}`;
  return {
    sequence,
    revision: 1,
    changeType: 'new',
    observedAt: `${at}T12:00:00.000Z`,
    filing: { accessionNo, form: sequence % 2 === 0 ? '8-K' : '10-Q' },
  } as unknown as Change;
}

/** A log of `length` changes, which from `from` on are those of another history, recorded later. */
const logOf = (length: number, from = Infinity, history = '22') =>
  Array.from({ length }, (_, at) =>
    at + 1 < from ? changeOf(at + 1, '11') : changeOf(at + 1, history, '2026-09-01'),
  );

const matches = ({ form }: ChangeFilter, change: Change) => form === undefined || change.filing.form === form;

/** A page behind a sequence. */
function pageOf(log: readonly Change[], filter: ChangeFilter, after: number, rows = 25): FeedPage {
  const changes = log.filter((each) => each.sequence > after && matches(filter, each)).slice(0, rows);
  const isLast = changes.length < rows;
  return {
    changes,
    isLast,
    endedEarly: false,
    unknown: [],
    cursor: String(isLast ? log.length : changes.at(-1)?.sequence),
  };
}

/** A feed over a log, whose cursors are sequences. */
const feedOf = (log: () => readonly Change[]): Feed => ({
  page: async (filter, cursor) => pageOf(log(), filter, Number(cursor)),
  end: async () => String(log().length),
  news: (_, signal) =>
    new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    ),
});

describe('what of a page is left', () => {
  const filters: readonly ChangeFilter[] = [{}, { form: '8-K' }];
  const filter = fc.constantFrom(...filters);

  it('of the log that it was read from: what was not handled, also with another filter', () =>
    fc.assert(
      fc.property(fc.nat(40), fc.nat(24), filter, filter, (after, handledRows, before, now) => {
        const log = logOf(60);
        const handled = pageOf(log, before, after).changes.slice(0, handledRows);
        const last = handled.at(-1);
        const left = leftOf(
          pageOf(log, now, after),
          last === undefined ? nothingHandled : handledUpTo(last, before),
          now,
        );
        expect(left).toEqual(
          pageOf(log, now, after).changes.filter(({ sequence }) => sequence > (last?.sequence ?? 0)),
        );
      }),
    ));

  it('of a log that went on differently: never less than what is new in it', () =>
    fc.assert(
      fc.property(
        fc.nat(40),
        fc.integer({ min: 1, max: 24 }),
        filter,
        filter,
        fc.integer({ min: 1, max: 80 }),
        fc.integer({ min: 1, max: 60 }),
        (after, handledRows, before, now, length, from) => {
          const last = pageOf(logOf(60), before, after).changes.slice(0, handledRows).at(-1);
          fc.pre(last !== undefined);
          const page = pageOf(logOf(length, from), now, after);
          const left = leftOf(page, handledUpTo(last as Change, before), now);
          // It waits, and then delivers the whole page.
          if (left === 'ahead' || left === 'lost') return;
          const isNew = ({ sequence }: Change) => sequence >= from || sequence > (last as Change).sequence;
          expect(left).toEqual(expect.arrayContaining(page.changes.filter(isNew)));
        },
      ),
      { numRuns: 300 },
    ));

  it('a page that ended early before what was handled has nothing left, and is not waited for', () => {
    const handled = handledUpTo(changeOf(20, '11'), {});
    const page = { ...pageOf(logOf(15), {}, 10), isLast: false, endedEarly: true };
    expect(leftOf(page, handled, {})).toEqual([]);
    expect(leftOf({ ...pageOf(logOf(30), {}, 10), endedEarly: true }, handled, {})).toEqual(
      pageOf(logOf(30), {}, 20).changes,
    );
  });

  it('a page that ends before what was handled is waited for; a number alone counts for nothing', () => {
    const handled = handledUpTo(changeOf(20, '11'), {});
    expect(leftOf(pageOf(logOf(15), {}, 10), handled, {})).toBe('ahead');
    expect(leftOf(pageOf(logOf(30, 15), {}, 10), handled, {})).toBe('lost');
    const page = pageOf(logOf(30), {}, 10);
    expect(leftOf(page, { sequence: 20 }, {})).toEqual(page.changes);
  });
});

describe('after the ledger was restored from a backup', () => {
  let receivers: Awaited<ReturnType<typeof startReceivers>>;
  let acceptsUpTo = Infinity;
  beforeAll(async () => {
    receivers = await startReceivers(({ change }) => (change.sequence <= acceptsUpTo ? 204 : 503));
  });
  afterAll(() => receivers.close());

  const endpoint = (name: string, members: object = {}) => ({
    name,
    url: `${receivers.address}/${name}`,
    secrets: [secretOf(1)],
    cursor: '10',
    ...members,
  });
  const idsAt = (path: string) => receivers.accepted(path).map(({ id }) => id);
  const idsOf = (changes: readonly Change[]) => changes.map(({ filing }) => `${filing.accessionNo}.1`);

  /** Delivers up to a change in the middle of a page, and stops. */
  async function deliverUpTo(sequence: number, name: string, log: readonly Change[], members: object = {}) {
    const folder = directory();
    const deliveries = deliveriesOf(() => 'http://127.0.0.1:1', folder);
    acceptsUpTo = sequence;
    deliveries.write([endpoint(name, members)]);
    await deliveries.start({ feed: feedOf(() => log) });
    await expect.poll(() => idsAt(`/${name}`).at(-1)).toBe(`${log[sequence - 1]?.filing.accessionNo}.1`);
    await expect.poll(async () => (await readState(folder)).endpoints.get(name)?.sequence).toBe(sequence);
    await deliveries.stop();
    acceptsUpTo = Infinity;
    return deliveries;
  }

  it('an endpoint in the middle of a page gets every change of the log that it did not have, and it is told', async () => {
    const deliveries = await deliverUpTo(22, 'restored', logOf(30));
    const log = logOf(40, 16);
    const before = idsAt('/restored').length;
    expect(before).toBe(12);
    await deliveries.start({ feed: feedOf(() => log) });
    await expect.poll(() => idsAt('/restored').slice(before)).toEqual(idsOf(log.slice(10)));
    const lost = '0000000011-26-000022.1@2026-08-03T12:00:00.000Z';
    expect(deliveries.lines).toContainEqual(
      `warn restored: the feed no longer has ${lost}, which was delivered last: was its ledger restored? All changes behind the cursor are delivered again`,
    );
    await deliveries.stop();
    const entry = (await readState(deliveries.directory)).endpoints.get('restored');
    expect([entry?.cursor, entry?.sequence, entry?.lost?.change]).toEqual(['40', 0, lost]);
    expect(lineOf('restored', entry, [])).toMatch(
      new RegExp(`^restored {2}ok .* began again at 2\\S+Z, because the feed no longer had ${lost}$`),
    );
  });

  it('while the feed ends before what was delivered, it is waited for a minute', {
    tags: ['slow'],
  }, async () => {
    let log: readonly Change[] = logOf(30);
    const deliveries = await deliverUpTo(22, 'late', log);
    log = logOf(20);
    const asked = { times: 0 };
    const feed = feedOf(() => log);
    const counted: Feed = { ...feed, page: (...given) => (asked.times++, feed.page(...given)) };
    let clockMs = 0;
    await deliveries.start({ feed: counted, elapsed: () => clockMs });
    await expect.poll(() => asked.times, { timeout: 5000 }).toBeGreaterThan(1);
    expect(idsAt('/late').length).toBe(12);
    log = logOf(25);
    await expect.poll(() => idsAt('/late').slice(12), { timeout: 10_000 }).toEqual(idsOf(log.slice(22)));
    await deliveries.stop();
    clockMs += 61_000;
    // The log stays behind: what it has comes again.
    const other = await deliverUpTo(22, 'behind', logOf(30));
    log = logOf(20, 18);
    await other.start({ feed: counted, elapsed: () => (clockMs += 61_000) });
    await expect.poll(() => idsAt('/behind').slice(12), { timeout: 10_000 }).toEqual(idsOf(log.slice(10)));
    await other.stop();
  });

  it('a state of before, which has a number alone, is read, and what is behind its cursor comes again', async () => {
    const log = logOf(30);
    const deliveries = await deliverUpTo(22, 'old', log);
    const path = join(deliveries.directory, 'state.json');
    writeFileSync(
      path,
      readFileSync(path, 'utf8')
        .replaceAll(/,"(change|filter)":"[^"]*"/g, '')
        .replaceAll(/,"isSlow":\w+/g, ''),
    );
    expect((await readState(deliveries.directory)).endpoints.get('old')).toMatchObject({
      cursor: '10',
      sequence: 22,
    });
    await deliveries.start({ feed: feedOf(() => log) });
    await expect.poll(() => idsAt('/old').slice(12)).toEqual(idsOf(log.slice(10)));
    await deliveries.stop();
  });

  it('what a dead letter has as its cursor is followed as far as the log has it', {
    tags: ['slow'],
  }, async () => {
    const log = logOf(30);
    const folder = directory();
    const deliveries = deliveriesOf(() => 'http://127.0.0.1:1', folder);
    deliveries.write([endpoint('replayed', { cursor: '30' })]);
    let served: readonly Change[] = log;
    await deliveries.start({ feed: feedOf(() => served) });
    const replay = (text: string) => {
      const { cursor, ...rest } = parsePosition(text);
      return addAction(folder, () => readState(folder), {
        does: 'replay',
        endpoint: 'replayed',
        cursor: cursor ?? '',
        ...rest,
      });
    };
    await replay('10 20 0000000011-26-000020.1@2026-08-03T12:00:00.000Z');
    await expect.poll(() => idsAt('/replayed')).toEqual(idsOf(log.slice(20)));
    served = logOf(30, 16);
    await replay('10 20 0000000011-26-000020.1@2026-08-03T12:00:00.000Z');
    await expect.poll(() => idsAt('/replayed').slice(10)).toEqual(idsOf(served.slice(10)));
    await deliveries.stop();
  });

  it('news are looked for from the end that the log has now', async () => {
    const over = new AbortController();
    const asked: string[] = [];
    const ends = ['behind the end', 'the end now'];
    const news = createNews(
      {
        page: () => Promise.reject(new Error('nobody asks for a page')),
        end: async () => ends.shift() ?? 'later',
        news: async (cursor) => {
          asked.push(cursor);
          if (cursor === 'behind the end')
            throw new FilingEventsError('cursor: the ledger was rolled back', { code: 'invalid_cursor' });
          over.abort();
          return false;
        },
      },
      () => {},
    );
    await news.run(over.signal);
    expect([news.end(), asked]).toEqual(['the end now', ['behind the end', 'the end now']]);
  });
});
