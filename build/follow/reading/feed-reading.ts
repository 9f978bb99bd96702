import { minuteMs } from '../../../src/time/units.ts';
import type { Fetched } from '../../ingest/fetch.ts';
import { entriesPerPage, whyOutdated, type FeedEntry, type FeedPage } from '../../sources/current-feed.ts';
import type { RefusedRow } from '../../sources/source-rows.ts';

/** The most pages that one reading fetches. Upstream's feed ends much earlier. */
const pagesMaximum = 400;

/**
 * Upstream may list a filing some time after its acceptance. Entries accepted less than this long before the
 * newest known one are therefore looked at again.
 */
const overlapMs = 10 * minuteMs;

/** What earlier readings of the feed have seen. */
export interface SeenFeed {
  /** Accession numbers of complete readings. */
  readonly seen: ReadonlySet<string>;
  /** The newest acceptance of a complete reading, in milliseconds since 1970; null if there was none. */
  readonly readThroughMs: number | null;
  /** When upstream made the newest page, in milliseconds since 1970; 0 if there was none. */
  readonly madeAtMs: number;
}

/**
 * How a reading ended. `known`: every entry of a page was seen before or is old. `end`: the feed ended first.
 * `broken`: a page could not be fetched, so what follows it is not known.
 */
export type ReadingEnd =
  | { readonly kind: 'known' }
  | { readonly kind: 'end' }
  | { readonly kind: 'broken'; readonly reason: string; readonly isThrottled: boolean };

/** The result of one reading of the feed, from its newest entry back. */
export interface Reading {
  readonly entries: readonly FeedEntry[];
  readonly refused: readonly RefusedRow[];
  /** When upstream made the newest page, in milliseconds since 1970; 0 if no page was fetched. */
  readonly madeAtMs: number;
  readonly pages: number;
  readonly end: ReadingEnd;
}

/**
 * Reads the feed from its newest entry back to entries that are known. Pages shift while they are read, so an
 * entry may come twice, which does no harm. Past the end of the feed upstream answers 503, as it also does
 * when it is out of order. Therefore a page with fewer entries than asked for is the last one, and any other
 * page that cannot be fetched breaks the reading. `onPage` is called with everything read so far after each
 * page that does not end the reading, so that filings of a long reading are not published late.
 */
export async function readFeed(
  askPage: (start: number) => Promise<Fetched<FeedPage>>,
  { seen, readThroughMs, madeAtMs }: SeenFeed,
  onPage: (entries: readonly FeedEntry[], madeAtMs: number) => void = () => {},
): Promise<Reading> {
  const entries: FeedEntry[] = [];
  const refused: RefusedRow[] = [];
  let newestMs = 0;
  let pages = 0;
  const ended = (end: ReadingEnd): Reading => ({ entries, refused, madeAtMs: newestMs, pages, end });
  const broken = (reason: string, isThrottled = false) => ended({ kind: 'broken', reason, isThrottled });
  const oldMs = readThroughMs === null ? -Infinity : readThroughMs - overlapMs;
  const isKnown = ({ accessionNo, accepted }: FeedEntry) =>
    seen.has(accessionNo) || (accepted !== null && accepted.atMs <= oldMs);
  while (pages < pagesMaximum) {
    const page = await askPage(pages * entriesPerPage);
    if (page.kind === 'lost') return broken(page.reason, page.cause === 'throttled');
    const outdated = whyOutdated(page.parsed, Math.max(madeAtMs, newestMs));
    if (outdated !== null) return broken(outdated);
    const rows = page.parsed.entries.length + page.parsed.refused.length;
    if (pages === 0 && rows === 0) return broken('the feed lists nothing');
    refused.push(...page.parsed.refused);
    // EDGAR may have changed how it writes entries. Such a feed was not read, and older pages will be no better.
    if (pages === 0 && page.parsed.entries.length === 0)
      return broken(`no entry can be understood, the first: ${page.parsed.refused[0]?.reason}`);
    pages++;
    newestMs = Math.max(newestMs, page.parsed.madeAtMs);
    entries.push(...page.parsed.entries);
    if (page.parsed.entries.length > 0 && page.parsed.entries.every(isKnown)) return ended({ kind: 'known' });
    if (rows < entriesPerPage) return ended({ kind: 'end' });
    onPage(entries.slice(), newestMs);
  }
  return ended({ kind: 'end' });
}

/**
 * Returns the entries without those of the last filing: the next page may name more parties of that filing.
 */
export function entriesOfWholeFilings(entries: readonly FeedEntry[]): readonly FeedEntry[] {
  const last = entries.at(-1);
  return entries.filter(({ accessionNo }) => accessionNo !== last?.accessionNo);
}

/**
 * When this many readings in a row broke off after their first page, the break counts as the end of the feed.
 */
const brokenMaximum = 3;

/**
 * Returns a reading whose break counts as the end of the feed if enough readings in a row broke off after
 * their first page: a page that answers 503 each time is past the end. `brokenBefore` is the number of such
 * readings before this one.
 */
export function settleEnd(reading: Reading, brokenBefore: number): Reading {
  const { end, pages } = reading;
  return end.kind === 'broken' && !end.isThrottled && pages > 0 && brokenBefore + 1 >= brokenMaximum
    ? { ...reading, end: { kind: 'end' } }
    : reading;
}

/** The number of accession numbers that are remembered: several times as many as the feed lists. */
const seenMaximum = 50_000;

/**
 * Returns what has been seen of the feed after a reading. A broken reading marks nothing as seen, so the next
 * one goes back as far.
 */
export function afterReading(before: SeenFeed, { entries, madeAtMs, end }: Reading): SeenFeed {
  const newest = { ...before, madeAtMs: Math.max(before.madeAtMs, madeAtMs) };
  if (end.kind === 'broken') return newest;
  const acceptances = entries.flatMap(({ accepted }) => accepted?.atMs ?? []);
  const fresh = entries
    .filter(({ accessionNo }) => !before.seen.has(accessionNo))
    .map(({ accessionNo }) => accessionNo);
  const seen = fresh.length === 0 ? before.seen : new Set([...before.seen, ...fresh].slice(-seenMaximum));
  return {
    ...newest,
    seen,
    readThroughMs: acceptances.reduce<number | null>(
      (most, atMs) => Math.max(most ?? atMs, atMs),
      before.readThroughMs,
    ),
  };
}

/**
 * Returns the time that no reading covers, in milliseconds since 1970: from the newest entry of earlier
 * readings to the oldest entry of this one. Null if they overlap, or if this is the first reading.
 */
export function gapOf(
  { readThroughMs }: SeenFeed,
  { entries, end }: Reading,
): { readonly fromMs: number; readonly toMs: number } | null {
  if (end.kind !== 'end' || readThroughMs === null) return null;
  const oldestMs = entries.reduce(
    (least, { accepted }) => Math.min(least, accepted?.atMs ?? Infinity),
    Infinity,
  );
  return oldestMs > readThroughMs && oldestMs < Infinity ? { fromMs: readThroughMs, toMs: oldestMs } : null;
}
