import { dayMs, minuteMs } from '../../src/time/units.ts';
import { backoff } from '../../src/fetch/backoff.ts';
import { explainFullDisk } from '../disk/full.ts';
import type { Addition, Appended } from '../ingest/append.ts';
import { sightingsOf } from '../ingest/sightings.ts';
import type { Shared } from './common/shared.ts';
import { untilAborted, type Starter } from './common/work.ts';
import type { Gathered, Reader } from './reading/reader.ts';

/** The part of a follower that appends and publishes, from inside. Numbers in `…Ms` are times of the monotonic clock. */
interface PublishingPart extends Shared {
  readonly work: Starter;
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

/** The name of the work that publishes. */
export const publishing = 'publish';
/** How the names of the work begin that prepares joins. */
export const preparing = 'prepare';

const pauses = { firstMs: 5000, longestMs: 5 * minuteMs, pruneMs: 10 * minuteMs, renewMs: dayMs };

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
}

/** Creates the publisher of a ledger. `hasBatches` says whether the ledger has batches at the start. */
export function createPublisher(
  shared: Shared,
  work: Starter,
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
  });
}

/**
 * Filings that arrive shortly after one another are appended together. These are the longest times that the
 * first of them waits: for new filings, for filings of the backlog, and while a snapshot is published. During
 * a publication another batch would gain nothing.
 */
const togetherMs = { fresh: 1000, backlog: 10_000, publishing: 15_000 };

/**
 * Appends what the reader gathered, and lets it save what is pending. After a failure it is tried again, with
 * growing pauses.
 */
async function appendIfDue(part: PublishingPart): Promise<void> {
  const { clock, schedule, reader, errors, options } = part;
  const atMs = clock.elapsed();
  if (!schedule.isDue('append', atMs)) return;
  try {
    await appendGathered(part, atMs);
    await reader.save();
    part.appendFailures = 0;
  } catch (error) {
    schedule.set('append', atMs + backoff(++part.appendFailures, pauses));
    // Perhaps the disk is full.
    schedule.set('prune', Math.min(schedule.dueMs('prune'), atMs));
    const explained = await explainFullDisk(error, options.folders.ledgerDirectory, null);
    errors.note((explained as Error).message);
  }
}

async function appendGathered(part: PublishingPart, atMs: number): Promise<void> {
  const { reader, clock, followed } = part;
  const gathered = reader.gather(atMs);
  if (gathered === null) {
    part.readySinceMs = null;
    return;
  }
  part.readySinceMs ??= atMs;
  if (atMs - part.readySinceMs < mayWaitMs(part, gathered)) return;
  const { whole, overdue, found, contents, refusals, entities, tickers } = gathered;
  await append(part, {
    target: `follow: ${followed.target()}`,
    createdAt: clock.instant(),
    filings: [
      ...found,
      ...[...whole, ...overdue].map(({ accessionNo, told }) => ({
        accessionNo,
        sightings: sightingsOf(told),
      })),
    ],
    entities,
    tickers,
    contents,
    refusals,
    days: [],
  });
  reader.noteAppended(gathered);
  part.readySinceMs = null;
}

/** Returns how long what was gathered may wait for more. */
function mayWaitMs({ work }: PublishingPart, { isMore, isFresh, isLate }: Gathered): number {
  if (work.isUnderway(publishing)) return togetherMs.publishing;
  if (isLate) return togetherMs.backlog;
  if (!isMore) return 0;
  return isFresh ? togetherMs.fresh : togetherMs.backlog;
}

/** Appends a batch to the ledger, unless nothing of it is new. */
async function append(part: PublishingPart, addition: Addition): Promise<Appended> {
  const done = await part.ledger.append(addition);
  const { batch, added, corrected, contents, refused } = done;
  if (batch === null) return done;
  part.refused += refused;
  part.appended.batches++;
  part.appended.filings += added.length;
  part.unpublishedSinceMs ??= part.clock.elapsed();
  part.options.log(
    `batch ${batch}: ${added.length} new filings, ${corrected.length} corrected${contents === 0 ? '' : `, contents of ${contents}`}`,
  );
  return done;
}

/**
 * Starts a publication beside the loop: a new snapshot of the ledger. A failure is tried again. Old snapshots
 * are removed from time to time, whether publications succeed or not: a full disk may be why they fail.
 */
function startPublish(part: PublishingPart): void {
  const { clock, schedule, options, work, appended, published, publishedMs } = part;
  startPrune(part);
  const atMs = clock.elapsed();
  // If nothing is new, publishing renews the signature of the pointer before it gets too old.
  const isNew = appended.batches !== published.batches;
  if (!isNew && (publishedMs === null || atMs - publishedMs < pauses.renewMs)) return;
  if (!schedule.isDue('publish', atMs)) return;
  // A batch that is appended during a publication may or may not be in it, so it is published again.
  const { batches, filings } = appended;
  work.start(
    publishing,
    () =>
      options.publish().then(
        (newestFiledAt) => ({ newestFiledAt }),
        (error: Error) => ({ reason: error.message }),
      ),
    (done) =>
      'reason' in done
        ? noteUnpublished(part, done.reason)
        : notePublished(part, batches, filings, done.newestFiledAt),
  );
}

function noteUnpublished(part: PublishingPart, reason: string): void {
  part.schedule.set('publish', part.clock.elapsed() + backoff(++part.publishFailures, pauses));
  part.errors.note(`not published: ${reason}`);
}

/** Records how many batches and filings are published now. */
function notePublished(
  part: PublishingPart,
  batches: number,
  filings: number,
  newestFiledAt: string | null,
): void {
  const { clock, reader, appended, published } = part;
  const atMs = clock.elapsed();
  published.batches = batches;
  published.filings = filings;
  reader.notePublished(newestFiledAt);
  part.publishFailures = 0;
  part.publishedMs = atMs;
  part.unpublishedSinceMs = appended.batches === batches ? null : atMs;
}

function startPrune({ clock, schedule, options, errors, work }: PublishingPart): void {
  const atMs = clock.elapsed();
  if (!schedule.isDue('prune', atMs) || work.isUnderway(publishing)) return;
  schedule.set('prune', atMs + pauses.pruneMs);
  work.start('prune', () => options.prune().catch((error: Error) => errors.note(error.message)));
}

/**
 * Starts to prepare joins of segments after each publication, beside the loop and beside the next
 * publication. A failure harms nothing: a publication makes each join that it wants and does not find.
 */
function startPrepare(part: PublishingPart): void {
  const { options, work, publishedMs, preparedMs } = part;
  if (options.prepare === undefined || publishedMs === preparedMs) return;
  part.preparedMs = publishedMs;
  const { prepare, log } = options;
  // A short join does not wait for a long one, so this may begin while the one before is running.
  work.start(`${preparing} ${publishedMs}`, () =>
    prepare().catch((error: Error) => log(`joins were not prepared: ${error.message}`, 'debug')),
  );
}
