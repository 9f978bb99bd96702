import { createAuthenticator } from './keys/authenticator.ts';
import { createResponseCache, type Compress, type ResponseCache } from './http/response-cache.ts';
import { createCounts } from './requests/counts.ts';
import { createHeldRequests } from './requests/held.ts';
import type { Services } from './requests/services.ts';
import type { Journal } from './intents/journal.ts';
import type { KeyRing } from './keys/ring.ts';
import type { Log } from './log/log.ts';
import type { RuntimeSettings } from './settings/settings.ts';
import { createFollower } from './snapshot/follow.ts';
import type { PartStore } from './snapshot/store.ts';
import { createTrust } from './snapshot/trust.ts';
import { createChunkCache, type ChunkCache } from './table/chunk-cache.ts';

/** Settings that a service goes by wherever it runs. */
export type ServiceSettings = Pick<
  RuntimeSettings,
  'BASE_URL' | 'MARKETPLACE_HOST' | 'MARKETPLACE_PROXY_SECRETS' | 'TRUSTED_KEY'
>;

/** What a service stands on, which is not the same everywhere. */
export interface ServiceGround {
  /** Where the snapshots lie. The service closes it. */
  readonly store: PartStore;
  readonly keys: Pick<KeyRing, 'find' | 'take'>;
  readonly journal: Journal;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Whether nobody but the machine itself can reach it. */
  readonly isLocal: boolean;
}

/** What a service keeps in memory. */
export interface ServiceCaches {
  readonly blocks: ChunkCache;
  readonly responses: ResponseCache;
}

/**
 * Empty caches of the usual size: 40 MiB of blocks and 8 MiB of answers, unless other sizes are given.
 * `compress` is that of a response cache.
 */
export function createCaches(
  blockBytes = 40 * 1024 * 1024,
  responseBytes = 8 * 1024 * 1024,
  compress?: Compress,
): ServiceCaches {
  return { blocks: createChunkCache(blockBytes), responses: createResponseCache(responseBytes, compress) };
}

/**
 * Puts a service together. It serves nothing before its follower has looked for the first time, and stops to
 * hold requests when `held` is closed; `follower` and `journal` are closed at its end. Nothing here needs a
 * file system.
 */
export function createServices(
  settings: ServiceSettings,
  { store, keys, journal, log, now, isLocal }: ServiceGround,
  { blocks, responses }: ServiceCaches = createCaches(),
): Services {
  const held = createHeldRequests();
  const follower = createFollower(store, blocks, log.event, {
    onSwap: held.release,
    trust: settings.TRUSTED_KEY === null ? null : createTrust(settings.TRUSTED_KEY),
    now,
  });
  const authenticator = createAuthenticator(keys, {
    host: settings.MARKETPLACE_HOST,
    secrets: settings.MARKETPLACE_PROXY_SECRETS,
  });
  return {
    follower,
    held,
    counts: createCounts(),
    authenticator,
    responses,
    log,
    now,
    own: { baseUrl: settings.BASE_URL, isLocal },
    journal,
  };
}
