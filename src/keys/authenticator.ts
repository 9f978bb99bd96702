import { timingSafeEqual } from 'node:crypto';
import { digestOf, keyCharactersMaximum } from './digest.ts';
import type { KeyRing } from './ring.ts';

/**
 * How the marketplace gateway proves that a request came through it. Without a secret nothing proves that.
 */
export interface Gateway {
  /** The gateway's host for this service; null if none is configured. */
  readonly host: string | null;
  readonly secrets: readonly string[];
}

/** The header that carries the gateway's proof. Buyers never see it. */
export const proxySecretHeader = 'x-marketplace-proxy-secret';

/** Says who a request comes from: the id of a key, `gateway`, or null for nobody. */
export interface Authenticator {
  /** A direct key, or the proof of the gateway. */
  any(header: (name: string) => string | undefined, nowMs: number): string | null;
  /** The direct key alone. */
  direct(header: (name: string) => string | undefined, nowMs: number): string | null;
  /** Counts requests of a caller that was found, or says why they exceed the limit of its key. */
  take: KeyRing['take'];
}

/** Makes the authenticator of a service. Secrets and keys are compared as digests, in constant time. */
export function createAuthenticator(keys: Pick<KeyRing, 'find' | 'take'>, gateway: Gateway): Authenticator {
  const secrets = gateway.secrets.map((secret) => Buffer.from(digestOf(secret)));

  function direct(header: (name: string) => string | undefined, nowMs: number): string | null {
    const key = header('x-api-key');
    const authorization = header('authorization');
    const bearer = authorization === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    // Two different keys in one request are a mistake or an attempt to pass one off as the other.
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
      // A direct credential that is wrong is not rescued by gateway headers beside it.
      if (header('x-api-key') !== undefined || header('authorization') !== undefined)
        return direct(header, nowMs);
      return throughGateway(header) ? 'gateway' : null;
    },
  };
}
