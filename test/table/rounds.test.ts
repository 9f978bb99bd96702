import { beforeAll, describe, expect, it } from 'vitest';
import { useDirectories } from '../support/directories.ts';
import { appendFilings, generateLedger } from '../support/generate.ts';
import { bodyOf, requestsOfEveryKind, type Asked } from '../support/rounds-asked.ts';
import { costNearby, costOf } from '../support/rounds.ts';
import { buildQuietly } from '../support/snapshots.ts';

const fresh = useDirectories('rounds');

/** At ten milliseconds of latency, three rounds are what a reader waits for. */
const roundsMaximum = 3;
/**
 * Blocks that may be read beside those that a walk reads which waits for each: of each segment the first one
 * that may be needed, where the walk would have seen that it is not.
 */
const blocksMaximum = (nearby: number) => 2 * nearby + 50;

describe('an answer over a host of files, with nothing in memory', { timeout: 300_000 }, () => {
  let directory = '';
  let asked: readonly Asked[] = [];

  beforeAll(async () => {
    const [ledger, snapshots] = [fresh(), fresh()];
    const shape = { filings: 9000, companies: 2100, batches: 1, owners: 900, contents: 0.27 };
    await generateLedger(ledger, shape);
    // Segments of different lengths.
    for (const [count, number] of [
      [1800, 0],
      [350, 6],
      [80, 40],
    ] as const)
      await appendFilings(ledger, shape, count, number);
    await buildQuietly(ledger, snapshots, { logCut: { rowsPerFile: 512, rowsPerMember: 16 } });
    directory = snapshots;
    asked = (await costNearby(directory, requestsOfEveryKind)).result;
  });

  it('takes three rounds of reads at most, and is what it is over a folder', { tags: ['slow'] }, async () => {
    expect(asked.length).toBeGreaterThan(40);
    for (const each of asked) {
      const { cost, result } = await costOf(directory, (snapshot) => bodyOf(snapshot, each));
      const nearby = await costNearby(directory, (snapshot) => bodyOf(snapshot, each));
      const label = `${each.name}: ${JSON.stringify(cost)}, over a folder ${nearby.blocks} blocks`;
      expect(result, label).toBe(nearby.result);
      expect(cost.rounds, label).toBeLessThanOrEqual(roundsMaximum);
      expect(cost.blocks, label).toBeLessThanOrEqual(blocksMaximum(nearby.blocks));
    }
  });

  it('takes one round for a page of the log that a mirror walks', async () => {
    for (const name of ['changes, deep in the log', 'changes, 200 deep in the log']) {
      const walked = asked.find((each) => each.name === name) as Asked;
      const { cost } = await costOf(directory, (snapshot) => bodyOf(snapshot, walked));
      expect(cost.rounds, name).toBe(1);
    }
  });
});
