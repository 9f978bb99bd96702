import { prune } from '../../../build/snapshot/prune.ts';
import { withPartFolder } from '../../../src/snapshot/folder.ts';
import { appendFilings, type LedgerShape } from '../../support/generate.ts';
import { buildQuietly } from '../../support/snapshots.ts';

/** Publications between two prunings, as `follow` has them. */
const pruneEvery = 200;
/** New filings of a publication: between one and so many. */
const filingsMaximum = 12;

const [ledgerDirectory = '', snapshotsDirectory = '', shapeText = '', count = ''] = process.argv.slice(2);
const shape = JSON.parse(shapeText) as LedgerShape;
const seconds: number[] = [];
let filings = 0;
for (let number = 0; number < Number(count); number++) {
  const added = 1 + (number % filingsMaximum);
  await appendFilings(
    ledgerDirectory,
    { ...shape, filings: shape.filings + filings - number * added },
    added,
    number,
  );
  filings += added;
  const startedAtMs = performance.now();
  await buildQuietly(ledgerDirectory, snapshotsDirectory);
  seconds.push((performance.now() - startedAtMs) / 1000);
  if (number % pruneEvery === 0)
    await withPartFolder(snapshotsDirectory, (folder) => prune(folder, Date.now()));
}
await withPartFolder(snapshotsDirectory, (folder) => prune(folder, Date.now(), 0));
process.send?.({ result: { seconds, filings } });
