import { minuteMs } from '../../../src/time/units.ts';
import type { Upstream } from '../../ingest/upstream.ts';
import { readFeed } from './feed-reading.ts';
import { afterAsking, dueHistories, type HistoryRequest } from './histories.ts';
import { foundMaximum, mayReadHistories, polledMembers, type ReadingPart } from './reading-part.ts';
import { dueRequests, requestName, type Request } from './pending.ts';
import { nextInRound } from './poll.ts';
import {
  takeContentsAnswer,
  takeEntries,
  takeFileAnswer,
  takeFirstPage,
  takeHeaderAnswer,
  takePage,
  takeReading,
  takeTickers,
} from './take.ts';

/**
 * How many files are requested at the same time. Three are enough to use the rate limit. If there were more,
 * a page of the feed would wait behind them.
 */
const filesAtOnce = 3;

/** How long a company waits before its file is asked for again because its symbols have moved. */
const movedPauseMs = 15 * minuteMs;

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
    part.moved.set(cik, atMs + movedPauseMs);
    startRequest(part, { kind: 'file', cik });
  }
  startHistories(part, atMs, atOnce);
  startRound(part, atMs);
}

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

function startTickers(part: ReadingPart): void {
  part.work.start(
    'tickers',
    () => part.connection.upstream().tickers(),
    (tickers) => takeTickers(part, tickers),
  );
}

function startFeed(part: ReadingPart, startedMs: number): void {
  const { work, connection, options, schedule, state } = part;
  schedule.set('first page', startedMs + options.intervalMs);
  work.start(
    'feed',
    (leave) => {
      const upstream = connection.upstream();
      return readFeed(
        (start) => upstream.feedPage(start),
        state.feed,
        (entries, madeAtMs) => leave(() => takeEntries(part, entries, madeAtMs)),
      );
    },
    (reading) => takeReading(part, reading, startedMs),
  );
}

/**
 * Reads the first page of the feed while a long reading is still on older pages: EDGAR lists new filings on
 * the first page.
 */
function startFirstPage(part: ReadingPart, atMs: number): void {
  const { work, connection, options, schedule } = part;
  if (!schedule.isDue('first page', atMs) || work.isUnderway('first-page')) return;
  schedule.set('first page', atMs + options.intervalMs);
  work.start(
    'first-page',
    () => connection.upstream().feedPage(0),
    (answer) => takeFirstPage(part, answer),
  );
}

/** Asks for a file, and takes what comes of it. */
function startRequest(part: ReadingPart, request: Request | HistoryRequest): void {
  const { work, connection } = part;
  const ask = <Answer>(
    name: string,
    run: (upstream: Upstream) => Promise<Answer>,
    take: (answer: Answer) => void | Promise<void>,
  ) => work.start(`ask ${name}`, () => run(connection.upstream()), take);
  switch (request.kind) {
    case 'file':
      return ask(
        requestName(request),
        (upstream) => upstream.entityFile(request.cik),
        (answer) => takeFileAnswer(part, request.cik, answer),
      );
    case 'page':
      return ask(
        request.name,
        (upstream) => upstream.olderPage(request.entity, request.name),
        (answer) => takePage(part, request.entity.cik, request.name, answer),
      );
    case 'header':
      return ask(
        requestName(request),
        (upstream) => upstream.header(request.cik, request.accessionNo),
        (answer) => takeHeaderAnswer(part, request.accessionNo, answer),
      );
    case 'contents':
      return ask(
        requestName(request),
        (upstream) => upstream.contents(request),
        (answer) => takeContentsAnswer(part, request, answer),
      );
  }
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
