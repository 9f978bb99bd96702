import { setTimeout as delay } from 'node:timers/promises';
import { dayFrom, hourMs } from '../../src/contract/time.ts';
import { easternTime } from '../time/days.ts';
import { ingest } from '../ingest/ingest.ts';
import { isFarBehind } from '../ingest/known.ts';
import { BrokenLedger } from '../ledger/batch.ts';
import { noteError, timeNow, type Follower } from './follower.ts';
import { startPublish } from './write.ts';

/**
 * If filling fails, the ledger is followed without earlier filings, and filling is tried again after this
 * time.
 */
const refillAfterMs = hourMs;
/**
 * Time between the requests of the client that fills and of the one that follows, so that both together stay
 * within the limit.
 */
const betweenClientsMs = 1000;

/**
 * Publishes first if much of the ledger is in no snapshot yet, because filings are looked up in the snapshot:
 * after a fill, and at a start after the program was killed following a fill.
 */
export async function publishIfFarBehind(follower: Follower): Promise<void> {
  const { options, work } = follower;
  if (!(await isFarBehind(options.folders))) return;
  options.log('a snapshot of the ledger is made before anything is followed');
  startPublish(follower);
  await work.settle();
}

/**
 * Fills a ledger from the bulk archive, in minutes, if it was never filled for a universe of everyone or
 * everyone who is listed. Nothing else runs meanwhile; filings of that time are found in the feed and in the
 * daily indexes afterwards.
 */
export async function fillIfDue(follower: Follower): Promise<void> {
  const { options, work, connection } = follower;
  if (options.elapsed() < follower.nextFillMs) return;
  const { universe, folders, settings, log, progress, signal, coolDownMs, tickerRowsMinimum } = options;
  log(
    `the ledger was never filled with ${universe.kind === 'all' ? 'all companies' : 'the listed companies'}: it is filled from the bulk archive first`,
  );
  await work.settle();
  // The feed tells EDGAR's time, which records get if the clock of this machine is wrong.
  const page = await connection.upstream().feedPage(0);
  if (page.kind === 'ok') follower.told = { toldMs: page.parsed.madeAtMs, atMs: options.elapsed() };
  await delay(betweenClientsMs, undefined, { signal });
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
    // The archive may lack filings of the day on which it was made; the daily indexes list them.
    follower.firstDay = dayFrom(
      easternTime(Math.min(archiveMs ?? Infinity, timeNow(follower).nowMs)).day,
      -1,
    );
    log(
      `batch ${batch}: ${added} filings from the bulk archive${run.message === null ? '' : `; ${run.message}`}`,
    );
  } catch (error) {
    if (
      signal.aborted ||
      error instanceof BrokenLedger ||
      (error as { kind?: string }).kind === 'user_agent_rejected'
    )
      throw error;
    follower.nextFillMs = options.elapsed() + refillAfterMs;
    noteError(
      follower,
      `not filled: ${(error as Error).message}; the ledger lacks earlier filings until the archive is tried again in an hour`,
    );
  }
  await delay(betweenClientsMs, undefined, { signal });
  await publishIfFarBehind(follower);
}
