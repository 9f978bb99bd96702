import { spanText } from '../time/told-time.ts';
import { countPending, type Pending } from './pending.ts';

/** What a status line tells. Times are milliseconds of a clock that never goes back. */
export interface Status {
  readonly atMs: number;
  /** Filings of the universe that upstream has listed since the program began. */
  readonly listed: number;
  /** Those that are served since then. */
  readonly published: number;
  readonly pending: readonly Pending[];
  /** When the feed was last read to where it was known; null if never. */
  readonly feedReadMs: number | null;
  readonly intervalMs: number;
  readonly requestsPerSecond: number;
  readonly lastError: string | null;
  /** The number of entities that are asked for in turn; null if the feed is read. */
  readonly polled: number | null;
  /** How long the feed has failed; null if it has not. */
  readonly feedFailedMs: number | null;
  /** By how much the clock of the machine is ahead of upstream's, if it is wrong. */
  readonly clockWrongByMs: number | null;
}

/**
 * How far behind the listing the service is: how long the oldest filing waits that is not served, or the feed
 * to be read. What was listed before the program began is counted apart.
 */
export function behindMs({ atMs, pending, feedReadMs, intervalMs }: Status): number {
  const waiting = pending
    .filter(({ isPublished, isBacklog }) => !isPublished && !isBacklog)
    .map(({ listedAtMs }) => atMs - listedAtMs);
  const unread = feedReadMs === null ? 0 : atMs - feedReadMs;
  return Math.max(0, unread > 2 * intervalMs ? unread : 0, ...waiting);
}

/** One line: listed, published, pending, behind by, requests a second, what is wrong. */
export function statusLine(status: Status): string {
  const { listed, published, requestsPerSecond, lastError, polled, feedFailedMs, clockWrongByMs, pending } =
    status;
  const counts = countPending(pending);
  const parts = [
    `listed ${listed}`,
    `published ${published}`,
    `pending ${counts.unpublished}${counts.backlog > 0 ? `, ${counts.backlog} of them listed before the start` : ''}${counts.incomplete > 0 ? ` and ${counts.incomplete} to be completed` : ''}`,
    `behind by ${Math.round(behindMs(status) / 1000)} s`,
    `${requestsPerSecond.toFixed(1)} requests a second`,
    feedFailedMs === null
      ? null
      : `the feed has been refused for ${feedFailedMs < 120_000 ? `${Math.round(feedFailedMs / 1000)} seconds` : spanText(feedFailedMs)}`,
    polled === null ? null : `following ${polled} entities by their submissions files in turn`,
    clockWrongByMs === null
      ? null
      : `the clock of this machine is ${spanText(clockWrongByMs)} ${clockWrongByMs > 0 ? 'ahead' : 'behind'}`,
    `last error: ${lastError ?? 'none'}`,
  ];
  return parts.filter((part) => part !== null).join(' · ');
}
