/** What one caller asked for. */
export interface Used {
  /** Requests that were answered, or whose client went before that, those with an error included; each call of a batch is one. */
  requests: number;
  /** Bytes of the bodies that were sent. */
  bytes: number;
  /** Those of the requests that got a status from 400 to 499. */
  clientErrors: number;
}

/** Adds a request that was answered, or the calls of a batch, to what its caller used. */
export function addUse(
  callers: Map<string, Used>,
  caller: string,
  status: number,
  bytes: number,
  requests: number,
): void {
  let used = callers.get(caller);
  if (used === undefined) callers.set(caller, (used = { requests: 0, bytes: 0, clientErrors: 0 }));
  used.requests += requests;
  used.bytes += bytes;
  if (status >= 400 && status < 500) used.clientErrors += requests;
}

/**
 * Counts what each key and buyer used, by day, in a folder that several processes share.
 *
 * Each process writes files of its own, with its totals of each day: no process reads or changes a number of
 * another one, so nothing is lost or counted twice, whoever is killed. What a process counted since it last
 * wrote, a minute ago at most, is lost with it.
 */
export interface KeyUsage {
  /** Counts an answered request at `nowMs`. Writes nothing, because it is called for each request. */
  count(caller: string, nowMs: number, status: number, bytes: number, requests?: number): void;
  /**
   * Writes the totals that changed, at most once a minute, or now if `atOnce`. `elapsedMs` is the time of a
   * clock that nobody sets. Never rejects; an error is logged once, and the next call tries again.
   */
  save(elapsedMs: number, atOnce?: boolean): Promise<void>;
}

/** Counts nothing: for a service that has no folder of its own. */
export const noUsage: KeyUsage = { count: () => {}, save: async () => {} };
