import type { Authenticator } from '../keys/authenticator.ts';
import type { Journal } from '../intents/journal.ts';
import type { Log } from '../log/log.ts';
import type { Follower } from '../snapshot/follow.ts';
import type { ResponseCache } from '../http/response-cache.ts';
import type { Counts } from './counts.ts';
import type { HeldRequests } from './held.ts';
import type { OwnAddress } from '../http/origin.ts';

/** What the handlers of requests use. `now` is in milliseconds since 1970. */
export interface Services {
  readonly follower: Follower;
  readonly authenticator: Authenticator;
  readonly responses: ResponseCache;
  readonly held: HeldRequests;
  readonly counts: Counts;
  readonly log: Log;
  readonly now: () => number;
  readonly own: OwnAddress;
  readonly journal: Journal;
}
