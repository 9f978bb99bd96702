import { counted } from '../../src/render/words.ts';
import { spanText } from '../time/told-clock.ts';
import { countPending, type Pending } from './reading/pending.ts';

/** What the status line shows. Times are milliseconds of a monotonic clock. */
export interface Status {
  readonly atMs: number;
  /** Filings of the universe that upstream has listed since the program began. */
  readonly listed: number;
  /** New filings that were published since then. */
  readonly published: number;
  readonly pending: readonly Pending[];
  /** Since when a batch waits to be published; null if all are. */
  readonly unpublishedSinceMs: number | null;
  /** The number of members of a list whose histories are to be read. */
  readonly unreadHistories: number;
  /** When a reading of the feed last succeeded; null if none did. */
  readonly feedReadMs: number | null;
  readonly intervalMs: number;
  readonly requestsPerSecond: number;
  readonly lastError: string | null;
  /** The number of entities whose files are polled; null if the feed is read. */
  readonly polled: number | null;
  /** How long the feed has failed; null if it has not. */
  readonly feedFailedMs: number | null;
  /** How far the clock of this machine is ahead of upstream's, in milliseconds; null if it is right. */
  readonly clockWrongByMs: number | null;
}

/**
 * Returns how far the service is behind EDGAR, in milliseconds: how long the oldest unpublished filing waits,
 * or how long the feed has not been read. The backlog is left out until it is in the ledger.
 */
export function behindMs({ atMs, pending, unpublishedSinceMs, feedReadMs, intervalMs }: Status): number {
  const waiting = pending
    .filter(({ isPublished, isBacklog }) => !isPublished && !isBacklog)
    .map(({ listedAtMs }) => atMs - listedAtMs);
  const unread = feedReadMs === null ? 0 : atMs - feedReadMs;
  const unpublished = unpublishedSinceMs === null ? 0 : atMs - unpublishedSinceMs;
  return Math.max(0, unread > 2 * intervalMs ? unread : 0, unpublished, ...waiting);
}

/** Writes the status line: listed, published, pending, behind by, requests a second, and what is wrong. */
export function statusLine(status: Status): string {
  const { listed, published, requestsPerSecond, lastError, polled, feedFailedMs, clockWrongByMs, pending } =
    status;
  const { unreadHistories } = status;
  const counts = countPending(pending);
  const parts = [
    `listed ${listed}`,
    `published ${published}`,
    `pending ${counts.unpublished}${counts.backlog > 0 ? `, ${counts.backlog} of them listed before the start` : ''}${counts.incomplete > 0 ? ` and ${counts.incomplete} to be completed` : ''}`,
    unreadHistories === 0 ? null : `${counted(unreadHistories, 'history', 'histories')} to read`,
    `behind by ${Math.round(behindMs(status) / 1000)} s`,
    `${requestsPerSecond.toFixed(1)} requests a second`,
    feedFailedMs === null
      ? null
      : `the feed has failed for ${feedFailedMs < 120_000 ? `${Math.round(feedFailedMs / 1000)} seconds` : spanText(feedFailedMs)}`,
    polled === null ? null : `following ${polled} entities by their submissions files in turn`,
    clockWrongByMs === null
      ? null
      : `the clock of this machine is ${spanText(clockWrongByMs)} ${clockWrongByMs > 0 ? 'ahead' : 'behind'}`,
    `last error: ${lastError ?? 'none'}`,
  ];
  return parts.filter((part) => part !== null).join(' · ');
}
