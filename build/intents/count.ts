import { intentActions } from '../../src/contract/catalog.ts';
import {
  recentMaximum,
  type Intent,
  type IntentCount,
  type RecordedIntents,
  type ValidationStats,
} from '../../src/contract/intents.ts';
import { dayFrom } from '../../src/time/units.ts';

/** No intents at all. */
export const noIntents: RecordedIntents = { counts: [], recent: [] };

const keyOf = ({
  date,
  market,
  action,
  target,
}: Pick<IntentCount, 'date' | 'market' | 'action' | 'target'>) =>
  `${date} ${market} ${action} ${target ?? ''}`;

/** Counts the intents of one day. The counts are sorted. */
export function countDay(date: string, intents: readonly Intent[]): IntentCount[] {
  return merge(
    intents.map(({ market, action, target, createdAt }) => ({
      date,
      market,
      action,
      target,
      count: 1,
      lastSeenAt: createdAt,
    })),
  );
}

/** Adds up counts of the same day, market, action and target. The result is sorted by these. */
export function merge(counts: readonly IntentCount[]): IntentCount[] {
  const merged = new Map<string, IntentCount>();
  for (const each of counts) {
    const known = merged.get(keyOf(each));
    merged.set(
      keyOf(each),
      known
        ? { ...known, count: known.count + each.count, lastSeenAt: later(known.lastSeenAt, each.lastSeenAt) }
        : each,
    );
  }
  return [...merged].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
}

/** Returns the newest intents, newest first. Those of the same instant are ordered by their JSON. */
export function newest(intents: readonly Intent[]): Intent[] {
  const order = (intent: Intent) => `${intent.createdAt} ${JSON.stringify(intent)}`;
  return [...intents].sort((a, b) => (order(a) < order(b) ? 1 : -1)).slice(0, recentMaximum);
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}

interface Group {
  count: number;
  lastSeenAt: string | null;
}

/**
 * Adds up counts by some of their members, which `partsOf` returns. Groups in `zeros` are in the result even
 * without a count. Sorted by count, greatest first.
 */
function group<Parts extends object>(
  counts: readonly IntentCount[],
  partsOf: (count: IntentCount) => Parts,
  zeros: readonly Parts[] = [],
): (Parts & Group)[] {
  const groups = new Map<string, Parts & Group>(
    zeros.map((parts) => [JSON.stringify(parts), { ...parts, count: 0, lastSeenAt: null }]),
  );
  for (const each of counts) {
    const parts = partsOf(each);
    const key = JSON.stringify(parts);
    const found = groups.get(key) ?? { ...parts, count: 0, lastSeenAt: null };
    groups.set(key, {
      ...found,
      count: found.count + each.count,
      lastSeenAt: later(found.lastSeenAt ?? '', each.lastSeenAt),
    });
  }
  return [...groups]
    .sort(([a, one], [b, two]) => two.count - one.count || (a < b ? -1 : 1))
    .map(([, found]) => found);
}

/**
 * Returns the funnel from views to strong intents (requests, downloads, marketplace clicks) for the counts of
 * one market, or of one target of it.
 */
function funnelOf(market: string, counts: readonly IntentCount[]): ValidationStats['funnels'][number] {
  const [views, requests, demos, downloads, marketplaceClicks] = countsByAction(counts);
  const strong = counts.filter(
    ({ action }) => action === 'request' || action === 'download' || action === 'marketplace',
  );
  const last = (some: readonly IntentCount[]) =>
    some.reduce<string | null>((latest, { lastSeenAt }) => later(latest ?? '', lastSeenAt), null);
  const strongIntent = requests + downloads + marketplaceClicks;
  return {
    market,
    views,
    requests,
    demos,
    downloads,
    marketplaceClicks,
    strongIntent,
    viewToStrongIntentRate: views === 0 ? null : strongIntent / views,
    lastSeenAt: last(counts),
    lastStrongIntentAt: last(strong),
  };
}

function countsByAction(counts: readonly IntentCount[]): [number, number, number, number, number] {
  return intentActions.map((action) =>
    counts.reduce((sum, each) => (each.action === action ? sum + each.count : sum), 0),
  ) as [number, number, number, number, number];
}

/**
 * Returns the statistics of a window of days that ends with `lastDay` (`YYYY-MM-DD`). Markets of the catalog
 * that have no intents are listed with zeros.
 */
export function validationStats(
  { counts: all, recent }: RecordedIntents,
  markets: readonly string[],
  days: number,
  lastDay: string,
): ValidationStats {
  const firstDay = dayFrom(lastDay, 1 - days);
  const isInside = (date: string) => date >= firstDay && date <= lastDay;
  const counts = all.filter(({ date }) => isInside(date));
  const byMarket = group(
    counts,
    ({ market }) => ({ market }),
    markets.map((market) => ({ market })),
  );
  const parts = group(counts, ({ market, target }) => ({ market, target }));
  const daily = merge(counts.map((each) => ({ ...each, target: null })));
  return {
    total: counts.reduce((sum, { count }) => sum + count, 0),
    days,
    byMarket,
    byAction: group(counts, ({ market, action }) => ({ market, action })),
    byTarget: group(counts, ({ market, target, action }) => ({ market, target, action })),
    funnels: byMarket.map(({ market }) =>
      funnelOf(
        market,
        counts.filter((each) => each.market === market),
      ),
    ),
    targetFunnels: parts.map(({ market, target }) => ({
      ...funnelOf(
        market,
        counts.filter((each) => each.market === market && each.target === target),
      ),
      target,
    })),
    daily: daily.map(({ date, market, action, count }) => ({ date, market, action, count })),
    recent: recent.filter(({ createdAt }) => isInside(createdAt.slice(0, 10))),
  };
}
