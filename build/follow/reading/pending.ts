import { backoff } from '../../../src/fetch/backoff.ts';
import { dayMs, minuteMs } from '../../../src/time/units.ts';
import { isWhole, sightingOf, type Told } from '../../ingest/sightings.ts';
import type { LedgerFiling } from '../../ledger/ledger-rows.ts';
import type { FeedFiling } from '../../sources/current-feed.ts';
import type { Header } from '../../sources/header.ts';

/** What came of asking for a file, and when it may be asked for again. */
export interface Asking {
  /** How many answers lacked the filing. A request without an answer says nothing about the filing. */
  readonly asked: number;
  /** Requests in a row that got no answer. */
  readonly unanswered: number;
  readonly nextAtMs: number;
}

/**
 * A filing that upstream listed and that is not completely in the ledger yet. Times are milliseconds of a
 * monotonic clock with any origin.
 */
export interface Pending {
  readonly accessionNo: string;
  readonly told: Told;
  /** An entity that the filing names: the header is in the folder of this entity. */
  readonly cik: string;
  /**
   * Entities of the universe whose submissions files may list the filing, the most likely first. Entities
   * without a file are removed.
   */
  readonly ciks: readonly string[];
  readonly listedAtMs: number;
  /** Whether it was listed before the program began to follow. New filings are handled first. */
  readonly isBacklog: boolean;
  readonly file: Asking;
  readonly header: Asking;
  /** Whether the ledger already has it, with what the feed and the header say. */
  readonly isPublished: boolean;
}

/** A file to ask for: the submissions file of an entity, or the header of a filing. */
export type Request =
  | { readonly kind: 'file'; readonly cik: string }
  | { readonly kind: 'header'; readonly accessionNo: string; readonly cik: string };

/** The pauses after a request without success: each is twice the one before, up to a bound. */
const pauses = { firstMs: 2500, longestMs: 900_000 };
/** After this time a filing that still lacks facts is published with the facts that are known. */
const publishAfterMs = minuteMs;
/**
 * A filing about which no file could be asked for yet is published after this time if the feed tells its
 * acceptance: in a rush there are more filings than the rate limit allows requests. Its documents follow as a
 * correction.
 */
const publishUnaskedAfterMs = 3000;
/** A filing of the backlog waits longer, because there may be thousands. */
const publishBacklogAfterMs = 900_000;
/**
 * A filing that a submissions file lists first is usually in the feed soon after. Waiting this long saves the
 * request for its header.
 */
const feedGraceMs = 10_000;
/**
 * Answers after which no submissions file will list the filing soon; the last ones are a quarter of an hour apart.
 * The comparison with the day's index finds it without documents, and asks again.
 */
const filesAsked = 40;
/** Answers after which the header counts as missing: filings on paper have none. */
const headersAsked = 6;
/**
 * How long a published filing waits for its documents. By then its day was compared with the index, which goes on
 * asking. So memory is bounded however long the files cannot be had.
 */
const incompleteForMs = 2 * dayMs;
/** Published filings that wait, at most; the oldest ones are left to the comparison with the index. */
const incompleteMaximum = 20_000;

const notAsked = (atMs: number): Asking => ({ asked: 0, unanswered: 0, nextAtMs: atMs });

/** Returns the state after a request without success: `isAnswer` says whether there was an answer. */
function askedAgain({ asked, unanswered }: Asking, isAnswer: boolean, atMs: number): Asking {
  const pauseMs = backoff(asked + unanswered + 1, pauses);
  return {
    asked: isAnswer ? asked + 1 : asked,
    unanswered: isAnswer ? 0 : unanswered + 1,
    nextAtMs: atMs + pauseMs,
  };
}

/**
 * Makes a pending filing that was just listed, by the feed or by the submissions file of an entity. `ciks`
 * are the entities of the universe that it names.
 */
export function newPending(
  accessionNo: string,
  told: Told,
  ciks: readonly [string, ...string[]],
  atMs: number,
  isBacklog: boolean,
): Pending {
  // If only a submissions file or an index lists the filing, the feed may list it soon, so its header is
  // asked for later.
  const headerAtMs = told.feed === undefined && told.file !== undefined ? atMs + feedGraceMs : atMs;
  return {
    accessionNo,
    told,
    cik: ciks[0],
    ciks,
    listedAtMs: atMs,
    isBacklog,
    file: notAsked(atMs),
    header: notAsked(headerAtMs),
    isPublished: false,
  };
}

/** Adds what the feed says to a filing that is already pending. */
export function withFeed(pending: Pending, feed: FeedFiling): Pending {
  return { ...pending, told: { ...pending.told, feed: sightingOf.feed(feed) } };
}

/**
 * Adds what a submissions file says: the row of the filing, `nothing` of it (yet), `absent` if its first
 * entity has no such file, or `unanswered` if the request got no answer. A row of another entity's file
 * counts, too.
 */
export function afterFile(
  pending: Pending,
  answer: LedgerFiling | 'nothing' | 'absent' | 'unanswered',
  atMs: number,
): Pending {
  if (answer === 'nothing' || answer === 'unanswered')
    return { ...pending, file: askedAgain(pending.file, answer === 'nothing', atMs) };
  if (answer === 'absent')
    return {
      ...pending,
      ciks: pending.ciks.slice(1),
      file: { asked: pending.file.asked + 1, unanswered: 0, nextAtMs: atMs },
    };
  return { ...pending, told: { ...pending.told, file: sightingOf.file(answer) } };
}

/** Adds what the header says: the header, `absent` if there is none (yet), or `unanswered`. */
export function afterHeader(
  pending: Pending,
  answer: Header | 'absent' | 'unanswered',
  atMs: number,
): Pending {
  if (typeof answer === 'string')
    return { ...pending, header: askedAgain(pending.header, answer === 'absent', atMs) };
  return { ...pending, told: { ...pending.told, header: sightingOf.header(answer) } };
}

/**
 * Whether the header is needed: if the feed lacks facts that the header has, or if the submissions file is
 * late.
 */
function wantsHeader({ told, file, header, ciks, isPublished }: Pending): boolean {
  if (told.header !== undefined || header.asked >= headersAsked || isPublished) return false;
  return (
    told.feed?.row.acceptedEastern == null ||
    (told.file === undefined && (file.asked + file.unanswered >= 2 || ciks.length === 0))
  );
}

function wantsFile({ told, ciks, file }: Pending): boolean {
  return told.file === undefined && ciks.length > 0 && file.asked < filesAsked;
}

/** The requests of a filing that are due. */
function requestsOf(pending: Pending, atMs: number): Request[] {
  const requests: Request[] = [];
  if (wantsFile(pending) && pending.file.nextAtMs <= atMs)
    requests.push({ kind: 'file', cik: pending.ciks[0] as string });
  if (wantsHeader(pending) && pending.header.nextAtMs <= atMs)
    requests.push({ kind: 'header', accessionNo: pending.accessionNo, cik: pending.cik });
  return requests;
}

/** Returns the name of a request. Requests with the same name ask for the same file. */
export function requestName(request: Request): string {
  return request.kind === 'file' ? request.cik : request.accessionNo;
}

/**
 * Returns the requests that are due, each file once. New filings come first, then the backlog, then published
 * filings that wait for more facts; within each group, those that have waited longest.
 */
export function dueRequests(pending: Iterable<Pending>, atMs: number): Request[] {
  const rank = ({ isPublished, isBacklog }: Pending) => (isPublished ? 2 : isBacklog ? 1 : 0);
  const sorted = [...pending].sort(
    (a, b) => rank(a) - rank(b) || a.listedAtMs - b.listedAtMs || (a.accessionNo < b.accessionNo ? -1 : 1),
  );
  const requests = new Map<string, Request>();
  for (const request of sorted.flatMap((each) => requestsOf(each, atMs)))
    if (!requests.has(requestName(request))) requests.set(requestName(request), request);
  return [...requests.values()];
}

/**
 * Returns when the next request is due or the next filing has waited long enough; null if nothing is pending.
 */
export function nextDueMs(pending: Iterable<Pending>): number | null {
  let next: number | null = null;
  const take = (atMs: number) => void (next = next === null ? atMs : Math.min(next, atMs));
  for (const each of pending) {
    if (wantsFile(each)) take(each.file.nextAtMs);
    if (wantsHeader(each)) take(each.header.nextAtMs);
    if (!each.isPublished) take(overdueAtMs(each));
  }
  return next;
}

function overdueAtMs({ listedAtMs, isBacklog, file, told }: Pending): number {
  if (!isBacklog && file.asked === 0 && told.feed?.row.acceptedEastern != null)
    return listedAtMs + publishUnaskedAfterMs;
  // A filing of the backlog may wait long in the queue. After two requests for its file without success, a
  // minute is enough.
  const isAsked = file.asked + file.unanswered >= 2;
  return listedAtMs + (isBacklog && !isAsked ? publishBacklogAfterMs : publishAfterMs);
}

/**
 * Returns the state of a filing. `whole`: everything that is published of it is known. `overdue`: it has
 * waited so long that it is published with the facts that are known. `lost`: it is left to the comparison
 * with the index, because there is nothing left to ask for, or because it is published and has waited long.
 * Otherwise `waiting`.
 */
export function stateOf(pending: Pending, atMs: number): 'whole' | 'overdue' | 'lost' | 'waiting' {
  if (isWhole(pending.told)) return 'whole';
  const mayCome = wantsFile(pending) || wantsHeader(pending);
  const isTold = Object.keys(pending.told).length > 0;
  if (!pending.isPublished && isTold && (!mayCome || atMs >= overdueAtMs(pending))) return 'overdue';
  if (pending.isPublished && atMs >= pending.listedAtMs + incompleteForMs) return 'lost';
  return mayCome ? 'waiting' : 'lost';
}

/** Returns the published filings that are too many to wait for their documents, the oldest ones. */
export function beyondMaximum(pending: Iterable<Pending>, maximum = incompleteMaximum): readonly Pending[] {
  const published = [...pending].filter(({ isPublished }) => isPublished);
  if (published.length <= maximum) return [];
  return published.sort((a, b) => a.listedAtMs - b.listedAtMs).slice(0, published.length - maximum);
}

/**
 * Counts the filings that wait to be published, those of them that belong to the backlog, and those that are
 * published and wait for more facts.
 */
export function countPending(pending: Iterable<Pending>): {
  readonly unpublished: number;
  readonly backlog: number;
  readonly incomplete: number;
} {
  const counts = { unpublished: 0, backlog: 0, incomplete: 0 };
  for (const { isPublished, isBacklog } of pending) {
    counts[isPublished ? 'incomplete' : 'unpublished']++;
    if (!isPublished && isBacklog) counts.backlog++;
  }
  return counts;
}
