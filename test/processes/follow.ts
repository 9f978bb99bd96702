// Follows the change feed with the client, and appends each sequence to a file when it is handled.
import { appendFileSync } from 'node:fs';
import { createClient, fileCursor } from 'filing-events/node';

const [baseUrl = '', apiKey = '', state = '', handled = ''] = process.argv.slice(2);
const changes = createClient({ baseUrl, apiKey }).changes({ since: '2026-01-01', form: '8-K' });
for await (const { sequence } of changes.follow({ cursor: fileCursor(state) }))
  appendFileSync(handled, `${sequence}\n`);
