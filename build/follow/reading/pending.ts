import { dayMs, minuteMs } from '../../../src/time/units.ts';
import type { ContentsName } from '../../../src/settings/settings.ts';
import { contentsInOrder, contentsKinds, type WantedContents } from '../../contents/contents-kinds.ts';
import { isWhole, sightingOf, sightingsOf, withFile, type Told } from '../../ingest/sightings.ts';
import type { LedgerFiling } from '../../ledger/ledger-rows.ts';
import type { FeedFiling } from '../../sources/current-feed.ts';
import type { Header } from '../../sources/header.ts';
import {
  askedAgain,
  askedForAgain,
  contentsRead,
  lackingKinds,
  lacks,
  neverDue,
  notAsked,
  publishWithoutAtMs,
  whereAsked,
  type AskedKinds,
  type KeptKinds,
  type Asking,
} from './asked-for.ts';

/** What is asked about a filing: its row in the submissions file of an entity, its header, and what its documents say. */
export type FactName = 'file' | 'header' | ContentsName;

/**
 * A filing that upstream listed and that is not completely in the ledger yet. The feed, submissions files and the histories
 * of a list tell of filings, and `admit` takes those that the ledger lacks. `facts` says what is asked about each, in which
 * order, and after how many answers that is given up. `stateOf` says who is appended, who waits, and who is left to the
 * comparison with the index of the day, which asks each source once and counts what it does not get (`lookAt`). Times are
 * milliseconds of a monotonic clock with any origin.
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
  /** The contents that are asked for, by kind; those that the ledger has got are left out. */
  readonly askedFor: AskedKinds;
  /** Whether the ledger already has it, with what was known then. */
  readonly isPublished: boolean;
}

/** A file to ask for: the submissions file of an entity, the header of a filing, or contents of it. */
export type Request =
  | { readonly kind: 'file'; readonly cik: string }
  | { readonly kind: 'header'; readonly accessionNo: string; readonly cik: string }
  | ({ readonly kind: 'contents' } & WantedContents);

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
 * How long a published filing waits for its documents. By then its day was compared with the index, which goes on
 * asking. So memory is bounded however long the files cannot be had.
 */
const incompleteForMs = 2 * dayMs;
/** Published filings that wait, at most; the oldest ones are left to the comparison with the index. */
const incompleteMaximum = 20_000;

/** How a fact is asked for. */
interface FactRule {
  /** Answers without the fact after which it is given up. The comparison with the day's index asks again. */
  readonly answersMaximum: number;
  /** Facts of an earlier turn are asked for first, for all filings that wait alike. */
  readonly turn: number;
  readonly isWanted: (pending: Pending) => boolean;
  readonly request: (pending: Pending) => Request;
}

/** Whether the submissions file is late: it lacked the filing twice, or there is none. */
const isFileLate = ({ told, file, ciks }: Pending) =>
  told.file === undefined && (file.asked + file.unanswered >= 2 || ciks.length === 0);

/** Every fact that is asked for, in the order in which a filing asks for them. */
const facts: Readonly<Record<FactName, FactRule>> = {
  file: {
    // The last ones are a quarter of an hour apart.
    answersMaximum: 40,
    turn: 0,
    isWanted: ({ told, ciks }) => told.file === undefined && ciks.length > 0,
    request: ({ ciks }) => ({ kind: 'file', cik: ciks[0] as string }),
  },
  header: {
    // Filings on paper have none.
    answersMaximum: 6,
    turn: 0,
    // The feed may lack facts that the header has, or the submissions file may be late.
    isWanted: (pending) =>
      pending.told.header === undefined &&
      !pending.isPublished &&
      (pending.told.feed?.row.acceptedEastern == null || isFileLate(pending)),
    request: ({ accessionNo, cik }) => ({ kind: 'header', accessionNo, cik }),
  },
  // The submissions file names the document; without it the full submission is read, which is longer.
  ownership: contentsRule('ownership', (pending) => pending.told.file !== undefined || isFileLate(pending)),
  documents: contentsRule('documents', () => true),
};
const factNames = Object.keys(facts) as FactName[];

function contentsRule(name: ContentsName, mayAsk: (pending: Pending) => boolean): FactRule {
  return {
    // The last ones are a quarter of an hour apart: by then a file that comes late is there.
    answersMaximum: 16,
    turn: 1 + contentsInOrder.indexOf(name),
    isWanted: (pending) => lacks(name, pending) && mayAsk(pending),
    request: ({ accessionNo, askedFor }) => ({
      kind: 'contents',
      contents: name,
      accessionNo,
      file: askedFor[name]?.file as string,
    }),
  };
}

/** What came of asking for a fact. */
function askingOf(name: FactName, pending: Pending): Asking {
  return name === 'file' || name === 'header' ? pending[name] : (pending.askedFor[name] ?? neverDue);
}

/** Whether a fact is still asked for. */
function isAskedFor(name: FactName, pending: Pending): boolean {
  const { answersMaximum, isWanted } = facts[name];
  return askingOf(name, pending).asked < answersMaximum && isWanted(pending);
}

/** Whether everything that is published of a filing is known. */
const isComplete = (pending: Pending) => isWhole(pending.told) && lackingKinds(pending).length === 0;

/**
 * Makes a pending filing that was just listed, by the feed or by the submissions file of an entity. `ciks`
 * are the entities of the universe that it names, `kinds` the contents that are asked for.
 */
export function newPending(
  accessionNo: string,
  told: Told,
  ciks: readonly [string, ...string[]],
  atMs: number,
  isBacklog: boolean,
  kinds: readonly ContentsName[] = [],
): Pending {
  // If only a submissions file or an index lists the filing, the feed may list it soon, so its header is
  // asked for later.
  const headerAtMs = told.feed === undefined && told.file !== undefined ? atMs + feedGraceMs : atMs;
  return withTold(
    {
      accessionNo,
      told: {},
      cik: ciks[0],
      ciks,
      listedAtMs: atMs,
      isBacklog,
      file: notAsked(atMs),
      header: notAsked(headerAtMs),
      askedFor: askedForAgain(kinds, {}, atMs),
      isPublished: false,
    },
    told,
  );
}

/** What is saved of a pending filing. Older releases left `askedFor` out, and saved more that nobody reads. */
export type SavedPending = Pick<
  Pending,
  'accessionNo' | 'told' | 'cik' | 'ciks' | 'isBacklog' | 'isPublished'
> & { readonly askedFor?: KeptKinds };

/**
 * Makes a pending filing that was saved, by this release or an older one, pending again: every request is due at
 * once. `kinds` are the contents that are asked for now. What an older release has read is asked for again.
 */
export function pendingAgain(saved: SavedPending, atMs: number, kinds: readonly ContentsName[]): Pending {
  const again = notAsked(atMs);
  return withTold(
    {
      ...saved,
      listedAtMs: atMs,
      file: again,
      header: again,
      // A published filing is asked for what it still waits for: the ledger may have got the rest.
      askedFor: askedForAgain(
        saved.isPublished && saved.askedFor ? kinds.filter((name) => saved.askedFor?.[name]) : kinds,
        saved.askedFor ?? {},
        atMs,
      ),
    },
    {},
  );
}

/** Adds what sources say. With the name of its document, or another form, the address of its contents is another one. */
function withTold(pending: Pending, more: Told): Pending {
  const told = { ...pending.told, ...more };
  return { ...pending, told, askedFor: whereAsked(pending.askedFor, sightingsOf(told)) };
}

/** Adds what the feed says to a filing that is already pending. */
export function withFeed(pending: Pending, feed: FeedFiling): Pending {
  return withTold(pending, { feed: sightingOf.feed(feed) });
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
  const told = withFile(pending.told, answer);
  return told === pending.told ? pending : withTold(pending, told);
}

/** Adds what the header says: the header, `absent` if there is none (yet), or `unanswered`. */
export function afterHeader(
  pending: Pending,
  answer: Header | 'absent' | 'unanswered',
  atMs: number,
): Pending {
  if (typeof answer === 'string')
    return { ...pending, header: askedAgain(pending.header, answer === 'absent', atMs) };
  return withTold(pending, { header: sightingOf.header(answer) });
}

/** Returns the name of a request. Requests with the same name ask for the same file. */
export function requestName(request: Request): string {
  switch (request.kind) {
    case 'file':
      return request.cik;
    case 'header':
      return request.accessionNo;
    case 'contents':
      return request.file;
  }
}

/**
 * Returns the requests that are due, each file once. New filings come first, then the backlog, then published
 * filings that wait for more facts; within each group, those that have waited longest, and contents last.
 */
export function dueRequests(pending: Iterable<Pending>, atMs: number): Request[] {
  const rank = ({ isPublished, isBacklog }: Pending) => (isPublished ? 2 : isBacklog ? 1 : 0);
  const sorted = [...pending].sort(
    (a, b) => a.listedAtMs - b.listedAtMs || (a.accessionNo < b.accessionNo ? -1 : 1),
  );
  const turns = [...new Set(factNames.map((name) => facts[name].turn))];
  const due = turns.flatMap((turn) =>
    sorted.map((each) => ({
      rank: rank(each),
      requests: factNames
        .filter((name) => facts[name].turn === turn)
        .filter((name) => askingOf(name, each).nextAtMs <= atMs && isAskedFor(name, each))
        .map((name) => facts[name].request(each)),
    })),
  );
  const requests = new Map<string, Request>();
  for (const request of due.sort((a, b) => a.rank - b.rank).flatMap((each) => each.requests))
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
    for (const name of factNames) if (isAskedFor(name, each)) take(askingOf(name, each).nextAtMs);
    if (!each.isPublished) take(overdueAtMs(each));
  }
  return next;
}

/** Returns when a filing that lacks facts is published with those that are known. */
function overdueAtMs(pending: Pending): number {
  const { listedAtMs, isBacklog, file, told } = pending;
  if (isWhole(told)) return publishWithoutAtMs(pending);
  if (!isBacklog && file.asked === 0 && told.feed?.row.acceptedEastern != null)
    return listedAtMs + publishUnaskedAfterMs;
  // A filing of the backlog may wait long in the queue. After two requests for its file without success, a
  // minute is enough.
  const isAsked = file.asked + file.unanswered >= 2;
  return listedAtMs + (isBacklog && !isAsked ? publishBacklogAfterMs : publishAfterMs);
}

/**
 * Returns the state of a filing. `whole`: everything that is published of it is known. `overdue`: it has
 * waited so long that it is published with the facts that are known, or it is published and contents were read that the
 * ledger lacks, while others are still asked for. `lost`: it is left to the comparison
 * with the index, because there is nothing left to ask for, or because it is published and has waited long.
 * Otherwise `waiting`.
 */
export function stateOf(pending: Pending, atMs: number): 'whole' | 'overdue' | 'lost' | 'waiting' {
  if (isComplete(pending)) return 'whole';
  const mayCome = factNames.some((name) => isAskedFor(name, pending));
  const isTold = Object.keys(pending.told).length > 0;
  if (!pending.isPublished && isTold && (!mayCome || atMs >= overdueAtMs(pending))) return 'overdue';
  if (pending.isPublished && contentsRead(pending).length > 0) return 'overdue';
  if (pending.isPublished && atMs >= pending.listedAtMs + incompleteForMs) return 'lost';
  return mayCome ? 'waiting' : 'lost';
}

/** Says what a lost filing lacks. */
export function whatLacks(pending: Pending): string {
  if (!isWhole(pending.told)) return 'no submissions file tells its documents yet';
  const lacking = lackingKinds(pending).map((name) => {
    const isRefused = pending.askedFor[name]?.isRefused === true;
    return `its ${contentsKinds[name].what} ${isRefused ? 'cannot be understood' : 'is not there yet'}`;
  });
  return lacking.join(', and ');
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
