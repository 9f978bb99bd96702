import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
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
  expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(await batchNumbers(directory)).toEqual(numbers);
  // The batches of the sample are where the second version put them. They were made by rules 5, which their heads name, and
  // before predecessors were known whose files were not recorded, which are refusals now.
  for (const number of numbers)
    for (const name of number >= 7 ? ['contents-1.jsonl'] : ['companies.csv', 'filings-1.csv'])
      expectSame(
        readFileSync(join(batchDirectory(directory, number), name), 'utf8'),
        readFileSync(join(batchDirectory(sampleLedger, number), name), 'utf8'),
        `${number} ${name}`,
      );
});

/** Compares a file with the one that the sample has. A table is compared in the columns that it had when it was cut. */
function expectSame(made: string, kept: string, name: string): void {
  if (!name.endsWith('.csv')) return expect(made, name).toBe(kept);
  const columns = Papa.parse<string[]>(kept, { preview: 1 }).data[0] ?? [];
  const rowsOf = (text: string) =>
    Papa.unparse(Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true }).data, {
      columns,
    });
  expect(columns.length).toBeGreaterThan(5);
  expect(rowsOf(made), name).toBe(rowsOf(kept));
}
