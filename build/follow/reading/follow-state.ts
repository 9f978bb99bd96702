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
  feed: SeenFeed;
  /** Readings of the feed in a row that broke off. */
  brokenReadings: number;
  /** Filings that upstream listed and that are not completely in the ledger, by accession number. */
  readonly pending: Map<string, Pending>;
  /**
   * The day in New York, `YYYY-MM-DD`, from which on days are reconciled; null until the feed has been read.
   */
  since: string | null;
  /** The members of the list of which the ledger has the whole history; none if no list is followed. */
  complete: ReadonlySet<string>;
}

/** Creates the state of a new follower. */
export const createState = (): FollowState => ({
  feed: { seen: new Set(), readThroughMs: null, madeAtMs: 0 },
  brokenReadings: 0,
  pending: new Map(),
  since: null,
  complete: new Set(),
});

/** A filing that upstream lists, in the feed or in the submissions file of an entity. */
export interface Listed {
  readonly accessionNo: string;
  readonly feed: FeedFiling | null;
  readonly row: LedgerFiling | null;
  /** The entities of the universe that it names. */
  readonly ciks: readonly [string, ...string[]];
}

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
 * Adds what the feed lists to the pending filings. Returns filings of the universe that are new to the follower: the
 * ledger is asked for them next.
 */
export function takeFeed(
  { pending, feed: { seen } }: Pick<FollowState, 'pending' | 'feed'>,
  filings: readonly FeedFiling[],
  scope: Scope,
): Listed[] {
  const listed: Listed[] = [];
  for (const feed of filings) {
    const { accessionNo, parties } = feed;
    const known = pending.get(accessionNo);
    const ciks = wantedOf(scope, subjectsFirst(parties));
    // A page of the feed may end between the parties of a filing.
    if (known && (known.told.feed?.parties.length ?? -1) < parties.length)
      pending.set(accessionNo, withFeed(known, feed));
    if (!known && ciks !== null && !seen.has(accessionNo))
      listed.push({ accessionNo, feed, row: null, ciks });
  }
  return listed;
}

/**
 * Adds what the submissions file of an entity says to the pending filings. `answer` has its rows by accession
 * number; it is `absent` if there is no such file, and `unanswered` if the request got no answer. Returns rows filed or
 * accepted on or after `from` that are new to the follower.
 */
export function takeFile(
  state: Pick<FollowState, 'pending' | 'feed'>,
  cik: string,
  answer: FileRows | 'absent' | 'unanswered',
  atMs: number,
  from: string,
): Listed[] {
  const { pending, feed } = state;
  const rows: FileRows = typeof answer === 'string' ? new Map() : answer;
  takeRows(state, rows, atMs);
  for (const each of pending.values())
    if (each.ciks[0] === cik && each.told.file === undefined)
      pending.set(each.accessionNo, afterFile(each, typeof answer === 'string' ? answer : 'nothing', atMs));
  return [...rows.values()]
    .filter(({ accessionNo }) => !pending.has(accessionNo) && !feed.seen.has(accessionNo))
    .filter((row) => newestDayOf(row) >= from)
    .map((row) => listedRow(cik, row));
}

/** Adds the rows of a file to the pending filings, those of the files of several companies beside one another. */
export function takeRows({ pending }: Pick<FollowState, 'pending'>, rows: FileRows, atMs: number): void {
  for (const each of pending.values()) {
    const row = rows.get(each.accessionNo);
    if (row) pending.set(each.accessionNo, afterFile(each, row, atMs));
  }
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
  { pending }: Pick<FollowState, 'pending'>,
  accessionNo: string,
  header: Header | 'absent' | 'unanswered',
  atMs: number,
): void {
  const known = pending.get(accessionNo);
  if (known) pending.set(accessionNo, afterHeader(known, header, atMs));
}

/** Adds what came of asking for contents of a filing, and returns the refusals to be told. */
export function takeContents(
  { pending }: Pick<FollowState, 'pending'>,
  accessionNo: string,
  name: ContentsName,
  answer: AskedContents,
  atMs: number,
): readonly Refusal[] {
  const known = pending.get(accessionNo);
  if (!known) return [];
  pending.set(accessionNo, afterContents(known, name, answer, atMs));
  const wasRefused = known.askedFor[name]?.isRefused === true;
  return answer.kind === 'lost' || (answer.kind === 'refused' && wasRefused) ? [] : answer.refusals;
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
 * documents or its contents, becomes pending. Returns corrections: filings that the ledger has with other facts than the
 * feed or the file.
 */
export function admit(
  { pending }: Pick<FollowState, 'pending'>,
  listed: readonly Listed[],
  { filings, contents, kinds }: KnownOfListed,
  atMs: number,
  isBacklog: (listed: Listed) => boolean,
): FoundFiling[] {
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
      pending.set(accessionNo, pend(told, isBacklog(each)));
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
    if (lacksDocuments || lackingKinds(waiting).length > 0)
      pending.set(accessionNo, { ...waiting, isPublished: true });
  }
  return corrections;
}

/**
 * Returns the pending filings that are not waiting, by their state: `whole` and `overdue` ones are written
 * into the ledger now; `lost` ones are left to the comparison with the index.
 */
export function readyOf(
  { pending }: Pick<FollowState, 'pending'>,
  atMs: number,
): { readonly whole: Pending[]; readonly overdue: Pending[]; readonly lost: Pending[] } {
  const ready = { whole: [] as Pending[], overdue: [] as Pending[], lost: [] as Pending[] };
  for (const each of pending.values()) {
    const is = stateOf(each, atMs);
    if (is !== 'waiting') ready[is].push(each);
  }
  const left = new Set(ready.lost);
  const completed = new Set(ready.whole);
  for (const each of beyondMaximum(pending.values()))
    if (!left.has(each) && !completed.has(each)) ready.lost.push(each);
  return ready;
}

/** Records that a batch was written. `done` filings are removed; `overdue` ones wait for more facts. */
export function afterAppend(
  { pending }: Pick<FollowState, 'pending'>,
  done: readonly Pending[],
  overdue: readonly Pending[],
): void {
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
}

/** Returns a name for a pending filing in messages: its first party, or the CIK of its folder. */
export function namesOf({ told, cik }: Pending): string {
  return partiesTold(sightingsOf(told))[0]?.name ?? `CIK ${cik}`;
}
