import { staleAfterHoursDefault } from '../../src/contract/product.ts';
import type { SnapshotSettings } from '../../src/format/snapshot.ts';
import { afterBusinessHours } from '../../src/time/calendar.ts';
import type { Overview } from './overview.ts';

/** How fresh the data is. The runtime adds `stale` when it answers a request for health or statistics. */
export interface Freshness {
  readonly dataFetchedAt: string;
  readonly staleAfter: string;
}

/** Returns when the data was fetched, and the instant from which on it counts as stale. */
export function freshnessOf(
  { latestRun: { createdAt } }: Pick<Overview, 'latestRun'>,
  { staleAfterHours = staleAfterHoursDefault }: Pick<SnapshotSettings, 'staleAfterHours'>,
): Freshness {
  const staleAfter = new Date(afterBusinessHours(Date.parse(createdAt), staleAfterHours)).toISOString();
  return { dataFetchedAt: createdAt, staleAfter };
}
