import type { Outcome } from './post.ts';

/** Bounds of the times that attempts take, in seconds. */
export const durationBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15] as const;

/** What was counted since the start. */
export interface Counts {
  readonly attempts: Record<Outcome['kind'], number>;
  /** Attempts by the first bound that is not shorter, and one more number for slower ones. */
  readonly durations: number[];
  durationSeconds: number;
  deadLetters: number;
  /** When the change that each busy endpoint waits for was observed, in milliseconds since 1970. */
  readonly observedMs: Map<string, number>;
}

/** Counts from zero. */
export function newCounts(): Counts {
  return {
    attempts: { accepted: 0, gone: 0, failed: 0 },
    durations: Array.from({ length: durationBounds.length + 1 }, () => 0),
    durationSeconds: 0,
    deadLetters: 0,
    observedMs: new Map(),
  };
}

/** Counts an attempt. */
export function countAttempt(counts: Counts, kind: Outcome['kind'], tookMs: number): void {
  const seconds = tookMs / 1000;
  const at = durationBounds.findIndex((bound) => seconds <= bound);
  const bucket = at === -1 ? durationBounds.length : at;
  counts.attempts[kind]++;
  counts.durations[bucket] = (counts.durations[bucket] ?? 0) + 1;
  counts.durationSeconds += seconds;
}
