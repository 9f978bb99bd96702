import type { Cache } from '../edgar/cache.ts';
import type { EdgarClient, EdgarSettings } from '../edgar/client.ts';
import type { Refusal } from '../ledger/ledger-rows.ts';
import type { Progress } from '../work/progress.ts';
import { sources, type Source } from '../sources/registry.ts';
import { parseTickerFile, tickerFiles, type TickerRow } from '../sources/tickers.ts';
import { fetchSource } from './fetch.ts';

/**
 * Fetches the rows of both ticker files, those of the file with exchanges first. A file that is missing,
 * truncated or empty is refused, and the last good version in the cache is used instead.
 */
export async function collectTickers(
  client: EdgarClient,
  cache: Cache,
  settings: EdgarSettings,
  progress: Progress,
  rowsMinimum?: number,
): Promise<{ rows: TickerRow[]; refusals: Refusal[] }> {
  const source: Source<TickerRow[]> = {
    ...sources.tickers,
    parse: (body) => parseTickerFile(body, rowsMinimum),
  };
  const rows: TickerRow[] = [];
  const refusals: Refusal[] = [];
  for (const file of tickerFiles) {
    const answer = await fetchSource(client, settings, source, file);
    progress.step();
    if (answer.kind === 'lost') refusals.push({ cik: '', file, accessionNo: '', reason: answer.reason });
    const found = answer.kind === 'ok' ? answer.parsed : await lastGood(cache, source, settings, file);
    for (const row of found) rows.push(row);
  }
  return { rows, refusals };
}

async function lastGood(
  cache: Cache,
  source: Source<TickerRow[]>,
  settings: EdgarSettings,
  file: string,
): Promise<TickerRow[]> {
  // Why the disk cannot be read was told when the file was asked for.
  const entry = await cache.read(source.url(settings, file)).catch(() => undefined);
  return entry ? source.parse(entry.body, file) : [];
}
