import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/contract/errors.ts';
import { parameters } from '../../src/contract/parameters.ts';
import {
  checkFeedCursor,
  decodeHistoryCursor,
  encodeFeedCursor,
  encodeHistoryCursor,
  parseFeedCursor,
  type FeedCursor,
  type FeedLog,
} from '../../src/query/cursor.ts';
import { sha256Of } from '../../src/files/bytes.ts';

/** A feed of batches that end at these sequences. `fork` makes the last batch another one. */
function logOf(lastSequences: readonly number[], ledger = 'one', fork = ''): FeedLog {
  return {
    ledgerId: sha256Of(ledger),
    batchOf(sequence) {
      const at = lastSequences.findIndex((last) => last >= sequence);
      return at === -1 ? null : sha256Of(`${ledger} ${at}${at === lastSequences.length - 1 ? fork : ''}`);
    },
  };
}

/** Reads a cursor and checks it against the feed, as requests do. */
async function decodeFeedCursor(text: string, log: FeedLog): Promise<FeedCursor> {
  const cursor = parseFeedCursor(text, log);
  await checkFeedCursor(cursor, log);
  return cursor;
}

/** The message with which a cursor is refused. */
async function refusal(decode: () => unknown): Promise<string> {
  try {
    await decode();
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).code).toBe('invalid_cursor');
    return (error as ApiError).message;
  }
  throw new Error('the cursor was accepted');
}

const grown = logOf([10, 10, 25, 40]);
const cik = (number: number) => String(number).padStart(10, '0');
const sequence = fc.integer({ min: 0, max: 40 });
const positions = fc
  .dictionary(fc.integer({ min: 0, max: 9_999_999_999 }).map(cik), sequence, { maxKeys: 30 })
  .map((each) => new Map(Object.entries(each)));
const since = '2026-01-05';
const bounds = { since };
const orders = fc
  .tuple(
    fc.constantFrom('', '2026-01-05'),
    fc.constantFrom('', '20260105101500'),
    fc.constantFrom('0000000001-26-000001'),
  )
  .map((parts) => parts.join(' '));

describe('a cursor of the feed', () => {
  it('a feed cursor gives back the positions of all companies', () =>
    fc.assert(
      fc.asyncProperty(
        sequence,
        positions,
        fc.constantFrom(undefined, '2026-01-06'),
        async (own, others, until) => {
          const decoded = await decodeFeedCursor(
            await encodeFeedCursor(grown, { since, until }, own, others),
            grown,
          );
          expect([decoded.since, decoded.until, decoded.sequence]).toEqual([since, until, own]);
          // A cursor names only companies that differ from the rest.
          for (const [key, each] of others) expect(decoded.sequences.get(key) ?? decoded.sequence).toBe(each);
          expect([...decoded.sequences.keys()].filter((key) => !others.has(key))).toEqual([]);
        },
      ),
    ));

  it('a feed cursor with one character changed, left out or put in is refused', () =>
    fc.assert(
      fc.asyncProperty(
        sequence,
        positions,
        fc.nat(),
        fc.constantFrom(...'Aa09_-zQ'),
        fc.constantFrom('change', 'leave out', 'put in'),
        async (own, others, at, character, damage) => {
          const cursor = await encodeFeedCursor(grown, bounds, own, others);
          const offset = at % cursor.length;
          const damaged =
            cursor.slice(0, offset) +
            (damage === 'leave out' ? '' : character) +
            cursor.slice(offset + (damage === 'put in' ? 0 : 1));
          if (damaged !== cursor) await refusal(() => decodeFeedCursor(damaged, grown));
        },
      ),
      { numRuns: 500 },
    ));

  it('a feed cursor that is cut off anywhere is refused', async () => {
    const cursor = await encodeFeedCursor(
      grown,
      bounds,
      12,
      new Map([
        [cik(1), 17],
        [cik(2), 33],
      ]),
    );
    for (let length = 0; length < cursor.length; length++)
      await refusal(() => decodeFeedCursor(cursor.slice(0, length), grown));
  });

  it('a feed cursor holds after the ledger has grown', async () => {
    const later = logOf([10, 10, 25, 40, 41, 90]);
    for (const own of [0, 1, 10, 11, 40])
      expect((await decodeFeedCursor(await encodeFeedCursor(grown, bounds, own), later)).sequence).toBe(own);
  });

  it('a feed cursor from after a fork of the ledger is refused', async () => {
    const fork = logOf([10, 10, 25, 40], 'one', 'otherwise');
    expect(
      await refusal(async () => decodeFeedCursor(await encodeFeedCursor(grown, bounds, 30), fork)),
    ).toContain('was rolled back and continued differently');
    expect(
      await refusal(async () =>
        decodeFeedCursor(await encodeFeedCursor(grown, bounds, 5, new Map([[cik(1), 26]])), fork),
      ),
    ).toContain('was rolled back');
    expect(
      (await decodeFeedCursor(await encodeFeedCursor(grown, bounds, 25, new Map([[cik(1), 3]])), fork))
        .sequence,
    ).toBe(25);
  });

  it('a feed cursor of another ledger is refused', async () =>
    expect(
      await refusal(async () =>
        decodeFeedCursor(await encodeFeedCursor(grown, bounds, 3), logOf([40], 'two')),
      ),
    ).toContain('another ledger'));

  describe('from behind a rollback', () => {
    const back = logOf([10, 10]);
    /** The cursor of an answer from the older snapshot: no position moves. */
    const carried = (cursor: FeedCursor, own: number) =>
      encodeFeedCursor(back, cursor, own, undefined, cursor);

    it('a feed cursor from before a rollback is accepted, carried on, and still detects a fork', async () => {
      const cursor = await decodeFeedCursor(await encodeFeedCursor(grown, bounds, 33), back);
      expect(cursor.sequence).toBe(33);
      const again = await carried(cursor, 33);
      expect((await decodeFeedCursor(again, grown)).sequence).toBe(33);
      expect(
        await refusal(() => decodeFeedCursor(again, logOf([10, 10, 25, 40], 'one', 'otherwise'))),
      ).toContain('was rolled back');
    });

    it('a company behind the others gets a feed cursor that holds again', async () => {
      // One company has been read into the third batch, another into the fourth; the served snapshot ends
      // with the second.
      const cursor = await decodeFeedCursor(
        await encodeFeedCursor(
          grown,
          bounds,
          0,
          new Map([
            [cik(1), 20],
            [cik(2), 40],
          ]),
        ),
        back,
      );
      for (const own of [20, 40])
        expect((await decodeFeedCursor(await carried(cursor, own), grown)).sequence).toBe(own);
    });
  });

  describe('of a watchlist that changed often', () => {
    const vast = logOf([Number.MAX_SAFE_INTEGER]);
    const isTaken = (cursor: string) => parameters.cursor.parse.safeParse(cursor).success;
    const read = fc.uniqueArray(
      fc.tuple(
        fc.integer({ min: 0, max: 9_999_999_999 }).map(cik),
        fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })),
      ),
      { selector: ([key]) => key, minLength: 0, maxLength: 500, size: 'max' },
    );

    it('a cursor of a changing watchlist is accepted, and knows how far the last companies were read', () =>
      fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: 9 }), read, async (own, companies) => {
          const cursor = await encodeFeedCursor(vast, bounds, own, new Map(companies));
          expect(isTaken(cursor)).toBe(true);
          const decoded = await decodeFeedCursor(cursor, vast);
          const named = companies.filter(([, each]) => each !== own);
          const kept = [...decoded.sequences];
          expect(kept).toEqual(named.slice(named.length - kept.length));
          expect(kept.length).toBeGreaterThanOrEqual(Math.min(named.length, 70));
          expect(decoded.sequence).toBe(own);
        }),
        { numRuns: 60 },
      ));

    it('a cursor has room for 70 companies, and for 200 that were read equally far', async () => {
      const longest = Array.from(
        { length: 400 },
        (_, at) => [cik(9_999_999_999 - at), Number.MAX_SAFE_INTEGER - 1000 - (at % 2)] as const,
      );
      for (const until of [undefined, '2026-12-31']) {
        const kept = (
          await decodeFeedCursor(
            await encodeFeedCursor(vast, { since, until }, Number.MAX_SAFE_INTEGER - 1, new Map(longest)),
            vast,
          )
        ).sequences;
        expect([...kept]).toEqual(longest.slice(-70));
      }
      // Every company was read to the end at some time, as by polls that find fewer rows than the limit.
      const polled = new Map(
        Array.from(
          { length: 200 },
          (_, at) => [cik(9_999_999 - at * 977), 2_900_000 + Math.floor(at / 25)] as const,
        ),
      );
      const cursor = await encodeFeedCursor(logOf([3_000_000]), bounds, 0, polled);
      expect(isTaken(cursor)).toBe(true);
      expect((await decodeFeedCursor(cursor, logOf([3_000_000]))).sequences).toEqual(polled);
    });

    it('a cursor of a watchlist keeps what it knows from page to page', () =>
      fc.assert(
        fc.asyncProperty(read, async (companies) => {
          const cursor = await encodeFeedCursor(vast, bounds, 0, new Map(companies));
          const decoded = await decodeFeedCursor(cursor, vast);
          expect(
            (
              await decodeFeedCursor(
                await encodeFeedCursor(vast, bounds, decoded.sequence, decoded.sequences, decoded),
                vast,
              )
            ).sequences,
          ).toEqual(decoded.sequences);
        }),
        { numRuns: 30 },
      ));
  });
});

describe('a cursor of a history', () => {
  const date = fc.option(fc.constantFrom('2026-01-01', '2026-02-28'), { nil: undefined });
  it('a history cursor gives back its position and the bounds of the walk', () =>
    fc.assert(
      fc.property(orders, date, date, (order, from, until) => {
        expect(
          decodeHistoryCursor(
            encodeHistoryCursor(grown.ledgerId, order, { since: from, until }),
            grown.ledgerId,
          ),
        ).toEqual({ order, since: from, until });
      }),
    ));
  const order = '2026-01-05  0000000001-26-000001';
  it('a history cursor holds in every snapshot of its ledger, and in no other', async () => {
    const cursor = encodeHistoryCursor(grown.ledgerId, order, {});
    expect(decodeHistoryCursor(cursor, logOf([10]).ledgerId).order).toBe(order);
    expect(await refusal(() => decodeHistoryCursor(cursor, logOf([10], 'two').ledgerId))).toContain(
      'another ledger',
    );
  });
  it('a history cursor is no feed cursor, nor the other way round', async () => {
    await refusal(() => decodeFeedCursor(encodeHistoryCursor(grown.ledgerId, order, {}), grown));
    const ofFeed = await encodeFeedCursor(grown, bounds, 3);
    await refusal(() => decodeHistoryCursor(ofFeed, grown.ledgerId));
  });
});

describe('any other text', () => {
  const pretended = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          'f',
          'h',
          sha256Of('one').slice(0, 12),
          since,
          '0',
          '3',
          '',
          '1e3',
          'NaN',
          '-1',
          '0000000001:3',
          '2026-01-05  0000000001-26-000001',
          '99999999999999999999',
        ),
        fc.string(),
      ),
      { maxLength: 8 },
    )
    .map((parts) => Buffer.from(parts.join('~')).toString('base64url'));
  it('any other text is refused as a cursor', () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.base64String(),
          pretended,
          fc.constantFrom('', '~', '__proto__', '='.repeat(2000), 'A'.repeat(2000), 'ﬀ', '\0'),
        ),
        async (text) => {
          await refusal(() => decodeFeedCursor(text, grown));
          await refusal(() => decodeHistoryCursor(text, grown.ledgerId));
        },
      ),
      { numRuns: 500 },
    ));
});
