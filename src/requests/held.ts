import { ApiError } from '../contract/errors.ts';
import type { Holdable } from '../http/exchange.ts';
import { createShares } from '../http/shares.ts';

/** The place of a request that waits for publications, once or again and again. */
export interface Hold {
  /**
   * Holds the request until the number of publications is greater than `publication`; then resolves to true.
   * Resolves to false when the time is over, the client is gone, or the service stops.
   */
  until(publication: number, waitMs: number): Promise<boolean>;
  /** Whether the client is gone or the service stops: then nothing is waited for any more. */
  readonly isOver: () => boolean;
  /** Gives the place back. A request that is held goes on at once. Call it once or more often. */
  leave(): void;
}

/** Requests that are held until something is published. */
export interface HeldRequests {
  /**
   * The number of publications so far. Read it before the answer is made, so that `until` notices a
   * publication in between.
   */
  readonly publication: () => number;
  /**
   * Takes a place for a request. Throws `rate_limited` if the caller has its share of places already, and
   * `overloaded` if there is no place left. `request` is null if nothing is known of its client.
   */
  enter(request: Holdable | null, caller: string | null): Hold;
  /**
   * Call it after a publication. Lets all requests go, a few in each turn of the event loop, so that other
   * requests get their turns.
   */
  release(): void;
  /** Call it when the service stops. Lets all requests go at once, and holds no more. */
  close(): void;
  /** How many requests have a place. */
  readonly size: () => number;
}

/**
 * The most requests that are held, streams included. A key may hold as many as are left, so that four keys
 * together have 10,000.
 */
const heldMaximum = 12_500;
/** How many held requests are let go in one turn of the event loop. */
const releasedAtOnce = 8;

/** Makes an empty list of held requests. */
export function createHeldRequests(maximum = heldMaximum): HeldRequests {
  /** The functions that let the requests go, in the order in which they were held. */
  const held = new Set<(isPublished: boolean) => void>();
  const places = createShares(maximum);
  let published = 0;
  let isClosed = false;

  function releaseSome(waiting: readonly ((isPublished: boolean) => void)[], from: number): void {
    for (const release of waiting.slice(from, from + releasedAtOnce)) release(true);
    if (from + releasedAtOnce < waiting.length) setImmediate(releaseSome, waiting, from + releasedAtOnce);
  }

  return {
    publication: () => published,
    enter(request, caller) {
      // An empty answer at once would be asked for again at once.
      if (places.left() <= 0)
        throw new ApiError('overloaded', 'Too many requests wait for a publication; try again in a second.');
      if (!places.hasRoom(caller))
        throw new ApiError(
          'rate_limited',
          'This key has as many waiting requests as it may have; try again in a second.',
        );
      const giveBack = places.add(caller, 1);
      let isLeft = false;
      let releaseThis: ((isPublished: boolean) => void) | null = null;
      const leave = () => {
        isLeft = true;
        giveBack();
        releaseThis?.(false);
      };
      request?.onGone(leave);
      return {
        isOver: () => isLeft || isClosed,
        leave,
        async until(publication, waitMs) {
          if (published > publication) return true;
          if (isLeft || isClosed || waitMs <= 0) return false;
          return new Promise((resolve) => {
            const release = (isPublished: boolean) => {
              if (!held.delete(release)) return;
              clearTimeout(timer);
              releaseThis = null;
              request?.onHold(false);
              resolve(isPublished);
            };
            const timer = setTimeout(release, waitMs, false);
            releaseThis = release;
            held.add(release);
            request?.onHold(true);
          });
        },
      };
    },
    release() {
      published++;
      releaseSome([...held], 0);
    },
    close() {
      isClosed = true;
      for (const release of held) release(false);
    },
    size: () => maximum - places.left(),
  };
}
