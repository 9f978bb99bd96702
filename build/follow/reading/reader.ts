import { LRUCache } from 'lru-cache';
import type { FoundFiling } from '../../ingest/sightings.ts';
import type { LedgerContents } from '../../ledger/contents.ts';
import type { Refusal } from '../../ledger/ledger-rows.ts';
import type { Entity } from '../../sources/roles.ts';
import type { TickerRow } from '../../sources/tickers.ts';
import type { Shared } from '../common/shared.ts';
import type { Starter } from '../common/work.ts';
import { startDue } from './ask.ts';
import { afterAppend, namesOf, readyOf, type FollowState } from './follow-state.ts';
import { isRead } from './histories.ts';
import { foundMaximum, polledMembers, type ReadingPart } from './reading-part.ts';
import { contentsRead } from './asked-for.ts';
import { countPending, whatLacks, type Pending } from './pending.ts';
import { healthyFeed } from './poll.ts';
import { stateText, writeSaved } from './saved.ts';

/** What was read and belongs into the next batch. */
export interface Gathered {
  /** Filings of which everything is known, and those that have waited long enough for the rest. */
  readonly whole: readonly Pending[];
  readonly overdue: readonly Pending[];
  /** Filings of the ledger about which more is known now, and those of histories. */
  readonly found: readonly FoundFiling[];
  /** The members of a list whose histories the ledger has with this batch. */
  readonly histories: readonly string[];
  /** What their documents say, and what in these could not be understood. */
  readonly contents: readonly LedgerContents[];
  readonly refusals: readonly Refusal[];
  readonly entities: readonly Entity[];
  readonly tickers: readonly TickerRow[];
  /** Whether a filing is among them that is new and was listed after the program began. */
  readonly isFresh: boolean;
  /** Whether all of it completes filings that the ledger has, while others still wait for their contents. */
  readonly isLate: boolean;
  /** Whether other filings wait that the ledger does not have, and there is room for them in memory. */
  readonly isMore: boolean;
}

/** How much of what is pending is written to the disk, at most: after an outage there may be ten thousand filings. */
const savedCharactersASecond = 1_000_000;

/**
 * The part of a follower that reads: it asks for ticker files, the feed, submissions files and headers, keeps
 * what is known of each filing until the ledger has it, and hands it over.
 */
export interface Reader
  extends Readonly<Pick<ReadingPart, 'state' | 'scope' | 'feed' | 'feedReadMs' | 'listed' | 'refused'>> {
  /** How many histories are to be read. */
  unreadHistories(): number;
  /** The day from which on days are reconciled; null if none is known yet. */
  since(): string | null;
  /** The entities whose submissions files are polled because the feed fails; null if the feed is read. */
  polled(): readonly string[] | null;
  /** Starts all reading that is due. */
  startDue(): void;
  /** Returns what belongs into the next batch; null if nothing does. */
  gather(atMs: number): Gathered | null;
  /** Records that the ledger has what was gathered. */
  noteAppended(gathered: Gathered): void;
  /** Records that the ledger was filled, and the first day of which it may lack filings. */
  noteFilled(firstDay: string): void;
  /** Records that a snapshot was published, with the newest filing date in it. */
  notePublished(newestFiledAt: string | null): void;
  /** Saves what is pending if it has changed: a long text not at once again, unless it is the last time. */
  save(isLast?: boolean): Promise<void>;
}

/**
 * Creates the reader of a ledger, with the state that was saved. `firstDay` is the first day of which the
 * ledger may lack filings; null for a new ledger.
 */
export function createReader(
  shared: Shared,
  work: Starter,
  state: FollowState,
  firstDay: string | null,
): Reader {
  const part: ReadingPart = {
    ...shared,
    work,
    kinds: shared.options.contents ?? [],
    state,
    savedText: stateText(state),
    savedAgainMs: -Infinity,
    scope: null,
    firstDay,
    newestFiledAt: null,
    feed: healthyFeed,
    feedReadMs: null,
    round: null,
    entities: new Map(),
    found: [],
    histories: new Map(),
    refusals: [],
    moved: new Map(),
    hasMoved: false,
    searched: new Set(),
    listed: 0,
    refused: 0,
    refusedEntries: new LRUCache({ max: 1000 }),
    isWrongClockLogged: false,
  };
  return Object.assign(part, {
    since: () => part.state.since ?? part.firstDay,
    unreadHistories: () => part.histories.size,
    polled: () => polledMembers(part),
    startDue: () => startDue(part),
    gather: (atMs: number) => gather(part, atMs),
    noteAppended: (gathered: Gathered) => noteAppended(part, gathered),
    noteFilled: (day: string) => void (part.firstDay = day),
    notePublished: (newestFiledAt: string | null) => void (part.newestFiledAt = newestFiledAt),
    async save(isLast = false) {
      const atMs = part.clock.elapsed();
      if (atMs < part.savedAgainMs && !isLast) return;
      const text = stateText(part.state);
      if (text === part.savedText) return;
      await writeSaved(shared.options.folders.ledgerDirectory, text);
      part.savedText = text;
      part.savedAgainMs = atMs + Math.floor(text.length / savedCharactersASecond) * 1000;
    },
  });
}

function gather(part: ReadingPart, atMs: number): Gathered | null {
  const { state, found, entities, scope, hasMoved, options } = part;
  const { whole, overdue, lost } = readyOf(state, atMs);
  for (const each of lost)
    options.log(
      `${each.accessionNo} of ${namesOf(each)}: ${whatLacks(each)}; the comparison with the index of its day asks again`,
      'warn',
    );
  afterAppend(state, lost, []);
  const unread = [...part.histories];
  const histories = unread.flatMap(([cik, history]) => (isRead(history) ? cik : []));
  if (whole.length + overdue.length + found.length + histories.length === 0 && !hasMoved) return null;
  const ready = [...whole, ...overdue];
  return {
    whole,
    overdue,
    found: [...found],
    histories,
    contents: ready.flatMap(contentsRead),
    refusals: [...part.refusals],
    entities: [...entities.values()],
    tickers: scope?.tickers ?? [],
    isLate:
      found.length + histories.length === 0 &&
      !hasMoved &&
      ready.every(({ isPublished }) => isPublished) &&
      countPending(state.pending.values()).incomplete > countPending(ready).incomplete,
    isFresh: ready.some(({ isPublished, isBacklog }) => !isPublished && !isBacklog),
    isMore:
      found.length < foundMaximum &&
      (countPending(state.pending.values()).unpublished > countPending(ready).unpublished ||
        unread.some(([, history]) => !isRead(history) && history.nextAtMs <= atMs)),
  };
}

function noteAppended(part: ReadingPart, { whole, overdue, found, refusals, histories }: Gathered): void {
  afterAppend(part.state, whole, overdue);
  part.found.splice(0, found.length);
  noteHistories(part, histories);
  part.refusals.splice(0, refusals.length);
  part.entities.clear();
  part.hasMoved = false;
}

/** Records whose histories the ledger has now. */
function noteHistories(part: ReadingPart, ciks: readonly string[]): void {
  if (ciks.length === 0) return;
  for (const cik of ciks) part.histories.delete(cik);
  part.state.complete = new Set([...part.state.complete, ...ciks]);
  if (part.histories.size === 0)
    part.options.log(`the histories of ${part.state.complete.size} entities are in the ledger`);
}
