import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { IngestRun } from '../../src/contract/records.ts';
import { foldSymbol } from '../../src/contract/shapes.ts';
import type { LineLog } from '../../src/log-levels.ts';
import { openCache } from '../edgar/cache.ts';
import { createEdgarClient, type EdgarSettings } from '../edgar/client.ts';
import { removeStagings, replaceFile } from '../files.ts';
import { appendBatch } from '../ledger/batch.ts';
import { describeRefusal, whyTooLong, type LedgerCompany, type LedgerFiling, type Refusal } from '../ledger/rows.ts';
import type { Progress } from '../progress.ts';
import { groupBy } from '../sources/rows.ts';
import { submissionsFile } from '../sources/submissions.ts';
import { tickerFiles, type TickerRow } from '../sources/tickers.ts';
import { collectCompany, decideBySharedFilings, type Collected } from './collect.ts';
import { mergeCompany, mergeFiling, sameCompany, sameFiling } from './merge.ts';
import { openKnownLedger, type KnownLedger } from './known.ts';
import { collectTickers } from './tickers.ts';
import { describeUniverse, resolveUniverse, type Universe } from './universe.ts';

/** What one run is to do. */
export interface IngestOptions {
  readonly universe: Universe;
  /** Least filing date, `YYYY-MM-DD`; null for everything. */
  readonly since: string | null;
  readonly ledgerDirectory: string;
  /** Where snapshots of the ledger are: what they were made from is looked up in them. */
  readonly snapshotsDirectory: string;
  readonly settings: EdgarSettings;
  readonly now: () => number;
  /** When the answers were recorded, UTC, if they are recordings: the batch has this time, and says that it is a sample. */
  readonly recordedAt?: string;
  readonly progress: Progress;
  readonly log: LineLog;
  readonly signal?: AbortSignal;
  /** Fewest rows of a whole ticker file; tests lower it. */
  readonly tickerRowsMinimum?: number;
  /** How long all requests rest after upstream's throttle page, in milliseconds. */
  readonly coolDownMs?: number;
}

/** What a run did. */
export interface IngestResult {
  readonly batch: number;
  readonly run: IngestRun;
  readonly added: number;
  readonly corrected: number;
  readonly refusals: readonly Refusal[];
}

/** Nothing could be written; the message says why. */
export class IngestFailed extends Error {}

/** Companies that are fetched at the same time: the pace of requests is the limit, not their number. */
const companiesAtOnce = 4;

/** A run that was interrupted longer ago than this begins anew. */
const resumeHours = 24;

/** EDGAR to one new batch. What could not be had or understood is listed in the batch; nothing is guessed or dropped silently. */
export async function ingest(options: IngestOptions): Promise<IngestResult> {
  const { ledgerDirectory, universe, since, settings, now, log, progress } = options;
  await mkdir(ledgerDirectory, { recursive: true });
  await removeStagings(join(ledgerDirectory, 'batches'));
  await removeStagings(ledgerDirectory);
  const target = describeUniverse(universe, since);
  const cache = await openCache(join(ledgerDirectory, '.cache'));
  const marker = await markRun(ledgerDirectory, JSON.stringify([universe, since]), now());
  const known = await openKnownLedger(ledgerDirectory, options.snapshotsDirectory, progress);
  const client = createEdgarClient({
    settings, cache, now, log, freshSince: marker.resumedFrom,
    ...(options.signal ? { signal: options.signal } : {}),
    ...(options.coolDownMs === undefined ? {} : { coolDownMs: options.coolDownMs }),
  });
  try {
    progress.begin('fetching', 'files');
    progress.expect(tickerFiles.length, false);
    const tickers = await collectTickers(client, cache, settings, progress, options.tickerRowsMinimum);
    const { ciks, unknown } = resolveUniverse(universe, tickers.rows, await known.symbols(universe.kind === 'named' ? universe.entries : []));
    const refusals = [...tickers.refusals, ...unknown.map((entry): Refusal => ({ cik: '', file: '', accessionNo: '', reason: `nobody has the symbol ${entry}` }))];
    const collected: Collected[] = [];
    progress.expect(ciks.length, false);
    let unread = ciks.length;
    const readMain = (pages: number) => {
      progress.step();
      progress.expect(pages, --unread === 0);
    };
    await inParallel([...ciks.entries()], companiesAtOnce, async ([at, cik]) => {
      // In the order of the CIKs, whichever answer comes first: the same answers give the same batch.
      collected[at] = await collectCompany(client, settings, cik, since, { readMain, readPage: () => progress.step() });
    });
    progress.stop();
    for (const each of collected) refusals.push(...each.refusals);
    if (!collected.some(({ entity }) => entity !== null)) throw new IngestFailed(`no company could be read: ${describeLosses(refusals)}`);

    const content = await combine(collected, tickers.rows, known);
    refusals.push(...content.refusals);
    const run: IngestRun = { target, status: refusals.length === 0 ? 'success' : 'partial', message: refusals.length === 0 ? null : describeLosses(refusals), createdAt: options.recordedAt ?? new Date(now()).toISOString() };
    const batch = await appendBatch(ledgerDirectory, { run, filings: content.filings, companies: content.companies, refusals: refusals.sort(compareRefusals), isSample: options.recordedAt !== undefined });
    await marker.remove();
    log(`${client.counts.requests} requests, ${client.counts.notModified} not modified, ${client.counts.retries} tried again, ${client.counts.throttled} throttled`);
    return { batch, run, added: content.added, corrected: content.filings.length - content.added, refusals };
  } finally {
    progress.stop();
    await known.close();
    await client.close();
  }
}

/** From what was collected to the rows that the ledger does not have yet. A row that no batch can hold is refused. */
async function combine(collected: readonly Collected[], tickers: readonly TickerRow[], ledger: KnownLedger): Promise<{ filings: LedgerFiling[]; companies: LedgerCompany[]; refusals: Refusal[]; added: number }> {
  const sightings = new Map<string, LedgerFiling[]>();
  for (const { filings } of collected) {
    for (const filing of filings) {
      const others = sightings.get(filing.accessionNo);
      if (others) others.push(filing);
      else sightings.set(filing.accessionNo, [filing]);
    }
  }
  const known = await ledger.filings(sightings.keys());
  const acceptedAtOf = (accessionNo: string) => sightings.get(accessionNo)?.find(({ acceptedAt }) => acceptedAt !== null)?.acceptedAt ?? known.get(accessionNo)?.acceptedAt ?? null;
  decideBySharedFilings(collected.flatMap(({ undecided }) => undecided), acceptedAtOf);

  const knownCompanies = await ledger.companies(ciksNamed(collected, known));
  const companies = combineCompanies(collected, tickers, knownCompanies);
  const listed = new Set([...knownCompanies.values(), ...companies].filter((company) => company.tickers.length > 0).map(({ cik }) => cik));
  const filings: LedgerFiling[] = [];
  const refusals: Refusal[] = [];
  let added = 0;
  for (const [accessionNo, seen] of sightings) {
    const before = known.get(accessionNo);
    const merged = mergeFiling(before, seen, (cik) => listed.has(cik));
    if (before && sameFiling(before, merged)) continue;
    const reason = whyTooLong(merged);
    if (reason !== null) {
      refusals.push({ cik: '', file: '', accessionNo, reason });
      continue;
    }
    if (!before) added++;
    filings.push(merged);
  }
  filings.sort((a, b) => (a.accessionNo < b.accessionNo ? -1 : 1));
  const changed = companies.filter((company) => !sameAsKnown(company, knownCompanies.get(company.cik)));
  for (const company of changed) {
    const reason = whyTooLong(company);
    if (reason !== null) refusals.push({ cik: company.cik, file: submissionsFile(company.cik), accessionNo: '', reason });
  }
  return { filings, added, refusals, companies: changed.filter((company) => whyTooLong(company) === null) };
}

/** Every company that the filings name, or whose file was read. */
function ciksNamed(collected: readonly Collected[], known: ReadonlyMap<string, LedgerFiling>): Set<string> {
  const ciks = new Set(collected.flatMap(({ entity }) => entity?.cik ?? []));
  for (const rows of [...collected.map(({ filings }) => filings), known.values()]) for (const { filerCiks } of rows) for (const cik of filerCiks) ciks.add(cik);
  return ciks;
}

function combineCompanies(collected: readonly Collected[], tickers: readonly TickerRow[], known: ReadonlyMap<string, LedgerCompany>): LedgerCompany[] {
  const listedBy = groupBy(tickers, ({ cik }) => cik);
  const holders = new Map<string, string>();
  for (const { entity } of collected) for (const ticker of entity?.tickers ?? []) holders.set(foldSymbol(ticker), (entity as { cik: string }).cik);
  for (const { ticker, cik } of tickers) holders.set(foldSymbol(ticker), cik);
  return collected
    .flatMap(({ entity }) => (entity ? [mergeCompany(entity, listedBy.get(entity.cik) ?? [], known.get(entity.cik), (symbol) => holders.get(symbol))] : []))
    .sort((a, b) => (a.cik < b.cik ? -1 : 1));
}

function sameAsKnown(company: LedgerCompany, known: LedgerCompany | undefined): boolean {
  return known !== undefined && sameCompany(known, company);
}

/** Orders refusals. */
export function compareRefusals(a: Refusal, b: Refusal): number {
  const [left, right] = [`${a.cik} ${a.file} ${a.accessionNo} ${a.reason}`, `${b.cik} ${b.file} ${b.accessionNo} ${b.reason}`];
  return left < right ? -1 : left > right ? 1 : 0;
}

const lossesShown = 10;

/** What was lost, in one line: of many the first. */
export function describeLosses(refusals: readonly Refusal[]): string {
  const shown = refusals.slice(0, lossesShown).map(describeRefusal);
  const rest = refusals.length - shown.length;
  return `${refusals.length} lost: ${shown.join('; ')}${rest > 0 ? `; and ${rest} more in refusals.csv` : ''}`;
}

/** Does work for each item, for so many at the same time. */
export async function inParallel<Item>(items: readonly Item[], width: number, work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.values();
  await Promise.all(Array.from({ length: width }, async () => {
    for (const item of waiting) await work(item);
  }));
}

/** Marks a run as begun. A run for the same target that was interrupted lately is resumed: what it fetched is not asked for again. */
async function markRun(ledgerDirectory: string, target: string, nowMs: number): Promise<{ resumedFrom: string | null; remove(): Promise<void> }> {
  const path = join(ledgerDirectory, '.cache', 'run.json');
  const before = await readFile(path, 'utf8').then((text) => JSON.parse(text) as { target?: string; startedAt?: string }, () => null);
  const resumes = before?.target === target && nowMs - Date.parse(before.startedAt ?? '') < resumeHours * 3_600_000;
  if (!resumes) await replaceFile(path, JSON.stringify({ target, startedAt: new Date(nowMs).toISOString() }));
  return { resumedFrom: resumes ? (before?.startedAt ?? null) : null, remove: () => rm(path, { force: true }) };
}
