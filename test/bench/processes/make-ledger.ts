import { generateLedger, type LedgerShape } from '../../support/generate.ts';

const [directory = '', shape = ''] = process.argv.slice(2);
await generateLedger(directory, JSON.parse(shape) as LedgerShape);
