import { tools } from '../../../src/contract/tools.ts';
import type { Server } from '../child.ts';
import { compare, rates, type Load } from '../load.ts';
import type { Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { apiKey, startService } from '../service.ts';

/** A tool that needs a key against the REST operation that gives the same, and a public one against the same operation. */
export async function toolRows(scratch: Scratch): Promise<Row[]> {
  const { snapshots } = await scratch.snapshot(scratch.filings.large);
  const server = await startService(snapshots);
  const tickers = (await someCiks(server)).join(',');
  const call = (name: string, given: object): Load => ({
    server, path: '/mcp', status: 200, headers: { 'x-api-key': apiKey, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
  });
  const rest: Load = { server, path: `/v1/sec/watchlist/changes?tickers=${tickers}&since=1993-01-01&limit=5`, headers: { 'x-api-key': apiKey }, status: 200 };
  const [open, keyed] = [tools.find(({ answer }) => answer.kind === 'demo'), tools.find(({ answer }) => answer.kind === 'watchlist')];
  if (!open || !keyed) throw new Error('the tools that are measured are gone');
  try {
    scratch.say('measuring');
    const [called, sampled, asked] = await rates([call(keyed.name, { tickers, since: '1993-01-01', limit: 5 }), call(open.name, { limit: 5 }), rest]);
    return [compare(`${keyed.name} at /mcp`, 'the REST operation', called, asked, 0.33), compare(`${open.name} at /mcp`, 'the same operation', sampled, asked, 0.12)];
  } finally {
    await server.stop();
  }
}

/** Two companies that the snapshot knows. */
async function someCiks({ port }: Server): Promise<string[]> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/sec/latest`, { headers: { 'x-api-key': apiKey } });
  const { data } = (await response.json()) as { data: { cik: string }[] };
  return [...new Set(data.map(({ cik }) => cik))].slice(0, 2);
}
