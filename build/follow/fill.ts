import { setTimeout as delay } from 'node:timers/promises';
import { dayFrom, hourMs } from '../../src/time/units.ts';
import { isClientRejected } from '../edgar/outcome.ts';
import { BrokenLedger } from '../ledger/batch.ts';
import { easternTime } from '../time/eastern-time.ts';
import type { Follower } from './follower.ts';
import { preparing } from './publisher.ts';

/**
 * After a failure, the follower goes on without earlier filings, and tries to fill the ledger again after this
 * time.
 */
const refillAfterMs = hourMs;
/**
 * The pause after the last request of one client and before the first one of the other: each counts its own
 * requests, and both together have to stay within the limit.
 */
const betweenClientsMs = 1000;

/**
 * Fills a ledger from the bulk archive, in minutes, if it was never filled for a universe of everyone or
 * everyone who is listed. Nothing else runs meanwhile; filings of that time are found in the feed and in the
 * daily indexes afterwards.
 */
export async function fillIfDue(follower: Follower): Promise<void> {
  const { options, clock, schedule, work, connection, ledger, reader, publisher } = follower;
  if (!schedule.isDue('fill', clock.elapsed())) return;
  const { universe, log, signal } = options;
  log(
    `the ledger was never filled with ${universe.kind === 'all' ? 'all companies' : 'the listed companies'}: it is filled from the bulk archive first`,
  );
  await work.settle((name) => !name.startsWith(preparing));
  // The feed tells the time. If the clock of this machine is wrong, records get EDGAR's time.
  const page = await connection.upstream().feedPage(0);
  if (page.kind === 'ok') clock.tell(page.parsed.madeAtMs, clock.elapsed());
  await delay(betweenClientsMs, undefined, { signal });
  try {
    const { batch, added, message, archiveMs } = await ledger.fill({
      universe,
      clockAheadMs: clock.now().wrongByMs ?? 0,
    });
    schedule.set('fill', Infinity);
    publisher.noteFilled(added);
    // The archive may lack filings of the day on which it was made; the daily indexes list them.
    reader.noteFilled(dayFrom(easternTime(Math.min(archiveMs ?? Infinity, clock.now().nowMs)).day, -1));
    log(`batch ${batch}: ${added} filings from the bulk archive${message === null ? '' : `; ${message}`}`);
  } catch (error) {
    if (signal.aborted || error instanceof BrokenLedger || isClientRejected(error)) throw error;
    schedule.set('fill', clock.elapsed() + refillAfterMs);
    follower.errors.note(
      `not filled: ${(error as Error).message}; the ledger lacks earlier filings until the archive is tried again in an hour`,
    );
  }
  await delay(betweenClientsMs, undefined, { signal });
  await publisher.publishIfFarBehind();
}
