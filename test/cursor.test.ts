import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../src/contract/errors.ts';
import { parameters } from '../src/contract/parameters.ts';
import type { Manifest } from '../src/contract/snapshot.ts';
import { decodeFeedCursor, decodeHistoryCursor, encodeFeedCursor, encodeHistoryCursor, type FeedCursor } from '../src/cursor.ts';
import { sha256Of } from '../src/table/file.ts';

/** The part of a manifest that cursors look at: batches that end at these sequences. `fork` makes the last batch another one. */
function manifestOf(lastSequences: readonly number[], ledger = 'one', fork = ''): Manifest {
  const batches = lastSequences.map((lastSequence, at) => ({ number: at + 1, sha256: sha256Of(`${ledger} ${at}${at === lastSequences.length - 1 ? fork : ''}`), createdAt: '2026-01-01T00:00:00.000Z', lastSequence }));
  return { ledger: { id: sha256Of(ledger), batches }, lastSequence: lastSequences.at(-1) ?? 0 } as unknown as Manifest;
}

function refusal(decode: () => unknown): string {
  try {
    decode();
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).code).toBe('invalid_cursor');
    return (error as ApiError).message;
  }
  throw new Error('the cursor was accepted');
}

const grown = manifestOf([10, 10, 25, 40]);
const cik = (number: number) => String(number).padStart(10, '0');
const sequence = fc.integer({ min: 0, max: 40 });
const places = fc.dictionary(fc.integer({ min: 0, max: 9_999_999_999 }).map(cik), sequence, { maxKeys: 30 }).map((each) => new Map(Object.entries(each)));
const since = '2026-01-05';
const orders = fc.tuple(fc.constantFrom('', '2026-01-05'), fc.constantFrom('', '20260105101500'), fc.constantFrom('0000000001-26-000001')).map((parts) => parts.join(' '));

describe('a cursor of the feed', () => {
  it('gives back where everybody stands', () =>
    fc.assert(fc.property(sequence, places, (own, others) => {
      const decoded = decodeFeedCursor(encodeFeedCursor(grown, since, own, others), grown);
      expect([decoded.since, decoded.sequence]).toEqual([since, own]);
      // Who stands where the rest stands need not be named.
      for (const [key, each] of others) expect(decoded.sequences.get(key) ?? decoded.sequence).toBe(each);
      expect([...decoded.sequences.keys()].filter((key) => !others.has(key))).toEqual([]);
    })));

  it('is refused with one character changed, left out or put in', () =>
    fc.assert(fc.property(sequence, places, fc.nat(), fc.constantFrom(...'Aa09_-zQ'), fc.constantFrom('change', 'leave out', 'put in'), (own, others, at, character, damage) => {
      const cursor = encodeFeedCursor(grown, since, own, others);
      const place = at % cursor.length;
      const damaged = cursor.slice(0, place) + (damage === 'leave out' ? '' : character) + cursor.slice(place + (damage === 'put in' ? 0 : 1));
      if (damaged !== cursor) refusal(() => decodeFeedCursor(damaged, grown));
    }), { numRuns: 500 }));

  it('is refused when it was cut off anywhere', () => {
    const cursor = encodeFeedCursor(grown, since, 12, new Map([[cik(1), 17], [cik(2), 33]]));
    for (let length = 0; length < cursor.length; length++) refusal(() => decodeFeedCursor(cursor.slice(0, length), grown));
  });

  it('holds after the ledger went on', () => {
    const later = manifestOf([10, 10, 25, 40, 41, 90]);
    for (const own of [0, 1, 10, 11, 40]) expect(decodeFeedCursor(encodeFeedCursor(grown, since, own), later).sequence).toBe(own);
  });

  it('is refused where the ledger was put back and went on otherwise, whoever stands behind the fork', () => {
    const fork = manifestOf([10, 10, 25, 40], 'one', 'otherwise');
    expect(refusal(() => decodeFeedCursor(encodeFeedCursor(grown, since, 30), fork))).toContain('was put back and went on otherwise');
    expect(refusal(() => decodeFeedCursor(encodeFeedCursor(grown, since, 5, new Map([[cik(1), 26]])), fork))).toContain('was put back');
    expect(decodeFeedCursor(encodeFeedCursor(grown, since, 25, new Map([[cik(1), 3]])), fork).sequence).toBe(25);
  });

  it('of another ledger is refused', () => expect(refusal(() => decodeFeedCursor(encodeFeedCursor(grown, since, 3), manifestOf([40], 'two')))).toContain('another ledger'));

  describe('from behind a rollback', () => {
    const back = manifestOf([10, 10]);
    /** What a request makes of a cursor while the older snapshot is served: nobody moves. */
    const carried = (cursor: FeedCursor, own: number) => encodeFeedCursor(back, cursor.since, own, undefined, cursor);

    it('is accepted, is carried through, and still knows a fork', () => {
      const cursor = decodeFeedCursor(encodeFeedCursor(grown, since, 33), back);
      expect(cursor.sequence).toBe(33);
      const again = carried(cursor, 33);
      expect(decodeFeedCursor(again, grown).sequence).toBe(33);
      expect(refusal(() => decodeFeedCursor(again, manifestOf([10, 10, 25, 40], 'one', 'otherwise')))).toContain('was put back');
    });

    it('gives a company that stands before the others a cursor that holds again', () => {
      // One company stands in the third batch, another in the fourth; the snapshot that is served ends with the second.
      const cursor = decodeFeedCursor(encodeFeedCursor(grown, since, 0, new Map([[cik(1), 20], [cik(2), 40]])), back);
      for (const own of [20, 40]) expect(decodeFeedCursor(carried(cursor, own), grown).sequence).toBe(own);
    });
  });

  describe('of a watchlist that changed often', () => {
    const vast = manifestOf([Number.MAX_SAFE_INTEGER]);
    const isTaken = (cursor: string) => parameters.cursor.parse.safeParse(cursor).success;
    const read = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 9_999_999_999 }).map(cik), fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }))), { selector: ([key]) => key, minLength: 0, maxLength: 500, size: 'max' });

    it('is always taken, and knows how far the companies that were asked for last were read', () =>
      fc.assert(fc.property(fc.integer({ min: 0, max: 9 }), read, (own, companies) => {
        const cursor = encodeFeedCursor(vast, since, own, new Map(companies));
        expect(isTaken(cursor)).toBe(true);
        const decoded = decodeFeedCursor(cursor, vast);
        const named = companies.filter(([, each]) => each !== own);
        const kept = [...decoded.sequences];
        expect(kept).toEqual(named.slice(named.length - kept.length));
        expect(kept.length).toBeGreaterThanOrEqual(Math.min(named.length, 70));
        expect(decoded.sequence).toBe(own);
      }), { numRuns: 60 }));

    it('has room for 70 companies whatever they are, and for 200 that were read equally far', () => {
      const longest = Array.from({ length: 400 }, (_, at) => [cik(9_999_999_999 - at), Number.MAX_SAFE_INTEGER - 1000 - (at % 2)] as const);
      const kept = decodeFeedCursor(encodeFeedCursor(vast, since, Number.MAX_SAFE_INTEGER - 1, new Map(longest)), vast).sequences;
      expect([...kept]).toEqual(longest.slice(-70));
      // Everybody was read to the end at some time, as polls do that find fewer rows than the limit.
      const polled = new Map(Array.from({ length: 200 }, (_, at) => [cik(9_999_999 - at * 977), 2_900_000 + Math.floor(at / 25)] as const));
      const cursor = encodeFeedCursor(manifestOf([3_000_000]), since, 0, polled);
      expect(isTaken(cursor)).toBe(true);
      expect(decodeFeedCursor(cursor, manifestOf([3_000_000])).sequences).toEqual(polled);
    });

    it('keeps what it knows when it is carried through', () =>
      fc.assert(fc.property(read, (companies) => {
        const cursor = encodeFeedCursor(vast, since, 0, new Map(companies));
        const decoded = decodeFeedCursor(cursor, vast);
        expect(decodeFeedCursor(encodeFeedCursor(vast, since, decoded.sequence, decoded.sequences, decoded), vast).sequences).toEqual(decoded.sequences);
      }), { numRuns: 30 }));
  });
});

describe('a cursor of a history', () => {
  it('gives back its place', () =>
    fc.assert(fc.property(orders, (order) => {
      expect(decodeHistoryCursor(encodeHistoryCursor(grown, order), grown)).toBe(order);
    })));
  it('holds in every snapshot of its ledger, and in no other', () => {
    const cursor = encodeHistoryCursor(grown, '2026-01-05  0000000001-26-000001');
    expect(decodeHistoryCursor(cursor, manifestOf([10]))).toBe('2026-01-05  0000000001-26-000001');
    expect(refusal(() => decodeHistoryCursor(cursor, manifestOf([10], 'two')))).toContain('another ledger');
  });
  it('is none of the feed, nor the other way round', () => {
    refusal(() => decodeFeedCursor(encodeHistoryCursor(grown, '2026-01-05  0000000001-26-000001'), grown));
    refusal(() => decodeHistoryCursor(encodeFeedCursor(grown, since, 3), grown));
  });
});

describe('any other text', () => {
  const pretended = fc.array(fc.oneof(fc.constantFrom('f', 'h', sha256Of('one').slice(0, 12), since, '0', '3', '', '1e3', 'NaN', '-1', '0000000001:3', '2026-01-05  0000000001-26-000001', '99999999999999999999'), fc.string()), { maxLength: 8 }).map((parts) => Buffer.from(parts.join('~')).toString('base64url'));
  it('is refused, and nothing breaks', () =>
    fc.assert(fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.base64String(), pretended, fc.constantFrom('', '~', '__proto__', '='.repeat(2000), 'A'.repeat(2000), 'ﬀ', '\0')), (text) => {
      refusal(() => decodeFeedCursor(text, grown));
      refusal(() => decodeHistoryCursor(text, grown));
    }), { numRuns: 500 }));
});
