import { dayMs, minuteMs } from '../../src/time/units.ts';
import { backoff } from '../../src/fetch/backoff.ts';
import { explainFullDisk } from '../disk/full.ts';
import type { Addition, Appended } from '../ingest/append.ts';
import { sightingsOf } from '../ingest/sightings.ts';
import type { Shared } from './common/shared.ts';
import { untilAborted, type Starter } from './common/work.ts';
import type { Gathered, Reader } from './reading/reader.ts';

/** The name of the work that publishes. */
export const publishing = 'publish';
/** How the names of the work begin that prepares joins. */
export const preparing = 'prepare';

const pauses = { firstMs: 5000, longestMs: 5 * minuteMs, pruneMs: 10 * minuteMs, renewMs: dayMs };

/**
 * Filings that arrive shortly after one another are appended together. These are the longest times that the
 * first of them waits: for new filings, for filings of the backlog, and while a snapshot is published. During
 * a publication another batch would gain nothing.
 */
const togetherMs = { fresh: 1000, backlog: 10_000, publishing: 15_000 };

/** How far appends and publications are. Numbers in `…Ms` are times of the monotonic clock. */
interface Progressed {
  /** Since when there is something to append; null if there is nothing. */
  readonly readySinceMs: number | null;
  /** How many rows were refused. */
  readonly refused: number;
  /**
   * Batches and new filings that were appended since the program began. All batches that the ledger had at
   * the start count as one.
   */
  readonly appended: { readonly batches: number; readonly filings: number };
  /** How many of these are published. */
  readonly published: { readonly batches: number; readonly filings: number };
  /** Since when a batch waits to be published; null if all are. */
  readonly unpublishedSinceMs: number | null;
  /** Publications in a row that failed. */
  readonly publishFailures: number;
}

/**
 * The part of a follower that appends batches to the ledger, publishes snapshots of it, prepares their joins,
 * and removes old ones.
 */
export interface Publisher extends Progressed {
  /** Appends a batch to the ledger, unless nothing of it is new. */
  append(addition: Addition): Promise<Appended>;
  /** Appends what the reader gathered, if that is due, and lets it save what is pending. */
  appendIfDue(): Promise<void>;
  /** Records the batch that filled the ledger, with so many filings. */
  noteFilled(filings: number): void;
  /**
   * Starts a publication beside the loop if there is something to publish and it is due. Old snapshots are removed from
   * time to time, whether publications succeed or not: a full disk may be why they fail.
   */
  startPublish(): void;
  /**
   * Starts to prepare joins of segments after each publication, beside the loop and beside the next
   * publication. A failure harms nothing: a publication makes each join that it wants and does not find.
   */
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
  { options, clock, schedule, errors, ledger, followed }: Shared,
  work: Starter,
  reader: Reader,
  hasBatches: boolean,
): Publisher {
  const state: { -readonly [Name in keyof Progressed]: Progressed[Name] } = {
    readySinceMs: null,
    refused: 0,
    appended: { batches: hasBatches ? 1 : 0, filings: 0 },
    published: { batches: 0, filings: 0 },
    unpublishedSinceMs: hasBatches ? clock.elapsed() : null,
    publishFailures: 0,
  };
  let appendFailures = 0;
  /** When a snapshot was last published; null if none was. */
  let publishedMs: number | null = null;
  /** The value of `publishedMs` when joins were last prepared. */
  let preparedMs: number | null = null;

  function count(filings: number): void {
    const { appended } = state;
    state.appended = { batches: appended.batches + 1, filings: appended.filings + filings };
  }

  async function append(addition: Addition): Promise<Appended> {
    const done = await ledger.append(addition);
    const { batch, added, corrected, contents, refused } = done;
    if (batch === null) return done;
    state.refused += refused;
    count(added.length);
    state.unpublishedSinceMs ??= clock.elapsed();
    options.log(
      `batch ${batch}: ${added.length} new filings, ${corrected.length} corrected${contents === 0 ? '' : `, contents of ${contents}`}`,
    );
    return done;
  }

  async function appendGathered(atMs: number): Promise<void> {
    const gathered = reader.gather(atMs);
    if (gathered === null) {
      state.readySinceMs = null;
      return;
    }
    state.readySinceMs ??= atMs;
    if (atMs - state.readySinceMs < mayWaitMs(gathered)) return;
    const { whole, overdue, found, contents, refusals, entities, tickers } = gathered;
    await append({
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
    state.readySinceMs = null;
  }

  /** Returns how long what was gathered may wait for more. */
  function mayWaitMs({ isMore, isFresh, isLate }: Gathered): number {
    if (work.isUnderway(publishing)) return togetherMs.publishing;
    if (isLate) return togetherMs.backlog;
    if (!isMore) return 0;
    return isFresh ? togetherMs.fresh : togetherMs.backlog;
  }

  function noteUnpublished(reason: string): void {
    schedule.set('publish', clock.elapsed() + backoff(++state.publishFailures, pauses));
    errors.note(`not published: ${reason}`);
  }

  /** Records what is published now. */
  function notePublished(published: Progressed['published'], newestFiledAt: string | null): void {
    publishedMs = clock.elapsed();
    state.published = published;
    reader.notePublished(newestFiledAt);
    state.publishFailures = 0;
    state.unpublishedSinceMs = state.appended.batches === published.batches ? null : publishedMs;
  }

  function startPrune(): void {
    const atMs = clock.elapsed();
    if (!schedule.isDue('prune', atMs) || work.isUnderway(publishing)) return;
    schedule.set('prune', atMs + pauses.pruneMs);
    work.start('prune', () => options.prune().catch((error: Error) => errors.note(error.message)));
  }

  function startPublish(): void {
    startPrune();
    const atMs = clock.elapsed();
    // If nothing is new, publishing renews the signature of the pointer before it gets too old.
    const isNew = state.appended.batches !== state.published.batches;
    if (!isNew && (publishedMs === null || atMs - publishedMs < pauses.renewMs)) return;
    if (!schedule.isDue('publish', atMs)) return;
    // A batch that is appended during a publication may or may not be in it, so it is published again.
    const { appended } = state;
    work.start(
      publishing,
      () =>
        options.publish().then(
          (newestFiledAt) => ({ newestFiledAt }),
          (error: Error) => ({ reason: error.message }),
        ),
      (done) =>
        'reason' in done ? noteUnpublished(done.reason) : notePublished(appended, done.newestFiledAt),
    );
  }

  return Object.assign(state, {
    append,
    async appendIfDue() {
      const atMs = clock.elapsed();
      if (!schedule.isDue('append', atMs)) return;
      try {
        await appendGathered(atMs);
        await reader.save();
        appendFailures = 0;
      } catch (error) {
        schedule.set('append', atMs + backoff(++appendFailures, pauses));
        // Perhaps the disk is full.
        schedule.set('prune', Math.min(schedule.dueMs('prune'), atMs));
        const explained = await explainFullDisk(error, options.folders.ledgerDirectory, null);
        errors.note((explained as Error).message);
      }
    },
    noteFilled: count,
    startPublish,
    startPrepare() {
      const { prepare, log } = options;
      if (prepare === undefined || publishedMs === preparedMs) return;
      preparedMs = publishedMs;
      // A short join does not wait for a long one, so this may begin while the one before is running.
      work.start(`${preparing} ${publishedMs}`, () =>
        prepare().catch((error: Error) => log(`joins were not prepared: ${error.message}`, 'debug')),
      );
    },
    async publishIfFarBehind() {
      if (!(await ledger.isFarBehind())) return;
      options.log('a snapshot of the ledger is made before anything is followed');
      startPublish();
      // A stop does not wait for this publication, which may take minutes.
      await untilAborted(work.settle(), options.signal);
    },
  });
}
