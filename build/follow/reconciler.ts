import type { ReconciledDay } from '../../src/contract/reconciled-days.ts';
import { hourMs, minuteMs } from '../../src/time/units.ts';
import { isClientRejected } from '../edgar/outcome.ts';
import { daysOf } from '../ledger/days.ts';
import { daysDue, newestIndexDay } from '../reconcile/day.ts';
import { reconcile, type Reconciled } from '../reconcile/reconcile.ts';
import { quartersDue } from '../reconcile/withdrawn.ts';
import { easternTime } from '../time/eastern-time.ts';
import { backoff } from '../../src/fetch/backoff.ts';
import type { Shared } from './common/shared.ts';
import type { Starter } from './common/work.ts';
import type { Publisher } from './publisher.ts';
import type { Reader } from './reading/reader.ts';

/** The part of a follower that compares the days of the ledger with EDGAR's indexes. */
export interface Reconciler {
  /** The results of reconciled days, oldest first. */
  readonly days: readonly ReconciledDay[];
  /** Starts a comparison if there are days or quarters to compare. */
  startDue(): void;
}

const pauses = {
  afterSuccessMs: minuteMs,
  firstMs: 5 * minuteMs,
  longestMs: hourMs,
  /** Before the index of a quarter is read again after it could not be had: it has 25 MB. */
  quarterMs: hourMs,
};

/**
 * Days that are compared in one piece of work. After a long gap there are many, and each piece leaves the feed its
 * turn and shows how far it is.
 */
const daysTogether = 5;

/** Creates the reconciler of a ledger in which the results of `reconciled` days are. */
export function createReconciler(
  shared: Shared,
  work: Starter,
  reader: Reader,
  publisher: Pick<Publisher, 'append'>,
  reconciled: readonly ReconciledDay[],
): Reconciler {
  const { options, clock, schedule, errors } = shared;
  let days = reconciled;
  /** Reconciliations in a row that lacked an index or failed. */
  let failures = 0;

  /** Plans the next reconciliation. The pause is doubled with each failure in a row. */
  function plan(isDone: boolean): void {
    failures = isDone ? 0 : failures + 1;
    const pauseMs = isDone ? pauses.afterSuccessMs : backoff(failures, pauses);
    schedule.set('reconcile', clock.elapsed() + pauseMs);
  }

  /** Returns the days and quarters that EDGAR may have published by now; null if there are none. */
  function due(): { readonly days: readonly string[]; readonly readsQuarters: boolean } | null {
    const { nowMs } = clock.now();
    const time = easternTime(nowMs);
    const found = daysDue(days, reader.since() ?? time.day, newestIndexDay(time), nowMs);
    const readsQuarters = schedule.isDue('quarter', clock.elapsed());
    return found.length > 0 || (readsQuarters && quartersDue(days, nowMs).size > 0)
      ? { days: found, readsQuarters }
      : null;
  }

  function take(done: Reconciled | { readonly reason: string }): void {
    if ('reason' in done) {
      plan(false);
      return errors.note(`not reconciled: ${done.reason}`);
    }
    const { results, absent, failed } = done;
    days = daysOf([...days, ...results]);
    for (const { day, reason } of failed) errors.note(`the index of ${day}: ${reason}`);
    const isQuarter = ({ day }: { readonly day: string }) => day.includes('QTR');
    plan(absent.length === 0 && failed.every(isQuarter));
    if (failed.some(isQuarter)) schedule.set('quarter', clock.elapsed() + pauses.quarterMs);
  }

  return {
    get days() {
      return days;
    },
    startDue() {
      const { connection, ledger, followed } = shared;
      const { scope } = reader;
      const atMs = clock.elapsed();
      if (!connection.isOpen(atMs) || !schedule.isDue('reconcile', atMs)) return;
      // Wait until the feed has told the time. If the feed fails for long, use the clock of this machine.
      const isTimeKnown = clock.isTold() || reader.polled() !== null;
      if (!isTimeKnown || scope === null || work.isUnderway('reconcile')) return;
      const wanted = due();
      if (wanted === null) return;
      if (wanted.days.length > daysTogether)
        options.log(
          `${wanted.days.length} days are to be compared with EDGAR's indexes, ${wanted.days[0]} to ${wanted.days.at(-1)}`,
        );
      // The next one is due only after the results of this one were taken; until then its days count as due.
      schedule.set('reconcile', Infinity);
      work.start(
        'reconcile',
        () =>
          reconcile({
            upstream: connection.upstream(),
            folders: { ...options.folders, known: ledger },
            contents: options.contents,
            append: publisher.append,
            days: wanted.days,
            daysMaximum: daysTogether,
            readsQuarters: wanted.readsQuarters,
            isWanted: scope.isWanted,
            tickers: scope.tickers,
            before: days,
            universe: followed.target(),
            instant: clock.instant,
            log: options.log,
            signal: options.signal,
          }).catch((error: Error) => {
            if (isClientRejected(error)) throw error;
            return { reason: error.message };
          }),
        take,
      );
    },
  };
}
