import type { Holdable } from '../http/exchange.ts';

/** Requests that are held until something is published. */
export interface HeldRequests {
  /**
   * The number of publications so far. Read it before the answer is made, so that `until` notices a
   * publication in between.
   */
  readonly publication: () => number;
  /**
   * Holds a request until the number of publications is greater than `publication`; then resolves to true.
   * Resolves to false when the time is over, the client is gone, the service stops, or too many requests are
   * held already. `request` is null if nothing is known of its client.
   */
  until(publication: number, waitMs: number, request: Holdable | null): Promise<boolean>;
  /**
   * Call it after a publication. Lets all requests go, a few in each turn of the event loop, so that other
   * requests get their turns.
   */
  release(): void;
  /** Call it when the service stops. Lets all requests go at once, and holds no more. */
  close(): void;
  readonly size: () => number;
}

/** If this many requests are held already, further ones are answered at once. */
const heldMaximum = 10_000;
/** How many held requests are let go in one turn of the event loop. */
const releasedAtOnce = 8;

/** Makes an empty list of held requests. */
export function createHeldRequests(maximum = heldMaximum): HeldRequests {
  /** The functions that let the requests go, in the order in which they were held. */
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
