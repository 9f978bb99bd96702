import type { Snapshot } from './open.ts';

/** What the data of a snapshot covers, and whether it is stale at an instant. */
export interface Coverage {
  /** The newest filing date of the snapshot. */
  readonly newestFiledOn: string | null;
  /** When EDGAR was last read without error, UTC. */
  readonly fetchedAt: string;
  /** From this instant on the data counts as stale if EDGAR is not read again, UTC. */
  readonly staleAfter: string;
  readonly isSample: boolean;
  readonly isStale: boolean;
}

/** When EDGAR was last read, and until when the data is fresh: as records write it, and in milliseconds. */
interface Freshness {
  readonly fetchedAt: string;
  readonly fetchedMs: number;
  readonly staleAfter: string;
  readonly staleFromMs: number;
}

/**
 * The fetch times in the health document of each snapshot. Every answer needs them, so each document is parsed
 * only once.
 */
const fetched = new WeakMap<Snapshot['manifest'], Freshness>();

function fetchedOf({ manifest, documents }: Snapshot): Freshness {
  const known = fetched.get(manifest);
  if (known) return known;
  const { dataFetchedAt, staleAfter } = JSON.parse(documents.health.toString()) as {
    dataFetchedAt: string;
    staleAfter: string;
  };
  const read = {
    fetchedAt: dataFetchedAt,
    fetchedMs: Date.parse(dataFetchedAt),
    staleAfter,
    staleFromMs: Date.parse(staleAfter),
  };
  fetched.set(manifest, read);
  return read;
}

/**
 * What a snapshot covers at `nowMs`. If a follower publishes it, its heartbeat says when EDGAR was last read.
 * If there is none, or if the snapshot was made after that heartbeat had become stale, by a scheduled
 * rebuild, the business days since the last run decide.
 */
export function coverageOf(snapshot: Snapshot, nowMs: number): Coverage {
  const { newestFiledAt, sample } = snapshot.manifest;
  const { fetchedAt, staleAfter, staleFromMs } = freshnessOf(snapshot);
  return {
    newestFiledOn: newestFiledAt,
    fetchedAt,
    staleAfter,
    isSample: sample === true,
    // A sample is as old as its recordings, and says that it is one.
    isStale: sample !== true && nowMs >= staleFromMs,
  };
}

function freshnessOf(snapshot: Snapshot): Omit<Freshness, 'fetchedMs'> {
  const ofSnapshot = fetchedOf(snapshot);
  const accepted = snapshot.heartbeat();
  if (accepted === null || accepted.staleFromMs < ofSnapshot.fetchedMs) return ofSnapshot;
  const { readAt } = accepted.heartbeat;
  return {
    // A batch may be published a moment before the heartbeat that follows it.
    fetchedAt: readAt > ofSnapshot.fetchedAt ? readAt : ofSnapshot.fetchedAt,
    staleAfter: accepted.staleAfter,
    staleFromMs: accepted.staleFromMs,
  };
}

/**
 * The same for answers that caches keep: while a follower reads EDGAR, its instants move on once a minute, and
 * not with each heartbeat.
 */
export function coverageToTheMinute(snapshot: Snapshot, nowMs: number): Coverage {
  const coverage = coverageOf(snapshot, nowMs);
  if (coverage.fetchedAt === fetchedOf(snapshot).fetchedAt) return coverage;
  const toTheMinute = (instant: string) => `${instant.slice(0, 17)}00.000Z`;
  return {
    ...coverage,
    fetchedAt: toTheMinute(coverage.fetchedAt),
    staleAfter: toTheMinute(coverage.staleAfter),
  };
}
