import { join } from 'node:path';
import { heartbeatMs } from '../../src/format/heartbeat-file.ts';
import { minuteMs } from '../../src/time/units.ts';
import { openCache } from '../edgar/cache.ts';
import { failureKindOf, isClientRejected } from '../edgar/outcome.ts';
import { makeLedger } from '../ingest/known.ts';
import { BrokenLedger } from '../ledger/batch.ts';
import { wasFilledWith } from '../ledger/universes.ts';
import { reconciledSince } from '../reconcile/since.ts';
import { readSurvey } from '../snapshot/published-survey.ts';
import { createClock } from '../time/told-clock.ts';
import { openConnection } from './common/connection.ts';
import { createErrors } from './common/follower-errors.ts';
import { createFollowed } from './common/followed.ts';
import { openLedgerWork } from './common/ledger-work.ts';
import { createSchedule } from './common/schedule.ts';
import type { Shared } from './common/shared.ts';
import { createWork, untilAborted } from './common/work.ts';
import { countAnswer } from './follow-figures.ts';
import { fillIfDue } from './fill.ts';
import { describeStatus, type Follower, type FollowOptions } from './follower.ts';
import { startHeartbeat } from './heartbeat.ts';
import { createPublisher, preparing, publishing } from './publisher.ts';
import { nextDueMs } from './reading/pending.ts';
import { createReader } from './reading/reader.ts';
import { readSaved, removeLeftovers } from './reading/saved.ts';
import { createReconciler } from './reconciler.ts';

/** Upstream wants quiet for ten minutes. */
const coolDownDefaultMs = 11 * minuteMs;
/** How often a file is requested before it is left for later. */
const attemptsMaximum = 3;
/**
 * How long the end may take, in milliseconds: several times as long as publishing a few filings, and less
 * than the ten seconds after which container runtimes kill.
 */
const endingDefaultMs = 5000;
/** The longest time that the loop waits before it looks at its clocks. */
const longestWaitMs = 1000;

/**
 * Follows what EDGAR lists until it is told to stop. It fills a ledger of everyone or of the listed companies
 * if it was never filled, reads the feed, fetches the facts that the feed lacks and the histories of the members of a list,
 * appends complete filings to the ledger, publishes them, and reconciles each day with its index. Rejects if upstream does
 * not accept this client, or if the ledger is broken.
 */
export async function follow(options: FollowOptions): Promise<void> {
  const follower = await begin(options);
  await options.watch?.(follower);
  let shown = { atMs: options.elapsed(), requests: 0 };
  const showStatus = () => {
    const atMs = options.elapsed();
    const requests = follower.connection.requests();
    const isMinute = atMs - shown.atMs >= minuteMs;
    options.showStatus(
      describeStatus(follower, ((requests - shown.requests) * 1000) / Math.max(1, atMs - shown.atMs)),
      isMinute,
    );
    if (isMinute) shown = { atMs, requests };
  };
  const timer = setInterval(showStatus, longestWaitMs);
  const stopHeartbeat = startHeartbeat(follower, options.heartbeatMs ?? heartbeatMs);
  try {
    const { reader, publisher, reconciler, work } = follower;
    await publisher.publishIfFarBehind();
    while (!options.signal.aborted) {
      await noteUniverse(follower);
      await fillIfDue(follower);
      await takeResults(follower);
      reader.startDue();
      reconciler.startDue();
      await publisher.appendIfDue();
      publisher.startPublish();
      publisher.startPrepare();
      await work.wait(waitMs(follower));
    }
  } catch (error) {
    if (!options.signal.aborted) {
      const ending = endingOf(options);
      await settle(follower, ending);
      await untilAborted(follower.ledger.close(), ending);
      throw error;
    }
  } finally {
    clearInterval(timer);
    stopHeartbeat();
  }
  await end(follower, endingOf(options));
}

/** Looks whether the file of the universe has changed; if so, the ticker files say who its entries are. */
async function noteUniverse({ clock, schedule, followed }: Follower): Promise<void> {
  const atMs = clock.elapsed();
  if (!schedule.isDue('universe', atMs)) return;
  schedule.set('universe', atMs + longestWaitMs);
  if (await followed.hasChanged()) schedule.set('tickers', atMs);
}

/** Returns a signal that is aborted when the end has taken long enough. */
const endingOf = ({ endingMs = endingDefaultMs }: FollowOptions) => AbortSignal.timeout(endingMs);

/** Waits for all work but publications and preparations, which may take minutes. */
async function settle({ connection, work }: Follower, ending: AbortSignal): Promise<void> {
  await connection.close();
  await untilAborted(
    work.settle((name) => name !== publishing && !name.startsWith(preparing)),
    ending,
  );
}

/**
 * Ends in good order: what was fetched is written and published, so that it need not be fetched again. What
 * is not done when `ending` is aborted is left: a publication or a batch exists whole or not at all, and the
 * next start publishes what the ledger has.
 */
async function end(follower: Follower, ending: AbortSignal): Promise<void> {
  const { options, schedule, work, ledger, publisher, reader } = follower;
  schedule.set('append', 0);
  await settle(follower, ending);
  await untilAborted(publisher.appendIfDue(), ending);
  await untilAborted(reader.save(true), ending);
  schedule.set('publish', 0);
  publisher.startPublish();
  await untilAborted(
    work.settle((name) => name === publishing),
    ending,
  );
  await untilAborted(takeResults(follower), ending);
  await untilAborted(ledger.close(), ending);
  if (work.isUnderway(publishing))
    options.log('a publication is left unfinished: the next start publishes what the ledger has');
  options.log(`stopped: ${describeStatus(follower, 0)}`);
}

/**
 * Handles what came of the work beside the loop. An error, such as a full disk, is recorded, and the same facts are read
 * again later. Throws `BrokenLedger`.
 */
async function takeResults(follower: Follower): Promise<void> {
  for (const handle of follower.work.take()) {
    try {
      await handle();
    } catch (error) {
      if (error instanceof BrokenLedger) throw error;
      follower.errors.note((error as Error).message);
    }
  }
}

async function begin(options: FollowOptions): Promise<Follower> {
  const { folders, log, settings, now, signal, elapsed, universe } = options;
  const { ledgerDirectory, snapshotsDirectory } = folders;
  await makeLedger(ledgerDirectory);
  const atMs = elapsed();
  await removeLeftovers(ledgerDirectory, now());
  const state = await readSaved(ledgerDirectory, atMs, log, options.contents ?? []);
  const survey = await readSurvey(ledgerDirectory, snapshotsDirectory);
  const isFilled = universe.kind === 'named' || wasFilledWith(universe.kind, survey?.names.universes ?? []);
  const clock = createClock(elapsed, now);
  const errors = createErrors(log, elapsed);
  const answers = new Map<string, number>();
  const coolDownMs = options.coolDownMs ?? coolDownDefaultMs;
  const shared: Shared = {
    options,
    clock,
    errors,
    schedule: createSchedule(atMs, { prune: atMs + minuteMs, ...(isFilled ? { fill: Infinity } : {}) }),
    connection: openConnection(
      {
        settings,
        cache: openCache(join(ledgerDirectory, '.cache'), now),
        now,
        log: errors.noteAttempt,
        onAnswer: (url, status) => countAnswer(answers, url, status),
        signal,
        attemptsMaximum,
        coolDownMs,
        time: () => clock.now().nowMs,
        tickerRowsMinimum: options.tickerRowsMinimum,
      },
      coolDownMs,
    ),
    ledger: options.ledger ?? openLedgerWork(options),
    followed: createFollowed(universe, options.universeFile ?? null, log),
  };
  // Work that was stopped by a block or at the end is started again or not needed. What EDGAR answered is told already.
  const work = createWork(isClientRejected, (error) => {
    const isTold = failureKindOf(error) !== undefined || (error as Error).name === 'AbortError';
    if (!isTold) errors.note((error as Error).message);
  });
  const reader = createReader(shared, work, state, await reconciledSince(ledgerDirectory, survey));
  const publisher = createPublisher(shared, work, reader, survey !== null);
  const reconciler = createReconciler(shared, work, reader, publisher, survey?.days ?? []);
  return { ...shared, work, reader, publisher, reconciler, answers };
}

/**
 * Returns how long the loop may wait, in milliseconds: until the feed or what is pending is due. For other
 * work it is enough to look once a second, or several times a second while something waits to be appended.
 */
function waitMs({ clock, schedule, reader, publisher }: Follower): number {
  const due = Math.min(schedule.dueMs('feed'), nextDueMs(reader.state.pending.values()) ?? Infinity);
  const untilMs = due - clock.elapsed();
  // Work that is due and was not started waits for other work, whose end wakes the loop.
  return Math.min(
    publisher.readySinceMs === null ? longestWaitMs : 200,
    untilMs > 0 ? untilMs : longestWaitMs,
  );
}
