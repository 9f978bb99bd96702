import { describe, expect, it } from 'vitest';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { feedLogOf } from '../../src/answers/read-list.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { createServedSnapshot } from '../../src/snapshot/served-snapshot.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { readBatches } from '../support/ledger-model.ts';
import { appendMadeUp } from '../support/ledgers.ts';
import { makeSnapshot } from '../support/snapshot.ts';

describe('pages', () => {
  it('every sequence belongs to the batch that gave it out, also where batches gave out none', {
    tags: ['slow'],
  }, async () => {
    const grown = await makeSnapshot({ filings: 1500, companies: 6, batches: 3, seed: 7 });
    const filings = (await readBatches(grown.ledgerDirectory))[0]?.filings ?? [];
    const corrected = [{ ...(filings[0] as LedgerFiling), sizeBytes: 1 }];
    for (const [at, rows] of [[], corrected, filings.slice(1, 2)].entries())
      await appendMadeUp(grown.ledgerDirectory, at + 1, { filings: rows });
    await grown.build();
    const expected = (await readBatches(grown.ledgerDirectory)).flatMap(({ number, sha256, filings: rows }) =>
      Array.from({ length: number <= 3 ? rows.length : number === 5 ? 1 : 0 }, () => sha256),
    );
    expect(expected.length).toBe(1501);
    const follower = createServedSnapshot(
      openPartFolder(grown.directory),
      createBlockCache(1024 * 1024),
      () => {},
    );
    await follower.check();
    await follower.use(async (snapshot) => {
      const log = feedLogOf(snapshot);
      for (const sequence of [1, 2, 499, 500, 501, 502, 999, 1000, 1001, 1002, 1499, 1500, 1501])
        expect(await log.batchOf(sequence)).toBe(expected[sequence - 1]);
      for (const sequence of [1502, 2 ** 40]) expect(await log.batchOf(sequence)).toBeNull();
    });
    await follower.close();
  });
});
