import { figures, type Figure } from '../../src/metrics/figures.ts';
import type { EndpointState, Store } from './delivery-state.ts';
import type { News } from './feed.ts';
import { statuses, statusOf } from './operator.ts';
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

/** What can be asked of deliveries while they go on. */
export interface Delivering {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly counts: Counts;
  readonly news: Pick<News, 'failures'>;
  readonly store: Pick<Store, 'failures'>;
  /** The states of the endpoints of the file. */
  readonly entries: () => readonly EndpointState[];
}

/** Returns the metrics of deliveries. */
export function deliverFigures(delivering: Delivering): Figure[] {
  return [
    ...figures({
      fei_deliver_endpoints: [
        'Endpoints by state: delivered to (`ok`), their last attempt failed (`failing`), their filter or cursor is refused by the feed (`refused`), they answered 410 (`gone`), an operator disabled them (`disabled`).',
        () => {
          const counted = new Map(statuses.map((status) => [status, 0]));
          for (const entry of delivering.entries())
            counted.set(statusOf(entry), (counted.get(statusOf(entry)) ?? 0) + 1);
          return [...counted].map(([state, value]) => ({ labels: { state }, value }));
        },
      ],
      fei_deliver_attempts_total: [
        'Attempts to deliver a change, by how they ended.',
        () =>
          Object.entries(delivering.counts.attempts).map(([outcome, value]) => ({
            labels: { outcome },
            value,
          })),
      ],
    }),
    {
      kind: 'histogram',
      name: 'fei_deliver_attempt_seconds',
      help: 'How long attempts took.',
      bounds: durationBounds,
      read: () => [
        { labels: {}, counts: delivering.counts.durations, sum: delivering.counts.durationSeconds },
      ],
    },
    ...figures({
      fei_deliver_dead_letters_total: [
        'Changes that were given up after three days.',
        () => delivering.counts.deadLetters,
      ],
      fei_deliver_lag_seconds: [
        'How long ago the oldest change was observed that is being delivered.',
        () => {
          const oldest = Math.min(...delivering.counts.observedMs.values());
          return Number.isFinite(oldest) ? Math.max(0, delivering.now() - oldest) / 1000 : 0;
        },
      ],
      fei_deliver_feed_failures: [
        'Questions to the feed that failed in a row.',
        () => delivering.news.failures(),
      ],
      fei_deliver_state_failures: [
        'Writes of the state that failed in a row. Deliveries wait for one that succeeds.',
        () => delivering.store.failures(),
      ],
    }),
  ];
}
