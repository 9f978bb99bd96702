import { appendFound } from '../../../build/ingest/append.ts';
import { isFarBehind } from '../../../build/ingest/known.ts';
import { readSurvey } from '../../../build/snapshot/published-survey.ts';
import { factsTold } from '../../support/facts.ts';
import { buildQuietly } from '../../support/snapshots.ts';

// Appends batches of one filing to a ledger, and publishes each. Sends the seconds that each step took.
// Arguments: the ledger, its snapshots, the number of batches.
const [ledgerDirectory = '', snapshotsDirectory = '', count = ''] = process.argv.slice(2);
const folders = { ledgerDirectory, snapshotsDirectory };
const seconds: Record<string, number[]> = { append: [], publish: [], start: [] };

async function timed(step: keyof typeof seconds, work: () => Promise<unknown>): Promise<void> {
  const startedAtMs = performance.now();
  await work();
  seconds[step]?.push((performance.now() - startedAtMs) / 1000);
}

for (let number = 0; number < Number(count); number++) {
  await timed('append', () => appendFound(folders, factsTold('row', 900_000 + number)));
  await timed('publish', () => buildQuietly(ledgerDirectory, snapshotsDirectory));
  // What `follow` and `reconcile` read when they start.
  await timed('start', async () => {
    await readSurvey(ledgerDirectory, snapshotsDirectory);
    await isFarBehind(folders);
  });
}
process.send?.({ result: seconds });
