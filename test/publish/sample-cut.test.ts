import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { batchDirectory } from '../../build/ledger/batch.ts';
import { batchNumbers } from '../support/heads.ts';
import { cutSample } from '../support/cut-sample.ts';
import { useDirectories } from '../support/directories.ts';
import { sampleLedger } from '../support/sample.ts';
import { needs } from '../support/needs.ts';

const fresh = useDirectories('sample-cut');

it('the embedded sample has the rows that the program makes of the recordings', {
  ...needs('recordings'),
  tags: ['slow'],
  timeout: 120_000,
}, async () => {
  const directory = fresh();
  await cutSample(directory);
  const numbers = await batchNumbers(sampleLedger);
  expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(await batchNumbers(directory)).toEqual(numbers);
  // The batches of the sample are where the second version put them. They were made by rules 5, which their heads name, and
  // before predecessors were known whose files were not recorded, which are refusals now.
  for (const number of numbers)
    for (const name of number === 7 ? ['contents-1.jsonl'] : ['companies.csv', 'filings-1.csv'])
      expect(readFileSync(join(batchDirectory(directory, number), name), 'utf8'), `${number} ${name}`).toBe(
        readFileSync(join(batchDirectory(sampleLedger, number), name), 'utf8'),
      );
});
