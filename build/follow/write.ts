import { dayMs, minuteMs } from '../../src/contract/time.ts';
import type { Addition } from '../ingest/append.ts';
import { instantNow, noteError, type Follower } from './follower.ts';
import { countPending } from './pending.ts';
import { savedText, writeSaved } from './saved.ts';
import { afterAppend, namesOf, ripeOf } from './state.ts';

/**
 * Filings that come one after the other are appended together: the first one waits so long at most, longer if
 * it was listed long before. While a snapshot is made nothing is won by a batch, so that its rows wait for
 * the next one, within bounds.
 */
const togetherMs = { fresh: 1000, backlog: 10_000, publishing: 15_000 };
const pauses = { firstMs: 5000, longestMs: 5 * minuteMs, pruneMs: 10 * minuteMs, renewMs: dayMs };

/**
 * Appends what can be appended, and keeps what is pending. What fails is tried again, after growing pauses.
 */
export async function write(follower: Follower): Promise<void> {
  const atMs = follower.options.elapsed();
  if (atMs < follower.nextWriteMs) return;
  try {
    await appendRipe(follower, atMs);
    await save(follower);
    follower.writeFailures = 0;
  } catch (error) {
    follower.nextWriteMs = atMs + Math.min(pauses.longestMs, pauses.firstMs * 2 ** follower.writeFailures++);
    noteError(follower, (error as Error).message);
  }
}

async function appendRipe(follower: Follower, atMs: number): Promise<void> {
  const { state, corrections, entities, scope, writer, target, options } = follower;
  const { whole, overdue, lost } = ripeOf(state, atMs);
  for (const each of lost)
    options.log(
      `${each.accessionNo} of ${namesOf(each)}: its documents are nowhere to be found, what the feed and the header say stays`,
      'warn',
    );
  if (lost.length > 0) follower.state = afterAppend(state, lost, []);
  if (whole.length + overdue.length + corrections.length === 0) {
    follower.ripeSinceMs = null;
    return;
  }
  follower.ripeSinceMs ??= atMs;
  const ripe = [...whole, ...overdue];
  const isFresh = ripe.some(({ isPublished, isBacklog }) => !isPublished && !isBacklog);
  const isMore = countPending(state.pending.values()).unpublished > countPending(ripe).unpublished;
  const mayWaitMs = follower.work.isUnderway('publish')
    ? togetherMs.publishing
    : isMore
      ? isFresh
        ? togetherMs.fresh
        : togetherMs.backlog
      : 0;
  if (atMs - follower.ripeSinceMs < mayWaitMs) return;
  const addition: Addition = {
    target: `follow: ${target}`,
    createdAt: instantNow(follower),
    filings: [...corrections, ...ripe.map(({ accessionNo, told }) => ({ accessionNo, told }))],
    entities: [...entities.values()],
    tickers: scope?.tickers ?? [],
    refusals: [],
    days: [],
  };
  await writer.append(addition);
  follower.state = afterAppend(follower.state, whole, overdue);
  follower.corrections = follower.corrections.slice(corrections.length);
  entities.clear();
  follower.ripeSinceMs = null;
}

/** What is pending is kept whenever it has changed. */
async function save(follower: Follower): Promise<void> {
  const text = savedText(follower.state);
  if (text === follower.savedText) return;
  await writeSaved(follower.options.folders.ledgerDirectory, text);
  follower.savedText = text;
}

/** Brings the snapshots up to the ledger, beside everything else. What fails is tried again. */
export function startPublish(follower: Follower): void {
  const { options, work, appended } = follower;
  const atMs = options.elapsed();
  // Where nothing is new, the pointer is signed again in time.
  const isNew = appended.batches !== follower.publishedBatches;
  if (
    (!isNew && (follower.publishedMs === null || atMs - follower.publishedMs < pauses.renewMs)) ||
    atMs < follower.nextPublishMs
  )
    return;
  // What is appended while a snapshot is made may be in it or not: it is published again.
  const { batches, filings } = appended;
  work.start('publish', async () => {
    try {
      const newestFiledAt = await options.publish();
      if (atMs >= follower.nextPruneMs) {
        follower.nextPruneMs = atMs + pauses.pruneMs;
        await options.prune();
      }
      return { kind: 'published', batches, filings, newestFiledAt };
    } catch (error) {
      return { kind: 'unpublished', reason: (error as Error).message };
    }
  });
}

/** How long publishing rests after so many failures in a row, in milliseconds. */
export const publishPauseMs = (failures: number) =>
  Math.min(pauses.longestMs, pauses.firstMs * 2 ** (failures - 1));
