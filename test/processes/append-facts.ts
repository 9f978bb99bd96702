import { appendFound } from '../../build/ingest/append.ts';
import { factsTold, type FactSource } from '../support/facts.ts';

// Appends what one source tells of some filings, each in a batch of its own, and prints the number of each
// filing after its append. Arguments: the ledger, its snapshots, the source, the numbers of the filings.
const [ledgerDirectory = '', snapshotsDirectory = '', source, numbers = ''] = process.argv.slice(2);
for (const number of numbers.split(',').map(Number)) {
  await appendFound({ ledgerDirectory, snapshotsDirectory }, factsTold(source as FactSource, number));
  process.stdout.write(`${number}\n`);
}
