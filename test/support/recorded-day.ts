import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { FeedFiling } from '../../build/sources/current-feed.ts';
import {
  dailyIndexFile,
  parseMasterIndex,
  quarterlyIndexFile,
  quarterOf,
} from '../../build/sources/master-index.ts';
import type { TickerRow } from '../../build/sources/tickers.ts';
import { groupBy } from '../../build/work/groups.ts';
import { ok, type EdgarDouble } from '../edgar-double.ts';
import { masterIndexText } from './master-index.ts';
import { recordings } from './needs.ts';

/** The day whose current-filings feed was recorded, page by page, from the evening before to 18:02. */
export const recordedDay = '2025-12-12';

const root = join(recordings, recordedDay, 'www.sec.gov');

/** Makes the EDGAR double answer with the pages of the recorded feed. */
export function serveFeed(edgar: EdgarDouble): void {
  const folder = join(root, 'cgi-bin');
  for (const name of readdirSync(folder))
    edgar.route(
      `/www.sec.gov/cgi-bin/${name.replace('@', '?')}`,
      ok(readFileSync(join(folder, name)), { etag: false }),
    );
}

/**
 * Makes the EDGAR double answer with an index of the recorded day. The index of the quarter was recorded, not
 * that of the day; so this one has the rows of the quarter that were filed on the day.
 */
export function serveDailyIndex(edgar: EdgarDouble): void {
  const file = quarterlyIndexFile(quarterOf(recordedDay));
  const path = join(root, 'Archives/edgar', file.replace('.idx', '.gz'));
  const { rows } = parseMasterIndex(gunzipSync(readFileSync(path)), file);
  edgar.route(
    `/www.sec.gov/Archives/edgar/${dailyIndexFile(recordedDay)}`,
    ok(
      masterIndexText(
        recordedDay,
        rows.filter(({ filedAt }) => filedAt === recordedDay),
      ),
    ),
  );
}

/** How many filings a company has in the feed if the sample takes them: some, and not those of a bank. */
const filings = { atLeast: 2, atMost: 10 };

/**
 * Chooses the companies of the recorded feed that show most in few bytes: those with a ticker symbol and with
 * filings of more than one form. Returns their CIKs, ascending.
 */
export function companiesWithVariety(feed: readonly FeedFiling[], tickers: readonly TickerRow[]): string[] {
  const listed = new Set(tickers.map(({ cik }) => cik));
  const named = feed.flatMap(({ accessionNo, form, parties }) =>
    parties.map(({ cik }) => ({ cik, accessionNo, form })),
  );
  return [...groupBy(named, ({ cik }) => cik)]
    .filter(([cik, rows]) => {
      const count = new Set(rows.map(({ accessionNo }) => accessionNo)).size;
      const forms = new Set(rows.map(({ form }) => form)).size;
      return listed.has(cik) && forms > 1 && count >= filings.atLeast && count <= filings.atMost;
    })
    .map(([cik]) => cik)
    .sort();
}
