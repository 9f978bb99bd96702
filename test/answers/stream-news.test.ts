import { afterEach, describe, expect, it, vi } from 'vitest';
import { useGrowingService } from '../support/growing-service.ts';
import { filing } from '../support/made-up.ts';

const since = 'since=2020-01-01';
const grown = useGrowingService('stream-news', filing(1));
const { publish, look, ask, open } = grown;
afterEach(() => void vi.restoreAllMocks());

describe('news for who waits', () => {
  it('a publication that comes while a page is read is told at once, by a stream and to a request that waits', async () => {
    const { turns } = grown.service.services;
    const begin = turns.begin.bind(turns);
    /** What is read next is a page of the snapshot before: the one with this filing becomes current meanwhile. */
    const publishMeanwhile = (number: number) =>
      vi.spyOn(turns, 'begin').mockImplementationOnce(async (caller) => {
        vi.mocked(turns.begin).mockImplementation(begin);
        await publish(filing(number));
        await look();
        return begin(caller);
      });
    const endOf = async (target: string) => {
      const { meta } = await grown.json<{ meta: { nextCursor: string } }>(`${target}${since}&limit=200`);
      return `${target}cursor=${meta.nextCursor}`;
    };
    for (const [number, target] of [
      [300, '/v1/sec/changes?'],
      [301, '/v1/sec/watchlist/changes?tickers=T1,T2&'],
    ] as const) {
      const end = await endOf(target);
      publishMeanwhile(number);
      const stream = await open(end);
      const told = stream
        .changes(1)
        .then(
          ([event]) =>
            (JSON.parse(event?.data ?? '') as { filing: { accessionNo: string } }).filing.accessionNo,
        );
      // Long before the first comment.
      const late = new Promise((resolve) => void setTimeout(resolve, 8000, 'nothing'));
      expect(await Promise.race([told, late])).toBe(filing(number).accessionNo);
    }
    const end = await endOf('/v1/sec/changes?');
    publishMeanwhile(302);
    const held = await ask(`${end}&wait=5`);
    expect(((await held.json()) as { data: unknown[] }).data).toHaveLength(1);
  });
});
