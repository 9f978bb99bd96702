import { expect, it } from 'vitest';
import { batchDirectory } from '../../build/ledger/batch.ts';
import { batchNumbers } from '../support/heads.ts';
import { cutSample } from '../support/cut-sample.ts';
import { useDirectories } from '../support/directories.ts';
import { sampleLedger } from '../support/sample.ts';
import { contentBelow } from '../support/snapshots.ts';
import { needs } from '../support/needs.ts';

const fresh = useDirectories('sample-cut');

it('the embedded sample is what the program makes of the recordings', {
  ...needs('recordings'),
  tags: ['slow'],
  timeout: 120_000,
}, async () => {
  const directory = fresh();
  await cutSample(directory);
  const numbers = await batchNumbers(sampleLedger);
  expect(numbers).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await batchNumbers(directory)).toEqual(numbers);
  // The batches of the sample are where the second version put them.
  for (const number of numbers)
    expect(contentBelow(batchDirectory(directory, number))).toEqual(
      contentBelow(batchDirectory(sampleLedger, number)),
    );
});
