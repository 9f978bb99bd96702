import { dayMs, minuteMs } from '../../src/contract/time.ts';
import { explainFullDisk } from '../disk/full.ts';
import type { Addition } from '../ingest/append.ts';
import { instantNow, noteError, type Follower } from './follower.ts';
import { countPending } from './pending.ts';
import { savedText, writeSaved } from './saved.ts';
import { afterAppend, namesOf, readyOf } from './state.ts';

/**
 * Filings that arrive shortly after one another are appended together. These are the longest times that the
 * first of them waits: for new filings, for filings of the backlog, and while a snapshot is published. During
 * a publication another batch would gain nothing.
 */
const togetherMs = { fresh: 1000, backlog: 10_000, publishing: 15_000 };
const pauses = { firstMs: 5000, longestMs: 5 * minuteMs, pruneMs: 10 * minuteMs, renewMs: dayMs };

/**
 * Appends what is ready, and saves what is pending. After a failure it is tried again, with growing pauses.
 */
export async function write(follower: Follower): Promise<void> {
  const atMs = follower.options.elapsed();
  if (atMs < follower.nextWriteMs) return;
  try {
    await appendReady(follower, atMs);
    await save(follower);
    follower.writeFailures = 0;
  } catch (error) {
    follower.nextWriteMs = atMs + Math.min(pauses.longestMs, pauses.firstMs * 2 ** follower.writeFailures++);
    // Perhaps the disk is full.
    follower.nextPruneMs = Math.min(follower.nextPruneMs, atMs);
    const explained = await explainFullDisk(error, follower.options.folders.ledgerDirectory, null);
    noteError(follower, (explained as Error).message);
  }
}

async function appendReady(follower: Follower, atMs: number): Promise<void> {
  const { state, corrections, entities, scope, writer, target, options } = follower;
  const { whole, overdue, lost } = readyOf(state, atMs);
  for (const each of lost)
    options.log(
      `${each.accessionNo} of ${namesOf(each)}: no submissions file tells its documents yet; the comparison with the index of its day asks again`,
      'warn',
    );
  if (lost.length > 0) follower.state = afterAppend(state, lost, []);
  if (whole.length + overdue.length + corrections.length === 0 && !follower.hasMoved) {
    follower.readySinceMs = null;
    return;
  }
  follower.readySinceMs ??= atMs;
  const ready = [...whole, ...overdue];
  const isFresh = ready.some(({ isPublished, isBacklog }) => !isPublished && !isBacklog);
  const isMore = countPending(state.pending.values()).unpublished > countPending(ready).unpublished;
  const mayWaitMs = follower.work.isUnderway('publish')
    ? togetherMs.publishing
    : isMore
      ? isFresh
        ? togetherMs.fresh
        : togetherMs.backlog
      : 0;
  if (atMs - follower.readySinceMs < mayWaitMs) return;
  const addition: Addition = {
    target: `follow: ${target}`,
    createdAt: instantNow(follower),
    filings: [...corrections, ...ready.map(({ accessionNo, told }) => ({ accessionNo, told }))],
    entities: [...entities.values()],
    tickers: scope?.tickers ?? [],
    refusals: [],
    days: [],
  };
  await writer.append(addition);
  follower.state = afterAppend(follower.state, whole, overdue);
  follower.corrections = follower.corrections.slice(corrections.length);
  entities.clear();
  follower.hasMoved = false;
  follower.readySinceMs = null;
}

/** Saves what is pending if it has changed. */
async function save(follower: Follower): Promise<void> {
  const text = savedText(follower.state);
  if (text === follower.savedText) return;
  await writeSaved(follower.options.folders.ledgerDirectory, text);
  follower.savedText = text;
}

/**
 * Starts a publication beside the loop: a new snapshot of the ledger. A failure is tried again. Old snapshots
 * are removed from time to time, whether publications succeed or not: a full disk may be why they fail.
 */
export function startPublish(follower: Follower): void {
  const { options, work, appended } = follower;
  startPrune(follower);
  const atMs = options.elapsed();
  // If nothing is new, publishing renews the signature of the pointer before it gets too old.
  const isNew = appended.batches !== follower.publishedBatches;
  if (
    (!isNew && (follower.publishedMs === null || atMs - follower.publishedMs < pauses.renewMs)) ||
    atMs < follower.nextPublishMs
  )
    return;
  // A batch that is appended during a publication may or may not be in it, so it is published again.
  const { batches, filings } = appended;
  work.start('publish', async () => {
    try {
      return { kind: 'published', batches, filings, newestFiledAt: await options.publish() };
    } catch (error) {
      return { kind: 'unpublished', reason: (error as Error).message };
    }
  });
}

function startPrune(follower: Follower): void {
  const { options, work } = follower;
  const atMs = options.elapsed();
  if (atMs < follower.nextPruneMs || work.isUnderway('publish')) return;
  follower.nextPruneMs = atMs + pauses.pruneMs;
  work.start('prune', async () => {
    await options.prune().catch((error: Error) => noteError(follower, error.message));
    return null;
  });
}

/** Returns the pause before publishing again after so many failures in a row, in milliseconds. */
export const publishPauseMs = (failures: number) =>
  Math.min(pauses.longestMs, pauses.firstMs * 2 ** (failures - 1));
