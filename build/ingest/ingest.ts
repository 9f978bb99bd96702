import { join } from 'node:path';
import type { IngestRun } from '../../src/contract/records.ts';
import { openCache } from '../edgar/cache.ts';
import { createEdgarClient, type AskingEdgar, type EdgarClient } from '../edgar/client.ts';
import { batchCount, openBatch, withLedgerEnd, type LedgerEnd, type OpenBatch } from '../ledger/batch.ts';
import type { Refusal } from '../ledger/ledger-rows.ts';
import type { Progress } from '../work/progress.ts';
import { tickerFiles } from '../sources/tickers.ts';
import { inParallel } from '../../src/fetch/gate.ts';
import { createRefusals, describeLosses, runRecord, type Refusals } from '../ledger/refusals.ts';
import { waitsForLedger } from './append.ts';
import { collectArchive, describeGaps, fetchArchive, fillGaps, removeArchive } from './collect-archive.ts';
import { collectCompany, type Collecting } from './collect.ts';
import { fillBatch } from './fill-batch.ts';
import { createGathering } from './gather.ts';
import { makeLedger, openKnownLedger, type KnownLedger, type LedgerFolders } from './known.ts';
import { decideClocks, settledFilings } from './shared-clocks.ts';
import { collectTickers } from './collect-tickers.ts';
import { markRun } from './run-marker.ts';
import { describeUniverse, resolveUniverse, unknownSymbolText, type Universe } from './universe.ts';

/** What one run does, and with what. */
export interface IngestOptions extends AskingEdgar, LedgerFolders {
  readonly universe: Universe;
  /** The earliest filing date to read, `YYYY-MM-DD`; null for all. */
  readonly since: string | null;
  /**
   * When the answers were recorded, in UTC, if they are recordings. The batch gets this time and is marked as
   * a sample.
   */
  readonly recordedAt?: string;
  readonly progress: Progress;
  /** The fewest rows of a complete ticker file; tests lower it. */
  readonly tickerRowsMinimum?: number | undefined;
  /**
   * Reads only entities that the ledger lacks. Without the bulk archive the run fails, because thousands of
   * single files would take too long.
   */
  readonly isFirstFill?: boolean;
}

/** The result of a run. */
export interface IngestResult {
  readonly batch: number;
  readonly run: IngestRun;
  readonly added: number;
  readonly corrected: number;
  readonly refusals: readonly Refusal[];
  /**
   * When upstream made the bulk archive that was read, in milliseconds since 1970; null if no archive was
   * read.
   */
  readonly archiveMs: number | null;
}

/** No batch could be written; the message gives the reason. */
export class IngestFailed extends Error {}

/** Companies that are fetched at the same time. The rate limit bounds the speed, not this number. */
const companiesAtOnce = 4;

/** What the steps of a run share. */
interface Run extends Collecting {
  readonly options: IngestOptions;
  readonly client: EdgarClient;
  readonly known: KnownLedger;
  readonly refusals: Refusals;
  /** The rows of both ticker files, and what could not be read of them. */
  readonly tickers: Awaited<ReturnType<typeof collectTickers>>;
}

/** A batch of what differs from the ledger, before it has a number. */
interface Draft {
  readonly batch: OpenBatch;
  /** The numbers of new and of changed filings. */
  readonly added: number;
  readonly corrected: number;
  /** Rows that no batch can hold. */
  readonly unfit: Refusals;
}

/**
 * Reads a universe from EDGAR into one new batch. The batch lists every row that could not be fetched or
 * understood; nothing is guessed or dropped silently. Rows are written to disk and sorted there, so that
 * memory does not grow with their number, and a run that is killed leaves the ledger as it was. Throws
 * `IngestFailed`.
 */
export async function ingest(options: IngestOptions): Promise<IngestResult> {
  const { ledgerDirectory, universe, since, settings, now, log, progress, signal } = options;
  await makeLedger(ledgerDirectory);
  const cache = openCache(join(ledgerDirectory, '.cache'), now);
  const marker = await markRun(cache.directory, JSON.stringify([universe, since]), now());
  const known = await openKnownLedger(ledgerDirectory, options.snapshotsDirectory, progress);
  const client = createEdgarClient({ ...options, cache, freshSince: marker.resumedFrom });
  const refusals = createRefusals();
  const gathering = await createGathering(ledgerDirectory, refusals.add, since);
  let draft: Draft | null = null;
  try {
    progress.begin('fetching', 'files');
    progress.expect(tickerFiles.length, false);
    const tickers = await collectTickers(client, cache, settings, progress, options.tickerRowsMinimum);
    refusals.add(...tickers.refusals);
    const run: Run = { options, client, known, gathering, refusals, since, tickers };
    const archiveMs = await collect(run);
    gathering.finish();
    if (gathering.counts.entities === 0 && (refusals.count() > 0 || !options.isFirstFill))
      throw new IngestFailed(
        `no company could be read: ${describeLosses(refusals.rows(), refusals.count())}`,
      );

    const batches = await batchCount(ledgerDirectory);
    draft = await compare(run);
    const written = await withLedgerEnd(
      ledgerDirectory,
      async (end) => {
        if (end.batches !== batches) {
          log('another program has appended to this ledger meanwhile: comparing again');
          await draft?.batch.discard();
          draft = await compare(run);
        }
        return finish(run, draft as Draft, end);
      },
      { onWait: () => log(waitsForLedger), signal },
    );
    await marker.remove();
    // An archive that was read for the listed companies is not needed again. For all companies, the next run
    // compares the ledger with it again.
    if (universe.kind === 'listed' && archiveMs !== null) await removeArchive(archivePathOf(options));
    log(
      `${client.counts.requests} requests, ${client.counts.notModified} not modified, ${client.counts.retries} tried again, ${client.counts.throttled} throttled`,
    );
    return { ...written, archiveMs };
  } finally {
    progress.stop();
    await draft?.batch.discard();
    await gathering.close();
    await known.close();
    await client.close();
  }
}

/** Compares what was gathered with the ledger: the batch gets what differs. */
async function compare({ options, gathering, known, tickers }: Run): Promise<Draft> {
  const { ledgerDirectory, progress, signal } = options;
  const batch = await openBatch(ledgerDirectory);
  const unfit = createRefusals();
  try {
    const clocks = await decideClocks(gathering, known, signal);
    const counts = await fillBatch({
      findings: {
        entities: gathering.entities,
        entityCount: gathering.counts.entities,
        filings: () => settledFilings(gathering, clocks),
        tickers: tickers.rows,
        claimOf: gathering.claimOf,
        isSorted: false,
      },
      known,
      batch,
      refuse: unfit.add,
      progress,
      signal,
    });
    return { batch, ...counts, unfit };
  } catch (error) {
    await batch.discard();
    throw error;
  }
}

/** Makes a draft the next batch of the ledger. */
async function finish(
  { options, refusals }: Run,
  { batch, added, corrected, unfit }: Draft,
  end: LedgerEnd,
): Promise<Omit<IngestResult, 'archiveMs'>> {
  const { universe, since, recordedAt, now } = options;
  refusals.add(...unfit.rows());
  const rows = refusals.rows();
  const run = runRecord(
    describeUniverse(universe, since),
    recordedAt ?? new Date(now()).toISOString(),
    rows,
    refusals.count(),
  );
  const content = { run, refusals: rows, isSample: recordedAt !== undefined };
  return { batch: await batch.finish(end, content), run, added, corrected, refusals: rows };
}

const archivePathOf = ({ ledgerDirectory }: IngestOptions) =>
  join(ledgerDirectory, '.cache', 'submissions.zip');

/**
 * If the ledger lacks the submissions files of at least this many entities, and of more than half of the
 * universe, reading the archive takes less time than reading the files.
 */
const archiveMinimum = 200;

/**
 * Collects what upstream lists for a universe: from the bulk archive where that takes less time, or else file
 * by file. Returns when the archive was made, in milliseconds since 1970, or null.
 */
async function collect(run: Run): Promise<number | null> {
  const { options, tickers, known, refusals } = run;
  const { universe, log, progress, isFirstFill = false } = options;
  if (universe.kind === 'all') {
    const taken = await collectFromArchive(run, null);
    if ('reason' in taken) throw new IngestFailed(`the bulk archive could not be fetched: ${taken.reason}`);
    return taken.archiveMs;
  }
  const { ciks, unknown } = resolveUniverse(
    universe,
    tickers.rows,
    await known.symbols(universe.kind === 'named' ? universe.entries : []),
  );
  for (const entry of unknown) {
    const reason = unknownSymbolText(entry, tickers.refusals.length > 0);
    refusals.add({ cik: '', file: '', accessionNo: '', reason });
  }
  const companies = await known.companies(ciks);
  const unread = ciks.filter((cik) => companies.get(cik)?.facts === undefined);
  if (
    universe.kind === 'listed' &&
    unread.length >= archiveMinimum &&
    (isFirstFill || unread.length * 2 > ciks.length)
  ) {
    const taken = await collectFromArchive(run, ciks);
    if (!('reason' in taken)) return taken.archiveMs;
    if (isFirstFill) throw new IngestFailed(`the bulk archive could not be fetched: ${taken.reason}`);
    log(
      `the bulk archive could not be fetched: ${taken.reason}; the files of ${ciks.length} entities are asked for one after the other`,
    );
    progress.begin('fetching', 'files');
  }
  await collectFiles(run, isFirstFill ? unread : ciks);
  return null;
}

/**
 * Collects the files of some companies, or of all, from the bulk archive. Returns when the archive was made,
 * in milliseconds since 1970, or the reason why it could not be fetched.
 */
async function collectFromArchive(
  run: Run,
  ciks: readonly string[] | null,
): Promise<{ readonly archiveMs: number } | { readonly reason: string }> {
  const { options, client, refusals } = run;
  const { settings, progress, log, signal } = options;
  const fetched = await fetchArchive(client, settings, archivePathOf(options), progress);
  if (fetched.kind === 'lost') return { reason: fetched.reason };
  const { archive, asOfMs } = fetched;
  log(`the bulk archive of ${new Date(asOfMs).toISOString()} has ${archive.entities} entities`);
  try {
    const members = ciks && new Set(ciks);
    const gaps = await collectArchive({ ...run, archive, asOfMs, members, progress, signal });
    for (const line of describeGaps(gaps)) log(line);
    progress.begin('fetching what the archive lacks', 'entities', gaps.length);
    const counting = { readMain: () => progress.step(), readPage() {} };
    await fillGaps(
      gaps,
      (cik, lost) => collectCompany(client, settings, cik, { ...run, refusals: lost }, counting),
      refusals,
      companiesAtOnce,
    );
    return { archiveMs: asOfMs };
  } finally {
    await archive.close();
  }
}

async function collectFiles(run: Run, ciks: readonly string[]): Promise<void> {
  const { settings, progress } = run.options;
  progress.expect(ciks.length, false);
  let unread = ciks.length;
  const readMain = (pages: number) => {
    progress.step();
    progress.expect(pages, --unread === 0);
  };
  await inParallel(ciks, companiesAtOnce, (cik) =>
    collectCompany(run.client, settings, cik, run, { readMain, readPage: () => progress.step() }),
  );
  progress.stop();
}
