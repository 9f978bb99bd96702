import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bareFiling, company } from '../support/made-up.ts';
import { sampleService, serviceOver } from '../support/sample.ts';
import { makeSnapshot } from '../support/snapshot.ts';

describe('the change feed', () => {
  it('the feed refuses a cursor of a ledger that was put back and continued differently', {
    tags: ['slow'],
  }, async () => {
    const [first, second] = [await makeSnapshot(), await makeSnapshot()];
    for (const made of [first, second]) await made.publish([bareFiling(1)], [company(1)]);
    await first.publish([bareFiling(2)]);
    await second.publish([bareFiling(3)]);
    const [one, two] = [await serviceOver(first.directory), await serviceOver(second.directory)];
    const { meta } = await one.json<{ meta: { nextCursor: string } }>('/v1/sec/changes?since=2026-01-01');
    expect((await one.get(`/v1/sec/changes?cursor=${meta.nextCursor}`)).status).toBe(200);
    expect(await two.refusal(`/v1/sec/changes?cursor=${meta.nextCursor}`)).toEqual([400, 'invalid_cursor']);
  });

  it('the feed answers hostile cursors with invalid_cursor', async () => {
    const service = await sampleService();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ minLength: 1 }),
          fc.base64String({ minLength: 4 }),
          fc.constantFrom('__proto__', '..', 'Zn4', 'Zn5-fn5-fg'),
        ),
        async (cursor) => {
          for (const path of ['changes?', 'latest?', 'watchlist/changes?tickers=AAPL&']) {
            const response = await service.get(`/v1/sec/${path}cursor=${encodeURIComponent(cursor)}`);
            const code = expect.stringMatching(/^invalid_(cursor|parameter)$/) as unknown;
            expect([response.status, await response.json()]).toMatchObject([400, { error: { code } }]);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
