import { addUse, type Used } from '../keys/usage.ts';

/**
 * Upper bounds of the buckets in which requests are counted by service time, in milliseconds. Slower requests
 * have one more bucket behind these.
 */
export const serviceBoundsMs = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 250, 1000] as const;

/** Why a key was refused: none was sent, it is not valid, or it has used up its requests of the minute. */
export type KeyRefusal = 'missing' | 'wrong' | 'limit';

/** Statuses and service times of the requests of one operation. */
export interface OperationCounts {
  /** How many requests were answered with each status: the status is the index. */
  readonly statuses: Float64Array;
  /** How many requests fell into each bucket of `serviceBoundsMs`; the last element counts slower ones. */
  readonly times: Float64Array;
  totalMs: number;
}

/**
 * What a service has counted since it started. Requests only add to plain numbers; metrics are made of them
 * when Prometheus asks.
 */
export interface Counts {
  readonly operations: ReadonlyMap<string, OperationCounts>;
  readonly keysRefused: Record<KeyRefusal, number>;
  /** What each caller asked for. Callers after the first `callersMaximum` are counted together as `other`. */
  readonly callers: ReadonlyMap<string, Used>;
  /** Requests that are being answered now; held requests do not count. */
  inFlight: number;
  /**
   * Counts a request that was answered. `serviceMs` is the time that it took, without the time for which it
   * was held.
   */
  request(operation: string, status: number, serviceMs: number): void;
  /** Counts a request of a caller, the status of its answer, and the bytes of its body. */
  caller(caller: string, status: number, bytes: number, requests: number): void;
}

/** Each caller is a series in Prometheus, so their number is bounded. */
export const callersMaximum = 100;

/** One more than the greatest status. */
const statusesMaximum = 600;

/** Makes counts that start at zero. */
export function createCounts(): Counts {
  const operations = new Map<string, OperationCounts>();
  const callers = new Map<string, Used>();

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
    callers,
    caller(caller, status, bytes, requests) {
      const name = callers.has(caller) || callers.size < callersMaximum ? caller : 'other';
      addUse(callers, name, status, bytes, requests);
    },
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
