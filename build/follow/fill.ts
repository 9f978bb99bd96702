import { setTimeout as delay } from 'node:timers/promises';
import { dayFrom, hourMs } from '../../src/contract/time.ts';
import { easternTime } from '../time/days.ts';
import { BrokenLedger } from '../ledger/batch.ts';
import { noteError, timeNow, type Follower } from './follower.ts';
import { preparing } from './prepare.ts';
import { untilAborted } from './work.ts';
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
  const { options, work, writer } = follower;
  if (!(await writer.isFarBehind())) return;
  options.log('a snapshot of the ledger is made before anything is followed');
  startPublish(follower);
  // A stop does not wait for this publication, which may take minutes.
  await untilAborted(work.settle(), options.signal);
}

/**
 * Fills a ledger from the bulk archive, in minutes, if it was never filled for a universe of everyone or
 * everyone who is listed. Nothing else runs meanwhile; filings of that time are found in the feed and in the
 * daily indexes afterwards.
 */
export async function fillIfDue(follower: Follower): Promise<void> {
  const { options, work, connection, writer } = follower;
  if (options.elapsed() < follower.nextFillMs) return;
  const { universe, log, signal } = options;
  log(
    `the ledger was never filled with ${universe.kind === 'all' ? 'all companies' : 'the listed companies'}: it is filled from the bulk archive first`,
  );
  await work.settle((name) => !name.startsWith(preparing));
  // The feed tells EDGAR's time, which records get if the clock of this machine is wrong.
  const page = await connection.upstream().feedPage(0);
  if (page.kind === 'ok') follower.told = { toldMs: page.parsed.madeAtMs, atMs: options.elapsed() };
  await delay(betweenClientsMs, undefined, { signal });
  try {
    const { batch, added, message, archiveMs } = await writer.fill({
      universe,
      clockAheadMs: timeNow(follower).wrongByMs ?? 0,
    });
    follower.nextFillMs = Infinity;
    follower.appended.batches++;
    follower.appended.filings += added;
    // The archive may lack filings of the day on which it was made; the daily indexes list them.
    follower.firstDay = dayFrom(
      easternTime(Math.min(archiveMs ?? Infinity, timeNow(follower).nowMs)).day,
      -1,
    );
    log(`batch ${batch}: ${added} filings from the bulk archive${message === null ? '' : `; ${message}`}`);
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
