import { LRUCache } from 'lru-cache';
import type { CryptoKey, JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import { ApiError } from '../contract/errors.ts';
import { resourcePaths } from '../contract/tools.ts';
import { isObject } from '../domain/scalars.ts';
import { minuteMs } from '../time/units.ts';
import { createBuyers } from './buyers.ts';
import { digestOf } from './digest.ts';
import { createIssuer } from './issuer.ts';
import type { CallerLimits } from './limit.ts';

/** The callers of requests with a token: `oauth:<name>`. */
export const tokenCaller = 'oauth';

/** Whose tokens count, and for whom they must be made. */
export interface TokenRules {
  /** The issuer, exactly as tokens and its metadata name it. */
  readonly issuer: string;
  /** The audience of tokens; null for the addresses of this service. */
  readonly audience: string | null;
  /** How many requests a caller of each plan may make in any minute; see `Gateway`. */
  readonly perMinute: ReadonlyMap<string, number>;
}

/** Checks the tokens of an issuer: JWTs that name this service as their audience (RFC 9068, RFC 8725). */
export interface Tokens extends CallerLimits {
  /** Whose tokens count. */
  readonly issuer: string;
  /**
   * Looks at a credential that a request brought, before anything else is done for the request. Null if nothing has
   * to be waited for; else the promise resolves when `find` knows the token. It never rejects.
   */
  arrive(credential: string | undefined): Promise<void> | null;
  /**
   * The caller of a token that arrived; null if it is none, or is not valid at `nowMs`. Throws `overloaded` if the
   * keys of the issuer could never be read, so that nobody knows.
   */
  find(token: string, nowMs: number): string | null;
  /** Reads the keys of the issuer again if they are old. Never rejects. */
  check(): Promise<void>;
}

/** A token that was verified. */
interface Verified {
  readonly name: string;
  readonly plan: string | undefined;
  readonly expiresAtMs: number;
}

/** Signatures with a public key. Neither `none` nor a secret that both sides have (HMAC) proves who made a token. */
export const signatureAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** A compact JWS of some use: longer ones are refused before they are decoded. */
const tokenPattern = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const tokenCharactersMaximum = 8192;
/** The longest name of a caller that a token may give. */
const nameCharactersMaximum = 256;
/** How far the clocks of issuer and service may differ, in seconds. */
const skewSeconds = 30;
/** Verified tokens that are kept. A token that was forgotten is verified again. */
const verifiedMaximum = 20_000;
/** Keys are read again when they are older than this, and for a token that none of them fits, in milliseconds. */
const [oldAfterMs, againAfterMs] = [10 * minuteMs, minuteMs / 2];
/** How long nobody asks an issuer again whose keys could not be read, in milliseconds. */
const retryAfterMs = 5000;

/**
 * Makes the check of tokens. `address` is that of this service, null while it is not known; `nowMs` is in milliseconds since
 * 1970.
 */
export function createTokens(
  rules: TokenRules,
  {
    address,
    now,
    elapsed,
    log,
  }: {
    readonly address: () => string | null;
    readonly now: () => number;
    readonly elapsed: () => number;
    readonly log: (event: string, details: Record<string, unknown>) => void;
  },
): Tokens {
  const issuer = createIssuer(rules.issuer, elapsed, log);
  const holders = createBuyers(rules.perMinute, tokenCaller);
  const verified = new LRUCache<string, Verified>({ max: verifiedMaximum });

  async function readKeys(): Promise<void> {
    const before = issuer.keys()?.text;
    await issuer.read();
    // The issuer may have taken back a key, so all tokens have to prove themselves again.
    if (before !== issuer.keys()?.text) verified.clear();
  }

  function audiences(): string[] {
    const own = address();
    if (rules.audience !== null) return [rules.audience];
    return own === null ? [] : resourcePaths.map((path) => `${own}${path}`);
  }

  async function verify(token: string): Promise<void> {
    if (!isOfIssuer(token, rules.issuer)) return;
    if (issuer.keys() === null && issuer.readAgoMs() >= retryAfterMs) await readKeys();
    let checked = await check(token);
    if (checked === 'unknown_key' && issuer.readAgoMs() >= againAfterMs) {
      // Its key may have been published since.
      await readKeys();
      checked = await check(token);
    }
    if (checked !== null && checked !== 'unknown_key') verified.set(digestOf(token), checked);
  }

  /** Checks a token with the keys that are known; null if it is not valid. */
  async function check(token: string): Promise<Verified | 'unknown_key' | null> {
    const keys = issuer.keys();
    if (keys === null) return null;
    const payload = await payloadOf(token, keys.find, {
      issuer: rules.issuer,
      audience: audiences(),
      algorithms: signatureAlgorithms,
      requiredClaims: ['exp'],
      clockTolerance: skewSeconds,
      currentDate: new Date(now()),
    });
    // Others were read meanwhile.
    if (keys !== issuer.keys()) return check(token);
    if (payload === null || payload === 'unknown_key') return payload;
    const name = [payload.sub, payload['client_id']].find(isName);
    const { plan } = payload;
    return name === undefined
      ? null
      : {
          name,
          plan: typeof plan === 'string' ? plan : undefined,
          expiresAtMs: ((payload.exp as number) + skewSeconds) * 1000,
        };
  }

  return {
    issuer: rules.issuer,
    take: holders.take,
    standing: holders.standing,
    arrive(credential) {
      const token = tokenIn(credential);
      return token === null || verified.has(digestOf(token)) ? null : verify(token);
    },
    find(token, nowMs) {
      if (tokenIn(token) === null) return null;
      const known = verified.get(digestOf(token));
      if (known === undefined && issuer.keys() === null && isOfIssuer(token, rules.issuer))
        throw new ApiError(
          'overloaded',
          'The keys of the issuer of tokens cannot be read at the moment, so no token can be checked; try again in a few seconds.',
          { 'Retry-After': String(retryAfterMs / 1000) },
        );
      if (known === undefined || nowMs >= known.expiresAtMs) return null;
      return holders.callerOf(known.name, known.plan);
    },
    async check() {
      if (issuer.readAgoMs() >= (issuer.keys() === null ? retryAfterMs : oldAfterMs)) await readKeys();
    },
  };
}

/** A credential that may be a token; null for any other. */
function tokenIn(credential: string | undefined): string | null {
  return credential !== undefined &&
    credential.length <= tokenCharactersMaximum &&
    tokenPattern.test(credential)
    ? credential
    : null;
}

/** A name of a caller that a token may give. */
function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= nameCharactersMaximum;
}

/**
 * Whether a token says that it is of an issuer, by a signature that counts. Whoever makes up other tokens does not make
 * this service ask the issuer for keys.
 */
function isOfIssuer(token: string, issuer: string): boolean {
  try {
    const [header, payload] = token
      .split('.', 2)
      .map((part): unknown => JSON.parse(Buffer.from(part, 'base64url').toString()));
    if (!isObject(header) || !isObject(payload)) return false;
    return signatureAlgorithms.includes(String(header['alg'])) && payload['iss'] === issuer;
  } catch {
    return false;
  }
}

/**
 * The payload of a token that has a good signature and claims; null of any other. A token that names no key counts if one of
 * several keys fits.
 */
async function payloadOf(
  token: string,
  find: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTPayload | 'unknown_key' | null> {
  const { jwtVerify, errors } = await import('jose');
  try {
    return (await jwtVerify(token, find, options)).payload;
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return 'unknown_key';
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return null;
    for await (const key of error as AsyncIterable<CryptoKey>) {
      const verified = await jwtVerify(token, key, options).catch(() => null);
      if (verified) return verified.payload;
    }
    return 'unknown_key';
  }
}
