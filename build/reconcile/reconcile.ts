import { isReconciled, type ReconciledDay } from '../../src/contract/reconciled-days.ts';
import type { ContentsName } from '../../src/settings/settings.ts';
import type { LineLog } from '../../src/log/levels.ts';
import type { Addition, Appended } from '../ingest/append.ts';
import { withKnownLedger, type KnownLedger, type LedgerToKnow } from '../ingest/known.ts';
import type { Upstream } from '../ingest/upstream.ts';
import { daysOf } from '../ledger/days.ts';
import type { HeldContents } from '../ledger/contents.ts';
import type { LedgerFiling } from '../ledger/ledger-rows.ts';
import {
  dailyIndexFile,
  filingsOfIndex,
  quarterlyIndexFile,
  quarterOf,
  type IndexFiling,
  type MasterIndex,
} from '../sources/master-index.ts';
import type { TickerRow } from '../sources/tickers.ts';
import { countOfIndex, describeDay, noteOfIndex, resultOf, resultWithoutIndex, settledOf } from './day.ts';
import { lookAt, type Brought, type Look, type LookOptions, type WantedFiling } from './look.ts';
import { readQuarter, type CorrectedDay } from './quarter.ts';
import { quartersDue } from './withdrawn.ts';

/** The days to reconcile, and with what. */
export interface ReconcileOptions {
  readonly upstream: Pick<
    Upstream,
    'dailyIndex' | 'dailyRows' | 'quarterlyIndex' | 'header' | 'entityFile' | 'olderPage' | 'contents'
  >;
  readonly folders: LedgerToKnow;
  /** What is asked for beside the metadata of filings; nothing if left out. */
  readonly contents?: readonly ContentsName[] | undefined;
  /** Appends to the ledger. */
  readonly append: (addition: Addition) => Promise<Appended>;
  /** Ascending. */
  readonly days: readonly string[];
  /** The most days that the run compares; the others stay due. All days if left out. */
  readonly daysMaximum?: number;
  /** Whether rebuilt indexes of quarters are read, too, once all days are done. */
  readonly readsQuarters: boolean;
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
  readonly signal?: AbortSignal | undefined;
}

/** The result of a reconciliation. */
export interface Reconciled {
  /** Of all days that were done; those without an index are not reconciled: see `isReconciled`. */
  readonly results: readonly ReconciledDay[];
  /** Days whose index is not published (yet). */
  readonly absent: readonly string[];
  /** Days and quarters whose index could not be fetched, with the reason. */
  readonly failed: readonly { readonly day: string; readonly reason: string }[];
}

/** What a run has done so far. Results are written together with what was brought for their days. */
type Run = { readonly [Name in keyof Reconciled]: Reconciled[Name][number][] } & {
  readonly options: ReconcileOptions;
  unwritten: ReconciledDay[];
};

/**
 * Compares days with EDGAR's daily indexes: by accession number, companies, form and date. Every filing of
 * the universe that an index lists is in the ledger like that, or is fetched or corrected now, or is counted
 * with a reason. Then the days are compared in the same way with the rebuilt indexes of their quarters, which
 * also show which filings EDGAR has withdrawn. The result of each day becomes part of a batch. A run that
 * ends early has saved the days that are done.
 */
export async function reconcile(options: ReconcileOptions): Promise<Reconciled> {
  const run: Run = {
    options,
    results: [],
    absent: [],
    failed: [],
    unwritten: [],
  };
  if ((await compareDays(run)) && options.readsQuarters) await compareQuarters(run);
  return run;
}

/**
 * When this many indexes in a row could not be fetched, the newest day is asked for: if its index cannot be had either,
 * upstream is out of order and the run ends. Otherwise it is about those days alone, and the others are compared.
 */
const failuresMaximum = 2;

/** The most days of which nothing was fetched that are appended together. */
const daysTogether = 20;

/** Compares the days with their daily indexes. Returns false if upstream is out of order or days remain. */
async function compareDays(run: Run): Promise<boolean> {
  const { upstream, days, log, instant, signal, daysMaximum = Infinity } = run.options;
  let [failures, done] = [0, 0];
  let newestIndexed = run.options.before.findLast(({ indexed }) => indexed > 0)?.day ?? '';
  const left = [...days];
  // If upstream is out of order, the next run handles the remaining days.
  while (left.length > 0 && failures <= failuresMaximum && done < daysMaximum) {
    signal?.throwIfAborted();
    const day = (failures === failuresMaximum ? left.pop() : left.shift()) as string;
    const before = resultBefore(run, day);
    const index = await upstream.dailyIndex(day);
    if (index.now.kind === 'lost') {
      const isAbsent = index.now.cause === 'absent' && (before?.indexed ?? 0) === 0;
      failures = isAbsent ? 0 : failures + 1;
      if (!isAbsent) run.failed.push({ day, reason: index.now.reason });
      else if (day > newestIndexed) run.absent.push(day);
      else {
        done++;
        await addWithoutIndex(run, day);
      }
      continue;
    }
    [failures, done] = [0, done + 1];
    if (day > newestIndexed) newestIndexed = day;
    for (const absent of run.absent.splice(0))
      if (absent < day) await addWithoutIndex(run, absent);
      else run.absent.push(absent);
    const { now, before: rowsBefore } = index;
    const { listed, held, contents } = await wantedOf(run, filingsOfIndex(now.parsed.rows), now.parsed);
    const contentsOf = lackingIn(run, contents);
    const look = await lookAtDay(run, listed, { held, contentsOf }, before, dailyIndexFile(day));
    const result = resultOf(
      {
        day,
        at: instant(),
        index: 'daily',
        indexed: countOfIndex(now.parsed),
        note: noteOfIndex(now.parsed, rowsBefore, before),
        look,
        heldBesides: before?.added ?? 0,
        quarter: null,
      },
      before,
    );
    log(describeDay(result));
    await addResult(run, result, look);
  }
  await write(run, nothing);
  return failures <= failuresMaximum && done < daysMaximum;
}

/** Compares days with the rebuilt indexes of their quarters. */
async function compareQuarters(run: Run): Promise<void> {
  const { upstream, before, instant, signal } = run.options;
  const results = daysOf([...before, ...run.results]);
  for (const [quarter, due] of quartersDue(results, Date.parse(instant()))) {
    signal?.throwIfAborted();
    try {
      const { days, failed } = await readQuarter(upstream, quarter, due, results);
      run.failed.push(...failed.map(({ day, reason }) => ({ day: quarter, reason: `${day}: ${reason}` })));
      for (const each of days) await compareCorrected(run, quarter, each);
    } catch (error) {
      signal?.throwIfAborted();
      run.failed.push({ day: quarter, reason: (error as Error).message });
    }
  }
  await write(run, nothing);
}

/** Compares a day with what the rebuilt index of its quarter lists for it. */
async function compareCorrected(run: Run, quarter: string, day: CorrectedDay): Promise<void> {
  const { log, instant, signal } = run.options;
  signal?.throwIfAborted();
  const { before, inDaily, gone } = day;
  const unsettled = new Set(before.reasons.map(({ accessionNo }) => accessionNo));
  const rows = [...gone, ...day.filings.flatMap(({ entities }) => entities)];
  const { listed, held, contents, isOf } = await wantedOf(
    run,
    day.filings,
    { rows },
    gone.map(({ accessionNo }) => accessionNo),
  );
  // One whose date EDGAR has corrected into another quarter is in the index of that quarter.
  const isOfQuarter = (row: LedgerFiling | undefined) =>
    row !== undefined && quarterOf(row.filedAt) === quarter;
  const withdrawn = filingsOfIndex(gone.filter(({ accessionNo }) => isOfQuarter(held.get(accessionNo))))
    .filter(({ entities }) => entities.some(({ cik }) => isOf(cik)))
    .map(({ accessionNo }) => accessionNo)
    .sort();
  // A quarter has some 50,000 of them. Those of filings that the ledger has were asked for with their day, and are asked
  // for again only if the day names them: else nothing of it would be open any more.
  const lacking = lackingIn(run, contents);
  const contentsOf = (accessionNo: string) =>
    held.has(accessionNo) && !unsettled.has(accessionNo) ? [] : lacking(accessionNo);
  const look = await lookAtDay(run, listed, { held, contentsOf }, before, quarterlyIndexFile(quarter));
  const result = resultOf(
    {
      day: before.day,
      at: instant(),
      index: 'quarterly',
      indexed: before.indexed,
      note: before.note,
      look,
      heldBesides: withdrawn.length,
      quarter: {
        added: listed.filter((each) => !inDaily.has(each.listed.accessionNo)).length,
        withdrawn,
      },
    },
    before,
  );
  const isNew = withdrawn.some((accessionNo) => !before.withdrawn.includes(accessionNo));
  if (isNew)
    log(`${before.day}: EDGAR has withdrawn ${withdrawn.join(', ')}: their records stay in the service`);
  if (look.fetched.length + look.corrected.length > 0)
    log(`${describeDay(result)}; by the index of ${quarter}`);
  await addResult(run, result, look);
}

const nothing: Brought = { filings: [], entities: [], contents: [], refusals: [] };

function resultBefore(run: Run, day: string): ReconciledDay | null {
  return run.options.before.find((each) => each.day === day) ?? null;
}

/** Looks up which filings of an index name the universe, and what the ledger has of these and of `others`. */
async function wantedOf(
  { options }: Run,
  filings: readonly IndexFiling[],
  index: { readonly rows: readonly Pick<MasterIndex['rows'][number], 'cik'>[] },
  others: readonly string[] = [],
): Promise<{
  listed: WantedFiling[];
  held: ReadonlyMap<string, LedgerFiling>;
  /** Which contents the ledger has. */
  contents: ReadonlyMap<string, HeldContents>;
  isOf: (cik: string) => boolean;
}> {
  return withKnownLedger(options.folders, async (known) => {
    const isOf = options.isWanted ?? (await companiesWithFile(known, index));
    const wanted = filings.filter(({ entities }) => entities.some(({ cik }) => isOf(cik)));
    const accessionNos = wanted.map(({ accessionNo }) => accessionNo);
    const held = await known.filings([...accessionNos, ...others]);
    const contents = await known.contents(options.contents?.length ? accessionNos : []);
    const listed = wanted.map((each): WantedFiling => {
      const ciks = each.entities.map(({ cik }) => cik).filter(isOf);
      // The file of the subject company lists the filing, too, and serves for more filings.
      const subject = held.get(each.accessionNo)?.subjectCik ?? null;
      return { listed: each, ciks: ciks.toSorted((a, b) => Number(b === subject) - Number(a === subject)) };
    });
    return { listed, held, contents, isOf };
  });
}

/** Returns the contents of a filing that are wanted and that the ledger lacks. */
const lackingIn =
  ({ options }: Run, contents: ReadonlyMap<string, HeldContents>) =>
  (accessionNo: string): readonly ContentsName[] =>
    (options.contents ?? []).filter((kind) => contents.get(accessionNo)?.[kind] === undefined);

function lookAtDay(
  run: Run,
  listed: readonly WantedFiling[],
  known: Pick<LookOptions, 'held' | 'contentsOf'>,
  before: ReconciledDay | null,
  file: string,
): Promise<Look> {
  const { upstream, signal } = run.options;
  return lookAt(listed, {
    upstream,
    ...known,
    settled: settledOf(before),
    file,
    append: (part) => write(run, part, file),
    signal,
  });
}

/** Adds the result of a day. It is written at once if something was brought for it. */
async function addResult(run: Run, result: ReconciledDay, look: Look): Promise<void> {
  run.unwritten.push(result);
  const { filings, entities, contents, refusals } = look.rest;
  const brought = filings.length + entities.length + contents.length + refusals.length;
  if (brought > 0 || run.unwritten.length >= daysTogether) await write(run, look.rest);
}

/** Adds the result of a day without an index: there is one of a later day, so it will hardly come. */
async function addWithoutIndex(run: Run, day: string): Promise<void> {
  const result = resultWithoutIndex(day, run.options.instant(), resultBefore(run, day));
  if (!isReconciled(result)) run.options.log(`${day}: ${result.note}; it is not reconciled`, 'warn');
  run.unwritten.push(result);
  if (run.unwritten.length >= daysTogether) await write(run, nothing);
}

/** Appends a batch with what was brought and the results that are not written yet, if there is anything. */
async function write(run: Run, brought: Brought, part?: string): Promise<void> {
  const { options } = run;
  const names = run.unwritten.map(({ day }) => day).sort();
  if (names.length === 0 && part === undefined) return;
  const what =
    names.length === 0 ? `a part of ${part}` : names.length > 1 ? `${names[0]} to ${names.at(-1)}` : names[0];
  await options.append({
    target: `reconcile ${what}: ${options.universe}`,
    createdAt: options.instant(),
    ...brought,
    tickers: options.tickers,
    days: run.unwritten,
  });
  run.results.push(...run.unwritten);
  run.unwritten = [];
}

/**
 * Returns a function that tells whether the ledger has the submissions file of a company of the index. Of
 * other companies it knows only the name.
 */
async function companiesWithFile(
  known: KnownLedger,
  index: { readonly rows: readonly { readonly cik: string }[] },
): Promise<(cik: string) => boolean> {
  const companies = await known.companies(new Set(index.rows.map(({ cik }) => cik)));
  return (cik) => companies.get(cik)?.facts !== undefined;
}
