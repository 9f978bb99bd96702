import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { FeedFiling } from '../../build/sources/current-feed.ts';
import { headerFile } from '../../build/sources/header.ts';
import {
  dailyIndexFile,
  filingsOfIndex,
  parseMasterIndex,
  quarterlyIndexFile,
  quarterOf,
  type IndexFiling,
} from '../../build/sources/master-index.ts';
import { parseTickerFile, tickerFiles, type TickerRow } from '../../build/sources/tickers.ts';
import { groupBy } from '../../build/work/groups.ts';
import { ok, type EdgarDouble } from '../edgar/edgar-double.ts';
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
 * Makes the EDGAR double answer with an index of the recorded day, and with headers of its insider filings.
 * The index of the quarter was recorded, not that of the day; so this one has the rows of the quarter that were
 * filed on the day. Headers were not recorded either. They are made of the same rows: the accession number, the
 * form, the date, names and CIKs. The company with a ticker symbol is the issuer, or the subject of a Form 144.
 */
export function serveIndex(edgar: EdgarDouble): void {
  const file = quarterlyIndexFile(quarterOf(recordedDay));
  const path = join(root, 'Archives/edgar', file.replace('.idx', '.gz'));
  const { rows } = parseMasterIndex(gunzipSync(readFileSync(path)), file);
  const ofDay = rows.filter(({ filedAt }) => filedAt === recordedDay);
  edgar.route(`/${archives}/${dailyIndexFile(recordedDay)}`, ok(masterIndexText(recordedDay, ofDay)));
  const tickers = parseTickerFile(readFileSync(join(root, 'files', tickerFiles[0])));
  const listed = new Set(tickers.map(({ cik }) => cik));
  for (const filing of filingsOfIndex(ofDay)) {
    const header = headerOf(filing, listed);
    if (header === null) continue;
    for (const { cik } of filing.entities)
      edgar.route(`/${archives}/${headerFile(cik, filing.accessionNo)}`, ok(header));
  }
}

const archives = 'www.sec.gov/Archives/edgar';

/** The section of the company that an insider filing is about, by form. */
const subjectSections = new Map([
  ['3', 'ISSUER'],
  ['4', 'ISSUER'],
  ['5', 'ISSUER'],
  ['144', 'SUBJECT-COMPANY'],
]);

/** The header of an insider filing of one listed company; null for any other filing. */
function headerOf(
  { accessionNo, form, filedAt, entities }: IndexFiling,
  listed: ReadonlySet<string>,
): string | null {
  const subjectSection = subjectSections.get(form);
  if (subjectSection === undefined || entities.filter(({ cik }) => listed.has(cik)).length !== 1) return null;
  const sections = entities.map(({ cik, name }) => {
    const section = listed.has(cik) ? subjectSection : 'REPORTING-OWNER';
    return `<${section}>\n<CONFORMED-NAME>${name}\n<CIK>${cik}\n</${section}>\n`;
  });
  const date = filedAt.replaceAll('-', '');
  return `<SEC-HEADER>\n<ACCESSION-NUMBER>${accessionNo}\n<TYPE>${form}\n<FILING-DATE>${date}\n${sections.join('')}</SEC-HEADER>\n`;
}

/** A form is rare if the feed has at most so many filings of it. */
const rareAtMost = 6;
/** A company is busy if the feed has so many filings of it. Those with more are banks with prospectuses. */
const busy = { atLeast: 4, atMost: 10 };

/**
 * Chooses the companies of the recorded feed that show most in few bytes: those with a ticker symbol that have a
 * filing of a rare form, or are busy with more than one form. Returns their CIKs, ascending.
 */
export function companiesWithVariety(feed: readonly FeedFiling[], tickers: readonly TickerRow[]): string[] {
  const listed = new Set(tickers.map(({ cik }) => cik));
  const byForm = groupBy(feed, ({ form }) => form);
  const named = feed.flatMap((filing) =>
    [...new Set(filing.parties.map(({ cik }) => cik))].map((cik) => ({ cik, filing })),
  );
  return [...groupBy(named, ({ cik }) => cik)]
    .filter(([cik, rows]) => {
      const forms = [...new Set(rows.map(({ filing }) => filing.form))];
      const isRare = forms.some((form) => (byForm.get(form) ?? []).length <= rareAtMost);
      const isBusy = forms.length > 1 && rows.length >= busy.atLeast;
      return listed.has(cik) && (isRare || isBusy) && rows.length <= busy.atMost;
    })
    .map(([cik]) => cik)
    .sort();
}
