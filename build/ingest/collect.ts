import { submissionsUrl, type EdgarAnswer, type EdgarClient, type EdgarSettings } from '../edgar/client.ts';
import { clockOfSharedFilings, easternAcceptance, firstUnsettledDay, inferClock } from '../edgar/clock.ts';
import type { LedgerFiling, Refusal } from '../ledger/rows.ts';
import type { Entity } from '../sources/roles.ts';
import { parseExtraPage, parseSubmissions, submissionsFile, toFilings, type Columns, type ExtraPage } from '../sources/submissions.ts';

/** A submissions file is at most this long; the longest recorded one has 4 MB. */
const fileBytesMaximum = 64 * 1024 * 1024;

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

/** Fetches and understands the main file of a company and every extra page that may hold filings since a date. */
export async function collectCompany(client: EdgarClient, settings: EdgarSettings, cik: string, since: string | null): Promise<Collected> {
  const collected: Collected = { entity: null, filings: [], refusals: [], undecided: [] };
  const file = submissionsFile(cik);
  const main = await fetchParsed(client, settings, cik, file, (body) => parseSubmissions(body, cik), collected.refusals);
  if (!main) return collected;
  const { entity, columns, extraPages } = main.parsed;
  const seen = new Set<string>();
  takeRows(collected, { columns, unsettledFrom: main.unsettledFrom }, entity, file, since, seen);
  for (const { name } of extraPages.filter((page) => mayHold(page, since))) {
    const page = await fetchParsed(client, settings, cik, name, parseExtraPage, collected.refusals);
    if (page) takeRows(collected, { columns: page.parsed, unsettledFrom: page.unsettledFrom }, entity, name, since, seen);
  }
  return { ...collected, entity };
}

interface Fetched<Parsed> {
  readonly parsed: Parsed;
  /** The day from which on its rows may not follow the clock of the file yet. */
  readonly unsettledFrom: string;
}

async function fetchParsed<Parsed>(client: EdgarClient, settings: EdgarSettings, cik: string, file: string, parse: (body: Buffer) => Parsed, refusals: Refusal[]): Promise<Fetched<Parsed> | null> {
  const refuse = (reason: string) => void refusals.push({ cik, file, accessionNo: '', reason });
  let last: { body: Buffer; parsed: Parsed } | null = null;
  const check = (body: Buffer) => void (last = { body, parsed: parse(body) });
  try {
    const answer: EdgarAnswer = await client.get(submissionsUrl(settings, file), { maxBytes: fileBytesMaximum, check });
    if (answer.kind === 'ok') return { parsed: parsedFor(answer.body, last) ?? parse(answer.body), unsettledFrom: firstUnsettledDay(answer.asOfMs) };
    refuse(`not there (${answer.status})`);
  } catch (error) {
    if (isFatal(error)) throw error;
    refuse((error as Error).message);
  }
  return null;
}

/** The client shows a body to the check before it gives it out: what was parsed there is not parsed again. */
function parsedFor<Parsed>(body: Buffer, last: { body: Buffer; parsed: Parsed } | null): Parsed | null {
  return last?.body === body ? last.parsed : null;
}

/** Upstream refuses this client, or the run was stopped: asking for the next file would make it worse. */
export function isFatal(error: unknown): boolean {
  return (error as { kind?: string }).kind === 'refused' || (error as Error).name === 'AbortError';
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
