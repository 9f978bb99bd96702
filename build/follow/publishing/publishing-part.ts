import type { Shared } from '../common/shared.ts';
import type { Starter } from '../common/work.ts';
import type { Reader } from '../reading/reader.ts';

/** A result of the work that publishes. */
export type PublishingEvent =
  | {
      readonly kind: 'published';
      readonly batches: number;
      readonly filings: number;
      readonly newestFiledAt: string | null;
    }
  /** A publication failed. */
  | { readonly kind: 'unpublished'; readonly reason: string };

/**
 * The part of a follower that appends and publishes, from inside: files of this folder alone change it.
 * Others see the `Publisher`. Numbers in `…Ms` are times of the monotonic clock.
 */
export interface PublishingPart extends Shared {
  readonly work: Starter<PublishingEvent>;
  readonly reader: Reader;
  /** Since when there is something to append; null if there is nothing. */
  readySinceMs: number | null;
  appendFailures: number;
  /**
   * Batches and new filings that were appended since the program began. All batches that the ledger had at
   * the start count as one.
   */
  readonly appended: { batches: number; filings: number };
  /** How many rows were refused. */
  refused: number;
  /** How many of the batches and filings in `appended` are published. */
  readonly published: { batches: number; filings: number };
  /** Since when a batch waits to be published; null if all are. */
  unpublishedSinceMs: number | null;
  /** When a snapshot was last published; null if none was. */
  publishedMs: number | null;
  publishFailures: number;
  /** The value of `publishedMs` when joins were last prepared. */
  preparedMs: number | null;
}
