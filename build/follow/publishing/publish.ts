import { dayMs, minuteMs } from '../../../src/time/units.ts';
import { backoff } from '../../../src/fetch/backoff.ts';
import type { PublishingEvent, PublishingPart } from './publishing-part.ts';

/** The name of the work that publishes. */
export const publishing = 'publish';
/** How the names of the work begin that prepares joins. */
export const preparing = 'prepare';

const pauses = { firstMs: 5000, longestMs: 5 * minuteMs, pruneMs: 10 * minuteMs, renewMs: dayMs };

/**
 * Starts a publication beside the loop: a new snapshot of the ledger. A failure is tried again. Old snapshots
 * are removed from time to time, whether publications succeed or not: a full disk may be why they fail.
 */
export function startPublish(part: PublishingPart): void {
  const { clock, schedule, options, work, appended, published, publishedMs } = part;
  startPrune(part);
  const atMs = clock.elapsed();
  // If nothing is new, publishing renews the signature of the pointer before it gets too old.
  const isNew = appended.batches !== published.batches;
  if (!isNew && (publishedMs === null || atMs - publishedMs < pauses.renewMs)) return;
  if (!schedule.isDue('publish', atMs)) return;
  // A batch that is appended during a publication may or may not be in it, so it is published again.
  const { batches, filings } = appended;
  work.start(publishing, async () => {
    try {
      return { kind: 'published', batches, filings, newestFiledAt: await options.publish() };
    } catch (error) {
      return { kind: 'unpublished', reason: (error as Error).message };
    }
  });
}

/** Takes the result of a publication. */
export function takePublishingEvent(part: PublishingPart, event: PublishingEvent): void {
  const { clock, schedule, errors, reader, appended, published } = part;
  const atMs = clock.elapsed();
  if (event.kind === 'unpublished') {
    schedule.set('publish', atMs + backoff(++part.publishFailures, pauses));
    return errors.note(`not published: ${event.reason}`);
  }
  published.batches = event.batches;
  published.filings = event.filings;
  reader.notePublished(event.newestFiledAt);
  part.publishFailures = 0;
  part.publishedMs = atMs;
  part.unpublishedSinceMs = appended.batches === event.batches ? null : atMs;
}

function startPrune({ clock, schedule, options, errors, work }: PublishingPart): void {
  const atMs = clock.elapsed();
  if (!schedule.isDue('prune', atMs) || work.isUnderway(publishing)) return;
  schedule.set('prune', atMs + pauses.pruneMs);
  work.start('prune', async () => {
    await options.prune().catch((error: Error) => errors.note(error.message));
    return null;
  });
}

/**
 * Starts to prepare joins of segments after each publication, beside the loop and beside the next
 * publication. A failure harms nothing: a publication makes each join that it wants and does not find.
 */
export function startPrepare(part: PublishingPart): void {
  const { options, work, publishedMs, preparedMs } = part;
  if (options.prepare === undefined || publishedMs === preparedMs) return;
  part.preparedMs = publishedMs;
  const { prepare, log } = options;
  // A short join does not wait for a long one, so this may begin while the one before is running.
  work.start(`${preparing} ${publishedMs}`, async () => {
    await prepare().catch((error: Error) => log(`joins were not prepared: ${error.message}`, 'debug'));
    return null;
  });
}
