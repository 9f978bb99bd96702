/**
 * What a follower does from time to time. `quarter` is reading the index of a quarter, as a part of
 * `reconcile`.
 */
export type Job =
  | 'universe'
  | 'fill'
  | 'tickers'
  | 'feed'
  | 'first page'
  | 'reconcile'
  | 'quarter'
  | 'append'
  | 'prune'
  | 'publish';

/** When each job of a follower is due next, in milliseconds of its monotonic clock. */
export interface Schedule {
  dueMs(job: Job): number;
  isDue(job: Job, atMs: number): boolean;
  /** Sets when a job is due; `Infinity` if it is not, until something else sets it again. */
  set(job: Job, dueMs: number): void;
}

/** Creates a schedule by which every job is due at `atMs`, except those that `later` names. */
export function createSchedule(atMs: number, later: Readonly<Partial<Record<Job, number>>>): Schedule {
  const due = new Map(Object.entries(later));
  const dueMs = (job: Job) => due.get(job) ?? atMs;
  return {
    dueMs,
    isDue: (job, nowMs) => nowMs >= dueMs(job),
    set: (job, nextMs) => void due.set(job, nextMs),
  };
}
