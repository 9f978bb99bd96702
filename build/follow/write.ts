import type { Addition } from '../ingest/append.ts';
import { instantNow, noteError, type Follower } from './follower.ts';
import { countPending } from './pending.ts';
import { savedText, writeSaved } from './saved.ts';
import { afterAppend, namesOf, ripeOf } from './state.ts';

/** Filings that come one after the other are appended together: the first one waits so long at most, and longer if it was listed long before. */
const togetherMs = { fresh: 2000, backlog: 10_000 };
const pauses = { firstMs: 5000, longestMs: 300_000, pruneMs: 10 * 60_000 };

/** Appends what can be appended, keeps what is pending, and publishes. What fails is tried again, after growing pauses. */
export async function write(follower: Follower): Promise<void> {
  const atMs = follower.options.elapsed();
  if (atMs < follower.nextWriteMs) return;
  try {
    await appendRipe(follower, atMs);
    await save(follower);
    await publish(follower, atMs);
    follower.writeFailures = 0;
  } catch (error) {
    follower.nextWriteMs = atMs + Math.min(pauses.longestMs, pauses.firstMs * 2 ** follower.writeFailures++);
    noteError(follower, (error as Error).message);
  }
}

async function appendRipe(follower: Follower, atMs: number): Promise<void> {
  const { state, corrections, entities, scope, writer, target, options } = follower;
  const { whole, overdue, lost } = ripeOf(state, atMs);
  for (const each of lost) options.log(`${each.accessionNo} of ${namesOf(each)}: its documents are nowhere to be found, what the feed and the header say stays`);
  if (lost.length > 0) follower.state = afterAppend(state, lost, []);
  if (whole.length + overdue.length + corrections.length === 0) {
    follower.ripeSinceMs = null;
    return;
  }
  follower.ripeSinceMs ??= atMs;
  const ripe = [...whole, ...overdue];
  const isFresh = ripe.some(({ isPublished, isBacklog }) => !isPublished && !isBacklog);
  const isMore = countPending(state.pending.values()).unpublished > countPending(ripe).unpublished;
  if (isMore && atMs - follower.ripeSinceMs < (isFresh ? togetherMs.fresh : togetherMs.backlog)) return;
  const addition: Addition = {
    target: `follow: ${target}`, createdAt: instantNow(follower), filings: [...corrections, ...ripe.map(({ accessionNo, told }) => ({ accessionNo, told }))],
    entities: [...entities.values()], tickers: scope?.tickers ?? [], refusals: [], days: [],
  };
  const { batch, added, corrected } = await writer.append(addition);
  follower.state = afterAppend(follower.state, whole, overdue);
  follower.corrections = follower.corrections.slice(corrections.length);
  entities.clear();
  follower.ripeSinceMs = null;
  follower.unpublished += added.length;
  if (batch !== null) options.log(`batch ${batch}: ${added.length} new filings, ${corrected.length} corrected`);
}

/** What is pending is kept whenever it has changed. */
async function save(follower: Follower): Promise<void> {
  const text = savedText(follower.state);
  if (text === follower.savedText) return;
  await writeSaved(follower.options.folders.ledgerDirectory, text);
  follower.savedText = text;
}

async function publish(follower: Follower, atMs: number): Promise<void> {
  const { writer, options } = follower;
  const unpublished = follower.unpublished;
  if (await writer.publish()) {
    follower.published += unpublished;
    follower.unpublished -= unpublished;
  }
  if (atMs < follower.nextPruneMs) return;
  follower.nextPruneMs = atMs + pauses.pruneMs;
  await options.prune();
}
