import type { Holdable } from '../http/exchange.ts';

/** Requests that are held until something is published. */
export interface HeldRequests {
  /**
   * Counts publications. Read it before an answer is made: what is published meanwhile is not missed then.
   */
  readonly publication: () => number;
  /**
   * Holds a request until more was published than the given count. Resolves to whether that is so: false when
   * its time is over, its client is gone, the service stops, or too many are held already. `request` is null
   * where nothing is known of its client.
   */
  until(publication: number, waitMs: number, request: Holdable | null): Promise<boolean>;
  /**
   * Something was published: lets all go, a few in each turn of the event loop, so that other requests have
   * theirs.
   */
  release(): void;
  /** The service stops: lets all go at once, and holds no more. */
  close(): void;
  readonly size: () => number;
}

/** More than this are answered at once, as if they had not asked to wait. */
const heldMaximum = 10_000;
/** How many answers are made in one turn of the event loop. */
const releasedAtOnce = 8;

/** Makes a list of held requests, which is empty. */
export function createHeldRequests(maximum = heldMaximum): HeldRequests {
  /** What lets each of them go, in the order in which they were held. */
  const held = new Set<(isPublished: boolean) => void>();
  let published = 0;
  let isClosed = false;

  function releaseSome(waiting: readonly ((isPublished: boolean) => void)[], from: number): void {
    for (const release of waiting.slice(from, from + releasedAtOnce)) release(true);
    if (from + releasedAtOnce < waiting.length) setImmediate(releaseSome, waiting, from + releasedAtOnce);
  }

  return {
    publication: () => published,
    until(publication, waitMs, request) {
      if (published > publication) return Promise.resolve(true);
      if (isClosed || waitMs <= 0 || held.size >= maximum) return Promise.resolve(false);
      return new Promise((resolve) => {
        const release = (isPublished: boolean) => {
          if (!held.delete(release)) return;
          clearTimeout(timer);
          request?.onHold(false);
          resolve(isPublished);
        };
        const timer = setTimeout(release, waitMs, false);
        held.add(release);
        request?.onHold(true);
        request?.onGone(() => release(false));
      });
    },
    release() {
      published++;
      releaseSome([...held], 0);
    },
    close() {
      isClosed = true;
      for (const release of held) release(false);
    },
    size: () => held.size,
  };
}
