import type { ReconciledDay } from '../../src/contract/records.ts';
import type { BatchHead } from './read.ts';

/**
 * Returns the newest result of each day, sorted by day. `before` has the results of older batches, in any
 * order.
 */
export function daysOf(heads: readonly BatchHead[], before: readonly ReconciledDay[] = []): ReconciledDay[] {
  const days = new Map(before.map((each) => [each.day, each]));
  for (const { head } of heads) for (const each of head.days ?? []) days.set(each.day, each);
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
}
