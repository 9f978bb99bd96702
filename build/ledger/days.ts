import type { ReconciledDay } from '../../src/contract/reconciled-days.ts';

/** Returns the newest result of each day, sorted by day. Of two results of a day the later one counts. */
export function daysOf(results: Iterable<ReconciledDay>): ReconciledDay[] {
  const days = new Map<string, ReconciledDay>();
  for (const each of results) days.set(each.day, each);
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
}
