import type { EdgarClient, EdgarSettings } from '../edgar/client.ts';
import { clockOfSharedFilings, easternAcceptance, firstUnsettledDay, inferClock } from '../edgar/clock.ts';
import type { LedgerFiling, Refusal } from '../ledger/rows.ts';
import type { Entity } from '../sources/roles.ts';
import { sources } from '../sources/registry.ts';
import { submissionsFile, toFilings, type Columns, type ExtraPage } from '../sources/submissions.ts';
import { fetchSource } from './fetch.ts';

/** Pages claim a newest date that their rows pass by a day (measured): a page is only skipped if it is this much older. */
const pageMarginDays = 31;

/** A file whose acceptance clock its own rows did not decide. */
export interface UndecidedFile {
  readonly columns: Columns;
  readonly unsettledFrom: string;
  readonly filings: readonly LedgerFiling[];
}

/** What upstream lists for one company. */
export interface Collected {
  /** Null if the main file could not be had or understood. */
  readonly entity: Entity | null;
  readonly filings: LedgerFiling[];
  readonly refusals: Refusal[];
  readonly undecided: UndecidedFile[];
}

/** Is told what was fetched of a company, also of what could not be had: the main file, and how many pages follow; each page. */
export interface CompanyProgress {
  readMain(pages: number): void;
  readPage(): void;
}

/** Fetches and understands the main file of a company and every extra page that may hold filings since a date. */
export async function collectCompany(client: EdgarClient, settings: EdgarSettings, cik: string, since: string | null, progress: CompanyProgress): Promise<Collected> {
  const collected: Collected = { entity: null, filings: [], refusals: [], undecided: [] };
  const file = submissionsFile(cik);
  const refuse = (name: string, reason: string) => void collected.refusals.push({ cik, file: name, accessionNo: '', reason });
  const main = await fetchSource(client, settings, sources.submissions, file);
  if (main.kind === 'lost') {
    progress.readMain(0);
    refuse(file, main.reason);
    return collected;
  }
  const { entity, columns, extraPages } = main.parsed;
  const pages = extraPages.filter((page) => mayHold(page, since));
  progress.readMain(pages.length);
  const seen = new Set<string>();
  takeRows(collected, { columns, unsettledFrom: firstUnsettledDay(main.asOfMs) }, entity, file, since, seen);
  for (const { name, filingCount } of pages) {
    const page = await fetchSource(client, settings, sources.submissionsPage, name);
    progress.readPage();
    if (page.kind === 'lost') {
      refuse(name, page.reason);
      continue;
    }
    takeRows(collected, { columns: page.parsed, unsettledFrom: firstUnsettledDay(page.asOfMs) }, entity, name, since, seen);
    const rows = page.parsed.accessionNumber.length;
    if (filingCount !== null && rows < filingCount) refuse(name, `it has ${rows} filings, not the ${filingCount} that ${file} says`);
  }
  return { ...collected, entity };
}

function takeRows(collected: Collected, { columns, unsettledFrom }: Pick<UndecidedFile, 'columns' | 'unsettledFrom'>, entity: Entity, file: string, since: string | null, seen: Set<string>): void {
  const { clock } = inferClock(columns);
  const rows = toFilings(columns, entity, file, { clock, unsettledFrom });
  const wanted: LedgerFiling[] = [];
  for (const filing of rows.filings) {
    if (since !== null && filing.filedAt < since) continue;
    // One accession number under two forms, or in two pages: the row that upstream lists first stands.
    if (seen.has(filing.accessionNo)) continue;
    seen.add(filing.accessionNo);
    wanted.push(filing);
    collected.filings.push(filing);
  }
  collected.refusals.push(...rows.refusals);
  if (clock === null && wanted.length > 0) collected.undecided.push({ columns, unsettledFrom, filings: wanted });
}

function mayHold(page: ExtraPage, since: string | null): boolean {
  if (since === null || page.filingTo === null) return true;
  const newest = Date.parse(page.filingTo);
  return Number.isNaN(newest) || newest + pageMarginDays * 86_400_000 >= Date.parse(since);
}

/** Decides files by the filings that they share with files whose clock is known, and completes their acceptance times. */
export function decideBySharedFilings(undecided: readonly UndecidedFile[], acceptedAtOf: (accessionNo: string) => string | null): void {
  // All are decided before any is completed, so that the order of the files does not matter.
  const decided = undecided.map((file) => ({ ...file, clock: clockOfSharedFilings(file.columns, acceptedAtOf) }));
  for (const { columns, unsettledFrom, filings, clock } of decided) {
    const stamps = new Map(columns.accessionNumber.map((accessionNo, row) => [accessionNo, columns.acceptanceDateTime[row]]));
    for (const filing of filings) filing.acceptedAt = easternAcceptance(stamps.get(filing.accessionNo), clock, unsettledFrom);
  }
}
