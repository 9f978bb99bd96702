import type { GatewayHeaders } from '../contract/gateway.ts';
import type { Caching } from '../http/send.ts';
import type { Authenticator } from '../keys/authenticator.ts';
import type { Tokens } from '../keys/tokens.ts';
import type { KeyUsage } from '../keys/usage.ts';
import type { Journal } from '../intents/journal.ts';
import type { Log } from '../log/log.ts';
import type { ServedSnapshot } from '../snapshot/served-snapshot.ts';
import type { ResponseCache } from '../http/response-cache.ts';
import type { Counts } from './operation-counts.ts';
import type { HeldRequests } from './held.ts';
import type { Turns } from './turns.ts';
import type { Shares } from '../http/shares.ts';
import type { OwnAddress } from '../http/origin.ts';

/** What the handlers of requests use. All times are in milliseconds. */
export interface Services {
  readonly served: ServedSnapshot;
  readonly authenticator: Authenticator;
  /** Checks tokens; null if none are taken. */
  readonly tokens: Pick<Tokens, 'check' | 'issuer'> | null;
  /** The address of the service; null while it is not known. */
  readonly address: () => string | null;
  /** The headers of the marketplace gateway. */
  readonly gateway: GatewayHeaders;
  /** How caches treat answers to requests with a key. */
  readonly keyed: Caching;
  readonly usage: KeyUsage;
  readonly responses: ResponseCache;
  /** Bytes of bodies that are made and not yet sent, by caller, wherever they wait. */
  readonly unsent: Shares;
  readonly turns: Turns;
  readonly held: HeldRequests;
  readonly counts: Counts;
  readonly log: Log;
  /** Since 1970, by the clock of the machine, which may be set forward or back. */
  readonly now: () => number;
  /** Since any moment; never goes back. Durations are measured with it. */
  readonly elapsed: () => number;
  /** Since 1970, for keys and pointers; see `createExpiryClock`. */
  readonly expiryNow: () => number;
  readonly own: OwnAddress;
  readonly journal: Journal;
}
