import { setTimeout as delay } from 'node:timers/promises';
import { counted } from '../../src/render/words.ts';
import { dayFrom, hourMs } from '../../src/time/units.ts';
import { isClientRejected } from '../edgar/outcome.ts';
import type { Universe } from '../ingest/universe.ts';
import { BrokenLedger } from '../ledger/batch.ts';
import { easternTime } from '../time/eastern-time.ts';
import type { Follower } from './follower.ts';
import { preparing } from './publishing/publish.ts';

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
 * Fills the ledger, if that is due, with what was filed before it was followed: one of everyone or everyone who is
 * listed from the bulk archive, in minutes, if it was never filled so; one of a list from the submissions files of the
 * members that it lacks. Nothing else runs meanwhile; filings of that time are found in the feed and in the daily
 * indexes afterwards.
 */
export async function fillIfDue(follower: Follower): Promise<void> {
  const { options, clock, schedule, followed } = follower;
  if (!schedule.isDue('fill', clock.elapsed())) return;
  const universe = followed.universe();
  if (universe.kind === 'named') return fillList(follower);
  options.log(
    `the ledger was never filled with ${universe.kind === 'all' ? 'all companies' : 'the listed companies'}: it is filled from the bulk archive first`,
  );
  await fill(follower, universe, 'the bulk archive');
}

/** Fills the ledger with those members of a list whose submissions files it never read. */
async function fillList(follower: Follower): Promise<void> {
  const { options, schedule, ledger, reader, unfilled } = follower;
  const members = reader.scope?.members ?? [];
  const lacking = async (ciks: readonly string[]) => {
    const known = await ledger.companies(ciks);
    return ciks.filter((cik) => known.get(cik)?.facts === undefined);
  };
  const entries = [...new Set([...(await lacking(members)), ...members.filter((cik) => unfilled.has(cik))])];
  schedule.set('fill', Infinity);
  if (entries.length === 0) return;
  options.log(
    `the ledger lacks the history of ${counted(entries.length, 'entity', 'entities')}: the submissions files come first`,
  );
  for (const cik of entries) unfilled.add(cik);
  if (!(await fill(follower, { kind: 'named', entries }, 'submissions files'))) return;
  const left = new Set(await lacking(entries));
  for (const cik of entries) if (!left.has(cik)) unfilled.delete(cik);
  if (left.size > 0) schedule.set('fill', follower.clock.elapsed() + refillAfterMs);
}

/** Fills the ledger with a universe. False if that failed: then it is tried again later. */
async function fill(follower: Follower, universe: Universe, source: string): Promise<boolean> {
  const { options, clock, schedule, work, connection, ledger, reader, publisher } = follower;
  const { log, signal } = options;
  await work.settle((name) => !name.startsWith(preparing));
  // The feed tells the time. If the clock of this machine is wrong, records get EDGAR's time.
  const page = await connection.upstream().feedPage(0);
  if (page.kind === 'ok') clock.tell(page.parsed.madeAtMs, clock.elapsed());
  await delay(betweenClientsMs, undefined, { signal });
  let isFilled = false;
  try {
    const { batch, added, message, archiveMs } = await ledger.fill({
      universe,
      clockAheadMs: clock.now().wrongByMs ?? 0,
    });
    isFilled = true;
    schedule.set('fill', Infinity);
    publisher.noteFilled(added);
    // The files may lack filings of the day on which they were made; the daily indexes list them.
    if (universe.kind !== 'named' || reader.since() === null)
      reader.noteFilled(dayFrom(easternTime(Math.min(archiveMs ?? Infinity, clock.now().nowMs)).day, -1));
    log(`batch ${batch}: ${added} filings from ${source}${message === null ? '' : `; ${message}`}`);
  } catch (error) {
    if (signal.aborted || error instanceof BrokenLedger || isClientRejected(error)) throw error;
    schedule.set('fill', clock.elapsed() + refillAfterMs);
    follower.errors.note(
      `not filled: ${(error as Error).message}; the ledger lacks earlier filings until ${universe.kind === 'named' ? 'the files are' : 'the archive is'} tried again in an hour`,
    );
  }
  await delay(betweenClientsMs, undefined, { signal });
  await publisher.publishIfFarBehind();
  return isFilled;
}
