import { minuteMs } from '../../src/contract/time.ts';
import { isWhole, nothingTold, type Told } from '../ingest/assemble.ts';
import type { LedgerFiling } from '../ledger/rows.ts';
import type { FeedFiling } from '../sources/current-feed.ts';
import type { Header } from '../sources/header.ts';

/**
 * How often a file was asked for without giving what was wanted, and from when on it may be asked for again.
 */
export interface Asking {
  readonly asked: number;
  readonly nextAtMs: number;
}

/**
 * A filing that upstream listed and that is not in the ledger as a whole. Times are milliseconds of a clock
 * that never goes back, whatever it counts from.
 */
export interface Pending {
  readonly accessionNo: string;
  readonly told: Told;
  /** An entity that it names: the header lies in its folder. */
  readonly cik: string;
  /**
   * Entities of the universe whose submissions files may list it, the best first; none if all of them were in
   * vain.
   */
  readonly ciks: readonly string[];
  readonly listedAtMs: number;
  /** Whether it was listed before the program began to follow: what is new comes first. */
  readonly isBacklog: boolean;
  readonly file: Asking;
  readonly header: Asking;
  /** Whether the ledger has it, with what the feed and the header say. */
  readonly isPublished: boolean;
}

/** A file to ask for: the submissions file of an entity, or the header of a filing. */
export type Request =
  | { readonly kind: 'file'; readonly cik: string }
  | { readonly kind: 'header'; readonly accessionNo: string; readonly cik: string };

/**
 * The pauses after an answer that did not have what was wanted: each is twice the one before, up to a bound.
 */
const pauses = { firstMs: 2500, longestMs: 900_000 };
/** A filing that still lacks facts after this time is published with what there is. */
const publishAfterMs = minuteMs;
/**
 * One that nobody could be asked about yet waits no longer than this if the feed tells who filed it and when:
 * in a rush there are more filings than the limit of requests allows questions. Its documents follow as a
 * correction.
 */
const publishUnaskedAfterMs = 3000;
/** One that was listed before waits longer: there may be thousands of them. */
const publishBacklogAfterMs = 900_000;
/**
 * What a submissions file showed first will be in the feed in a moment, which saves asking for its header.
 */
const feedGraceMs = 10_000;
/** After so many questions, the last ones a quarter of an hour apart, no submissions file will show it. */
const filesAsked = 40;
/** A header that was not there so often will not come: filings on paper have none. */
const headersAsked = 6;

const notAsked = (atMs: number): Asking => ({ asked: 0, nextAtMs: atMs });

function askedAgain({ asked }: Asking, atMs: number): Asking {
  return { asked: asked + 1, nextAtMs: atMs + Math.min(pauses.longestMs, pauses.firstMs * 2 ** asked) };
}

/**
 * A filing that was just listed: by the feed, or by the submissions file of an entity. `ciks` are those of
 * the universe that it names.
 */
export function newPending(
  accessionNo: string,
  told: Partial<Told>,
  ciks: readonly [string, ...string[]],
  atMs: number,
  isBacklog: boolean,
): Pending {
  const all = { ...nothingTold, ...told };
  // What only a submissions file or an index told of may have a header at once, or be in the feed soon.
  const headerAtMs = all.feed === null && all.row !== null ? atMs + feedGraceMs : atMs;
  return {
    accessionNo,
    told: all,
    cik: ciks[0],
    ciks,
    listedAtMs: atMs,
    isBacklog,
    file: notAsked(atMs),
    header: notAsked(headerAtMs),
    isPublished: false,
  };
}

/** The feed lists a filing that was pending already. */
export function withFeed(pending: Pending, feed: FeedFiling): Pending {
  return { ...pending, told: { ...pending.told, feed } };
}

/**
 * What the submissions file of its first entity said: its row, nothing of it (yet), or that there is no such
 * file. The row of another entity's file counts, too.
 */
export function afterFile(
  pending: Pending,
  answer: LedgerFiling | 'nothing' | 'absent',
  atMs: number,
): Pending {
  if (answer === 'nothing') return { ...pending, file: askedAgain(pending.file, atMs) };
  if (answer === 'absent')
    return {
      ...pending,
      ciks: pending.ciks.slice(1),
      file: { asked: pending.file.asked + 1, nextAtMs: atMs },
    };
  return { ...pending, told: { ...pending.told, row: answer } };
}

/** What its header said; null if it was not there or not understood. */
export function afterHeader(pending: Pending, answer: Header | null, atMs: number): Pending {
  if (answer === null) return { ...pending, header: askedAgain(pending.header, atMs) };
  return { ...pending, told: { ...pending.told, header: answer } };
}

/**
 * Whether the header is wanted: where the feed does not tell what it tells, or where the submissions file is
 * late.
 */
function wantsHeader({ told, file, header, ciks, isPublished }: Pending): boolean {
  if (told.header !== null || header.asked >= headersAsked || isPublished) return false;
  return (
    told.feed === null ||
    told.feed.accepted === null ||
    (told.row === null && (file.asked >= 2 || ciks.length === 0))
  );
}

function wantsFile({ told, ciks, file }: Pending): boolean {
  return told.row === null && ciks.length > 0 && file.asked < filesAsked;
}

/** What a filing wants to be asked for, if its time has come. */
function requestsOf(pending: Pending, atMs: number): Request[] {
  const requests: Request[] = [];
  if (wantsFile(pending) && pending.file.nextAtMs <= atMs)
    requests.push({ kind: 'file', cik: pending.ciks[0] as string });
  if (wantsHeader(pending) && pending.header.nextAtMs <= atMs)
    requests.push({ kind: 'header', accessionNo: pending.accessionNo, cik: pending.cik });
  return requests;
}

/** A name of a request: two with the same name ask for the same file. */
export function requestName(request: Request): string {
  return request.kind === 'file' ? request.cik : request.accessionNo;
}

/**
 * What is to be asked for now, each file once: first for filings that are new, then for those that were
 * listed before, then for those that are published and wait to be completed; of each kind for those that have
 * waited longest.
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
 * When the next request will be due, or the next filing has waited long enough; null if nothing is pending.
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
  if (!isBacklog && file.asked === 0 && told.feed?.accepted != null)
    return listedAtMs + publishUnaskedAfterMs;
  // Those before it in a long queue may take their time; once it was asked for in vain, a minute is enough.
  return listedAtMs + (isBacklog && file.asked < 2 ? publishBacklogAfterMs : publishAfterMs);
}

/**
 * What is to become of a filing: `whole` if all is known that is published of it; `overdue` if it has waited
 * so long that it is published with what there is; `lost` if nothing more can be asked for; else `waiting`.
 */
export function stateOf(pending: Pending, atMs: number): 'whole' | 'overdue' | 'lost' | 'waiting' {
  if (isWhole(pending.told)) return 'whole';
  const mayCome = wantsFile(pending) || wantsHeader(pending);
  const { feed, header, row } = pending.told;
  const isTold = feed !== null || header !== null || row !== null;
  if (!pending.isPublished && isTold && (!mayCome || atMs >= overdueAtMs(pending))) return 'overdue';
  return mayCome ? 'waiting' : 'lost';
}

/**
 * How many filings wait to be published, how many of them were listed before, and how many are published and
 * wait to be completed.
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
