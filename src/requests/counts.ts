/**
 * Greatest service times of the buckets in which requests are counted, in milliseconds. Slower requests have
 * a bucket of their own behind them.
 */
export const serviceBoundsMs = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 250, 1000] as const;

/** Why a key was refused: there was none, it opens nothing, or it had made its requests of the minute. */
export type KeyRefusal = 'missing' | 'wrong' | 'limit';

/** What became of the requests of one operation. */
export interface OperationCounts {
  /** How many were answered with each status: the status is the index. */
  readonly statuses: Float64Array;
  /** How many fell into each bucket of `serviceBoundsMs`, and behind them those that took longer. */
  readonly times: Float64Array;
  totalMs: number;
}

/**
 * What a service did since it began: plain numbers that the path of a request adds to, and that nobody looks
 * at before metrics are asked for.
 */
export interface Counts {
  readonly operations: ReadonlyMap<string, OperationCounts>;
  readonly keysRefused: Record<KeyRefusal, number>;
  /** Requests that are being answered now; those that are held do not count. */
  inFlight: number;
  /**
   * Counts a request that was answered. `serviceMs` is the time that it took, without the time for which it
   * was held.
   */
  request(operation: string, status: number, serviceMs: number): void;
}

/** Greater statuses do not exist. */
const statusesMaximum = 600;

/** Begins to count. */
export function createCounts(): Counts {
  const operations = new Map<string, OperationCounts>();

  function begin(operation: string): OperationCounts {
    const made = {
      statuses: new Float64Array(statusesMaximum),
      times: new Float64Array(serviceBoundsMs.length + 1),
      totalMs: 0,
    };
    operations.set(operation, made);
    return made;
  }

  return {
    operations,
    keysRefused: { missing: 0, wrong: 0, limit: 0 },
    inFlight: 0,
    request(operation, status, serviceMs) {
      const counts = operations.get(operation) ?? begin(operation);
      counts.statuses[status] = (counts.statuses[status] ?? 0) + 1;
      counts.totalMs += serviceMs;
      let bucket = 0;
      while (bucket < serviceBoundsMs.length && serviceMs > (serviceBoundsMs[bucket] as number)) bucket++;
      counts.times[bucket] = (counts.times[bucket] as number) + 1;
    },
  };
}
