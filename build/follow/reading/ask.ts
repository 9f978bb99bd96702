import { hourMs, minuteMs } from '../../../src/time/units.ts';
import { describeRefusal } from '../../ledger/ledger-rows.ts';
import { readFeed } from './feed-reading.ts';
import { afterAsking, dueHistories, type HistoryRequest } from './histories.ts';
import { mayReadHistories, polledMembers, type ReadingPart } from './reading-part.ts';
import { dueRequests, requestName, type Request } from './pending.ts';
import { nextInRound } from './poll.ts';

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
};

/**
 * Returns the pause before the next attempt at the ticker files, in milliseconds. `fetched` says how many of
 * the two files the last attempt got.
 */
export const tickersPauseMs = (fetched: 'both' | 'one' | 'none') =>
  ({ both: pauses.tickersMs, one: pauses.tickersPartMs, none: pauses.tickersAgainMs })[fetched];

/** Starts all reading that is due. Starts nothing while upstream blocks this address. */
export function startDue(part: ReadingPart): void {
  const { clock, connection, schedule, scope, work } = part;
  const atMs = clock.elapsed();
  if (!connection.isOpen(atMs)) return;
  if (schedule.isDue('tickers', atMs)) startTickers(part);
  if (scope === null) return;
  if (work.isUnderway('feed')) startFirstPage(part, atMs);
  else if (schedule.isDue('feed', atMs)) startFeed(part, atMs);
  // The rate limiter starts requests in the order of the calls. While the feed is read, only one file is
  // requested at a time, so that pages of the feed do not wait behind files.
  const atOnce = work.isUnderway('feed') ? 1 : filesAtOnce;
  for (const request of dueRequests(part.state.pending.values(), atMs)) {
    if (work.count('ask ') >= atOnce) break;
    startRequest(part, request);
  }
  for (const [cik, askedAgainMs] of part.moved) {
    if (work.count('ask ') >= atOnce) break;
    if (atMs < askedAgainMs) continue;
    part.moved.set(cik, atMs + pauses.movedMs);
    startRequest(part, { kind: 'file', cik });
  }
  startHistories(part, atMs, atOnce);
  startRound(part, atMs);
}

/** More filings than these do not wait to be appended: what is found in the files of histories is in memory. */
export const foundMaximum = 5000;

/** Asks for files of histories, after everything else. */
function startHistories(part: ReadingPart, atMs: number, atOnce: number): void {
  if (!mayReadHistories(part)) return;
  for (const [cik, request] of dueHistories(part.histories, atMs)) {
    if (part.work.count('ask ') >= atOnce || part.found.length >= foundMaximum) return;
    const history = part.histories.get(cik);
    if (history) part.histories.set(cik, afterAsking(history, atMs));
    startRequest(part, request);
  }
}

function startTickers({ work, connection }: ReadingPart): void {
  work.start('tickers', async () => {
    const { rows, refusals } = await connection.upstream().tickers();
    return { kind: 'tickers', rows, refused: refusals.map(describeRefusal) };
  });
}

function startFeed({ work, connection, options, schedule, state }: ReadingPart, startedMs: number): void {
  schedule.set('first page', startedMs + options.intervalMs);
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
function startFirstPage({ work, connection, options, schedule }: ReadingPart, atMs: number): void {
  if (!schedule.isDue('first page', atMs) || work.isUnderway('first-page')) return;
  schedule.set('first page', atMs + options.intervalMs);
  work.start('first-page', async () => ({
    kind: 'first-page',
    answer: await connection.upstream().feedPage(0),
  }));
}

function startRequest({ work, connection }: ReadingPart, request: Request | HistoryRequest): void {
  work.start(`ask ${request.kind === 'page' ? request.name : requestName(request)}`, async () => {
    const upstream = connection.upstream();
    switch (request.kind) {
      case 'file':
        return { ...request, answer: await upstream.entityFile(request.cik) };
      case 'page':
        return { ...request, answer: await upstream.olderPage(request.entity, request.name) };
      case 'header':
        return { ...request, answer: await upstream.header(request.cik, request.accessionNo) };
      case 'contents':
        return { ...request, answer: await upstream.contents(request) };
    }
  });
}

/** Asks for the next submissions files of a small universe while the feed fails. */
function startRound(part: ReadingPart, atMs: number): void {
  const members = polledMembers(part);
  if (members === null) {
    part.round = null;
    return;
  }
  while (part.work.count('ask ') < filesAtOnce) {
    const next = nextInRound(part.round, members, atMs);
    if (next === null) return;
    part.round = next.round;
    startRequest(part, { kind: 'file', cik: next.cik });
  }
}
