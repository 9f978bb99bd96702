import { gatewayHeaders, keyHeaderNames } from './contract/gateway.ts';
import { keyedCaching } from './http/send.ts';
import { createAuthenticator } from './keys/authenticator.ts';
import { createResponseCache, type Compress, type ResponseCache } from './http/response-cache.ts';
import { createShares, type Shares } from './http/shares.ts';
import { createCounts } from './requests/operation-counts.ts';
import { createHeldRequests } from './requests/held.ts';
import { createExpiryClock } from './requests/expiry-clock.ts';
import type { Services } from './requests/services.ts';
import { noTurns, type Turns } from './requests/turns.ts';
import type { Journal } from './intents/journal.ts';
import type { KeyRing } from './keys/ring.ts';
import { noUsage, type KeyUsage } from './keys/usage.ts';
import type { Log } from './log/log.ts';
import type { RuntimeSettings } from './settings/settings.ts';
import { createServedSnapshot } from './snapshot/served-snapshot.ts';
import type { AcceptedPointers } from './snapshot/accepted.ts';
import type { PartStore } from './snapshot/store.ts';
import { createHeartbeats } from './snapshot/accepted-heartbeat.ts';
import { createTokens } from './keys/tokens.ts';
import { createTrust } from './snapshot/trust.ts';
import { createBlockCache, type BlockCache } from './table/block-cache.ts';

/** The settings that a service needs both on Node and in a worker. */
export type ServiceSettings = Pick<
  RuntimeSettings,
  | 'BASE_URL'
  | 'MARKETPLACE_NAME'
  | 'MARKETPLACE_HOST'
  | 'MARKETPLACE_PROXY_SECRETS'
  | 'MARKETPLACE_LIMITS'
  | 'OAUTH_ISSUER'
  | 'OAUTH_AUDIENCE'
  | 'OAUTH_LIMITS'
  | 'TRUSTED_KEY'
  | 'FRESH_WITHIN'
>;

/** The parts of a service that differ between Node and a worker. */
export interface ServiceDependencies {
  /** Reads the snapshots. The service closes it. */
  readonly store: PartStore;
  readonly keys: Pick<KeyRing, 'find' | 'take' | 'standing'>;
  /** Counts what keys and buyers use; without it, nothing is counted. */
  readonly usage?: KeyUsage;
  readonly journal: Journal;
  readonly log: Log;
  /** Where accepted pointers are kept for the next start; null if nowhere. */
  readonly accepted?: AcceptedPointers | null;
  /** Milliseconds since 1970, by the clock of the machine. */
  readonly now: () => number;
  /** Milliseconds since any moment; never goes back. */
  readonly elapsed: () => number;
  /** How work is divided into turns; not at all if left out. */
  readonly turns?: Turns;
  /**
   * The address at which the service listens, for documents if BASE_URL is not set; null while it is not
   * known. A worker has none: only a request could tell it, and a name that a client made up would get into
   * caches.
   */
  readonly address?: () => string | null;
  /** Whether the service can be reached only from its own machine. */
  readonly isLocal: boolean;
}

/** The caches that a service keeps in memory. */
export interface ServiceCaches {
  readonly blocks: BlockCache;
  readonly responses: ResponseCache;
  /** Counts the bytes of answers that are not sent yet. */
  readonly unsent: Shares;
}

/**
 * Makes empty caches: by default 12 MiB of blocks and 8 MiB of answers. `compress` compresses the answers of
 * the response cache. With 24 MiB of blocks, different requests took as long and the process held 10 to 25 MB more; with 40
 * they took a fourteenth longer: more blocks stay until the garbage collector takes them for old. Answers that are
 * not sent yet may take `unsentBytes`, by default 48 MiB.
 */
export function createCaches(
  blockBytes = 12 * 1024 * 1024,
  responseBytes = 8 * 1024 * 1024,
  compress?: Compress,
  unsentBytes = 48 * 1024 * 1024,
): ServiceCaches {
  const unsent = createShares(unsentBytes);
  return {
    blocks: createBlockCache(blockBytes),
    responses: createResponseCache(responseBytes, compress, unsent),
    unsent,
  };
}

/**
 * Puts a service together; needs no file system. The caller has to call `served.check()` once before the
 * service can answer from a snapshot, and `held.close()`, `served.close()` and `journal.close()` to stop
 * it.
 */
export function createServices(
  settings: ServiceSettings,
  {
    store,
    keys,
    usage = noUsage,
    journal,
    log,
    accepted = null,
    now,
    elapsed,
    turns = noTurns,
    address,
    isLocal,
  }: ServiceDependencies,
  { blocks, responses, unsent }: ServiceCaches = createCaches(),
): Services {
  const held = createHeldRequests();
  const expiryNow = createExpiryClock(now, elapsed);
  const { BASE_URL: baseUrl } = settings;
  const ownAddress = baseUrl === null ? address : () => baseUrl;
  const served = createServedSnapshot({ ...store, pause: turns.pause }, blocks, log.event, {
    onSwap: held.release,
    trust:
      settings.TRUSTED_KEY === null ? null : createTrust(settings.TRUSTED_KEY, { accepted, log: log.event }),
    heartbeats: createHeartbeats(settings.FRESH_WITHIN * 1000, settings.TRUSTED_KEY),
    now: expiryNow,
    ...(ownAddress ? { address: ownAddress } : {}),
  });
  const gateway = gatewayHeaders(settings.MARKETPLACE_NAME);
  const knownAddress = () => ownAddress?.() ?? null;
  const tokens =
    settings.OAUTH_ISSUER === null
      ? null
      : createTokens(
          {
            issuer: settings.OAUTH_ISSUER,
            audience: settings.OAUTH_AUDIENCE,
            perMinute: settings.OAUTH_LIMITS ?? new Map(),
          },
          { address: knownAddress, now: expiryNow, elapsed, log: log.event },
        );
  const gatewayRules = {
    headers: gateway,
    host: settings.MARKETPLACE_HOST,
    secrets: settings.MARKETPLACE_PROXY_SECRETS,
    ...(settings.MARKETPLACE_LIMITS === null ? {} : { perMinute: settings.MARKETPLACE_LIMITS }),
  };
  return {
    served,
    held,
    counts: createCounts(),
    authenticator: createAuthenticator(keys, gatewayRules, tokens),
    tokens,
    address: knownAddress,
    gateway,
    keyed: keyedCaching(keyHeaderNames(gateway)),
    usage,
    responses,
    unsent,
    turns,
    log,
    now,
    elapsed,
    expiryNow,
    own: { baseUrl, isLocal },
    journal,
  };
}
