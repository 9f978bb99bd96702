import { dayFrom, minuteMs } from '../../src/contract/time.ts';
import { easternTime } from '../time/days.ts';
import { spanText } from '../time/told-time.ts';
import { BrokenLedger } from '../ledger/batch.ts';
import { daysOf } from '../ledger/days.ts';
import type { Fetched, LossCause } from '../ingest/fetch.ts';
import { unknownSymbolText } from '../ingest/universe.ts';
import { filingsOfFeed, whyOutdated, type FeedEntry, type FeedPage } from '../sources/current-feed.ts';
import type { Reconciled } from '../reconcile/reconcile.ts';
import { quarterPauseMs, reconcilePauseMs, tickersPauseMs } from './ask.ts';
import { noteError, timeNow, type Event, type Follower } from './follower.ts';
import { afterAttempt } from './poll.ts';
import { afterReading, entriesOfWholeFilings, gapOf, settleEnd, type Reading } from './reading.ts';
import { scopeOf } from './scope.ts';
import { movedCompanies } from './moved.ts';
import { publishPauseMs } from './write.ts';
import { admit, takeFeed, takeFile, takeHeader, type FollowState, type Listed } from './state.ts';

/**
 * Handles all events of the inbox. An error, such as a full disk, is recorded, and the same facts are read
 * again later. Throws `BrokenLedger`.
 */
export async function takeEvents(follower: Follower): Promise<void> {
  for (const event of follower.work.take()) {
    try {
      await takeEvent(follower, event);
    } catch (error) {
      if (error instanceof BrokenLedger) throw error;
      noteError(follower, (error as Error).message);
    }
  }
}

async function takeEvent(follower: Follower, event: Event): Promise<void> {
  const atMs = follower.options.elapsed();
  switch (event.kind) {
    case 'tickers':
      return takeTickers(follower, event, atMs);
    case 'reading':
      return takeReading(follower, event.reading, event.startedMs, atMs);
    case 'entries':
      return takeEntries(follower, event.entries, event.madeAtMs, atMs);
    case 'first-page':
      return takeFirstPage(follower, event.answer, atMs);
    case 'file':
      return takeFileAnswer(follower, event, atMs);
    case 'header':
      if (event.answer.kind === 'lost') noteLoss(follower, event.answer);
      follower.state = takeHeader(
        follower.state,
        event.accessionNo,
        event.answer.kind === 'ok' ? event.answer.parsed : lossOf(event.answer),
        atMs,
      );
      return;
    case 'reconciled':
      return takeReconciled(follower, event.done, atMs);
    case 'unreconciled':
      follower.nextReconcileMs = atMs + reconcilePauseMs(++follower.reconcileFailures);
      return noteError(follower, `not reconciled: ${event.reason}`);
    case 'published':
      follower.publishedBatches = event.batches;
      follower.publishedFilings = event.filings;
      follower.newestFiledAt = event.newestFiledAt;
      follower.publishFailures = 0;
      follower.publishedMs = atMs;
      follower.unpublishedSinceMs = follower.appended.batches === event.batches ? null : atMs;
      return;
    case 'unpublished':
      follower.nextPublishMs = atMs + publishPauseMs(++follower.publishFailures);
      return noteError(follower, `not published: ${event.reason}`);
  }
}

/**
 * Records why a file could not be fetched. An absent file is not an error: filings are listed before their
 * files exist.
 */
function noteLoss(
  follower: Follower,
  { reason, cause }: { readonly reason: string; readonly cause: string },
): void {
  if (cause === 'throttled') follower.connection.block(follower.options.elapsed());
  if (cause !== 'absent') noteError(follower, reason);
}

async function takeTickers(
  follower: Follower,
  { rows, refused }: Extract<Event, { kind: 'tickers' }>,
  atMs: number,
): Promise<void> {
  const { universe, log } = follower.options;
  const fetched = refused.length === 0 ? 'both' : rows.length > 0 ? 'one' : 'none';
  follower.nextTickersMs = atMs + tickersPauseMs(fetched);
  const scope = scopeOf(
    universe,
    rows,
    await follower.writer.symbols(universe.kind === 'named' ? universe.entries : []),
  );
  const isUsable =
    rows.length > 0 || scope.members === null || (universe.kind === 'named' && scope.unknown.length === 0);
  if (fetched === 'none')
    noteError(
      follower,
      `no ticker file could be fetched${isUsable ? '' : ', and without one it is not known whom to follow'}: ${refused.join('; ')}`,
    );
  // If no ticker file could be fetched, the scope of the last ones stays.
  if (!isUsable || (follower.scope !== null && fetched === 'none')) return;
  if (follower.scope === null) {
    log(`following ${scope.members === null ? 'everyone' : `${scope.members.length} entities`}`);
    for (const entry of scope.unknown) log(unknownSymbolText(entry, refused.length > 0), 'warn');
  }
  follower.scope = scope;
  const moved = await movedCompanies(scope, follower.writer);
  follower.moved.clear();
  for (const cik of moved) follower.moved.set(cik, atMs);
}

async function takeReading(
  follower: Follower,
  read: Reading,
  startedMs: number,
  atMs: number,
): Promise<void> {
  const { options, state, scope } = follower;
  if (scope === null) return;
  const reading = settleEnd(read, state.brokenReadings);
  const isWhole = reading.end.kind !== 'broken';
  follower.feed = afterAttempt(follower.feed, isWhole, startedMs, atMs, options.intervalMs);
  if (reading.end.kind === 'broken')
    noteLoss(follower, {
      reason: `the feed: ${reading.end.reason}`,
      cause: reading.end.isThrottled ? 'throttled' : 'failed',
    });
  else follower.feedReadMs = atMs;
  if (reading.madeAtMs > 0) {
    follower.told = { toldMs: reading.madeAtMs, atMs };
    logWrongClock(follower);
  }
  logRefusedEntries(follower, reading);
  const gap = gapOf(state.feed, reading);
  if (gap !== null)
    options.log(
      `the feed was not read for ${spanText(gap.toMs - gap.fromMs)}, from ${instant(gap.fromMs)} to ${instant(gap.toMs)}, and does not reach back so far; the daily indexes will tell what was missed`,
      'warn',
    );
  const { seen } = state.feed;
  const taken = takeFeed(state, filingsOfFeed(reading.entries), seen, scope);
  // The first reading of a program also finds filings that were listed before it began.
  const oldMs = seen.size === 0 ? reading.madeAtMs - backlogMs : -Infinity;
  // The filings count as seen only after the ledger has been asked which of them are new.
  await admitListed(
    follower,
    {
      ...taken.state,
      since:
        state.since ??
        (reading.madeAtMs > 0 ? sinceOf(follower.firstDay, easternTime(reading.madeAtMs).day) : null),
      feed: afterReading(state.feed, reading),
      brokenReadings: isWhole ? 0 : reading.pages > 0 ? state.brokenReadings + 1 : state.brokenReadings,
    },
    taken.listed,
    atMs,
    ({ feed }) => (feed?.accepted?.atMs ?? Infinity) < oldMs,
  );
}

/** Whether there is no such file, or there was no answer. */
const lossOf = ({ cause }: { readonly cause: LossCause }) => (cause === 'absent' ? 'absent' : 'unanswered');

/** Returns the first day to reconcile, however long ago it is; today for a new ledger. */
function sinceOf(firstDay: string | null, today: string): string {
  return firstDay === null || firstDay > today ? today : firstDay;
}

/** Handles the first page of the feed, which was read while a longer reading is running. */
async function takeFirstPage(follower: Follower, answer: Fetched<FeedPage>, atMs: number): Promise<void> {
  if (answer.kind === 'lost')
    return noteLoss(follower, { reason: `the feed: ${answer.reason}`, cause: answer.cause });
  const { madeAtMs, entries } = answer.parsed;
  if (whyOutdated(answer.parsed, follower.state.feed.madeAtMs) === null)
    await takeEntries(follower, entries, madeAtMs, atMs);
}

/** Handles entries of a reading that is still running. They do not count as seen yet. */
async function takeEntries(
  follower: Follower,
  entries: readonly FeedEntry[],
  madeAtMs: number,
  atMs: number,
): Promise<void> {
  const { state, scope } = follower;
  if (scope === null) return;
  const taken = takeFeed(state, filingsOfFeed(entriesOfWholeFilings(entries)), state.feed.seen, scope);
  await admitListed(
    follower,
    taken.state,
    taken.listed,
    atMs,
    ({ feed }) => (feed?.accepted?.atMs ?? Infinity) < madeAtMs - backlogMs,
  );
}

/**
 * Filings that were accepted longer ago than this when the program begins to follow belong to the backlog.
 */
const backlogMs = 5 * minuteMs;

const instant = (atMs: number) => new Date(atMs).toISOString().replace(/\.000Z$/, 'Z');

/** Logs entries that cannot be understood, each once. The daily index will show which filings they were. */
function logRefusedEntries(follower: Follower, { refused }: Reading): void {
  const { refusedEntries, options } = follower;
  for (const { accessionNo, reason } of refused) {
    const text = `an entry of the feed is refused: ${accessionNo === '' ? '' : `${accessionNo}: `}${reason}`;
    if (refusedEntries.get(text)) continue;
    refusedEntries.set(text, true);
    follower.refused++;
    options.log(text, 'warn');
  }
}

function logWrongClock(follower: Follower): void {
  const { wrongByMs } = timeNow(follower);
  if (wrongByMs !== null && !follower.isWrongClockLogged) {
    follower.options.log(
      `the clock of this machine is ${spanText(wrongByMs)} ${wrongByMs > 0 ? 'ahead of' : 'behind'} EDGAR's: EDGAR's clock is used instead`,
      'warn',
    );
  }
  follower.isWrongClockLogged = wrongByMs !== null;
}

/**
 * Sets a new state and looks up the newly listed filings in the ledger: those that it lacks become pending.
 */
async function admitListed(
  follower: Follower,
  state: FollowState,
  listed: readonly Listed[],
  atMs: number,
  isBacklog: (listed: Listed) => boolean,
): Promise<void> {
  if (listed.length === 0) {
    follower.state = state;
    return;
  }
  const known = await follower.writer.filings(listed.map(({ accessionNo }) => accessionNo));
  const admitted = admit(state, listed, known, atMs, isBacklog);
  follower.state = admitted.state;
  follower.corrections.push(...admitted.corrections);
  follower.listed += follower.state.pending.size - state.pending.size;
}

/** Rows of a submissions file that are older than this, in days, are not searched for new filings. */
const searchedDays = 5;

async function takeFileAnswer(
  follower: Follower,
  { cik, answer }: Extract<Event, { kind: 'file' }>,
  atMs: number,
): Promise<void> {
  if (answer.kind === 'lost') {
    noteLoss(follower, answer);
    if (answer.cause === 'absent') follower.moved.delete(cik);
    follower.state = takeFile(follower.state, cik, lossOf(answer), atMs, '').state;
    return;
  }
  const { entity, rows } = answer.parsed;
  follower.entities.set(cik, entity);
  if (follower.moved.delete(cik)) follower.hasMoved = true;
  const taken = takeFile(follower.state, cik, rows, atMs, searchedFrom(follower, rows.values()));
  // A file that has not changed was searched before.
  await admitListed(
    follower,
    taken.state,
    answer.changed || !follower.searched.has(cik) ? taken.listed : [],
    atMs,
    () => false,
  );
  follower.searched.add(cik);
}

/**
 * Returns the first day whose rows are searched for new filings: some days before the newest day of the feed
 * or the ledger, and not before the day on which following began. If neither is known, the day before the
 * newest row of the file.
 */
function searchedFrom(
  { state, newestFiledAt }: Follower,
  rows: Iterable<{ readonly filedAt: string }>,
): string {
  const { readThroughMs } = state.feed;
  if (readThroughMs !== null || newestFiledAt !== null) {
    const newest = dayFrom(
      readThroughMs === null ? (newestFiledAt as string) : easternTime(readThroughMs).day,
      -searchedDays,
    );
    return state.since !== null && newestFiledAt === null && state.since > newest ? state.since : newest;
  }
  const newest = [...rows].reduce((most, { filedAt }) => (filedAt > most ? filedAt : most), '1993-01-01');
  return dayFrom(newest, -1);
}

function takeReconciled(follower: Follower, { results, absent, failed }: Reconciled, atMs: number): void {
  follower.days = daysOf([...follower.days, ...results]);
  for (const { day, reason } of failed) noteError(follower, `the index of ${day}: ${reason}`);
  const isQuarter = ({ day }: { readonly day: string }) => day.includes('QTR');
  const isDone = absent.length === 0 && failed.every(isQuarter);
  follower.reconcileFailures = isDone ? 0 : follower.reconcileFailures + 1;
  follower.nextReconcileMs = atMs + reconcilePauseMs(follower.reconcileFailures);
  if (failed.some(isQuarter)) follower.nextQuarterMs = atMs + quarterPauseMs;
}
