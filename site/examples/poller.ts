/*
 * Keeps an SQLite file in step with the change feed. Install the client first, as /docs/clients of the
 * service says. Node 22.18 and newer need nothing else; for an older one, `npm install tsx @photostructure/sqlite@1`, and run it with `npx tsx`.
 *
 *     node poller.ts                  runs until you stop it, and has what is new at once
 *     node poller.ts --interval 300   asks once in 300 seconds while nothing is new
 *     node poller.ts --once           reads what is new and ends, for cron
 *
 * Environment: BASE_URL and API_KEY; DATABASE, filings.db if not set; SINCE, the filing date to begin at;
 * TICKERS, tickers or CIKs with commas between, any number, every company if not set.
 */
import { parseArgs } from 'node:util';
import { createClient, FilingEventsError } from 'filing-events/node';

const { BASE_URL, API_KEY, DATABASE, SINCE, TICKERS } = process.env;
const { once, interval } = parseArgs({
  options: { once: { type: 'boolean', default: false }, interval: { type: 'string', default: '60' } },
}).values;
if (!BASE_URL || !API_KEY) throw new Error('BASE_URL and API_KEY must be set');

const client = createClient({
  baseUrl: BASE_URL,
  apiKey: API_KEY,
  onRetry: ({ message }, seconds) => console.error(`${message}; asking again in ${seconds.toFixed(1)} s`),
});
const mirror = client.mirror(DATABASE || 'filings.db', {
  ...(TICKERS && { tickers: TICKERS.split(',') }),
  ...(SINCE && { since: SINCE }),
});
try {
  const steps = once ? mirror.update() : mirror.follow({ intervalSeconds: Number(interval) });
  for await (const { changes, newestFiledAt, unknown } of steps) {
    const names = unknown.map((ticker) => `; unknown: ${ticker}`);
    console.log(`${changes} changes; data up to ${newestFiledAt}${names.join('')}`);
  }
} catch (error) {
  if (!(error instanceof FilingEventsError)) throw error;
  console.error(`${error.status} ${error.code}: ${error.message}`);
  process.exit(1);
}
