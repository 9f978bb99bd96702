import { counted } from '../../../src/render/words.ts';
import { dayFrom, hourMs, minuteMs } from '../../../src/time/units.ts';
import { easternTime } from '../../time/eastern-time.ts';
import { spanText, wrongClockText } from '../../time/told-clock.ts';
import type { WantedContents } from '../../contents/contents-kinds.ts';
import type { AskedContents } from '../../ingest/ask-contents.ts';
import type { Fetched, LossCause } from '../../ingest/fetch.ts';
import { sightingOf } from '../../ingest/sightings.ts';
import { unknownSymbolText } from '../../ingest/universe.ts';
import type { EntityFile, ListedRows, Upstream } from '../../ingest/upstream.ts';
import { describeRefusal } from '../../ledger/ledger-rows.ts';
import type { Header } from '../../sources/header.ts';
import { filingsOfFeed, whyOutdated, type FeedEntry, type FeedPage } from '../../sources/current-feed.ts';
import { afterReading, entriesOfWholeFilings, gapOf, settleEnd, type Reading } from './feed-reading.ts';
import {
  admit,
  listedRow,
  newestDayOf,
  takeContents,
  takeFeed,
  takeFile,
  takeHeader,
  takeRows,
  type Listed,
} from './follow-state.ts';
import { unreadHistory, type MainFile } from './histories.ts';
import { movedCompanies } from './moved.ts';
import { mayReadHistories, type ReadingPart } from './reading-part.ts';
import { afterFailure, healthyFeed, nextReadingMs } from './poll.ts';
import { scopeOf } from './scope.ts';

const tickersPauses = { bothMs: 6 * hourMs, oneMs: 30 * minuteMs, noneMs: minuteMs };

/** Takes what the header of a filing says. */
export function takeHeaderAnswer(part: ReadingPart, accessionNo: string, answer: Fetched<Header>): void {
  if (answer.kind === 'lost') noteLoss(part, answer);
  const header = answer.kind === 'ok' ? answer.parsed : lossOf(answer);
  takeHeader(part.state, accessionNo, header, part.clock.elapsed());
}

/** Takes what came of asking for contents of a filing. */
export function takeContentsAnswer(
  part: ReadingPart,
  { accessionNo, contents }: WantedContents,
  answer: AskedContents,
): void {
  if (answer.kind === 'lost') noteLoss(part, answer);
  part.refusals.push(...takeContents(part.state, accessionNo, contents, answer, part.clock.elapsed()));
}

/**
 * Records why a file could not be fetched. An absent file is not an error: filings are listed before their
 * files exist.
 */
function noteLoss(
  part: ReadingPart,
  { reason, cause }: { readonly reason: string; readonly cause: string },
): void {
  if (cause === 'throttled') part.connection.block(part.clock.elapsed());
  if (cause !== 'absent') part.errors.note(reason);
}

/** Takes the rows of the ticker files, and what of these files was refused: they say who is followed. */
export async function takeTickers(
  part: ReadingPart,
  { rows, refusals }: Awaited<ReturnType<Upstream['tickers']>>,
): Promise<void> {
  const { log } = part.options;
  const atMs = part.clock.elapsed();
  const universe = part.followed.universe();
  const refused = refusals.map(describeRefusal);
  const fetched = refused.length === 0 ? 'both' : rows.length > 0 ? 'one' : 'none';
  // If the ledger cannot be read now, they are soon asked for again: without them nobody is followed.
  part.schedule.set('tickers', atMs + tickersPauses.noneMs);
  const scope = scopeOf(
    universe,
    rows,
    await part.ledger.symbols(universe.kind === 'named' ? universe.entries : []),
  );
  const isUsable =
    rows.length > 0 || scope.members === null || (universe.kind === 'named' && scope.unknown.length === 0);
  if (fetched === 'none')
    part.errors.note(
      `no ticker file could be fetched${isUsable ? '' : ', and without one it is not known whom to follow'}: ${refused.join('; ')}`,
    );
  // If no ticker file could be fetched, the scope of the last ones stays.
  const isNew = part.scope?.universe !== universe;
  if (!isUsable || (!isNew && fetched === 'none')) return;
  if (isNew) {
    log(`following ${scope.members === null ? 'everyone' : `${scope.members.length} entities`}`);
    for (const entry of scope.unknown) log(unknownSymbolText(entry, refused.length > 0), 'warn');
  }
  // The feed is read again: what it has listed of new members was passed over.
  if (isNew) part.state.feed = { ...part.state.feed, seen: new Set() };
  part.scope = scope;
  await noteMembers(part, universe.kind === 'named' ? (scope.members ?? []) : [], atMs);
  const moved = await movedCompanies(scope, part.ledger);
  part.moved.clear();
  for (const cik of moved) part.moved.set(cik, atMs);
  part.schedule.set('tickers', atMs + tickersPauses[`${fetched}Ms`]);
}

/** Takes a reading of the feed that began at `startedMs`. */
export async function takeReading(part: ReadingPart, read: Reading, startedMs: number): Promise<void> {
  const { options, state, scope } = part;
  const atMs = part.clock.elapsed();
  if (scope === null) return;
  const reading = settleEnd(read, state.brokenReadings);
  const isWhole = reading.end.kind !== 'broken';
  part.feed = isWhole ? healthyFeed : afterFailure(part.feed, startedMs);
  part.schedule.set('feed', nextReadingMs(part.feed, startedMs, atMs, options.intervalMs));
  if (reading.end.kind === 'broken')
    noteLoss(part, {
      reason: `the feed: ${reading.end.reason}`,
      cause: reading.end.isThrottled ? 'throttled' : 'failed',
    });
  const isTimeBelieved = reading.madeAtMs > 0 && part.clock.tell(reading.madeAtMs, atMs);
  if (isTimeBelieved) logWrongClock(part);
  else if (reading.madeAtMs > 0)
    part.errors.note(`the feed says that it was made at ${instant(reading.madeAtMs)}: that is not believed`);
  logRefusedEntries(part, reading);
  const gap = gapOf(state.feed, reading);
  if (gap !== null)
    options.log(
      `the feed was not read for ${spanText(gap.toMs - gap.fromMs)}, from ${instant(gap.fromMs)} to ${instant(gap.toMs)}, and does not reach back so far; the daily indexes will tell what was missed`,
      'warn',
    );
  // The first reading of a program also finds filings that were listed before it began.
  const oldMs = state.feed.seen.size === 0 ? reading.madeAtMs - backlogMs : -Infinity;
  const listed = takeFeed(state, filingsOfFeed(reading.entries), scope);
  await admitListed(part, listed, atMs, ({ feed }) => (feed?.accepted?.atMs ?? Infinity) < oldMs);
  // The filings count as seen only after the ledger has been asked which of them are new.
  if (reading.madeAtMs > 0) state.since ??= sinceOf(part.firstDay, easternTime(reading.madeAtMs).day);
  // Otherwise all later pages would count as older than this one.
  state.feed = afterReading(state.feed, isTimeBelieved ? reading : { ...reading, madeAtMs: 0 });
  if (isWhole) {
    part.feedReadMs = atMs;
    state.brokenReadings = 0;
  } else if (reading.pages > 0) state.brokenReadings++;
}

/** Whether there is no such file, or there was no answer. */
const lossOf = ({ cause }: { readonly cause: LossCause }) => (cause === 'absent' ? 'absent' : 'unanswered');

/** Returns the first day to reconcile, however long ago it is; today for a new ledger. */
function sinceOf(firstDay: string | null, today: string): string {
  return firstDay === null || firstDay > today ? today : firstDay;
}

/** Handles the first page of the feed, which was read while a longer reading is running. */
export async function takeFirstPage(part: ReadingPart, answer: Fetched<FeedPage>): Promise<void> {
  if (answer.kind === 'lost')
    return noteLoss(part, { reason: `the feed: ${answer.reason}`, cause: answer.cause });
  const { madeAtMs, entries } = answer.parsed;
  if (whyOutdated(answer.parsed, part.state.feed.madeAtMs) === null)
    await takeEntries(part, entries, madeAtMs);
}

/** Handles entries of a reading that is still running. They do not count as seen yet. */
export async function takeEntries(
  part: ReadingPart,
  entries: readonly FeedEntry[],
  madeAtMs: number,
): Promise<void> {
  const { state, scope } = part;
  if (scope === null) return;
  const listed = takeFeed(state, filingsOfFeed(entriesOfWholeFilings(entries)), scope);
  await admitListed(
    part,
    listed,
    part.clock.elapsed(),
    ({ feed }) => (feed?.accepted?.atMs ?? Infinity) < madeAtMs - backlogMs,
  );
}

/**
 * Filings that were accepted longer ago than this when the program begins to follow belong to the backlog.
 */
const backlogMs = 5 * minuteMs;

const instant = (atMs: number) => new Date(atMs).toISOString().replace(/\.000Z$/, 'Z');

/** Logs entries that cannot be understood, each once. The daily index will show which filings they were. */
function logRefusedEntries(part: ReadingPart, { refused }: Reading): void {
  const { refusedEntries, options } = part;
  for (const { accessionNo, reason } of refused) {
    const text = `an entry of the feed is refused: ${accessionNo === '' ? '' : `${accessionNo}: `}${reason}`;
    if (refusedEntries.get(text)) continue;
    refusedEntries.set(text, true);
    part.refused++;
    options.log(text, 'warn');
  }
}

function logWrongClock(part: ReadingPart): void {
  const { wrongByMs } = part.clock.now();
  if (wrongByMs !== null && !part.isWrongClockLogged) part.options.log(wrongClockText(wrongByMs), 'warn');
  part.isWrongClockLogged = wrongByMs !== null;
}

/** Looks up newly listed filings in the ledger: those that it lacks become pending. */
async function admitListed(
  part: ReadingPart,
  listed: readonly Listed[],
  atMs: number,
  isBacklog: (listed: Listed) => boolean,
): Promise<void> {
  if (listed.length === 0) return;
  const { kinds, ledger, state } = part;
  const accessionNos = listed.map(({ accessionNo }) => accessionNo);
  const filings = await ledger.filings(accessionNos);
  const contents = await ledger.contents(kinds.length > 0 ? accessionNos : []);
  const before = state.pending.size;
  part.found.push(...admit(state, listed, { filings, contents, kinds }, atMs, isBacklog));
  part.listed += state.pending.size - before;
}

/** Rows of a submissions file that are older than this, in days, are not searched for new filings. */
const searchedDays = 5;

/** Takes what came of asking for the submissions file of an entity. */
export async function takeFileAnswer(
  part: ReadingPart,
  cik: string,
  answer: Fetched<EntityFile>,
): Promise<void> {
  const atMs = part.clock.elapsed();
  if (answer.kind === 'lost') {
    noteLoss(part, answer);
    if (answer.cause === 'absent') noteAbsentFile(part, cik);
    takeFile(part.state, cik, lossOf(answer), atMs, '');
    return;
  }
  const { entity, rows, olderPages: pages } = answer.parsed;
  part.entities.set(cik, entity);
  if (part.moved.delete(cik)) part.hasMoved = true;
  const from = searchedFrom(part, rows.values());
  const listed = takeFile(part.state, cik, rows, atMs, from);
  // A file that has not changed was searched before. It counts as searched once the ledger was asked.
  const isSearched = part.searched.has(cik) && !answer.changed;
  part.searched.delete(cik);
  const isOfHistory = part.histories.get(cik)?.main === null && mayReadHistories(part);
  if (!isOfHistory && !isSearched) await admitListed(part, listed, atMs, () => false);
  part.searched.add(cik);
  if (isOfHistory) await takeHistory(part, { entity, from, pages }, answer.parsed, atMs);
}

/** Records that an entity has no submissions file. Its history is asked for again all the same. */
function noteAbsentFile(part: ReadingPart, cik: string): void {
  part.moved.delete(cik);
  const history = part.histories.get(cik);
  if (history?.main === null && history.attempts === 1)
    part.options.log(`EDGAR has no submissions file of ${cik}: it is asked for again each hour`, 'warn');
}

/** Records who is on the list, and whose histories are to be read. */
async function noteMembers(part: ReadingPart, members: readonly string[], atMs: number): Promise<void> {
  const { complete } = part.state;
  // A ledger from a backup may be older than what was saved beside it.
  const known = await part.ledger.companies(members.filter((cik) => complete.has(cik)));
  const unread = members.filter((cik) => known.get(cik)?.facts === undefined);
  part.state.complete = new Set(members.filter((cik) => known.get(cik)?.facts !== undefined));
  const before = new Map(part.histories);
  part.histories.clear();
  for (const cik of unread) part.histories.set(cik, before.get(cik) ?? unreadHistory(atMs));
  if (unread.some((cik) => !before.has(cik)))
    part.options.log(
      `the ${counted(unread.length, 'history', 'histories')} of the list that the ledger may lack ${unread.length === 1 ? 'is' : 'are'} read from submissions files`,
    );
}

/**
 * Takes a file of a history, of which every row counts: a filing that another source told first may lack this company.
 * What the feed still lists is left to the feed: it is pending by then, and gets its row beside what else is told of it.
 * So it comes once and complete, and no file tells it before the feed does. Of the rest, new filings of these days become
 * pending, too, and older ones are appended as the file has them. What the ledger has already is corrected where the row
 * adds something, and the follower asks for no contents of it.
 */
async function takeHistory(
  part: ReadingPart,
  main: MainFile,
  { rows, refusals }: ListedRows,
  atMs: number,
): Promise<void> {
  const { cik } = main.entity;
  takeRows(part.state, rows, atMs);
  const others = [...rows.values()].filter(
    ({ accessionNo }) => part.state.pending.get(accessionNo)?.isPublished !== false,
  );
  const listed = others.filter((row) => newestDayOf(row) >= main.from).map((row) => listedRow(cik, row));
  await admitListed(part, listed, atMs, () => true);
  const older = others.filter((row) => newestDayOf(row) < main.from);
  for (const row of older)
    part.found.push({ accessionNo: row.accessionNo, sightings: [sightingOf.file(row)] });
  part.refusals.push(...refusals);
  part.histories.set(cik, { main, attempts: 0, nextAtMs: atMs });
}

/** Takes a page of a history, unless its member is not on the list any more. */
export async function takePage(
  part: ReadingPart,
  cik: string,
  name: string,
  answer: Fetched<ListedRows>,
): Promise<void> {
  if (answer.kind === 'lost') return noteLoss(part, answer);
  const main = part.histories.get(cik)?.main;
  const page = main?.pages.find((each) => each.name === name);
  if (!main || !page) return;
  const { rows, refusals } = answer.parsed;
  const lacking = (page.filingCount ?? 0) - rows.size - refusals.length;
  const reason = `it has ${rows.size} filings, not the ${page.filingCount} that its main file says`;
  await takeHistory(
    part,
    { ...main, pages: main.pages.filter((each) => each !== page) },
    {
      rows,
      refusals: lacking > 0 ? [...refusals, { cik, file: name, accessionNo: '', reason }] : refusals,
    },
    part.clock.elapsed(),
  );
}

/**
 * Returns the first day whose rows are searched for new filings: some days before the newest day of the feed
 * or the ledger, and not before the day on which following began. If neither is known, the day before the
 * newest row of the file.
 */
function searchedFrom(
  { state, newestFiledAt }: ReadingPart,
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
