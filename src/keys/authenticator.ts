import { timingSafeEqual } from 'node:crypto';
import { gatewayHeaders, type GatewayHeaders } from '../contract/gateway.ts';
import type { HeaderReader } from '../http/exchange.ts';
import { createBuyers, gatewayCaller } from './buyers.ts';
import { tokenCaller, type Tokens } from './tokens.ts';
import { digestOf, keyCharactersMaximum } from './digest.ts';
import type { CallerLimits } from './limit.ts';
import type { KeyRing } from './ring.ts';

/**
 * How the marketplace gateway proves that a request came through it. Without a secret no request counts as
 * proven.
 */
export interface Gateway {
  /** The names of its headers; those of the default name if left out. */
  readonly headers?: GatewayHeaders;
  /** The gateway's host for this service; null if none is configured. */
  readonly host: string | null;
  readonly secrets: readonly string[];
  /**
   * How many requests a buyer of each plan may make in any minute; `*` stands for all other plans. Without
   * it, as many as the buyer likes.
   */
  readonly perMinute?: ReadonlyMap<string, number>;
}

/**
 * Finds the caller of a request: the id of a key, a buyer as `gateway:<name>`, `gateway` if the gateway does
 * not name the buyer, whoever a token names as `oauth:<name>`, or null without a valid key. Keys and tokens expire by
 * `nowMs`, in milliseconds since 1970. A token counts after it has arrived; see `Tokens`, which says what is thrown.
 */
export interface Authenticator extends CallerLimits {
  /** Null if the caller can be found at once, else the promise of it. */
  arrive(header: HeaderReader): Promise<void> | null;
  /** The caller by a direct key, a token, or the gateway's headers. */
  any(header: HeaderReader, nowMs: number): string | null;
  /** The caller by a direct key or a token. */
  direct(header: HeaderReader, nowMs: number): string | null;
}

/** The credential of an `Authorization` header (RFC 6750, section 2.1). */
function bearerOf(header: HeaderReader): string | undefined {
  const authorization = header('authorization');
  return authorization === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
}

/** Makes the authenticator of a service; without `tokens`, none count. Secrets and keys are compared as digests, in constant time. */
export function createAuthenticator(
  keys: Pick<KeyRing, 'find'> & CallerLimits,
  { headers = gatewayHeaders(), host, secrets: given, perMinute = new Map() }: Gateway,
  tokens: Tokens | null = null,
): Authenticator {
  const secrets = given.map((secret) => Buffer.from(digestOf(secret)));
  const buyers = createBuyers(perMinute);
  const limitsOf = (caller: string) => {
    if (caller.startsWith(gatewayCaller)) return buyers;
    return tokens !== null && caller.startsWith(tokenCaller) ? tokens : keys;
  };

  function direct(header: HeaderReader, nowMs: number): string | null {
    const key = header('x-api-key');
    const bearer = bearerOf(header);
    // Two different keys in one request are a mistake, or an attempt to pass one off as the other.
    if (key !== undefined && bearer !== undefined && key !== bearer) return null;
    const presented = key ?? bearer;
    if (presented === undefined) return null;
    const known = keys.find(presented, nowMs);
    return known ?? (key === undefined ? (tokens?.find(presented, nowMs) ?? null) : null);
  }

  function isThroughGateway(header: HeaderReader): boolean {
    const secret = header(headers.proxySecret);
    if (
      secret === undefined ||
      secret === '' ||
      secret.length > keyCharactersMaximum ||
      secrets.length === 0 ||
      host === null
    )
      return false;
    const digest = Buffer.from(digestOf(secret));
    let proven = false;
    for (const each of secrets) if (timingSafeEqual(each, digest)) proven = true;
    const buyerKey = header(headers.key) ?? '';
    const hostMatches = header(headers.host)?.toLowerCase() === host.toLowerCase();
    return proven && hostMatches && buyerKey !== '' && buyerKey.length <= keyCharactersMaximum;
  }

  return {
    arrive: (header) => tokens?.arrive(bearerOf(header)) ?? null,
    direct,
    take: (caller, requests, elapsed) => limitsOf(caller).take(caller, requests, elapsed),
    standing: (caller, elapsed) => limitsOf(caller).standing(caller, elapsed),
    any(header, nowMs) {
      // A request with a wrong direct key is refused, even if its gateway headers are right.
      if (header('x-api-key') !== undefined || header('authorization') !== undefined)
        return direct(header, nowMs);
      if (!isThroughGateway(header)) return null;
      return buyers.callerOf(header(headers.user), header(headers.subscription));
    },
  };
}
