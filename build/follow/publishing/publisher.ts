import type { Addition, Appended } from '../../ingest/append.ts';
import type { Shared } from '../common/shared.ts';
import { untilAborted, type Starter } from '../common/work.ts';
import type { Reader } from '../reading/reader.ts';
import { append, appendIfDue } from './append-due.ts';
import { startPrepare, startPublish, takePublishingEvent } from './publish.ts';
import type { PublishingEvent, PublishingPart } from './publishing-part.ts';

/**
 * The part of a follower that appends batches to the ledger, publishes snapshots of it, prepares their joins,
 * and removes old ones.
 */
export interface Publisher
  extends Readonly<
    Pick<PublishingPart, 'readySinceMs' | 'refused' | 'unpublishedSinceMs' | 'publishFailures'>
  > {
  readonly appended: Readonly<PublishingPart['appended']>;
  readonly published: Readonly<PublishingPart['published']>;
  /** Appends a batch to the ledger, unless nothing of it is new. */
  append(addition: Addition): Promise<Appended>;
  /** Appends what the reader gathered, if that is due. */
  appendIfDue(): Promise<void>;
  /** Records the batch that filled the ledger, with so many filings. */
  noteFilled(filings: number): void;
  /** Starts a publication if there is something to publish and it is due. */
  startPublish(): void;
  /** Starts to prepare joins after a publication. */
  startPrepare(): void;
  /**
   * Publishes and waits, if much of the ledger is in no snapshot yet: after a fill, and at a start if the
   * program was killed right after one. Filings are looked up in the snapshot, which would take long without
   * it.
   */
  publishIfFarBehind(): Promise<void>;
  take(event: PublishingEvent): void;
}

/** Creates the publisher of a ledger. `hasBatches` says whether the ledger has batches at the start. */
export function createPublisher(
  shared: Shared,
  work: Starter<PublishingEvent>,
  reader: Reader,
  hasBatches: boolean,
): Publisher {
  const part: PublishingPart = {
    ...shared,
    work,
    reader,
    readySinceMs: null,
    appendFailures: 0,
    appended: { batches: hasBatches ? 1 : 0, filings: 0 },
    refused: 0,
    published: { batches: 0, filings: 0 },
    unpublishedSinceMs: hasBatches ? shared.clock.elapsed() : null,
    publishedMs: null,
    publishFailures: 0,
    preparedMs: null,
  };
  return Object.assign(part, {
    append: (addition: Addition) => append(part, addition),
    appendIfDue: () => appendIfDue(part),
    noteFilled(filings: number) {
      part.appended.batches++;
      part.appended.filings += filings;
    },
    startPublish: () => startPublish(part),
    startPrepare: () => startPrepare(part),
    async publishIfFarBehind() {
      const { options, ledger } = shared;
      if (!(await ledger.isFarBehind())) return;
      options.log('a snapshot of the ledger is made before anything is followed');
      startPublish(part);
      // A stop does not wait for this publication, which may take minutes.
      await untilAborted(work.settle(), options.signal);
    },
    take: (event: PublishingEvent) => takePublishingEvent(part, event),
  });
}
