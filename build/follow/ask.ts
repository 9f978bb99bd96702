import { hourMs, minuteMs } from '../../src/contract/time.ts';
import { easternTime } from '../time/days.ts';
import { describeRefusal } from '../ledger/rows.ts';
import { daysDue, newestIndexDay } from '../reconcile/day.ts';
import { reconcile } from '../reconcile/reconcile.ts';
import { quartersDue } from '../reconcile/withdrawn.ts';
import { instantNow, polledMembers, timeNow, type Follower } from './follower.ts';
import { dueRequests, requestName, type Request } from './pending.ts';
import { nextInRound } from './poll.ts';
import { readFeed } from './reading.ts';

/**
 * How many files are requested at the same time. Three are enough to use the rate limit. If there were more,
 * a page of the feed would wait behind them.
 */
const filesAtOnce = 3;

const pauses = {
  tickersMs: 6 * hourMs,
  tickersAgainMs: minuteMs,
  tickersPartMs: 30 * minuteMs,
  movedMs: 15 * minuteMs,
  reconcileMs: minuteMs,
  reconcileAgainMs: 5 * minuteMs,
  reconcileLongestMs: hourMs,
};

/** The pause before the index of a quarter is read again after it could not be had, in milliseconds: it has 25 MB. */
export const quarterPauseMs = hourMs;

/**
 * So many days are compared in one piece of work. After a long gap there are many, and each step leaves the feed its
 * turn and shows how far it is.
 */
const daysTogether = 5;

/**
 * Returns the pause before the next attempt at the ticker files, in milliseconds. `fetched` says how many of
 * the two files the last attempt got.
 */
export const tickersPauseMs = (fetched: 'both' | 'one' | 'none') =>
  ({ both: pauses.tickersMs, one: pauses.tickersPartMs, none: pauses.tickersAgainMs })[fetched];

/**
 * Returns the pause before the next reconciliation, in milliseconds. `failures` counts those in a row that lacked an
 * index or failed: each pause is twice the one before, up to an hour.
 */
export const reconcilePauseMs = (failures: number) =>
  failures === 0
    ? pauses.reconcileMs
    : Math.min(pauses.reconcileLongestMs, pauses.reconcileAgainMs * 2 ** (failures - 1));

/** Starts all work that sends requests and is due. Starts nothing while upstream blocks this address. */
export function startDue(follower: Follower): void {
  const { options, connection, scope } = follower;
  const atMs = options.elapsed();
  if (!connection.isOpen(atMs)) return;
  if (atMs >= follower.nextTickersMs) startTickers(follower);
  if (scope === null) return;
  if (follower.work.isUnderway('feed')) startFirstPage(follower, atMs);
  else if (atMs >= follower.feed.nextAtMs) startFeed(follower, atMs);
  // The rate limiter starts requests in the order of the calls. While the feed is read, only one file is
  // requested at a time, so that pages of the feed do not wait behind files.
  const atOnce = follower.work.isUnderway('feed') ? 1 : filesAtOnce;
  for (const request of dueRequests(follower.state.pending.values(), atMs)) {
    if (follower.work.count('ask ') >= atOnce) break;
    startRequest(follower, request);
  }
  for (const [cik, askedAgainMs] of follower.moved) {
    if (follower.work.count('ask ') >= atOnce) break;
    if (atMs < askedAgainMs) continue;
    follower.moved.set(cik, atMs + pauses.movedMs);
    startRequest(follower, { kind: 'file', cik });
  }
  startRound(follower, atMs);
  if (atMs >= follower.nextReconcileMs) startReconcile(follower);
}

function startTickers({ work, connection }: Follower): void {
  work.start('tickers', async () => {
    const { rows, refusals } = await connection.upstream().tickers();
    return { kind: 'tickers', rows, refused: refusals.map(describeRefusal) };
  });
}

function startFeed(follower: Follower, startedMs: number): void {
  const { work, connection, options, state } = follower;
  follower.nextFirstPageMs = startedMs + options.intervalMs;
  work.start('feed', async (leave) => {
    const upstream = connection.upstream();
    const reading = await readFeed(
      (start) => upstream.feedPage(start),
      state.feed,
      (entries, madeAtMs) => leave({ kind: 'entries', entries, madeAtMs }),
    );
    return { kind: 'reading', reading, startedMs };
  });
}

/**
 * Reads the first page of the feed while a long reading is still on older pages: EDGAR lists new filings on
 * the first page.
 */
function startFirstPage(follower: Follower, atMs: number): void {
  const { work, connection, options } = follower;
  if (atMs < follower.nextFirstPageMs || work.isUnderway('first-page')) return;
  follower.nextFirstPageMs = atMs + options.intervalMs;
  work.start('first-page', async () => ({
    kind: 'first-page',
    answer: await connection.upstream().feedPage(0),
  }));
}

function startRequest({ work, connection }: Follower, request: Request): void {
  work.start(`ask ${requestName(request)}`, async () => {
    const upstream = connection.upstream();
    if (request.kind === 'header')
      return {
        kind: 'header',
        accessionNo: request.accessionNo,
        answer: await upstream.header(request.cik, request.accessionNo),
      };
    return { kind: 'file', cik: request.cik, answer: await upstream.entityFile(request.cik) };
  });
}

/** Asks for the next submissions files of a small universe while the feed fails. */
function startRound(follower: Follower, atMs: number): void {
  const members = polledMembers(follower);
  if (members === null) {
    follower.round = null;
    return;
  }
  while (follower.work.count('ask ') < filesAtOnce) {
    const next = nextInRound(follower.round, members, atMs);
    if (next === null) return;
    follower.round = next.round;
    startRequest(follower, { kind: 'file', cik: next.cik });
  }
}

/** Reconciles the days whose indexes EDGAR may have published by now, some at a time, and quarters. */
function startReconcile(follower: Follower): void {
  const { state, scope, work, connection, options, days, writer, target } = follower;
  // Wait until the feed has told the time. If the feed fails for long, use the clock of this machine.
  const isTimeKnown = follower.told !== null || polledMembers(follower) !== null;
  if (!isTimeKnown || scope === null || work.isUnderway('reconcile')) return;
  const { nowMs } = timeNow(follower);
  const time = easternTime(nowMs);
  const due = daysDue(days, state.since ?? follower.firstDay ?? time.day, newestIndexDay(time), nowMs);
  const readsQuarters = follower.options.elapsed() >= follower.nextQuarterMs;
  if (due.length === 0 && (!readsQuarters || quartersDue(days, nowMs).size === 0)) return;
  if (due.length > daysTogether)
    options.log(`${due.length} days are to be compared with EDGAR's indexes, ${due[0]} to ${due.at(-1)}`);
  // The next one is due only after the results of this one were taken; until then its days count as due.
  follower.nextReconcileMs = Infinity;
  work.start('reconcile', async () => {
    try {
      const done = await reconcile({
        upstream: connection.upstream(),
        folders: { ...options.folders, known: writer },
        append: writer.append,
        days: due,
        daysMaximum: daysTogether,
        readsQuarters,
        isWanted: scope.isWanted,
        tickers: scope.tickers,
        before: days,
        universe: target,
        instant: () => instantNow(follower),
        log: options.log,
        signal: options.signal,
      });
      return { kind: 'reconciled', done };
    } catch (error) {
      if ((error as { kind?: string }).kind === 'user_agent_rejected') throw error;
      return { kind: 'unreconciled', reason: (error as Error).message };
    }
  });
}
