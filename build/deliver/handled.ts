import { hash } from 'node:crypto';
import type { Change, ChangeFilter } from '../../clients/typescript/src/index.ts';
import { changeKey, type Position } from '../../clients/typescript/src/cursor.ts';
import type { FeedPage } from './feed.ts';

/**
 * How far an endpoint is in the page behind its cursor. A sequence alone is no position: after the ledger was
 * restored from a backup, it may be that of another change.
 */
export interface Handled extends Pick<Position, 'sequence' | 'change'> {
  /** What `filterKey` says of the filter that showed the change; not set if nobody knows. */
  readonly filter?: string | undefined;
}

/** Nothing of the page was handled. */
export const nothingHandled = {
  sequence: 0,
  change: undefined,
  filter: undefined,
} as const satisfies Handled;

/** A text that differs for filters that differ. */
export const filterKey = (filter: ChangeFilter) => hash('sha256', JSON.stringify(filter)).slice(0, 12);

/** The position behind a change. */
export const handledUpTo = (change: Change, filter: ChangeFilter): Handled => ({
  sequence: change.sequence,
  change: changeKey(change),
  filter: filterKey(filter),
});

/**
 * The changes of a page that were not handled yet. `ahead` if the page ends before the change that was handled
 * last: the service went back to an older snapshot, or one of its replicas is late. `lost` if the log has
 * another change in its place, so that nothing tells what of the page was handled.
 *
 * A filter that was changed meanwhile may not show the change. Then those were handled that have no greater
 * sequence and were not recorded later: what a restored ledger has in their place was recorded later.
 */
export function leftOf(
  { changes, isLast }: FeedPage,
  { sequence, change, filter }: Handled,
  filterNow: ChangeFilter,
): readonly Change[] | 'ahead' | 'lost' {
  // Nothing was handled, or a state of before has the number alone, which proves nothing.
  if (change === undefined) return changes;
  const place = changes.find((each) => each.sequence >= sequence);
  if (place?.sequence === sequence)
    return changeKey(place) === change ? changes.filter((each) => each.sequence > sequence) : 'lost';
  if (filter === filterKey(filterNow)) return place === undefined && isLast ? 'ahead' : 'lost';
  const recordedMs = Date.parse(change.split('@')[1] ?? '');
  return changes.filter(
    (each) => each.sequence > sequence || !(Date.parse(each.observedAt ?? '') <= recordedMs),
  );
}
