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
import { polledMembers, type ReadingEvent, type ReadingPart } from './reading-part.ts';
import { contentsRead } from './asked-for.ts';
import { countPending, whatLacks, type Pending } from './pending.ts';
import { healthyFeed } from './poll.ts';
import { savedText, writeSaved } from './saved.ts';
import { takeReadingEvent } from './take.ts';

/** What was read and belongs into the next batch. */
export interface Gathered {
  /** Filings of which everything is known, and those that have waited long enough for the rest. */
  readonly whole: readonly Pending[];
  readonly overdue: readonly Pending[];
  /** Filings of the ledger about which more is known now. */
  readonly corrections: readonly FoundFiling[];
  /** What their documents say, and what in these could not be understood. */
  readonly contents: readonly LedgerContents[];
  readonly refusals: readonly Refusal[];
  readonly entities: readonly Entity[];
  readonly tickers: readonly TickerRow[];
  /** Whether a filing is among them that is new and was listed after the program began. */
  readonly isFresh: boolean;
  /** Whether all of it completes filings that the ledger has, while others still wait for their contents. */
  readonly isLate: boolean;
  /** Whether other filings wait that the ledger does not have. */
  readonly isMore: boolean;
}

/**
 * The part of a follower that reads: it asks for ticker files, the feed, submissions files and headers, keeps
 * what is known of each filing until the ledger has it, and hands it over.
 */
export interface Reader
  extends Readonly<Pick<ReadingPart, 'state' | 'scope' | 'feed' | 'feedReadMs' | 'listed' | 'refused'>> {
  /** The day from which on days are reconciled; null if none is known yet. */
  since(): string | null;
  /** The entities whose submissions files are polled because the feed fails; null if the feed is read. */
  polled(): readonly string[] | null;
  /** Starts all reading that is due. */
  startDue(): void;
  take(event: ReadingEvent): Promise<void>;
  /** Returns what belongs into the next batch; null if nothing does. */
  gather(atMs: number): Gathered | null;
  /** Records that the ledger has what was gathered. */
  noteAppended(gathered: Gathered): void;
  /** Records that the ledger was filled, and the first day of which it may lack filings. */
  noteFilled(firstDay: string): void;
  /** Records that a snapshot was published, with the newest filing date in it. */
  notePublished(newestFiledAt: string | null): void;
  /** Saves what is pending if it has changed. */
  save(): Promise<void>;
}

/**
 * Creates the reader of a ledger, with the state that was saved. `firstDay` is the first day of which the
 * ledger may lack filings; null for a new ledger.
 */
export function createReader(
  shared: Shared,
  work: Starter<ReadingEvent>,
  state: FollowState,
  firstDay: string | null,
): Reader {
  const part: ReadingPart = {
    ...shared,
    work,
    kinds: shared.options.contents ?? [],
    state,
    savedText: savedText(state),
    scope: null,
    firstDay,
    newestFiledAt: null,
    feed: healthyFeed,
    feedReadMs: null,
    round: null,
    entities: new Map(),
    corrections: [],
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
    polled: () => polledMembers(part),
    startDue: () => startDue(part),
    take: (event: ReadingEvent) => takeReadingEvent(part, event),
    gather: (atMs: number) => gather(part, atMs),
    noteAppended: (gathered: Gathered) => noteAppended(part, gathered),
    noteFilled: (day: string) => void (part.firstDay = day),
    notePublished: (newestFiledAt: string | null) => void (part.newestFiledAt = newestFiledAt),
    async save() {
      const text = savedText(part.state);
      if (text === part.savedText) return;
      await writeSaved(shared.options.folders.ledgerDirectory, text);
      part.savedText = text;
    },
  });
}

function gather(part: ReadingPart, atMs: number): Gathered | null {
  const { state, corrections, entities, scope, hasMoved, options } = part;
  const { whole, overdue, lost } = readyOf(state, atMs);
  for (const each of lost)
    options.log(
      `${each.accessionNo} of ${namesOf(each)}: ${whatLacks(each)}; the comparison with the index of its day asks again`,
      'warn',
    );
  if (lost.length > 0) part.state = afterAppend(state, lost, []);
  if (whole.length + overdue.length + corrections.length === 0 && !hasMoved) return null;
  const ready = [...whole, ...overdue];
  return {
    whole,
    overdue,
    corrections,
    contents: ready.flatMap(contentsRead),
    refusals: part.refusals,
    entities: [...entities.values()],
    tickers: scope?.tickers ?? [],
    isLate:
      corrections.length === 0 &&
      !hasMoved &&
      ready.every(({ isPublished }) => isPublished) &&
      countPending(state.pending.values()).incomplete > countPending(ready).incomplete,
    isFresh: ready.some(({ isPublished, isBacklog }) => !isPublished && !isBacklog),
    isMore: countPending(state.pending.values()).unpublished > countPending(ready).unpublished,
  };
}

function noteAppended(part: ReadingPart, { whole, overdue, corrections, refusals }: Gathered): void {
  part.state = afterAppend(part.state, whole, overdue);
  part.corrections = part.corrections.slice(corrections.length);
  part.refusals = part.refusals.slice(refusals.length);
  part.entities.clear();
  part.hasMoved = false;
}
