import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { dayFrom, minuteMs } from '../../src/contract/time.ts';
import { openCache } from '../edgar/cache.ts';
import { easternTime } from '../time/days.ts';
import { removeStagings } from '../disk/staging.ts';
import { describeUniverse, hasFilled, type Universe } from '../ingest/universe.ts';
import { daysOf } from '../ledger/days.ts';
import { readHeads, type BatchHead } from '../ledger/read.ts';
import { startDue } from './ask.ts';
import { countAnswer } from './figures.ts';
import { openConnection } from './connection.ts';
import { fillIfDue, publishIfFarBehind } from './fill.ts';
import { describeStatus, timeNow, type Event, type Follower, type FollowOptions } from './follower.ts';
import { nextDueMs } from './pending.ts';
import { untriedFeed } from './poll.ts';
import { readSaved, savedText } from './saved.ts';
import { takeEvents } from './take.ts';
import { createWork } from './work.ts';
import { startPublish, write } from './write.ts';
import { openWriter } from './writer.ts';

/** Upstream wants quiet for ten minutes. */
const coolDownDefaultMs = 11 * minuteMs;
/** How often a file is requested before it is left for later. */
const attemptsMaximum = 3;
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
  // A timer shows the status, because the loop may wait for a publication.
  const timer = setInterval(showStatus, longestWaitMs);
  try {
    await publishIfFarBehind(follower);
    while (!options.signal.aborted) {
      await fillIfDue(follower);
      await takeEvents(follower);
      startDue(follower);
      await write(follower);
      startPublish(follower);
      await follower.work.wait(waitMs(follower));
    }
  } catch (error) {
    if (!options.signal.aborted) throw error;
  } finally {
    clearInterval(timer);
    await follower.connection.close();
    await follower.work.settle();
  }
  // What was fetched before the stop is written and published, so that it need not be fetched again.
  follower.nextWriteMs = 0;
  await write(follower);
  follower.nextPublishMs = 0;
  startPublish(follower);
  await follower.work.settle();
  await takeEvents(follower);
  options.log(`stopped: ${describeStatus(follower, 0)}`);
}

async function begin(options: FollowOptions): Promise<Follower> {
  const { folders, log, settings, now, signal, elapsed } = options;
  const { ledgerDirectory } = folders;
  await mkdir(ledgerDirectory, { recursive: true });
  await removeStagings(join(ledgerDirectory, 'batches'));
  await removeStagings(ledgerDirectory);
  const cache = openCache(join(ledgerDirectory, '.cache'), now);
  const atMs = elapsed();
  const state = await readSaved(ledgerDirectory, atMs, log);
  const heads = await readHeads(ledgerDirectory);
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
  const writer = openWriter(folders, ({ batch, added, corrected, refused }) => {
    follower.refused += refused;
    follower.appended.batches++;
    follower.appended.filings += added.length;
    log(`batch ${batch}: ${added.length} new filings, ${corrected.length} corrected`);
  });
  const follower: Follower = {
    options,
    connection,
    writer,
    work: createWork<Event>(endsAll),
    target: describeUniverse(options.universe, null),
    state,
    scope: null,
    nextFillMs: wasFilled(options.universe, heads) ? Infinity : atMs,
    firstDay: firstDayOf(heads),
    nextTickersMs: atMs,
    feed: { ...untriedFeed, nextAtMs: atMs },
    feedReadMs: null,
    nextFirstPageMs: atMs,
    round: null,
    told: null,
    entities: new Map(),
    searched: new Set(),
    corrections: [],
    days: daysOf(heads),
    nextReconcileMs: atMs,
    newestFiledAt: null,
    readySinceMs: null,
    nextWriteMs: atMs,
    writeFailures: 0,
    nextPruneMs: atMs + minuteMs,
    listed: 0,
    appended: { batches: heads.length > 0 ? 1 : 0, filings: 0 },
    publishedBatches: 0,
    publishedFilings: 0,
    publishedMs: null,
    publishFailures: 0,
    nextPublishMs: atMs,
    savedText: savedText(state),
    lastError: null,
    answers: new Map(),
    refused: 0,
    refusedEntries: new LRUCache({ max: 1000 }),
    isWrongClockLogged: false,
  };
  return follower;
}

/** Whether a ledger was ever filled with all companies of a universe. */
function wasFilled(universe: Universe, heads: readonly BatchHead[]): boolean {
  return universe.kind === 'named' || heads.some(({ head }) => hasFilled(universe, head.run.target));
}

/**
 * Returns the day before the newest batch; from this day on, a ledger that was never reconciled may lack
 * filings. Null if there is no batch.
 */
function firstDayOf(heads: readonly BatchHead[]): string | null {
  const newest = heads.at(-1);
  return newest === undefined ? null : dayFrom(easternTime(Date.parse(newest.head.run.createdAt)).day, -1);
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
