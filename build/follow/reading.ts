import { minuteMs } from '../../src/contract/time.ts';
import type { Fetched } from '../ingest/fetch.ts';
import { whyOutdated, type FeedEntry, type FeedPage } from '../sources/current-feed.ts';
import type { RefusedRow } from '../sources/rows.ts';

/** Entries on a page: the most that upstream gives. */
export const entriesPerPage = 100;

/** No reading goes farther back; upstream's feed ends much earlier. */
const pagesMaximum = 400;

/** Upstream dates what it shows a little late: what is not older than this is looked at again. */
const overlapMs = 10 * minuteMs;

/** What was read of the feed before. */
export interface SeenFeed {
  /** Accession numbers of readings that were whole. */
  readonly seen: ReadonlySet<string>;
  /**
   * The newest acceptance of a reading that was whole, in milliseconds since 1970; null if there was none.
   */
  readonly readThroughMs: number | null;
  /** When the newest page was made; 0 if there was none. */
  readonly madeAtMs: number;
}

/**
 * How a reading ended: `known` where everything on a page was seen before or is older than that, `end` where
 * the feed ends before, `broken` where a page could not be had: then what is behind it is not known.
 */
export type ReadingEnd =
  | { readonly kind: 'known' }
  | { readonly kind: 'end' }
  | { readonly kind: 'broken'; readonly reason: string; readonly isThrottled: boolean };

/** What one reading of the feed gave: from its newest entry back, however many pages that took. */
export interface Reading {
  readonly entries: readonly FeedEntry[];
  readonly refused: readonly RefusedRow[];
  /** When the newest page was made, in milliseconds since 1970; 0 if none was had. */
  readonly madeAtMs: number;
  readonly pages: number;
  readonly end: ReadingEnd;
}

/**
 * Reads the feed from its newest entry back to what is known. Pages shift while they are read: an entry may
 * come twice, which changes nothing. Past its end upstream answers 503, as it does when it is out of order: a
 * page that lists less than was asked for is the last one, and any other that cannot be had breaks the
 * reading. `onPage` is told what was read so far, after each page that does not end the reading: who waits
 * for the end of a long one would serve its filings late.
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
    pages++;
    newestMs = Math.max(newestMs, page.parsed.madeAtMs);
    entries.push(...page.parsed.entries);
    refused.push(...page.parsed.refused);
    if (page.parsed.entries.length > 0 && page.parsed.entries.every(isKnown)) return ended({ kind: 'known' });
    if (rows < entriesPerPage) return ended({ kind: 'end' });
    onPage(entries.slice(), newestMs);
  }
  return ended({ kind: 'end' });
}

/**
 * The entries of filings that are surely told of as a whole: the last one may go on, with other parties, on
 * the next page.
 */
export function entriesOfWholeFilings(entries: readonly FeedEntry[]): readonly FeedEntry[] {
  const last = entries.at(-1);
  return entries.filter(({ accessionNo }) => accessionNo !== last?.accessionNo);
}

/** So many readings in a row that broke off behind their first page have found the end of the feed. */
const brokenMaximum = 3;

/**
 * A reading that broke off behind its first page, as the ones before it did, `brokenBefore` in a row: what
 * answers 503 each time is the end of the feed.
 */
export function settleEnd(reading: Reading, brokenBefore: number): Reading {
  const { end, pages } = reading;
  return end.kind === 'broken' && !end.isThrottled && pages > 0 && brokenBefore + 1 >= brokenMaximum
    ? { ...reading, end: { kind: 'end' } }
    : reading;
}

/** How many accession numbers are remembered: several times what the feed holds. */
const seenMaximum = 50_000;

/**
 * What is known of the feed after a reading. One that broke off counts for nothing: the next one goes as far
 * back.
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
 * The part that nobody has read, in milliseconds since 1970: from the newest entry of the reading before to
 * the oldest one of this one; null if they touch. The first reading of all has no gap.
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
