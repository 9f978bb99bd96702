import { setTimeout as delay } from 'node:timers/promises';
import { dayFrom, hourMs } from '../../src/contract/time.ts';
import { easternTime } from '../time/days.ts';
import { ingest } from '../ingest/ingest.ts';
import { isFarBehind } from '../ingest/known.ts';
import { BrokenLedger } from '../ledger/batch.ts';
import { noteError, timeNow, type Follower } from './follower.ts';
import { startPublish } from './write.ts';

/** A ledger that could not be filled is followed without its past; it is tried again after this time. */
const againMs = hourMs;
/** The client that fills and the one that follows do not ask in the same second. */
const restMs = 1000;

/**
 * Publishes before anything is looked up, where much of the ledger is in no snapshot yet: after it was
 * filled, and where that was killed behind it.
 */
export async function publishIfFarBehind(follower: Follower): Promise<void> {
  const { options, work } = follower;
  if (!(await isFarBehind(options.folders))) return;
  options.log('a snapshot of the ledger is made before it is followed');
  startPublish(follower);
  await work.settle();
}

/**
 * Fills a ledger that has nothing of its universe yet, which is everyone or everyone who is listed: from the
 * bulk archive, in minutes. Nothing else goes on meanwhile: what is listed then is found in the feed and in
 * the daily indexes afterwards.
 */
export async function fillIfDue(follower: Follower): Promise<void> {
  const { options, work, connection } = follower;
  if (options.elapsed() < follower.nextFillMs) return;
  const { universe, folders, settings, log, progress, signal, coolDownMs, tickerRowsMinimum } = options;
  log(
    `the ledger has nothing of ${universe.kind === 'all' ? 'everyone' : 'those who are listed'} yet: it is filled from the bulk archive first`,
  );
  await work.settle();
  // Records have EDGAR's time where the clock of this machine is wrong: the feed tells it.
  const page = await connection.upstream().feedPage(0);
  if (page.kind === 'ok') follower.told = { toldMs: page.parsed.madeAtMs, atMs: options.elapsed() };
  await delay(restMs, undefined, { signal });
  try {
    const { batch, added, run, archiveMs } = await ingest({
      universe,
      since: null,
      ...folders,
      settings,
      now: () => timeNow(follower).nowMs,
      log,
      progress,
      signal,
      isFirstFill: true,
      ...(coolDownMs === undefined ? {} : { coolDownMs }),
      ...(tickerRowsMinimum === undefined ? {} : { tickerRowsMinimum }),
    });
    follower.nextFillMs = Infinity;
    follower.appended.batches++;
    follower.appended.filings += added;
    // The archive may lack something of the day on which it was made: the indexes will tell.
    follower.firstDay = dayFrom(
      easternTime(Math.min(archiveMs ?? Infinity, timeNow(follower).nowMs)).day,
      -1,
    );
    log(
      `batch ${batch}: ${added} filings from the bulk archive${run.message === null ? '' : `; ${run.message}`}`,
    );
  } catch (error) {
    if (signal.aborted || error instanceof BrokenLedger || (error as { kind?: string }).kind === 'refused')
      throw error;
    follower.nextFillMs = options.elapsed() + againMs;
    noteError(
      follower,
      `not filled: ${(error as Error).message}; what was filed before is not in the ledger, and is asked for again in an hour`,
    );
  }
  await delay(restMs, undefined, { signal });
  await publishIfFarBehind(follower);
}
