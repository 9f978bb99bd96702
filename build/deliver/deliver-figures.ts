import { single, type Figure } from '../../src/metrics/figures.ts';
import { durationBounds } from './attempt-counts.ts';
import type { Delivering } from './deliver.ts';
import { statusOf, statuses } from './delivery-status.ts';

/** Returns the metrics of deliveries. */
export function deliverFigures(delivering: Delivering): Figure[] {
  return [
    {
      kind: 'gauge',
      name: 'fei_deliver_endpoints',
      help: 'Endpoints by state: delivered to (`ok`), their last attempt failed (`failing`), their filter or cursor is refused by the feed (`refused`), they answered 410 (`gone`), an operator disabled them (`disabled`).',
      read() {
        const counted = new Map(statuses.map((status) => [status, 0]));
        for (const entry of delivering.entries())
          counted.set(statusOf(entry), (counted.get(statusOf(entry)) ?? 0) + 1);
        return [...counted].map(([state, value]) => ({ labels: { state }, value }));
      },
    },
    {
      kind: 'counter',
      name: 'fei_deliver_attempts_total',
      help: 'Attempts to deliver a change, by how they ended.',
      read: () =>
        Object.entries(delivering.counts.attempts).map(([outcome, value]) => ({
          labels: { outcome },
          value,
        })),
    },
    {
      kind: 'histogram',
      name: 'fei_deliver_attempt_seconds',
      help: 'How long attempts took.',
      bounds: durationBounds,
      read: () => [
        { labels: {}, counts: delivering.counts.durations, sum: delivering.counts.durationSeconds },
      ],
    },
    {
      kind: 'counter',
      name: 'fei_deliver_dead_letters_total',
      help: 'Changes that were given up after three days.',
      read: () => single(delivering.counts.deadLetters),
    },
    {
      kind: 'gauge',
      name: 'fei_deliver_lag_seconds',
      help: 'How long ago the oldest change was observed that is being delivered.',
      read() {
        const oldest = Math.min(...delivering.counts.observedMs.values());
        return single(Number.isFinite(oldest) ? Math.max(0, delivering.now() - oldest) / 1000 : 0);
      },
    },
    {
      kind: 'gauge',
      name: 'fei_deliver_feed_failures',
      help: 'Questions to the feed that failed in a row.',
      read: () => single(delivering.news.failures()),
    },
    {
      kind: 'gauge',
      name: 'fei_deliver_state_failures',
      help: 'Writes of the state that failed in a row. Deliveries wait for one that succeeds.',
      read: () => single(delivering.store.failures()),
    },
  ];
}
