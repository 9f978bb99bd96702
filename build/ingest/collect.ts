import type { EdgarClient, EdgarSettings } from '../edgar/client.ts';
import { sources } from '../sources/registry.ts';
import { submissionsFile, type ExtraPage } from '../sources/submissions.ts';
import type { Refusals } from '../ledger/refusals.ts';
import { dayMs } from '../../src/time/units.ts';
import { fetchSource } from './fetch.ts';
import type { Gathering } from './gather.ts';

/**
 * A page is skipped only if the newest date that it claims is this much older than `since`: rows may be a day
 * newer than that date (measured).
 */
const pageMarginDays = 31;

/** Where rows of companies are added, and which rows. */
export interface Collecting {
  readonly gathering: Gathering;
  readonly refusals: Pick<Refusals, 'add'>;
  /** The earliest filing date to read, `YYYY-MM-DD`; null for all. */
  readonly since: string | null;
}

/**
 * Called when a file of a company was fetched or could not be fetched: the main file, with the number of
 * pages that follow, and each page.
 */
export interface CompanyProgress {
  readMain(pages: number): void;
  readPage(): void;
}

/**
 * Fetches the main file of a company and every extra page that may hold filings since a date, and adds their
 * rows. Files that could not be fetched or understood are refused.
 */
export async function collectCompany(
  client: EdgarClient,
  settings: EdgarSettings,
  cik: string,
  { gathering, refusals, since }: Collecting,
  progress: CompanyProgress,
): Promise<void> {
  const file = submissionsFile(cik);
  const refuse = (name: string, reason: string) => refusals.add({ cik, file: name, accessionNo: '', reason });
  const main = await fetchSource(client, settings, sources.submissions, file);
  if (main.kind === 'lost') {
    progress.readMain(0);
    refuse(file, main.reason);
    return;
  }
  const { entity, columns, extraPages } = main.parsed;
  const pages = extraPages.filter((page) => mayHold(page, since));
  progress.readMain(pages.length);
  const takeRows = gathering.takeEntity({ ...entity, asOfMs: main.asOfMs });
  takeRows(file, columns, main.asOfMs);
  for (const { name, filingCount } of pages) {
    const page = await fetchSource(client, settings, sources.submissionsPage, name);
    progress.readPage();
    if (page.kind === 'lost') {
      refuse(name, page.reason);
      continue;
    }
    takeRows(name, page.parsed, page.asOfMs);
    const rows = page.parsed.accessionNumber.length;
    if (filingCount !== null && rows < filingCount)
      refuse(name, `it has ${rows} filings, not the ${filingCount} that ${file} says`);
  }
}

/** Whether a page may hold filings on or after a date; null means all dates. */
export function mayHold(page: ExtraPage, since: string | null): boolean {
  if (since === null || page.filingTo === null) return true;
  const newest = Date.parse(page.filingTo);
  return Number.isNaN(newest) || newest + pageMarginDays * dayMs >= Date.parse(since);
}
