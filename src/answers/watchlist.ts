import { dayFrom } from '../contract/time.ts';
import { limitBounds, type Query } from '../contract/parameters.ts';
import { feedOrder, type Manifest } from '../contract/snapshot.ts';
import {
  decodeFeedCursor,
  encodeFeedCursor,
  type FeedBounds,
  type FeedCursor,
  type FeedLog,
} from '../query/cursor.ts';
import type { Snapshot } from '../snapshot/open.ts';
import type { Answer } from '../http/answer.ts';
import { jsonAnswer, type Part } from './body.ts';
import { findCompany, listNameOf } from './companies.ts';
import { newestFiledAt } from './extents.ts';
import { filterOf, nextSequence, rowsPart } from './lists.ts';
import type { RowFilter } from './row-filter.ts';
import { feedLogOf, readFeed, type ListRow } from './rows.ts';

const defaultWindowDays = 30;

/**
 * The `since` of a watchlist request without `since` and cursor: 30 days before the newest filing, or before
 * `until` if that is earlier.
 */
function defaultSince({ newestFiledAt, generatedAt }: Manifest, until?: string): string {
  const newest = newestFiledAt ?? generatedAt.slice(0, 10);
  return dayFrom(until !== undefined && until < newest ? until : newest, -defaultWindowDays);
}

interface Bucket {
  readonly head: string;
  readonly rows: readonly ListRow[];
  readonly tail: string;
  readonly newest: string | null;
  /**
   * The newest CIK of the company's chain, and the sequence up to which its changes were read; null for an
   * unknown company.
   */
  readonly reached: readonly [string, number] | null;
}

type BucketFilter = RowFilter & FeedBounds;

/** Changes of several companies: one bucket for each distinct entry, in the order asked. */
export async function watchlistAnswer(snapshot: Snapshot, query: Query): Promise<Answer> {
  const { manifest } = snapshot;
  const log = feedLogOf(snapshot);
  const seen = query.cursor === undefined ? undefined : await decodeFeedCursor(query.cursor, log);
  const since = query.since ?? seen?.since ?? defaultSince(manifest, query.until);
  const filter = { ...filterOf({ ...query, since }, seen), since };
  const entries = query.tickers ?? [];
  const limit = query.limit ?? limitBounds.default;
  const buckets = await Promise.all(
    entries.map((ticker) => readBucket(snapshot, log, ticker, filter, limit, seen)),
  );
  // In the order asked, not in the order in which the reads ended: the same request gets the same bytes.
  const reached = new Map(buckets.flatMap((each) => (each.reached ? [each.reached] : [])));

  const parts: Part[] = ['{"data":['];
  buckets.forEach(({ head, rows, tail }, at) =>
    parts.push((at > 0 ? ',' : '') + head, rowsPart(rows, 'changes'), tail),
  );
  const newest = buckets.reduce<string | null>(
    (greatest, each) =>
      each.newest !== null && (greatest === null || each.newest > greatest) ? each.newest : greatest,
    null,
  );
  const meta = {
    count: buckets.reduce((sum, { rows }) => sum + rows.length, 0),
    tickerCount: entries.length,
    since,
    nextSince: newest,
    nextCursor: await nextCursor(log, filter, reached, seen),
    newestFiledAt: manifest.newestFiledAt,
    notInvestmentAdvice: true,
  };
  return { ...jsonAnswer([...parts, `],"meta":${JSON.stringify(meta)}}`]), isEmpty: meta.count === 0 };
}

/**
 * Makes one cursor for the whole watchlist. A company that is added to the list later is read from where the
 * walk began, so that none of its changes since then is missed. The cursor remembers companies that are no
 * longer asked for, if it has room. The company that was not asked for longest is forgotten first; if it is
 * asked for again, it is read like a new one.
 */
function nextCursor(
  log: FeedLog,
  bounds: FeedBounds,
  reached: ReadonlyMap<string, number>,
  seen: FeedCursor | undefined,
): Promise<string> {
  const sequences = new Map(seen?.sequences);
  // Sorted by sequence: neighbours with the same sequence take less room in the cursor.
  for (const [key, sequence] of [...reached].sort(([, a], [, b]) => a - b)) {
    sequences.delete(key);
    sequences.set(key, sequence);
  }
  return encodeFeedCursor(log, bounds, seen?.sequence ?? 0, sequences, seen);
}

async function readBucket(
  snapshot: Snapshot,
  log: FeedLog,
  ticker: string,
  filter: BucketFilter,
  limit: number,
  seen: FeedCursor | undefined,
): Promise<Bucket> {
  const company = await findCompany(snapshot, ticker);
  const { manifest } = snapshot;
  if (!company) {
    const head = JSON.stringify({
      ticker,
      cik: null,
      companyName: null,
      status: 'unknown_company',
      count: 0,
      nextSince: null,
      nextCursor: null,
    });
    return { head: `${head.slice(0, -1)},"changes":[`, rows: [], tail: ']}', newest: null, reached: null };
  }
  const chain = listNameOf(snapshot, company.cik);
  const from = seen ? (seen.sequences.get(chain) ?? seen.sequence) : 0;
  const rows = await readFeed(snapshot, { ...filter, company: chain, after: feedOrder(from), limit });
  const sequence = nextSequence(rows, limit, from, manifest.lastSequence);
  const newest = newestFiledAt(rows);
  const head = JSON.stringify({
    ticker,
    cik: company.cik,
    companyName: company.name,
    status: 'ok',
    count: rows.length,
    nextSince: newest,
    nextCursor: await encodeFeedCursor(log, filter, sequence, undefined, seen),
  });
  return { head: `${head.slice(0, -1)},"changes":[`, rows, tail: ']}', newest, reached: [chain, sequence] };
}
