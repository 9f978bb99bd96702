import type { ContentsName } from '../../../src/settings/settings.ts';
import type { AskedContents } from '../../ingest/ask-contents.ts';
import { sightingOf, sightingsOf, type FoundFiling, type Told } from '../../ingest/sightings.ts';
import type { FileRows } from '../../ingest/upstream.ts';
import { sameFiling } from '../../ledger/filing-columns.ts';
import type { HeldContents } from '../../ledger/contents.ts';
import type { LedgerFiling, Refusal } from '../../ledger/ledger-rows.ts';
import { mergeFiling, partiesTold } from '../../ledger/merge-filing.ts';
import type { FeedFiling } from '../../sources/current-feed.ts';
import type { Header } from '../../sources/header.ts';
import { dayOfDigits, type Party } from '../../sources/source-rows.ts';
import { afterContents, contentsRead, lackingKinds, withoutWritten } from './asked-for.ts';
import {
  afterFile,
  afterHeader,
  beyondMaximum,
  newPending,
  stateOf,
  withFeed,
  type Pending,
} from './pending.ts';
import type { SeenFeed } from './feed-reading.ts';
import { wantedOf, type Scope } from './scope.ts';

/**
 * The state of a follower. If it is lost, it is made again from the feed and the ledger, except for filings
 * that the feed no longer lists.
 */
export interface FollowState {
  readonly feed: SeenFeed;
  /** Readings of the feed in a row that broke off. */
  readonly brokenReadings: number;
  readonly pending: ReadonlyMap<string, Pending>;
  /**
   * The day in New York, `YYYY-MM-DD`, from which on days are reconciled; null until the feed has been read.
   */
  readonly since: string | null;
  /** The members of the list of which the ledger has the whole history; none if no list is followed. */
  readonly complete: ReadonlySet<string>;
}

/** The state of a new follower. */
export const emptyState: FollowState = {
  feed: { seen: new Set(), readThroughMs: null, madeAtMs: 0 },
  brokenReadings: 0,
  pending: new Map(),
  since: null,
  complete: new Set(),
};

/** A filing that upstream lists, in the feed or in the submissions file of an entity. */
export interface Listed {
  readonly accessionNo: string;
  readonly feed: FeedFiling | null;
  readonly row: LedgerFiling | null;
  /** The entities of the universe that it names. */
  readonly ciks: readonly [string, ...string[]];
}

const withPending = (state: FollowState, changed: Iterable<Pending>): FollowState => ({
  ...state,
  pending: new Map([...state.pending, ...[...changed].map((each) => [each.accessionNo, each] as const)]),
});

/**
 * Returns the CIKs of parties, issuers and subject companies first: one file of theirs lists the filings of
 * several filers.
 */
function subjectsFirst(parties: readonly Party[]): string[] {
  const isSubject = ({ role }: Party) => role === 'issuer' || role === 'subject';
  return [...parties.filter(isSubject), ...parties.filter((party) => !isSubject(party))].map(
    ({ cik }) => cik,
  );
}

/**
 * Adds what the feed lists to the pending filings. Filings of the universe that are new to the follower are
 * returned as `listed`: the ledger is asked for them next. Filings in `seen` were handled before.
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
    const ciks = wantedOf(scope, subjectsFirst(feed.parties));
    if (pending) {
      // A page of the feed may end between the parties of a filing.
      if ((pending.told.feed?.parties.length ?? -1) < feed.parties.length)
        changed.push(withFeed(pending, feed));
    } else if (ciks !== null && !seen.has(feed.accessionNo))
      listed.push({ accessionNo: feed.accessionNo, feed, row: null, ciks });
  }
  return { state: changed.length === 0 ? state : withPending(state, changed), listed };
}

/**
 * Adds what the submissions file of an entity says to the pending filings. `answer` has its rows by accession
 * number; it is `absent` if there is no such file, and `unanswered` if the request got no answer. Rows filed or
 * accepted on or after `from` that are new to the follower are returned as `listed`.
 */
export function takeFile(
  state: FollowState,
  cik: string,
  answer: FileRows | 'absent' | 'unanswered',
  atMs: number,
  from: string,
): { state: FollowState; listed: Listed[] } {
  const rows: FileRows = typeof answer === 'string' ? new Map() : answer;
  const told = takeRows(state, rows, atMs);
  const lacking = [...told.pending.values()]
    .filter((each) => each.ciks[0] === cik && each.told.file === undefined)
    .map((each) => afterFile(each, typeof answer === 'string' ? answer : 'nothing', atMs));
  const listed = [...rows.values()]
    .filter(({ accessionNo }) => !state.pending.has(accessionNo) && !state.feed.seen.has(accessionNo))
    .filter((row) => newestDayOf(row) >= from)
    .map((row) => listedRow(cik, row));
  return { state: lacking.length === 0 ? told : withPending(told, lacking), listed };
}

/** Adds the rows of a file to the pending filings, those of the files of several companies beside one another. */
export function takeRows(state: FollowState, rows: FileRows, atMs: number): FollowState {
  const changed = [...state.pending.values()].flatMap((each) => {
    const row = rows.get(each.accessionNo);
    const after = row ? afterFile(each, row, atMs) : each;
    return after === each ? [] : after;
  });
  return changed.length === 0 ? state : withPending(state, changed);
}

/** A filing that the submissions file of an entity lists. */
export const listedRow = (cik: string, row: LedgerFiling): Listed => ({
  accessionNo: row.accessionNo,
  feed: null,
  row,
  ciks: [cik],
});

/**
 * Returns the day on which a filing was filed, or the later one on which it was accepted in New York: EDGAR gives some
 * filings an earlier date than the day on which it accepts them.
 */
export function newestDayOf({ filedAt, acceptedEastern }: LedgerFiling): string {
  const accepted = acceptedEastern === null ? null : dayOfDigits(acceptedEastern.slice(0, 8));
  return accepted !== null && accepted > filedAt ? accepted : filedAt;
}

/** Adds what the header of a filing says; `absent` if there is none, `unanswered` if the request got no answer. */
export function takeHeader(
  state: FollowState,
  accessionNo: string,
  header: Header | 'absent' | 'unanswered',
  atMs: number,
): FollowState {
  const pending = state.pending.get(accessionNo);
  return pending ? withPending(state, [afterHeader(pending, header, atMs)]) : state;
}

/** Adds what came of asking for contents of a filing, and returns the refusals to be told. */
export function takeContents(
  state: FollowState,
  accessionNo: string,
  name: ContentsName,
  answer: AskedContents,
  atMs: number,
): { readonly state: FollowState; readonly refusals: readonly Refusal[] } {
  const pending = state.pending.get(accessionNo);
  if (!pending) return { state, refusals: [] };
  const wasRefused = pending.askedFor[name]?.isRefused === true;
  const isTold = answer.kind === 'lost' || (answer.kind === 'refused' && wasRefused);
  return {
    state: withPending(state, [afterContents(pending, name, answer, atMs)]),
    refusals: isTold ? [] : answer.refusals,
  };
}

/** What the ledger has of listed filings. */
export interface KnownOfListed {
  readonly filings: ReadonlyMap<string, LedgerFiling>;
  /** Which contents it has of them. */
  readonly contents: ReadonlyMap<string, HeldContents>;
  /** The contents that are asked for. */
  readonly kinds: readonly ContentsName[];
}

/**
 * Sorts listed filings by what the ledger has of them. A filing that the ledger lacks, or has without its
 * documents or its contents, becomes pending. A filing that the ledger has with other facts than the feed or the file is
 * returned as a correction.
 */
export function admit(
  state: FollowState,
  listed: readonly Listed[],
  { filings, contents, kinds }: KnownOfListed,
  atMs: number,
  isBacklog: (listed: Listed) => boolean,
): { state: FollowState; corrections: FoundFiling[] } {
  const changed: Pending[] = [];
  const corrections: FoundFiling[] = [];
  for (const each of listed) {
    const { accessionNo, feed, row, ciks } = each;
    const held = filings.get(accessionNo);
    const told: Told = {
      ...(feed && { feed: sightingOf.feed(feed) }),
      ...(row && { file: sightingOf.file(row) }),
    };
    const lacking = kinds.filter((kind) => contents.get(accessionNo)?.[kind] === undefined);
    const pend = (tellers: Told, isOld: boolean) =>
      newPending(accessionNo, tellers, ciks, atMs, isOld, lacking);
    if (!held) {
      changed.push(pend(told, isBacklog(each)));
      continue;
    }
    // Beside the feed, the ledger's row stands for the submissions file, from which its facts about documents came.
    const withRow: Told = { ...told, file: told.file ?? sightingOf.file(held) };
    const sightings = sightingsOf(withRow);
    const merged = mergeFiling(held, sightings, () => false);
    if (!sameFiling(held, merged)) corrections.push({ accessionNo, sightings });
    // Contents are asked for of what the feed lists. Files also list what has been in the ledger for long.
    if (feed === null) continue;
    const lacksDocuments = held.primaryDocument === null && held.sizeBytes === null;
    const waiting = pend(lacksDocuments ? told : withRow, true);
    if (lacksDocuments || lackingKinds(waiting).length > 0) changed.push({ ...waiting, isPublished: true });
  }
  return { state: changed.length === 0 ? state : withPending(state, changed), corrections };
}

/**
 * Returns the pending filings that are not waiting, by their state: `whole` and `overdue` ones are written
 * into the ledger now; `lost` ones are left to the comparison with the index.
 */
export function readyOf(
  state: FollowState,
  atMs: number,
): { readonly whole: Pending[]; readonly overdue: Pending[]; readonly lost: Pending[] } {
  const ready = { whole: [] as Pending[], overdue: [] as Pending[], lost: [] as Pending[] };
  for (const each of state.pending.values()) {
    const is = stateOf(each, atMs);
    if (is !== 'waiting') ready[is].push(each);
  }
  const left = new Set(ready.lost);
  const completed = new Set(ready.whole);
  for (const each of beyondMaximum(state.pending.values()))
    if (!left.has(each) && !completed.has(each)) ready.lost.push(each);
  return ready;
}

/**
 * Returns the state after a batch was written. `done` filings are removed; `overdue` ones wait for more
 * facts.
 */
export function afterAppend(
  state: FollowState,
  done: readonly Pending[],
  overdue: readonly Pending[],
): FollowState {
  const pending = new Map(state.pending);
  for (const { accessionNo } of done) pending.delete(accessionNo);
  for (const each of overdue) {
    const current = pending.get(each.accessionNo);
    // Facts that came in while the batch was written go into the next one.
    if (current)
      pending.set(each.accessionNo, {
        ...current,
        askedFor: withoutWritten(current.askedFor, contentsRead(each)),
        isPublished: true,
      });
  }
  return { ...state, pending };
}

/** Returns a name for a pending filing in messages: its first party, or the CIK of its folder. */
export function namesOf({ told, cik }: Pending): string {
  return partiesTold(sightingsOf(told))[0]?.name ?? `CIK ${cik}`;
}
