import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hourMs } from '../../src/contract/time.ts';
import type { IngestRun } from '../../src/contract/records.ts';
import type { LineLog } from '../../src/log/levels.ts';
import { openCache } from '../edgar/cache.ts';
import { createEdgarClient, type EdgarClient, type EdgarSettings } from '../edgar/client.ts';
import { removeStagings, replaceFile } from '../disk/files.ts';
import { batchNumbers, openBatch, type OpenBatch } from '../ledger/batch.ts';
import type { Refusal } from '../ledger/rows.ts';
import type { Progress } from '../work/progress.ts';
import { tickerFiles, type TickerRow } from '../sources/tickers.ts';
import { inParallel } from '../work/parallel.ts';
import { createRefusals, describeLosses, type Refusals } from '../ledger/refusals.ts';
import { collectArchive, describeGaps, fetchArchive, fillGaps, removeArchive } from './archive.ts';
import { collectCompany, type Collecting } from './collect.ts';
import { combine } from './combine.ts';
import { createGathering } from './gather.ts';
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
  /**
   * When the answers were recorded, UTC, if they are recordings: the batch has this time, and says that it is
   * a sample.
   */
  readonly recordedAt?: string;
  readonly progress: Progress;
  readonly log: LineLog;
  readonly signal?: AbortSignal;
  /** Fewest rows of a whole ticker file; tests lower it. */
  readonly tickerRowsMinimum?: number;
  /** How long all requests rest after upstream's throttle page, in milliseconds. */
  readonly coolDownMs?: number;
  /**
   * Only what the ledger lacks of the universe, and thousands of files one after the other are no way to get
   * it: without the bulk archive the run fails.
   */
  readonly isFirstFill?: boolean;
}

/** What a run did. */
export interface IngestResult {
  readonly batch: number;
  readonly run: IngestRun;
  readonly added: number;
  readonly corrected: number;
  readonly refusals: readonly Refusal[];
  /** When upstream made the bulk archive that was read, in milliseconds since 1970; null if none was. */
  readonly archiveMs: number | null;
}

/** Nothing could be written; the message says why. */
export class IngestFailed extends Error {}

/** Companies that are fetched at the same time: the limit of requests is what counts, not their number. */
const companiesAtOnce = 4;

/** A run that was interrupted longer ago than this begins anew. */
const resumeHours = 24;

/**
 * EDGAR to one new batch. What could not be had or understood is listed in the batch; nothing is guessed or
 * dropped silently. What is found is written aside and sorted there: memory does not grow with it, and a run
 * that is killed leaves the ledger as it was.
 */
export async function ingest(options: IngestOptions): Promise<IngestResult> {
  const { ledgerDirectory, universe, since, settings, now, log, progress, signal } = options;
  await mkdir(ledgerDirectory, { recursive: true });
  await removeStagings(join(ledgerDirectory, 'batches'));
  await removeStagings(ledgerDirectory);
  const cacheDirectory = join(ledgerDirectory, '.cache');
  const archivePath = join(cacheDirectory, 'submissions.zip');
  const cache = openCache(cacheDirectory);
  const marker = await markRun(ledgerDirectory, JSON.stringify([universe, since]), now());
  const batches = (await batchNumbers(ledgerDirectory)).length;
  let known = await openKnownLedger(ledgerDirectory, options.snapshotsDirectory, progress);
  const client = createEdgarClient({
    settings,
    cache,
    now,
    log,
    freshSince: marker.resumedFrom,
    ...(signal ? { signal } : {}),
    ...(options.coolDownMs === undefined ? {} : { coolDownMs: options.coolDownMs }),
  });
  const refusals = createRefusals();
  const gathering = await createGathering(ledgerDirectory, refusals.add);
  let batch: OpenBatch | null = null;
  try {
    progress.begin('fetching', 'files');
    progress.expect(tickerFiles.length, false);
    const tickers = await collectTickers(client, cache, settings, progress, options.tickerRowsMinimum);
    refusals.add(...tickers.refusals);
    const archiveMs = await collect({
      client,
      settings,
      universe,
      tickers: tickers.rows,
      known,
      gathering,
      refusals,
      since,
      archivePath,
      progress,
      log,
      signal,
      isFirstFill: options.isFirstFill === true,
    });
    gathering.finish();
    if (gathering.counts.entities === 0 && (refusals.count() > 0 || !options.isFirstFill))
      throw new IngestFailed(
        `no company could be read: ${describeLosses(refusals.rows(), refusals.count())}`,
      );

    batch = await openBatch(ledgerDirectory);
    if (batch.number !== batches + 1) {
      // Another program has appended to the ledger meanwhile: what it knows by now counts.
      await known.close();
      known = await openKnownLedger(ledgerDirectory, options.snapshotsDirectory, progress);
    }
    const { added, corrected } = await combine({
      gathering,
      tickers: tickers.rows,
      known,
      batch,
      refuse: refusals.add,
      progress,
      signal,
    });
    const rows = refusals.rows();
    const run: IngestRun = {
      target: describeUniverse(universe, since),
      status: rows.length === 0 ? 'success' : 'partial',
      message: rows.length === 0 ? null : describeLosses(rows, refusals.count()),
      createdAt: options.recordedAt ?? new Date(now()).toISOString(),
    };
    await batch.finish({ run, refusals: rows, isSample: options.recordedAt !== undefined });
    await marker.remove();
    // Those who are listed come out of it once; everyone is held against it again.
    if (universe.kind === 'listed' && archiveMs !== null) await removeArchive(archivePath);
    log(
      `${client.counts.requests} requests, ${client.counts.notModified} not modified, ${client.counts.retries} tried again, ${client.counts.throttled} throttled`,
    );
    return { batch: batch.number, run, added, corrected, refusals: rows, archiveMs };
  } finally {
    progress.stop();
    await batch?.discard();
    await gathering.close();
    await known.close();
    await client.close();
  }
}

/** What is collected, from where, and where it goes. */
interface CollectOptions extends Collecting {
  readonly client: EdgarClient;
  readonly settings: EdgarSettings;
  readonly universe: Universe;
  readonly tickers: readonly TickerRow[];
  readonly known: KnownLedger;
  readonly refusals: Refusals;
  readonly archivePath: string;
  readonly progress: Progress;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal | undefined;
  readonly isFirstFill: boolean;
}

/**
 * Takes what upstream lists for a universe: out of the bulk archive where that takes less time, or else a
 * file after the other. Gives when the archive was made, or null.
 */
async function collect(options: CollectOptions): Promise<number | null> {
  const { universe, tickers, known, refusals, log, isFirstFill } = options;
  if (universe.kind === 'all') {
    const taken = await collectFromArchive(options, null);
    if ('reason' in taken) throw new IngestFailed(`the bulk archive cannot be had: ${taken.reason}`);
    return taken.archiveMs;
  }
  const { ciks, unknown } = resolveUniverse(
    universe,
    tickers,
    await known.symbols(universe.kind === 'named' ? universe.entries : []),
  );
  refusals.add(
    ...unknown.map(
      (entry): Refusal => ({ cik: '', file: '', accessionNo: '', reason: `nobody has the symbol ${entry}` }),
    ),
  );
  const companies = await known.companies(ciks);
  const strange = ciks.filter((cik) => companies.get(cik)?.facts === undefined);
  if (
    universe.kind === 'listed' &&
    strange.length >= archiveMinimum &&
    (isFirstFill || strange.length * 2 > ciks.length)
  ) {
    const taken = await collectFromArchive(options, ciks);
    if (!('reason' in taken)) return taken.archiveMs;
    if (isFirstFill) throw new IngestFailed(`the bulk archive cannot be had: ${taken.reason}`);
    log(
      `the bulk archive cannot be had: ${taken.reason}; the files of ${ciks.length} entities are asked for one after the other`,
    );
    options.progress.begin('fetching', 'files');
  }
  await collectFiles(options, isFirstFill ? strange : ciks);
  return null;
}

/**
 * Where the ledger does not have the own files of at least so many entities, and of most, the archive takes
 * less time than their files.
 */
const archiveMinimum = 200;

/**
 * Takes the files of some companies, or of everyone, out of the bulk archive. Gives when that was made, or
 * why it could not be had.
 */
async function collectFromArchive(
  options: CollectOptions,
  ciks: readonly string[] | null,
): Promise<{ readonly archiveMs: number } | { readonly reason: string }> {
  const { client, settings, archivePath, refusals, progress, log } = options;
  const fetched = await fetchArchive(client, settings, archivePath, progress);
  if (fetched.kind === 'lost') return { reason: fetched.reason };
  const { archive, asOfMs } = fetched;
  log(`the bulk archive of ${new Date(asOfMs).toISOString()} has ${archive.entities} entities`);
  try {
    const gaps = await collectArchive({ ...options, archive, asOfMs, members: ciks && new Set(ciks) });
    for (const line of describeGaps(gaps)) log(line);
    progress.begin('fetching what the archive lacks', 'entities', gaps.length);
    await fillGaps(
      gaps,
      (cik, lost) =>
        collectCompany(
          client,
          settings,
          cik,
          { ...options, refusals: lost },
          { readMain: () => progress.step(), readPage() {} },
        ),
      refusals,
      companiesAtOnce,
    );
    return { archiveMs: asOfMs };
  } finally {
    await archive.close();
  }
}

async function collectFiles(options: CollectOptions, ciks: readonly string[]): Promise<void> {
  const { client, settings, progress } = options;
  progress.expect(ciks.length, false);
  let unread = ciks.length;
  const readMain = (pages: number) => {
    progress.step();
    progress.expect(pages, --unread === 0);
  };
  await inParallel(ciks, companiesAtOnce, (cik) =>
    collectCompany(client, settings, cik, options, { readMain, readPage: () => progress.step() }),
  );
  progress.stop();
}

/**
 * Marks a run as begun. A run for the same target that was interrupted lately is resumed: what it fetched is
 * not asked for again.
 */
async function markRun(
  ledgerDirectory: string,
  target: string,
  nowMs: number,
): Promise<{ resumedFrom: string | null; remove(): Promise<void> }> {
  const path = join(ledgerDirectory, '.cache', 'run.json');
  const before = await readFile(path, 'utf8').then(
    (text) => JSON.parse(text) as { target?: string; startedAt?: string },
    () => null,
  );
  const resumes =
    before?.target === target && nowMs - Date.parse(before.startedAt ?? '') < resumeHours * hourMs;
  if (!resumes) await replaceFile(path, JSON.stringify({ target, startedAt: new Date(nowMs).toISOString() }));
  return {
    resumedFrom: resumes ? (before?.startedAt ?? null) : null,
    remove: () => rm(path, { force: true }),
  };
}
