import { generateLedger } from '../../support/generate.ts';

const [directory = '', filings = ''] = process.argv.slice(2);
const count = Number(filings);
// A hundred filings for each company, as for the companies that are listed; ingested in a few runs.
await generateLedger(directory, { filings: count, companies: Math.max(10, Math.ceil(count / 100)), batches: 5 });
