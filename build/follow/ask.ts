import { hourMs, minuteMs } from '../../src/contract/time.ts';
import { easternTime } from '../time/days.ts';
import { describeRefusal } from '../ledger/rows.ts';
import { daysDue, newestIndexDay } from '../reconcile/day.ts';
import { reconcile } from '../reconcile/reconcile.ts';
import { instantNow, polledMembers, timeNow, type Follower } from './follower.ts';
import { dueRequests, requestName, type Request } from './pending.ts';
import { nextInTurn } from './poll.ts';
import { readFeed } from './reading.ts';

/**
 * Files that are asked for at the same time: enough for the limit of requests, and few, because the feed
 * waits behind them.
 */
const filesAtOnce = 3;

const pauses = {
  tickersMs: 6 * hourMs,
  tickersAgainMs: minuteMs,
  tickersPartMs: 30 * minuteMs,
  reconcileMs: minuteMs,
  reconcileAgainMs: 5 * minuteMs,
};

/**
 * When the ticker files are to be asked for again, in milliseconds from now: both were had, one of them, or
 * none.
 */
export const tickersPauseMs = (had: 'both' | 'one' | 'none') =>
  ({ both: pauses.tickersMs, one: pauses.tickersPartMs, none: pauses.tickersAgainMs })[had];

/** When the next index is to be looked for, in milliseconds from now. */
export const reconcilePauseMs = (isDone: boolean) => (isDone ? pauses.reconcileMs : pauses.reconcileAgainMs);

/** Starts everything whose time has come. While upstream lets nobody ask, nothing is started. */
export function startDue(follower: Follower): void {
  const { options, connection, scope } = follower;
  const atMs = options.elapsed();
  if (!connection.isOpen(atMs)) return;
  if (atMs >= follower.nextTickersMs) startTickers(follower);
  if (scope === null) return;
  if (follower.work.isUnderway('feed')) startHead(follower, atMs);
  else if (atMs >= follower.feed.nextAtMs) startFeed(follower, atMs);
  // Requests start in the order of asking: what the feed lists now is known sooner if few files are before
  // its pages.
  const atOnce = follower.work.isUnderway('feed') ? 1 : filesAtOnce;
  for (const request of dueRequests(follower.state.pending.values(), atMs)) {
    if (follower.work.count('ask ') >= atOnce) break;
    startRequest(follower, request);
  }
  startTurn(follower, atMs);
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
  follower.nextHeadMs = startedMs + options.intervalMs;
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

/** A reading that goes far back takes its time: what is listed meanwhile stands on the first page. */
function startHead(follower: Follower, atMs: number): void {
  const { work, connection, options } = follower;
  if (atMs < follower.nextHeadMs || work.isUnderway('head')) return;
  follower.nextHeadMs = atMs + options.intervalMs;
  work.start('head', async () => ({ kind: 'head', answer: await connection.upstream().feedPage(0) }));
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

/** Where the feed fails for long, the entities of a small universe are asked for one after the other. */
function startTurn(follower: Follower, atMs: number): void {
  const members = polledMembers(follower);
  if (members === null) {
    follower.turn = null;
    return;
  }
  while (follower.work.count('ask ') < filesAtOnce) {
    const next = nextInTurn(follower.turn, members, atMs);
    if (next === null) return;
    follower.turn = next.turn;
    startRequest(follower, { kind: 'file', cik: next.cik });
  }
}

/** Holds the days whose indexes may be there against them. */
function startReconcile(follower: Follower): void {
  const { state, scope, work, connection, options, days, writer, target } = follower;
  // What day it is the feed says. Only where that is refused for long the clock of this machine has to do.
  const isTimeKnown = follower.told !== null || polledMembers(follower) !== null;
  if (!isTimeKnown || scope === null || work.isUnderway('reconcile')) return;
  const { nowMs } = timeNow(follower);
  const time = easternTime(nowMs);
  const due = daysDue(days, state.since ?? time.day, newestIndexDay(time), nowMs);
  if (due.length === 0) return;
  work.start('reconcile', async () => {
    try {
      const done = await reconcile({
        upstream: connection.upstream(),
        folders: options.folders,
        append: writer.append,
        days: due,
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
      if ((error as { kind?: string }).kind === 'refused') throw error;
      return { kind: 'unreconciled', reason: (error as Error).message };
    }
  });
}
