import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { dayFrom, minuteMs } from '../../src/contract/time.ts';
import { openCache } from '../edgar/cache.ts';
import { easternTime } from '../time/days.ts';
import { removeStagings } from '../disk/files.ts';
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
/** How often a file is asked for before it is left for later. */
const attemptsMaximum = 3;
/** The loop looks at its clocks at least so often. */
const longestWaitMs = 1000;

/**
 * Follows what EDGAR lists until it is told to stop: fills a ledger that has nothing of everyone or of those
 * who are listed, reads the feed, asks for what the feed lacks, appends what is complete to the ledger and
 * publishes it; holds each day against its index. Rejects if upstream does not accept this client at all, and
 * for a ledger that is broken.
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
  // The loop may wait for a publication; the status goes on.
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
  // What was had before the stop is not asked for again.
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
  const cache = openCache(join(ledgerDirectory, '.cache'));
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
    nextFillMs: hasFilledAny(options.universe, heads) ? Infinity : atMs,
    firstDay: firstDayOf(heads),
    nextTickersMs: atMs,
    feed: { ...untriedFeed, nextAtMs: atMs },
    feedReadMs: null,
    nextHeadMs: atMs,
    turn: null,
    told: null,
    entities: new Map(),
    lookedThrough: new Set(),
    corrections: [],
    days: daysOf(heads),
    nextReconcileMs: atMs,
    newestFiledAt: null,
    ripeSinceMs: null,
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
    isClockSaidWrong: false,
  };
  return follower;
}

/** Whether a ledger has had all of a universe. */
function hasFilledAny(universe: Universe, heads: readonly BatchHead[]): boolean {
  return universe.kind === 'named' || heads.some(({ head }) => hasFilled(universe, head.run.target));
}

/**
 * The day before the newest batch, from which on a ledger that was never reconciled may lack something; null
 * for one that has no batch.
 */
function firstDayOf(heads: readonly BatchHead[]): string | null {
  const newest = heads.at(-1);
  return newest === undefined ? null : dayFrom(easternTime(Date.parse(newest.head.run.createdAt)).day, -1);
}

/**
 * What the client says of attempts that failed is shown, and said for each to whoever wants to know
 * everything.
 */
function noteAttempt(follower: Follower, text: string): void {
  follower.options.log(text, 'debug');
  follower.lastError = { text, atMs: follower.options.elapsed() };
}

/**
 * Upstream does not accept this client. Work that was stopped, by a block or at the end, is begun again or
 * not needed.
 */
const endsAll = (error: unknown) => (error as { kind?: string }).kind === 'refused';

/** Until the next thing is due. */
function waitMs({ options, state, feed, ripeSinceMs }: Follower): number {
  const due = Math.min(feed.nextAtMs, nextDueMs(state.pending.values()) ?? Infinity);
  const untilMs = due - options.elapsed();
  // What is due and not started waits for its turn: the end of another piece of work wakes the loop.
  return Math.min(ripeSinceMs === null ? longestWaitMs : 200, untilMs > 0 ? untilMs : longestWaitMs);
}
