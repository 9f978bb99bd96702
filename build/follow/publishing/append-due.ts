import { minuteMs } from '../../../src/time/units.ts';
import { explainFullDisk } from '../../disk/full.ts';
import type { Addition, Appended } from '../../ingest/append.ts';
import { sightingsOf } from '../../ingest/sightings.ts';
import { backoff } from '../../../src/fetch/backoff.ts';
import type { Gathered } from '../reading/reader.ts';
import { publishing } from './publish.ts';
import type { PublishingPart } from './publishing-part.ts';

/**
 * Filings that arrive shortly after one another are appended together. These are the longest times that the
 * first of them waits: for new filings, for filings of the backlog, and while a snapshot is published. During
 * a publication another batch would gain nothing.
 */
const togetherMs = { fresh: 1000, backlog: 10_000, publishing: 15_000 };
const pauses = { firstMs: 5000, longestMs: 5 * minuteMs };

/**
 * Appends what the reader gathered, and lets it save what is pending. After a failure it is tried again, with
 * growing pauses.
 */
export async function appendIfDue(part: PublishingPart): Promise<void> {
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
export async function append(part: PublishingPart, addition: Addition): Promise<Appended> {
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
