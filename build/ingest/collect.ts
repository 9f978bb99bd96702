import { submissionsUrl, type EdgarAnswer, type EdgarClient, type EdgarSettings } from '../edgar/client.ts';
import { easternAcceptance, inferClock, type Clock } from '../edgar/clock.ts';
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
  const seen = new Set<string>();
  takeRows(collected, main.columns, main.entity, file, since, seen);
  for (const page of main.extraPages.filter((each) => mayHold(each, since))) {
    const columns = await fetchParsed(client, settings, cik, page.name, parseExtraPage, collected.refusals);
    if (columns) takeRows(collected, columns, main.entity, page.name, since, seen);
  }
  return { ...collected, entity: main.entity };
}

async function fetchParsed<Parsed>(client: EdgarClient, settings: EdgarSettings, cik: string, file: string, parse: (body: Buffer) => Parsed, refusals: Refusal[]): Promise<Parsed | null> {
  let parsed: Parsed | null = null;
  const check = (body: Buffer) => void (parsed = parse(body));
  const refuse = (reason: string) => void refusals.push({ cik, file, accessionNo: '', reason });
  try {
    const answer: EdgarAnswer = await client.get(submissionsUrl(settings, file), { maxBytes: fileBytesMaximum, check });
    if (answer.kind === 'absent') refuse(`not there (${answer.status})`);
    else check(answer.body);
    return parsed;
  } catch (error) {
    if (isFatal(error)) throw error;
    refuse((error as Error).message);
    return null;
  }
}

/** Upstream refuses this client, or the run was stopped: asking for the next file would make it worse. */
export function isFatal(error: unknown): boolean {
  return (error as { kind?: string }).kind === 'refused' || (error as Error).name === 'AbortError';
}

function takeRows(collected: Collected, columns: Columns, entity: Entity, file: string, since: string | null, seen: Set<string>): void {
  const { clock } = inferClock(columns as Parameters<typeof inferClock>[0]);
  const rows = toFilings(columns, entity, file, clock);
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
  if (clock === null && wanted.length > 0) collected.undecided.push({ columns, filings: wanted });
}

function mayHold(page: ExtraPage, since: string | null): boolean {
  if (since === null || page.filingTo === null) return true;
  const newest = Date.parse(page.filingTo);
  return Number.isNaN(newest) || newest + pageMarginDays * 86_400_000 >= Date.parse(since);
}

/**
 * Decides files by the filings that they share with files whose clock is known: the raw stamp, read by one clock, gives
 * the accepted time that is known, read by the other it does not. Evidence for both leaves the file undecided.
 */
export function decideBySharedFilings(undecided: readonly UndecidedFile[], acceptedAtOf: (accessionNo: string) => string | null): void {
  for (const { columns, filings } of undecided) {
    const votes = new Set<Clock>();
    columns.accessionNumber.forEach((accessionNo, row) => {
      const truth = acceptedAtOf(accessionNo);
      if (truth === null) return;
      for (const clock of ['eastern', 'utc'] as const) if (easternAcceptance(columns.acceptanceDateTime[row], clock) === truth) votes.add(clock);
    });
    const [clock] = votes;
    if (votes.size !== 1 || clock === undefined) continue;
    const stamps = new Map(columns.accessionNumber.map((accessionNo, row) => [accessionNo, columns.acceptanceDateTime[row]]));
    for (const filing of filings) filing.acceptedAt = easternAcceptance(stamps.get(filing.accessionNo), clock);
  }
}
