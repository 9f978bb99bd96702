import { join } from 'node:path';
import { appendBatch } from '../../build/ledger/batch.ts';
import { batchAt, company, type filing } from './made-up.ts';
import { buildQuietly } from './snapshots.ts';

/**
 * Appends a batch of filings to the ledger in a folder of snapshots, and publishes it. The first batch, which has the
 * number 1, also has the companies 1 and 2.
 */
export async function publishFilings(
  directory: string,
  number: number,
  filings: ReturnType<typeof filing>[],
): Promise<void> {
  const ledger = join(directory, 'ledger');
  await appendBatch(ledger, {
    run: { target: 't', status: 'success', message: null, createdAt: batchAt(number) },
    refusals: [],
    filings,
    companies: number === 1 ? [company(1), company(2)] : [],
  });
  await buildQuietly(ledger, directory);
}
