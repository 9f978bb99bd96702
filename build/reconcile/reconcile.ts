import type { ReconciledDay } from '../../src/contract/records.ts';
import type { LineLog } from '../../src/log/levels.ts';
import type { Addition, Appended, FoundFiling } from '../ingest/append.ts';
import { nothingTold } from '../ingest/assemble.ts';
import { inParallel } from '../work/parallel.ts';
import { withKnownLedger, type KnownLedger, type LedgerFolders } from '../ingest/known.ts';
import type { EntityFile, Upstream } from '../ingest/upstream.ts';
import type { Refusal } from '../ledger/rows.ts';
import { dailyIndexFile, type IndexFiling, type MasterIndex } from '../sources/master-index.ts';
import type { Entity } from '../sources/roles.ts';
import type { TickerRow } from '../sources/tickers.ts';
import type { Fetched } from '../ingest/fetch.ts';
import { daysOf } from '../ledger/days.ts';
import {
  countOfIndex,
  describeDay,
  noteOfIndex,
  resultOf,
  resultWithoutIndex,
  wantedOfIndex,
} from './day.ts';
import { goneFromQuarter, quartersDue, resultsAfterQuarter } from './withdrawn.ts';

/** The days to reconcile, and with what. */
export interface ReconcileOptions {
  readonly upstream: Pick<Upstream, 'dailyIndex' | 'dailyRows' | 'quarterlyIndex' | 'header' | 'entityFile'>;
  readonly folders: LedgerFolders;
  /** Appends to the ledger. */
  readonly append: (addition: Addition) => Promise<Appended>;
  /** Ascending. */
  readonly days: readonly string[];
  /** The entities whose filings are compared; null for the companies whose own files the ledger has. */
  readonly isWanted: ((cik: string) => boolean) | null;
  readonly tickers: readonly TickerRow[];
  /** Earlier results. */
  readonly before: readonly ReconciledDay[];
  /** The name of the universe in the record of the run. */
  readonly universe: string;
  /** Returns the time as records write it: ISO 8601 in UTC. */
  readonly instant: () => string;
  readonly log: LineLog;
  readonly signal?: AbortSignal;
}

/** The result of a reconciliation. */
export interface Reconciled {
  readonly results: readonly ReconciledDay[];
  /** Days whose index is not published (yet). */
  readonly absent: readonly string[];
  /** Days and quarters whose index could not be fetched, with the reason. */
  readonly failed: readonly { readonly day: string; readonly reason: string }[];
  /** Accession numbers of the filings that were fetched. */
  readonly fetched: readonly string[];
}

/** Files that are requested at the same time. The rate limiter bounds the speed, not this number. */
const filesAtOnce = 3;

/**
 * Compares days with EDGAR's daily indexes. Every filing of the universe that an index lists is in the ledger
 * already, or is fetched now, or is refused with a reason. Then the quarterly indexes show which filings
 * EDGAR has withdrawn. The result of each day becomes part of a batch. A run that ends early has saved the
 * days that are done.
 */
export async function reconcile(options: ReconcileOptions): Promise<Reconciled> {
  const { upstream, days, log, instant, signal } = options;
  const done = {
    results: [] as ReconciledDay[],
    absent: [] as string[],
    failed: [] as { day: string; reason: string }[],
    fetched: [] as string[],
  };
  let unwritten: ReconciledDay[] = [];
  const write = async (
    filings: readonly FoundFiling[] = [],
    entities: readonly Entity[] = [],
    refusals: readonly Refusal[] = [],
  ) => {
    if (unwritten.length === 0) return;
    const names = unwritten.map(({ day }) => day);
    const target = `reconcile ${names[0]}${names.length > 1 ? ` to ${names.at(-1)}` : ''}: ${options.universe}`;
    await options.append({
      target,
      createdAt: instant(),
      filings,
      entities,
      tickers: options.tickers,
      refusals,
      days: unwritten,
    });
    done.results.push(...unwritten);
    unwritten = [];
  };
  let failures = 0;
  for (const day of days) {
    signal?.throwIfAborted();
    // Upstream is out of order; the next run handles the remaining days.
    if (failures === failuresMaximum) break;
    const { now, before } = await upstream.dailyIndex(day);
    if (now.kind === 'lost') {
      if (now.cause === 'absent') done.absent.push(day);
      else done.failed.push({ day, reason: now.reason });
      failures = now.cause === 'absent' ? 0 : failures + 1;
      continue;
    }
    failures = 0;
    // If a later index exists, EDGAR will not publish the missing earlier ones.
    for (const missed of done.absent.splice(0)) unwritten.push(resultWithoutIndex(missed, instant()));
    const found = await reconcileDay(options, day, now.parsed);
    const resultBefore = options.before.find((each) => each.day === day) ?? null;
    const note = noteOfIndex(now.parsed, before, resultBefore);
    const result = resultOf(
      {
        day,
        indexed: countOfIndex(now.parsed),
        listed: found.listed,
        fetched: found.filings.length,
        missing: found.refusals,
        note,
      },
      instant(),
      resultBefore,
    );
    unwritten.push(result);
    log(describeDay(result));
    done.fetched.push(...found.filings.map(({ accessionNo }) => accessionNo));
    if (found.filings.length + found.refusals.length > 0 || unwritten.length >= daysTogether)
      await write(found.filings, found.entities, found.refusals);
  }
  await write();
  if (failures < failuresMaximum) {
    for (const [quarter, ofQuarter] of quartersDue(
      daysOf([...options.before, ...done.results]),
      Date.parse(instant()),
    )) {
      signal?.throwIfAborted();
      try {
        unwritten.push(...(await lookForWithdrawn(options, quarter, ofQuarter)));
      } catch (error) {
        signal?.throwIfAborted();
        done.failed.push({ day: quarter, reason: (error as Error).message });
      }
    }
    await write();
  }
  return done;
}

/**
 * Finds the filings of a quarter's days that EDGAR has withdrawn. Returns the results that change. Rejects if
 * the quarterly index cannot be fetched or is incomplete.
 */
async function lookForWithdrawn(
  { upstream, folders, isWanted, instant, log }: ReconcileOptions,
  quarter: string,
  days: readonly ReconciledDay[],
): Promise<ReconciledDay[]> {
  const index = await upstream.quarterlyIndex(quarter);
  if (index.kind === 'lost') throw new Error(index.reason);
  const gone = await goneFromQuarter(index.parsed, days, (day) => upstream.dailyRows(day));
  const withdrawn = new Map<string, string[]>();
  await withKnownLedger(folders, async (known) => {
    for (const [day, rows] of gone) {
      const isOf = isWanted ?? (await companiesWithFile(known, { rows }));
      const listed = wantedOfIndex({ rows }, isOf).map(({ accessionNo }) => accessionNo);
      const held = await known.filings(listed);
      withdrawn.set(day, listed.filter((accessionNo) => held.has(accessionNo)).sort());
    }
  });
  const changed = resultsAfterQuarter(days, withdrawn, instant());
  for (const { day, withdrawn: numbers } of changed)
    if (numbers.length > 0)
      log(`${day}: EDGAR has withdrawn ${numbers.join(', ')}: their records stay in the service`);
  return changed;
}

/** After so many indexes in a row that could not be fetched, the run ends. */
const failuresMaximum = 2;

/** Days of which nothing was fetched are appended together, so many at most. */
const daysTogether = 20;

interface FoundDay {
  readonly listed: number;
  readonly filings: readonly FoundFiling[];
  readonly entities: readonly Entity[];
  /** Filings that could not be fetched. */
  readonly refusals: readonly Refusal[];
}

/** Fetches the filings of a day that the ledger lacks. */
async function reconcileDay(
  { upstream, folders, isWanted, signal }: ReconcileOptions,
  day: string,
  index: MasterIndex,
): Promise<FoundDay> {
  const { wanted, held } = await withKnownLedger(folders, async (known) => {
    const isOf = isWanted ?? (await companiesWithFile(known, index));
    const listed = wantedOfIndex(index, isOf);
    return {
      wanted: listed.map((filing) => ({
        filing,
        cik: filing.entities.find(({ cik }) => isOf(cik))?.cik as string,
      })),
      held: await known.filings(listed.map(({ accessionNo }) => accessionNo)),
    };
  });
  const files = new Map<string, Promise<Fetched<EntityFile>>>();
  const fileOf = (cik: string) => {
    const asked = files.get(cik) ?? upstream.entityFile(cik);
    files.set(cik, asked);
    return asked;
  };
  const filings: FoundFiling[] = [];
  const entities = new Map<string, Entity>();
  const refusals: Refusal[] = [];
  await inParallel(
    wanted.filter(({ filing }) => !held.has(filing.accessionNo)),
    filesAtOnce,
    async ({ filing, cik }) => {
      signal?.throwIfAborted();
      const { accessionNo } = filing;
      const [header, file] = await Promise.all([upstream.header(cik, accessionNo), fileOf(cik)]);
      if (file.kind === 'ok') entities.set(cik, file.parsed.entity);
      const row = file.kind === 'ok' ? (file.parsed.rows.get(accessionNo) ?? null) : null;
      if (header.kind === 'ok')
        filings.push({ accessionNo, told: { ...nothingTold, header: header.parsed, row } });
      else if (row !== null) filings.push({ accessionNo, told: { ...nothingTold, row } });
      else
        refusals.push({
          cik,
          file: dailyIndexFile(day),
          accessionNo,
          reason: whyMissing(filing, header.reason, file),
        });
    },
  );
  return { listed: wanted.length, filings, entities: [...entities.values()], refusals };
}

function whyMissing({ form }: IndexFiling, header: string, file: Fetched<EntityFile>): string {
  return `form ${form}: its header: ${header}; the submissions file: ${file.kind === 'lost' ? file.reason : 'it does not list it'}`;
}

/**
 * Returns a function that tells whether the ledger has the submissions file of a company of the index. Of
 * other companies it knows only the name.
 */
async function companiesWithFile(
  known: KnownLedger,
  index: Pick<MasterIndex, 'rows'>,
): Promise<(cik: string) => boolean> {
  const companies = await known.companies(new Set(index.rows.map(({ cik }) => cik)));
  return (cik) => companies.get(cik)?.facts !== undefined;
}
