import { currentFeedFile } from '../../build/sources/current-feed.ts';
import { submissionsFile } from '../../build/sources/submissions.ts';
import { json, ok, routeTickers, startEdgarDouble, type EdgarDouble } from '../edgar/edgar-double.ts';
import { entryXml, feedPage, upstreamEntry } from './feed.ts';
import { accessionOf, columnsOf, extraPage, submissionsOf, upstreamRow } from './submissions.ts';

/** When the feed of a followed EDGAR was made. */
export const feedMade = '2026-03-20T16:05:00-04:00';

/** A filing in the feed: its number, the CIK of its company, and when it was accepted. */
export type ListedFiling = readonly [number: number, cik: string, updated: string];

/** The entry of a filing in the feed. */
export const entryOf = (...[number, cik, updated]: ListedFiling) =>
  entryXml(
    upstreamEntry({
      accessionNo: accessionOf(number),
      cik,
      name: `Company ${Number(cik)}`,
      filedAt: updated.slice(0, 10),
      updated,
    }),
  );

/** Sets what the feed lists. */
export function routeFeed(edgar: EdgarDouble, ...listed: readonly ListedFiling[]): void {
  const entries = listed.map((each) => entryOf(...each));
  edgar.route(`/www.sec.gov/cgi-bin/${currentFeedFile(0)}`, ok(feedPage(entries, feedMade), { etag: false }));
}

/** The path of a file of submissions on an EDGAR double. */
export const submissionsPath = (name: string) => `/data.sec.gov/submissions/${name}`;

/** The row of a filing in a submissions file. Number 50 was filed on the day on which the feed was made. */
const fileRow = (number: number) =>
  upstreamRow(
    number,
    number === 50
      ? { filingDate: '2026-03-20', acceptanceDateTime: '2026-03-20T20:00:00.000Z', items: '' }
      : {},
  );

/** The main submissions file of a company, with filings in it and older ones on a page. */
export const mainFileOf = (cik: string, numbers: readonly number[], older: readonly number[] = []) =>
  submissionsOf(
    cik,
    numbers.map(fileRow),
    {},
    older.length === 0 ? [] : [extraPage(cik, 1, older.map(fileRow))],
  );

/** A page with older filings. */
export const pageOf = (numbers: readonly number[]) => json(columnsOf(numbers.map(fileRow)));

/** Serves the main file of a company. Returns the path of its page with older filings, which it does not serve. */
export function routeFile(
  edgar: EdgarDouble,
  cik: string,
  numbers: readonly number[],
  older: readonly number[] = [],
): string {
  edgar.route(submissionsPath(submissionsFile(cik)), json(mainFileOf(cik, numbers, older)));
  return submissionsPath(extraPage(cik, 1, older.map(fileRow)).name);
}

/**
 * Starts an EDGAR made on 20 March, whose feed lists filing 50 of one company, and filing 3 of another. `running` gets
 * what ends it.
 */
export async function startFollowedEdgar(
  running: (() => Promise<unknown>)[],
  newer: string,
  older: string,
): Promise<EdgarDouble> {
  const edgar = await startEdgarDouble();
  running.push(() => edgar.close());
  routeTickers(edgar);
  routeFeed(edgar, [50, newer, '2026-03-20T16:00:00-04:00'], [3, older, '2026-03-04T16:00:00-05:00']);
  return edgar;
}
