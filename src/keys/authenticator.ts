import { timingSafeEqual } from 'node:crypto';
import { digestOf, keyCharactersMaximum } from './digest.ts';
import type { KeyRing } from './ring.ts';

/**
 * How the marketplace gateway proves that a request came through it. Without a secret no request counts as
 * proven.
 */
export interface Gateway {
  /** The gateway's host for this service; null if none is configured. */
  readonly host: string | null;
  readonly secrets: readonly string[];
}

/** The header with the gateway's secret. Buyers never see it. */
export const proxySecretHeader = 'x-marketplace-proxy-secret';

/**
 * Finds the caller of a request: the id of a key, `gateway`, or null without a valid key. Keys expire by
 * `nowMs`, in milliseconds since 1970.
 */
export interface Authenticator {
  /** The caller by a direct key or by the gateway's headers. */
  any(header: (name: string) => string | undefined, nowMs: number): string | null;
  /** The caller by a direct key only. */
  direct(header: (name: string) => string | undefined, nowMs: number): string | null;
  /** Counts requests of a caller, or returns the limit that they exceed; see `KeyRing`. */
  take: KeyRing['take'];
}

/** Makes the authenticator of a service. Secrets and keys are compared as digests, in constant time. */
export function createAuthenticator(keys: Pick<KeyRing, 'find' | 'take'>, gateway: Gateway): Authenticator {
  const secrets = gateway.secrets.map((secret) => Buffer.from(digestOf(secret)));

  function direct(header: (name: string) => string | undefined, nowMs: number): string | null {
    const key = header('x-api-key');
    const authorization = header('authorization');
    const bearer = authorization === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    // Two different keys in one request are a mistake, or an attempt to pass one off as the other.
    if (key !== undefined && bearer !== undefined && key !== bearer) return null;
    const presented = key ?? bearer;
    return presented === undefined ? null : keys.find(presented, nowMs);
  }

  function throughGateway(header: (name: string) => string | undefined): boolean {
    const secret = header(proxySecretHeader);
    if (
      secret === undefined ||
      secret === '' ||
      secret.length > keyCharactersMaximum ||
      secrets.length === 0 ||
      gateway.host === null
    )
      return false;
    const digest = Buffer.from(digestOf(secret));
    let proven = false;
    for (const each of secrets) if (timingSafeEqual(each, digest)) proven = true;
    const buyerKey = header('x-marketplace-key') ?? '';
    const hostMatches = header('x-marketplace-host')?.toLowerCase() === gateway.host.toLowerCase();
    return proven && hostMatches && buyerKey !== '' && buyerKey.length <= keyCharactersMaximum;
  }

  return {
    direct,
    take: keys.take,
    any(header, nowMs) {
      // A request with a wrong direct key is refused, even if its gateway headers are right.
      if (header('x-api-key') !== undefined || header('authorization') !== undefined)
        return direct(header, nowMs);
      return throughGateway(header) ? 'gateway' : null;
    },
  };
}
