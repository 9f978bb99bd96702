import type { Cache } from '../edgar/cache.ts';
import { tickersUrl, type EdgarClient, type EdgarSettings } from '../edgar/client.ts';
import type { Refusal } from '../ledger/rows.ts';
import { parseTickerFile, tickerFiles, type TickerRow } from '../sources/tickers.ts';
import { isFatal } from './collect.ts';

const fileBytesMaximum = 32 * 1024 * 1024;

/**
 * The rows of both ticker files, the one with exchanges first. A file that is missing, truncated or empty is refused, and
 * the last good one that the cache holds is used in its place.
 */
export async function collectTickers(client: EdgarClient, cache: Cache, settings: EdgarSettings, rowsMinimum?: number): Promise<{ rows: TickerRow[]; refusals: Refusal[] }> {
  const rows: TickerRow[] = [];
  const refusals: Refusal[] = [];
  for (const file of tickerFiles) {
    const url = tickersUrl(settings, file);
    const parse = (body: Buffer) => parseTickerFile(body, rowsMinimum);
    const refuse = (reason: string) => void refusals.push({ cik: '', file, accessionNo: '', reason });
    let body: Buffer | null = null;
    try {
      const answer = await client.get(url, { maxBytes: fileBytesMaximum, check: (candidate) => void parse(candidate) });
      if (answer.kind === 'ok') body = answer.body;
      else refuse(`not there (${answer.status})`);
    } catch (error) {
      if (isFatal(error)) throw error;
      refuse((error as Error).message);
    }
    body ??= (await cache.read(url))?.body ?? null;
    if (body) rows.push(...parse(body).rows);
  }
  return { rows, refusals };
}
