import { isReconciled } from '../../src/contract/reconciled-days.ts';
import { freeDiskFigures } from '../../src/metrics/free-disk.ts';
import { figures, type Figure, type Value } from '../../src/metrics/figures.ts';
import { statusOf, type Follower } from './follower.ts';
import { countPending } from './reading/pending.ts';
import { behindMs } from './status-line.ts';

/** The sources by which answers of EDGAR are counted. The first pattern that matches the path decides. */
const sources: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['feed', /\/cgi-bin\//],
  ['submissions', /\/submissions\//],
  ['header', /\.hdr\.sgml$/],
  ['contents', /\.(xml|txt)$/],
  ['documents', /-index\.htm$/],
  ['index', /\/(daily|full)-index\//],
  ['tickers', /\/files\//],
];

/** Counts an answer of EDGAR. `status` is null if there was no complete answer. */
export function countAnswer(answers: Map<string, number>, { pathname }: URL, status: number | null): void {
  const source = sources.find(([, pattern]) => pattern.test(pathname))?.[0] ?? 'other';
  const name = `${source} ${status ?? 'none'}`;
  answers.set(name, (answers.get(name) ?? 0) + 1);
}

/** Returns the metrics of a follower. */
export function followFigures(follower: Follower): Figure[] {
  const pending = (): Value[] => {
    const { unpublished, backlog, incomplete } = countPending(follower.reader.state.pending.values());
    return [
      ['new', unpublished - backlog],
      ['backlog', backlog],
      ['incomplete', incomplete],
    ].map(([state, value]) => ({ labels: { state: String(state) }, value: Number(value) }));
  };
  return [
    ...figures({
      fei_follow_lag_seconds: [
        'How long the oldest listed filing waits to be published, or how long the feed has not been read.',
        () => behindMs(statusOf(follower, 0)) / 1000,
      ],
      fei_follow_listed_total: ['Filings of the universe that EDGAR listed.', () => follower.reader.listed],
      fei_follow_published_total: [
        'New filings that were published.',
        () => follower.publisher.published.filings,
      ],
      fei_follow_pending: [
        'Filings by state: not published and new (`new`), not published and listed before the program began (`backlog`), published and waiting for more facts (`incomplete`).',
        pending,
      ],
      fei_follow_batches_total: [
        'Batches that were appended to the ledger; all batches that it had at the start count as one.',
        () => follower.publisher.appended.batches,
      ],
      fei_follow_publish_failures: [
        'Publications in a row that failed.',
        () => follower.publisher.publishFailures,
      ],
      fei_follow_unfilled: [
        '1 while the ledger was never filled from the bulk archive with whom the follower follows, else 0.',
        () => (follower.schedule.dueMs('fill') === Infinity ? 0 : 1),
      ],
      fei_follow_stood_still_seconds: [
        'How long the loop of the follower stood still at most since the program began.',
        () => {
          const stoodStillMs = follower.options.stoodStillMs?.();
          return stoodStillMs === undefined ? null : stoodStillMs / 1000;
        },
      ],
      fei_follow_feed_failures: [
        'Readings of the feed in a row that failed.',
        () => follower.reader.feed.failures,
      ],
      fei_follow_refusals_total: [
        'Entries of the feed and rows that could not be understood or fetched.',
        () => follower.reader.refused + follower.publisher.refused,
      ],
      fei_edgar_requests_total: [
        'Requests to EDGAR by source and status; `none` if there was no complete answer.',
        () =>
          [...follower.answers].map(([name, value]) => ({
            labels: { source: name.split(' ')[0] as string, status: name.split(' ')[1] as string },
            value,
          })),
      ],
    }),
    ...freeDiskFigures(
      'fei_follow',
      'the disk with the ledger',
      () => follower.options.folders.ledgerDirectory,
    ),
    ...reconciledFigures(follower),
  ];
}

function reconciledFigures(follower: Follower): Figure[] {
  const through = () => follower.reconciler.days.findLast(isReconciled)?.day;
  return figures({
    fei_reconciled_days: [
      "Days that were compared with EDGAR's daily index.",
      () => follower.reconciler.days.filter(isReconciled).length,
    ],
    fei_reconciled_missing: [
      'Filings that these indexes list and that could not be fetched.',
      () => follower.reconciler.days.reduce((sum, { missing }) => sum + missing, 0),
    ],
    fei_reconciled_open: [
      'Filings that these indexes list and whose documents are not known yet, or about which a source has not answered.',
      () => follower.reconciler.days.reduce((sum, { open }) => sum + (open ?? 0), 0),
    ],
    fei_reconciled_through_timestamp_seconds: [
      'When the newest of these days began, in UTC.',
      () => (through() === undefined ? null : Date.parse(through() as string) / 1000),
    ],
  });
}
