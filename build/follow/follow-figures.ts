import { isReconciled } from '../../src/contract/reconciled-days.ts';
import { freeBytes } from '../../src/metrics/free-disk.ts';
import { single, type Figure, type Value } from '../../src/metrics/figures.ts';
import { statusOf, type Follower } from './follower.ts';
import { countPending } from './reading/pending.ts';
import { behindMs } from './status-line.ts';

/** The sources by which answers of EDGAR are counted. The first pattern that matches the path decides. */
const sources: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['feed', /\/cgi-bin\//],
  ['submissions', /\/submissions\//],
  ['header', /\.hdr\.sgml$/],
  ['contents', /\.(xml|txt)$/],
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
    {
      kind: 'gauge',
      name: 'fei_follow_lag_seconds',
      help: 'How long the oldest listed filing waits to be published, or how long the feed has not been read.',
      read: () => single(behindMs(statusOf(follower, 0)) / 1000),
    },
    {
      kind: 'counter',
      name: 'fei_follow_listed_total',
      help: 'Filings of the universe that EDGAR listed.',
      read: () => single(follower.reader.listed),
    },
    {
      kind: 'counter',
      name: 'fei_follow_published_total',
      help: 'New filings that were published.',
      read: () => single(follower.publisher.published.filings),
    },
    {
      kind: 'gauge',
      name: 'fei_follow_pending',
      help: 'Filings by state: not published and new (`new`), not published and listed before the program began (`backlog`), published and waiting for more facts (`incomplete`).',
      read: pending,
    },
    {
      kind: 'counter',
      name: 'fei_follow_batches_total',
      help: 'Batches that were appended to the ledger; all batches that it had at the start count as one.',
      read: () => single(follower.publisher.appended.batches),
    },
    {
      kind: 'gauge',
      name: 'fei_follow_publish_failures',
      help: 'Publications in a row that failed.',
      read: () => single(follower.publisher.publishFailures),
    },
    {
      kind: 'gauge',
      name: 'fei_follow_stood_still_seconds',
      help: 'How long the loop of the follower stood still at most since the program began.',
      read: () => {
        const stoodStillMs = follower.options.stoodStillMs?.();
        return stoodStillMs === undefined ? [] : single(stoodStillMs / 1000);
      },
    },
    {
      kind: 'gauge',
      name: 'fei_follow_disk_free_bytes',
      help: 'Free bytes of the disk with the ledger.',
      read: () => freeBytes(follower.options.folders.ledgerDirectory),
    },
    {
      kind: 'gauge',
      name: 'fei_follow_feed_failures',
      help: 'Readings of the feed in a row that failed.',
      read: () => single(follower.reader.feed.failures),
    },
    {
      kind: 'counter',
      name: 'fei_follow_refusals_total',
      help: 'Entries of the feed and rows that could not be understood or fetched.',
      read: () => single(follower.reader.refused + follower.publisher.refused),
    },
    {
      kind: 'counter',
      name: 'fei_edgar_requests_total',
      help: 'Requests to EDGAR by source and status; `none` if there was no complete answer.',
      read: () =>
        [...follower.answers].map(([name, value]) => ({
          labels: { source: name.split(' ')[0] as string, status: name.split(' ')[1] as string },
          value,
        })),
    },
    ...reconciledFigures(follower),
  ];
}

function reconciledFigures(follower: Follower): Figure[] {
  const through = () => follower.reconciler.days.findLast(isReconciled)?.day;
  return [
    {
      kind: 'gauge',
      name: 'fei_reconciled_days',
      help: "Days that were compared with EDGAR's daily index.",
      read: () => single(follower.reconciler.days.filter(isReconciled).length),
    },
    {
      kind: 'gauge',
      name: 'fei_reconciled_missing',
      help: 'Filings that these indexes list and that could not be fetched.',
      read: () => single(follower.reconciler.days.reduce((sum, { missing }) => sum + missing, 0)),
    },
    {
      kind: 'gauge',
      name: 'fei_reconciled_open',
      help: 'Filings that these indexes list and whose documents are not known yet, or about which a source has not answered.',
      read: () => single(follower.reconciler.days.reduce((sum, { open }) => sum + (open ?? 0), 0)),
    },
    {
      kind: 'gauge',
      name: 'fei_reconciled_through_timestamp_seconds',
      help: 'When the newest of these days began, in UTC.',
      read: () => (through() === undefined ? [] : single(Date.parse(through() as string) / 1000)),
    },
  ];
}
