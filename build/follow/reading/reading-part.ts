import type { LRUCache } from 'lru-cache';
import type { ContentsName } from '../../../src/settings/settings.ts';
import type { FoundFiling } from '../../ingest/sightings.ts';
import type { Refusal } from '../../ledger/ledger-rows.ts';
import type { Entity } from '../../sources/roles.ts';
import type { Shared } from '../common/shared.ts';
import type { Starter } from '../common/work.ts';
import type { FollowState } from './follow-state.ts';
import type { History } from './histories.ts';
import { isFeedAway, isPolling, type FeedHealth, type Round } from './poll.ts';
import type { Scope } from './scope.ts';

/** More filings than these do not wait to be appended: what is found in the files of histories is in memory. */
export const foundMaximum = 5000;

/**
 * The part of a follower that reads, from inside: files of this folder alone change it. Others see the
 * `Reader`. Numbers in `…Ms` are times of the monotonic clock.
 */
export interface ReadingPart extends Shared {
  readonly work: Starter;
  /** The contents that are asked for. */
  readonly kinds: readonly ContentsName[];
  readonly state: FollowState;
  /** The text of the state as it was last saved, and when it may be saved again. */
  savedText: string;
  savedAgainMs: number;
  /** Null until the ticker files have been fetched. */
  scope: Scope | null;
  /** The first day of which the ledger may lack filings; null for a new ledger. */
  firstDay: string | null;
  /** The newest filing date of the last snapshot that was published; null if none was. */
  newestFiledAt: string | null;
  feed: FeedHealth;
  /** When the feed was last read; null if it never was. */
  feedReadMs: number | null;
  /** The round through the submissions files; null while the feed is read. */
  round: Round | null;
  /** Entities from submissions files that were read since the last batch. The next batch gets them. */
  readonly entities: Map<string, Entity>;
  /**
   * Filings of which nothing more is asked: those of the ledger about which the feed or a file now tells more, and those
   * of histories. The next batch gets them.
   */
  readonly found: FoundFiling[];
  /** The histories of members of a list that are to be read, by CIK. */
  readonly histories: Map<string, History>;
  /** What contents could not be understood. The next batch gets it. */
  readonly refusals: Refusal[];
  /**
   * Companies whose symbols the ledger leads elsewhere, by CIK, and when their submissions files may be asked
   * for: a company that files once a quarter would not get a symbol before.
   */
  readonly moved: Map<string, number>;
  /** Whether the file of such a company was read, so that a batch is due without a filing. */
  hasMoved: boolean;
  /** CIKs whose submissions files were searched for new filings since the program began. */
  readonly searched: Set<string>;
  /** How many filings became pending since the program began. */
  listed: number;
  /** How many feed entries were refused. */
  refused: number;
  /** The last log lines about refused entries of the feed, so that each is logged once. */
  readonly refusedEntries: LRUCache<string, true>;
  /** Whether it was logged that the clock of this machine is wrong. */
  isWrongClockLogged: boolean;
}

/** How long the feed has to fail before the submissions files are polled. */
const pollAfterDefaultMs = 120_000;

/**
 * Whether histories may be read: what the feed lists is pending by then, and completed as the follower does it, unless the
 * feed cannot be had.
 */
export const mayReadHistories = ({ options, clock, feed, state }: ReadingPart): boolean =>
  state.feed.seen.size > 0 || isFeedAway(feed, clock.elapsed(), options.pollAfterMs ?? pollAfterDefaultMs);

/** Returns the entities whose files are polled now; null if the feed is read. */
export function polledMembers({
  options,
  clock,
  feed,
  scope,
}: Pick<ReadingPart, 'options' | 'clock' | 'feed' | 'scope'>): readonly string[] | null {
  const members = scope?.members ?? null;
  return isPolling(feed, members, clock.elapsed(), options.pollAfterMs ?? pollAfterDefaultMs)
    ? members
    : null;
}
