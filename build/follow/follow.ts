import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { heartbeatMs } from '../../src/contract/heartbeat.ts';
import { minuteMs } from '../../src/contract/time.ts';
import { openCache } from '../edgar/cache.ts';
import { makeDirectory } from '../disk/files.ts';
import { removeStagings } from '../disk/staging.ts';
import { describeUniverse } from '../ingest/universe.ts';
import { wasFilledWith } from '../ledger/universes.ts';
import { reconciledSince } from '../reconcile/since.ts';
import { readSurvey } from '../snapshot/survey.ts';
import { startDue } from './ask.ts';
import { countAnswer } from './figures.ts';
import { openConnection } from './connection.ts';
import { fillIfDue, publishIfFarBehind } from './fill.ts';
import { describeStatus, timeNow, type Event, type Follower, type FollowOptions } from './follower.ts';
import { nextDueMs } from './pending.ts';
import { untriedFeed } from './poll.ts';
import { readSaved, savedText } from './saved.ts';
import { takeEvents } from './take.ts';
import { openLedgerWork, type LedgerWork } from './ledger-work.ts';
import { preparing, startPrepare } from './prepare.ts';
import { startHeartbeat } from './heartbeat.ts';
import { createWork, untilAborted } from './work.ts';
import { startPublish, write } from './write.ts';

/** Upstream wants quiet for ten minutes. */
const coolDownDefaultMs = 11 * minuteMs;
/** How often a file is requested before it is left for later. */
const attemptsMaximum = 3;
/** The name of the work that publishes. */
const publishing = 'publish';
/**
 * How long the end may take, in milliseconds: several times as long as publishing a few filings, and less
 * than the ten seconds after which container runtimes kill.
 */
const endingDefaultMs = 5000;
/** The longest time that the loop waits before it looks at its clocks. */
const longestWaitMs = 1000;

/**
 * Follows what EDGAR lists until it is told to stop. It fills a ledger of everyone or of the listed companies
 * if it was never filled, reads the feed, fetches the facts that the feed lacks, appends complete filings to
 * the ledger, publishes them, and reconciles each day with its index. Rejects if upstream does not accept
 * this client, or if the ledger is broken.
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
    await publishIfFarBehind(follower);
    while (!options.signal.aborted) {
      await fillIfDue(follower);
      await takeEvents(follower);
      startDue(follower);
      await write(follower);
      startPublish(follower);
      startPrepare(follower);
      await follower.work.wait(waitMs(follower));
    }
  } catch (error) {
    if (!options.signal.aborted) {
      const ending = endingOf(options);
      await settle(follower, ending);
      await untilAborted(follower.writer.close(), ending);
      throw error;
    }
  } finally {
    clearInterval(timer);
    stopHeartbeat();
  }
  await end(follower, endingOf(options));
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
  const { options, work, writer } = follower;
  follower.nextWriteMs = 0;
  await settle(follower, ending);
  await untilAborted(write(follower), ending);
  follower.nextPublishMs = 0;
  startPublish(follower);
  await untilAborted(
    work.settle((name) => name === publishing),
    ending,
  );
  await untilAborted(takeEvents(follower), ending);
  await untilAborted(writer.close(), ending);
  if (work.isUnderway(publishing))
    options.log('a publication is left unfinished: the next start publishes what the ledger has');
  options.log(`stopped: ${describeStatus(follower, 0)}`);
}

async function begin(options: FollowOptions): Promise<Follower> {
  const { folders, log, settings, now, signal, elapsed, universe } = options;
  const { ledgerDirectory, snapshotsDirectory } = folders;
  await makeDirectory(ledgerDirectory);
  await removeStagings(join(ledgerDirectory, 'batches'));
  await removeStagings(ledgerDirectory);
  const cache = openCache(join(ledgerDirectory, '.cache'), now);
  const atMs = elapsed();
  const state = await readSaved(ledgerDirectory, atMs, log);
  const survey = await readSurvey(ledgerDirectory, snapshotsDirectory);
  const isFilled = universe.kind === 'named' || wasFilledWith(universe.kind, survey?.names.universes ?? []);
  const coolDownMs = options.coolDownMs ?? coolDownDefaultMs;
  const connection = openConnection(
    {
      settings,
      cache,
      now,
      log: (line) => noteAttempt(follower, line),
      onAnswer: (url, status) => countAnswer(follower, url, status),
      signal,
      attemptsMaximum,
      coolDownMs,
      time: () => timeNow(follower).nowMs,
      ...(options.tickerRowsMinimum === undefined ? {} : { tickerRowsMinimum: options.tickerRowsMinimum }),
    },
    coolDownMs,
  );
  const ledger = options.ledger ?? openLedgerWork(options);
  const writer: LedgerWork = {
    ...ledger,
    async append(addition) {
      const appended = await ledger.append(addition);
      const { batch, added, corrected, refused } = appended;
      if (batch === null) return appended;
      follower.refused += refused;
      follower.appended.batches++;
      follower.appended.filings += added.length;
      follower.unpublishedSinceMs ??= elapsed();
      log(`batch ${batch}: ${added.length} new filings, ${corrected.length} corrected`);
      return appended;
    },
  };
  const follower: Follower = {
    options,
    connection,
    writer,
    work: createWork<Event>(endsAll),
    target: describeUniverse(universe, null),
    state,
    scope: null,
    nextFillMs: isFilled ? Infinity : atMs,
    firstDay: await reconciledSince(ledgerDirectory, survey),
    nextTickersMs: atMs,
    feed: { ...untriedFeed, nextAtMs: atMs },
    feedReadMs: null,
    nextFirstPageMs: atMs,
    round: null,
    told: null,
    entities: new Map(),
    moved: new Map(),
    hasMoved: false,
    searched: new Set(),
    corrections: [],
    days: survey?.days ?? [],
    nextReconcileMs: atMs,
    reconcileFailures: 0,
    nextQuarterMs: atMs,
    newestFiledAt: null,
    readySinceMs: null,
    nextWriteMs: atMs,
    writeFailures: 0,
    nextPruneMs: atMs + minuteMs,
    listed: 0,
    appended: { batches: survey === null ? 0 : 1, filings: 0 },
    unpublishedSinceMs: survey === null ? null : atMs,
    publishedBatches: 0,
    publishedFilings: 0,
    publishedMs: null,
    publishFailures: 0,
    nextPublishMs: atMs,
    preparedMs: null,
    savedText: savedText(state),
    lastError: null,
    answers: new Map(),
    refused: 0,
    refusedEntries: new LRUCache({ max: 1000 }),
    isWrongClockLogged: false,
  };
  return follower;
}

/** Logs a failed attempt of the client at level `debug`, and shows it in the status line. */
function noteAttempt(follower: Follower, text: string): void {
  follower.options.log(text, 'debug');
  follower.lastError = { text, atMs: follower.options.elapsed() };
}

/**
 * Whether an error ends everything: upstream does not accept this client. Work that was stopped by a block or
 * at the end is started again or not needed.
 */
const endsAll = (error: unknown) => (error as { kind?: string }).kind === 'user_agent_rejected';

/** Returns how long the loop may wait until something is due, in milliseconds. */
function waitMs({ options, state, feed, readySinceMs }: Follower): number {
  const due = Math.min(feed.nextAtMs, nextDueMs(state.pending.values()) ?? Infinity);
  const untilMs = due - options.elapsed();
  // Work that is due and was not started waits for other work, whose end wakes the loop.
  return Math.min(readySinceMs === null ? longestWaitMs : 200, untilMs > 0 ? untilMs : longestWaitMs);
}
