import { assembleFiling, nothingTold, partiesTold } from '../ingest/assemble.ts';
import type { FoundFiling } from '../ingest/append.ts';
import { sameFiling } from '../ledger/merge.ts';
import type { LedgerFiling } from '../ledger/rows.ts';
import type { FeedFiling } from '../sources/current-feed.ts';
import type { Header } from '../sources/header.ts';
import type { Party } from '../sources/rows.ts';
import { afterFile, afterHeader, newPending, stateOf, withFeed, type Pending } from './pending.ts';
import type { SeenFeed } from './reading.ts';
import { wantedOf, type Scope } from './scope.ts';

/**
 * What a follower knows. Everything in it is made anew from the feed and the ledger if it is lost, but for
 * what the feed holds no more.
 */
export interface FollowState {
  readonly feed: SeenFeed;
  /** How many readings of the feed in a row broke off. */
  readonly brokenReadings: number;
  readonly pending: ReadonlyMap<string, Pending>;
  /**
   * The day in New York on which following began, `YYYY-MM-DD`; null before the feed was read for the first
   * time.
   */
  readonly since: string | null;
}

/** A follower that knows nothing. */
export const emptyState: FollowState = {
  feed: { seen: new Set(), readThroughMs: null, madeAtMs: 0 },
  brokenReadings: 0,
  pending: new Map(),
  since: null,
};

/** A filing that upstream lists, in the feed or in the submissions file of an entity. */
export interface Listed {
  readonly accessionNo: string;
  readonly feed: FeedFiling | null;
  readonly row: LedgerFiling | null;
  /** Those of the universe that it names. */
  readonly ciks: readonly [string, ...string[]];
}

const withPending = (state: FollowState, changed: Iterable<Pending>): FollowState => ({
  ...state,
  pending: new Map([...state.pending, ...[...changed].map((each) => [each.accessionNo, each] as const)]),
});

/** Whoever a filing is about stands first: a file of theirs shows what several others file. */
function bySide(parties: readonly Party[]): string[] {
  const isSubject = ({ role }: Party) => role === 'issuer' || role === 'subject';
  return [...parties.filter(isSubject), ...parties.filter((party) => !isSubject(party))].map(
    ({ cik }) => cik,
  );
}

/**
 * Takes what the feed lists. Filings of the universe that are new to the follower are given back: the ledger
 * tells whether it has them. What `seen` names was taken before.
 */
export function takeFeed(
  state: FollowState,
  filings: readonly FeedFiling[],
  seen: ReadonlySet<string>,
  scope: Scope,
): { state: FollowState; listed: Listed[] } {
  const listed: Listed[] = [];
  const changed: Pending[] = [];
  for (const feed of filings) {
    const pending = state.pending.get(feed.accessionNo);
    const ciks = wantedOf(scope, bySide(feed.parties));
    if (pending) {
      // A page of the feed may end between the parties of a filing.
      if (pending.told.feed === null || pending.told.feed.parties.length < feed.parties.length)
        changed.push(withFeed(pending, feed));
    } else if (ciks !== null && !seen.has(feed.accessionNo))
      listed.push({ accessionNo: feed.accessionNo, feed, row: null, ciks });
  }
  return { state: changed.length === 0 ? state : withPending(state, changed), listed };
}

/**
 * Takes what the submissions file of an entity says, by accession number: its rows, or that there is no such
 * file, or that it was not had. Rows from a day on that nobody knows are given back as listed.
 */
export function takeFile(
  state: FollowState,
  cik: string,
  answer: ReadonlyMap<string, LedgerFiling> | 'absent' | 'lost',
  atMs: number,
  from: string,
): { state: FollowState; listed: Listed[] } {
  const changed: Pending[] = [];
  for (const each of state.pending.values()) {
    if (!each.ciks.includes(cik) || each.told.row !== null) continue;
    const row = typeof answer === 'string' ? undefined : answer.get(each.accessionNo);
    if (row) changed.push(afterFile(each, row, atMs));
    else if (each.ciks[0] === cik)
      changed.push(afterFile(each, answer === 'absent' ? 'absent' : 'nothing', atMs));
  }
  const listed: Listed[] = [];
  for (const row of typeof answer === 'string' ? [] : answer.values()) {
    if (row.filedAt >= from && !state.pending.has(row.accessionNo) && !state.feed.seen.has(row.accessionNo))
      listed.push({ accessionNo: row.accessionNo, feed: null, row, ciks: [cik] });
  }
  return { state: changed.length === 0 ? state : withPending(state, changed), listed };
}

/** Takes the header of a filing; null if it was not had. */
export function takeHeader(
  state: FollowState,
  accessionNo: string,
  header: Header | null,
  atMs: number,
): FollowState {
  const pending = state.pending.get(accessionNo);
  return pending ? withPending(state, [afterHeader(pending, header, atMs)]) : state;
}

/**
 * Takes what was listed once it was looked up in the ledger. What the ledger lacks is pending; so is what it
 * has without its documents. What it has otherwise than the feed says is given back to be corrected.
 */
export function admit(
  state: FollowState,
  listed: readonly Listed[],
  known: ReadonlyMap<string, LedgerFiling>,
  atMs: number,
  isBacklog: (listed: Listed) => boolean,
): { state: FollowState; corrections: FoundFiling[] } {
  const changed: Pending[] = [];
  const corrections: FoundFiling[] = [];
  for (const each of listed) {
    const { accessionNo, feed, row, ciks } = each;
    const held = known.get(accessionNo);
    if (!held) changed.push(newPending(accessionNo, { feed, row }, ciks, atMs, isBacklog(each)));
    else if (feed !== null) {
      // What the ledger says of documents came from a submissions file.
      const told = { ...nothingTold, feed, row: held };
      const row = assembleFiling(accessionNo, held, told);
      if (row !== null && !sameFiling(held, row)) corrections.push({ accessionNo, told });
      if (held.primaryDocument === null && held.sizeBytes === null)
        changed.push({ ...newPending(accessionNo, { feed }, ciks, atMs, true), isPublished: true });
    }
  }
  return { state: changed.length === 0 ? state : withPending(state, changed), corrections };
}

/** What is to be written into the ledger now, and what nothing more can be learned of. */
export function ripeOf(
  state: FollowState,
  atMs: number,
): { readonly whole: Pending[]; readonly overdue: Pending[]; readonly lost: Pending[] } {
  const ripe = { whole: [] as Pending[], overdue: [] as Pending[], lost: [] as Pending[] };
  for (const each of state.pending.values()) {
    const is = stateOf(each, atMs);
    if (is !== 'waiting') ripe[is].push(each);
  }
  return ripe;
}

/** What is left once the ledger has some filings: those that are not whole wait to be completed. */
export function afterAppend(
  state: FollowState,
  done: readonly Pending[],
  overdue: readonly Pending[],
): FollowState {
  const pending = new Map(state.pending);
  for (const { accessionNo } of done) pending.delete(accessionNo);
  for (const each of overdue) {
    const current = pending.get(each.accessionNo);
    // What came while the batch was written counts for the next one.
    if (current) pending.set(each.accessionNo, { ...current, isPublished: true });
  }
  return { ...state, pending };
}

/** The parties that a pending filing names in the feed or in its header, for messages. */
export function namesOf({ told, cik }: Pending): string {
  return partiesTold(told)[0]?.name ?? `CIK ${cik}`;
}
