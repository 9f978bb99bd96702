import type { KeyObject } from 'node:crypto';
import { type Change, positionText } from '../../clients/typescript/src/index.ts';
import { backoff, pause } from '../../src/fetch/backoff.ts';
import type { LineLog } from '../../src/log/levels.ts';
import { dayMs, hourMs } from '../../src/time/units.ts';
import { countAttempt, type Counts } from './deliver-figures.ts';
import { slowAfterMs, type AttemptSlots } from './attempt-slots.ts';
import type { DeadLetter, EndpointState, Store } from './delivery-state.ts';
import type { Endpoint } from './webhook-endpoints.ts';
import {
  type Feed,
  type FeedPage,
  feedPauseMs,
  handledUpTo,
  isRefusal,
  leftOf,
  type News,
  nothingHandled,
  unknownText,
} from './feed.ts';
import { counted } from '../../src/render/words.ts';
import { headersOf, type Message, messageOf, type Outcome, type Poster } from './post.ts';

/** What all endpoints share. */
export interface Shared {
  readonly feed: Feed;
  readonly news: News;
  readonly poster: Poster;
  /** The private Ed25519 key that signs messages beside the secrets of their endpoints; null if there is none. */
  readonly signingKey: KeyObject | null;
  readonly store: Pick<Store, 'saved' | 'touch'>;
  readonly slots: AttemptSlots;
  readonly addDeadLetter: (letter: DeadLetter) => Promise<void>;
  readonly counts: Counts;
  readonly log: LineLog;
  /** The time in milliseconds since 1970: for signatures and people, nothing is decided by it. */
  readonly now: () => number;
  /** Milliseconds by a clock that never jumps. */
  readonly elapsed: () => number;
  readonly random: () => number;
}

/** A change whose attempts failed for this long is given up. */
export const givenUpAfterMs = 3 * dayMs;
/** The pauses between attempts of a change. */
export const attemptPauses = { firstMs: 3000, longestMs: hourMs };
/** After a longer pause the page is read again, so that endpoints that fail for long keep nothing in memory. */
const keptPageMs = 60_000;
const longestIdleMs = 60_000;
/** How long the feed may end before what was delivered: a replica of the service that is late catches up sooner. */
const patienceMs = 60_000;
const firstIdleMs = 1000;

/**
 * Delivers to one endpoint until the signal, or until it is disabled. There is no queue: the feed is the
 * queue, and the state says how far this endpoint is. A signal cuts pauses and questions; an attempt that
 * runs is finished.
 */
export async function runEndpoint(
  endpoint: Endpoint,
  entry: EndpointState,
  shared: Shared,
  signal: AbortSignal,
): Promise<void> {
  const { feed, news, store, log, counts } = shared;
  let idleMs = firstIdleMs;
  let readFailures = 0;
  /** Since when the feed ends before the change that was handled last. */
  let aheadSinceMs: number | null = null;
  try {
    while (!signal.aborted && entry.disabled === null) {
      const seen = news.count();
      const page = await readPage();
      if (page === null) continue;
      const left = leftOfPage(page);
      if (left !== null && !(await sendPage(endpoint, entry, page, left, shared, signal))) continue;
      if (!page.isLast) continue;
      counts.observedMs.delete(endpoint.name);
      // One replica of the service may know of a publication later than another one.
      idleMs =
        left !== null && page.cursor === news.end() ? longestIdleMs : Math.min(longestIdleMs, idleMs * 2);
      await news.until(seen, idleMs, signal);
      if (news.count() > seen) idleMs = firstIdleMs;
    }
  } finally {
    counts.observedMs.delete(endpoint.name);
  }

  /** What of a page is to be delivered; null while it may still come to have the change that was handled last. */
  function leftOfPage(page: FeedPage): readonly Change[] | null {
    const left = leftOf(page, entry, endpoint.filter);
    if (left === 'ahead') {
      aheadSinceMs ??= shared.elapsed();
      if (shared.elapsed() - aheadSinceMs < patienceMs) return null;
    }
    aheadSinceMs = null;
    const { change = '' } = entry;
    // The number in a state of before counts for nothing.
    if (change === '') Object.assign(entry, nothingHandled);
    if (left !== 'ahead' && left !== 'lost') return left;
    log(
      `${endpoint.name}: the feed no longer has ${change}, which was delivered last: was its ledger restored? All changes behind the cursor are delivered again`,
      'warn',
    );
    Object.assign(entry, nothingHandled);
    entry.lost = { change, at: new Date(shared.now()).toISOString() };
    store.touch();
    return page.changes;
  }

  async function readPage(): Promise<FeedPage | null> {
    try {
      if (entry.cursor === null) {
        entry.cursor = endpoint.cursor ?? (await feed.end(signal));
        await store.saved();
      }
      const page = await feed.page(endpoint.filter, entry.cursor, signal);
      if (entry.refused !== null) {
        entry.refused = null;
        store.touch();
      }
      readFailures = 0;
      const unknown = page.unknown.join(', ');
      if (unknown !== (entry.unknown ?? '')) {
        if (unknown !== '') log(`${endpoint.name}: ${unknownText(unknown)}`, 'warn');
        entry.unknown = unknown;
        store.touch();
      }
      return page;
    } catch (error) {
      if (signal.aborted) return null;
      const { message } = error as Error;
      if (isRefusal(error) && entry.refused !== message) {
        log(`${endpoint.name}: the feed refuses it: ${message}`, 'error');
        entry.refused = message;
        store.touch();
      }
      await pause(feedPauseMs(++readFailures, error), signal);
      return null;
    }
  }
}

/**
 * Delivers what is left of a page. Resolves to false if not all of it was delivered: then the page is read
 * again.
 */
async function sendPage(
  endpoint: Endpoint,
  entry: EndpointState,
  page: FeedPage,
  left: readonly Change[],
  shared: Shared,
  signal: AbortSignal,
): Promise<boolean> {
  const { store, counts } = shared;
  const endsAt = page.changes.at(-1)?.sequence ?? 0;
  for (const change of left) {
    if (signal.aborted) return false;
    counts.observedMs.set(endpoint.name, Date.parse(change.observedAt ?? '') || shared.now());
    if (!(await deliver(endpoint, entry, change, shared, signal))) return false;
    if (change.sequence === endsAt) endPage();
    // What was delivered with another filter may be further.
    else if (change.sequence > entry.sequence) Object.assign(entry, handledUpTo(change, endpoint.filter));
    await store.saved();
  }
  if (entry.cursor !== page.cursor) {
    // Nothing of this page was left to deliver.
    endPage();
    store.touch();
  }
  return true;

  function endPage(): void {
    entry.cursor = page.cursor;
    if (endsAt >= entry.sequence) Object.assign(entry, nothingHandled);
  }
}

/** Delivers one change, or gives it up. Resolves to false if it is still to be delivered. */
async function deliver(
  endpoint: Endpoint,
  entry: EndpointState,
  change: Change,
  shared: Shared,
  signal: AbortSignal,
): Promise<boolean> {
  const { store, log, elapsed } = shared;
  const message = messageOf(change);
  for (;;) {
    const begunMs = elapsed();
    const outcome = await attempt(endpoint, entry, message, shared, signal);
    if (outcome === null) return false;
    if (outcome.kind === 'accepted') {
      if (entry.failing !== null)
        log(
          `${endpoint.name}: ${message.id} was accepted after ${counted(entry.failing.attempts, 'attempt', 'attempts')} that failed`,
        );
      entry.failing = null;
      entry.delivered++;
      entry.last = { id: message.id, at: new Date(shared.now()).toISOString() };
      return true;
    }
    if (outcome.kind === 'gone') {
      entry.disabled = 'gone';
      log(`${endpoint.name} is disabled: it answered ${message.id} with 410`, 'warn');
      await store.saved();
      return false;
    }
    const failing = countFailure(entry, message.id, outcome.reason, outcome.tookMs);
    if (failing.forMs >= givenUpAfterMs) {
      await giveUp(endpoint, entry, message, shared, signal);
      return !signal.aborted;
    }
    const pauseMs = backoff(failing.attempts, {
      ...attemptPauses,
      retryAfterMs: outcome.retryAfterMs,
      random: shared.random(),
    });
    log(
      `${endpoint.name}: attempt ${failing.attempts} of ${message.id} failed: ${outcome.reason}; the next one in ${Math.ceil(pauseMs / 1000)} s`,
      failing.attempts === 1 ? 'warn' : 'info',
    );
    store.touch();
    await pause(pauseMs, signal);
    failing.forMs += elapsed() - begunMs;
    if (signal.aborted || pauseMs > keptPageMs) return false;
  }
}

/** Counts an attempt that failed. A change behind one that was given up is tried as rarely as that one. */
function countFailure(
  entry: EndpointState,
  id: string,
  reason: string,
  tookMs: number,
): NonNullable<EndpointState['failing']> {
  const { attempts = 0, forMs = 0, isSlow = false } = entry.failing ?? {};
  const isSame = entry.failing?.id === id;
  entry.failing = {
    id,
    attempts: attempts + 1,
    forMs: isSame ? forMs : 0,
    reason,
    isSlow: isSlow || tookMs > slowAfterMs,
  };
  return entry.failing;
}

/** Makes one attempt; null if the signal came before it began. */
async function attempt(
  { url, secrets }: Endpoint,
  entry: EndpointState,
  message: Message,
  { poster, slots, counts, now, elapsed, signingKey }: Shared,
  signal: AbortSignal,
): Promise<(Outcome & { readonly tookMs: number }) | null> {
  const { attempts: failures = 0, isSlow = false } = entry.failing ?? {};
  const make = async () => {
    const begunMs = elapsed();
    const outcome = await poster.post(url, headersOf(message, secrets, now(), signingKey), message.body);
    const tookMs = elapsed() - begunMs;
    countAttempt(counts, outcome.kind, tookMs);
    return { ...outcome, tookMs };
  };
  try {
    return await slots.use({ failures, isSlow }, make, signal);
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/** Writes a dead letter. While that fails, as on a full disk, the change is not given up. */
async function giveUp(
  { name }: Endpoint,
  entry: EndpointState,
  { id, body }: Message,
  { addDeadLetter, counts, log, now }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const { attempts = 0, reason = '' } = entry.failing ?? {};
  const letter: DeadLetter = {
    endpoint: name,
    at: new Date(now()).toISOString(),
    attempts,
    reason,
    cursor: positionText(entry),
    id,
    message: JSON.parse(body),
  };
  for (let failures = 0; !signal.aborted; ) {
    try {
      await addDeadLetter(letter);
      counts.deadLetters++;
      entry.deadLetters++;
      log(`${name}: ${id} is given up after ${counted(attempts, 'attempt', 'attempts')}: ${reason}`, 'error');
      return;
    } catch (error) {
      if (failures++ === 0) log(`no dead letter can be written: ${(error as Error).message}`, 'error');
      await pause(feedPauseMs(failures, error), signal);
    }
  }
}
