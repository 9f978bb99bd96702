import { ApiError, usualMessages } from '../contract/errors.ts';
import { proxySecretHeader } from '../keys/authenticator.ts';
import { headerOf, type Exchange } from '../http/exchange.ts';
import type { Services } from './services.ts';

/**
 * For how long a connection is believed to have the key that it showed. The keys file is looked at as often.
 */
const believedMs = 1000;
const believed = new WeakMap<
  object,
  { readonly key: string; readonly caller: string; readonly sinceMs: number }
>();

/**
 * Who a request comes from; null for nobody. A client that keeps its connection and shows the same key again
 * is not asked for its digest each time: that is a tenth of what a 304 costs.
 */
export function callerOf({ authenticator, now }: Services, exchange: Exchange): string | null {
  const nowMs = now();
  const { headers, connection } = exchange;
  const key = headers['x-api-key'];
  const isPlain = connection !== null && typeof key === 'string' && headers['authorization'] === undefined;
  const known = isPlain ? believed.get(connection) : undefined;
  if (known !== undefined && known.key === key && nowMs - known.sinceMs < believedMs) return known.caller;
  const caller = authenticator.any((name) => headerOf(exchange, name), nowMs);
  if (isPlain && caller !== null) believed.set(connection, { key, caller, sinceMs: nowMs });
  return caller;
}

/** Throws `unauthorized` for a request without a key that counts. */
export function requireKey(services: Services, exchange: Exchange): void {
  exchange.caller = callerOf(services, exchange);
  if (exchange.caller !== null) return;
  countRefused(services, exchange);
  throw new ApiError('unauthorized', usualMessages.unauthorized);
}

/**
 * The same, and counts the request: throws `rate_limited` where its key has made its requests of the minute.
 */
export function admit(services: Services, exchange: Exchange): void {
  requireKey(services, exchange);
  const limited = overLimit(services, exchange.caller as string);
  if (limited) throw limited;
}

/** Who a call of a tool or a skill comes from: the direct key alone opens them. Null for nobody. */
export function directCaller(services: Services, exchange: Exchange): string | null {
  exchange.caller = services.authenticator.direct((name) => headerOf(exchange, name), services.now());
  if (exchange.caller === null) countRefused(services, exchange);
  return exchange.caller;
}

/**
 * Counts requests of a caller. Where its key has a limit that they exceed, they are not counted, and the
 * error says when to come again.
 */
export function overLimit(
  { authenticator, counts, now }: Services,
  caller: string,
  requests = 1,
): ApiError | null {
  const limited = authenticator.take(caller, requests, now());
  if (limited === null) return null;
  counts.keysRefused.limit++;
  const { perMinute, waitSeconds } = limited;
  return new ApiError(
    'rate_limited',
    `This key may make ${perMinute} requests a minute; try again in ${waitSeconds} seconds.`,
    { 'Retry-After': String(waitSeconds) },
  );
}

const credentials = ['x-api-key', 'authorization', proxySecretHeader] as const;

function countRefused({ counts }: Services, { headers }: Exchange): void {
  counts.keysRefused[credentials.some((name) => headers[name] !== undefined) ? 'wrong' : 'missing']++;
}
