import { ApiError, usualMessages } from '../contract/errors.ts';
import { keyHeaderNames } from '../contract/gateway.ts';
import { metadataPathOf, resourcePaths } from '../contract/tools.ts';
import { productName } from '../contract/product.ts';
import { headerOf, pathOf, type Exchange } from '../http/exchange.ts';
import type { Services } from './services.ts';

/**
 * How long, in milliseconds, a connection is trusted to have the key that it sent. The keys file is checked
 * for changes equally often.
 */
const trustedForMs = 1000;
const trustedConnections = new WeakMap<
  object,
  { readonly key: string; readonly caller: string; readonly sinceMs: number }
>();

/**
 * The caller of a request; null without a valid key. A client that keeps its connection and sends the same
 * key again is trusted for `trustedForMs`: computing the digest of its key each time would take a tenth of
 * the cost of a 304.
 */
export function callerOf({ authenticator, expiryNow, elapsed }: Services, exchange: Exchange): string | null {
  const elapsedMs = elapsed();
  const { headers, connection } = exchange;
  const key = headers['x-api-key'];
  const isPlain = connection !== null && typeof key === 'string' && headers['authorization'] === undefined;
  const known = isPlain ? trustedConnections.get(connection) : undefined;
  if (known !== undefined && known.key === key && elapsedMs - known.sinceMs < trustedForMs)
    return known.caller;
  const caller = authenticator.any((name) => headerOf(exchange, name), expiryNow());
  if (isPlain && caller !== null) trustedConnections.set(connection, { key, caller, sinceMs: elapsedMs });
  return caller;
}

/**
 * The header that tells a client how to send a key. If it sent one, that one is not valid, and the header
 * says so (RFC 6750, section 3). `sentIn` are the headers in which a key may have come. Where tokens are taken, it names
 * the address where a client finds out who issues them (RFC 9728, section 5.1).
 */
export function challengeFor(
  { address, tokens }: Pick<Services, 'address' | 'tokens'>,
  { headers, target }: Exchange,
  sentIn: readonly string[] = ['x-api-key', 'authorization'],
): { 'WWW-Authenticate': string } {
  const own = address();
  const isWrong = sentIn.some((name) => headers[name] !== undefined);
  const resource = resourcePaths.find((each) => each === pathOf(target)) ?? '';
  return {
    'WWW-Authenticate': [
      `Bearer realm="${productName}"`,
      ...(isWrong ? ['error="invalid_token"'] : []),
      ...(tokens === null || own === null ? [] : [`resource_metadata="${own}${metadataPathOf(resource)}"`]),
    ].join(', '),
  };
}

/** Sets the caller of a request. Throws `unauthorized` without a valid key. */
export function requireKey(services: Services, exchange: Exchange): void {
  exchange.caller = callerOf(services, exchange);
  if (exchange.caller !== null) return;
  const { gateway } = services;
  countRefused(services, exchange);
  throw new ApiError('unauthorized', usualMessages.unauthorized, {
    ...challengeFor(services, exchange, credentialsOf(services)),
    Vary: keyHeaderNames(gateway),
  });
}

/**
 * Requires that the key of a request that was let in is still valid. A token proves itself again where its issuer has
 * published other keys since. Rejects with `unauthorized`.
 */
export async function requireKeyStill(services: Services, exchange: Exchange): Promise<void> {
  await services.authenticator.arrive((name) => headerOf(exchange, name));
  requireKey(services, exchange);
}

/**
 * Requires a key, and counts the request. Throws `rate_limited` if the key has used up its requests of the
 * minute.
 */
export function admit(services: Services, exchange: Exchange): void {
  requireKey(services, exchange);
  const limited = overLimit(services, exchange.caller as string);
  if (limited) throw limited;
}

/**
 * Waits until the work for an answer to a caller may begin. Rejects with `overloaded` if the caller's answers
 * that are not sent yet take as many bytes as are left for all. Answers for which nobody needs a key are
 * small and wait for nothing.
 */
export async function beginAnswer({ turns, unsent }: Services, caller: string | null): Promise<void> {
  if (caller === null) return;
  await turns.begin(caller);
  if (!unsent.hasRoom(caller))
    throw new ApiError(
      'overloaded',
      'Too many bytes of answers wait to be sent; read them, and try again in a second.',
    );
}

/**
 * The caller of a tool or skill; null without a valid direct key. The gateway's headers are not accepted
 * here.
 */
export function directCaller(services: Services, exchange: Exchange): string | null {
  exchange.caller = services.authenticator.direct((name) => headerOf(exchange, name), services.expiryNow());
  if (exchange.caller === null) countRefused(services, exchange);
  return exchange.caller;
}

/**
 * Counts a request of a caller. If it exceeds the limit of the key, it is not counted, and the error that is
 * returned says when to try again.
 */
export function overLimit({ authenticator, counts, elapsed }: Services, caller: string): ApiError | null {
  const limited = authenticator.take(caller, 1, elapsed);
  if (limited === null) return null;
  counts.keysRefused.limit++;
  const { perMinute, waitSeconds } = limited;
  return new ApiError(
    'rate_limited',
    `This key may make ${perMinute} requests a minute; try again in ${waitSeconds} seconds.`,
    { 'Retry-After': String(waitSeconds) },
  );
}

/** The headers in which a request may have brought a key or the gateway's secret. */
function credentialsOf({ gateway }: Pick<Services, 'gateway'>): string[] {
  return ['x-api-key', 'authorization', gateway.proxySecret];
}

function countRefused(services: Services, { headers }: Exchange): void {
  const isWrong = credentialsOf(services).some((name) => headers[name] !== undefined);
  services.counts.keysRefused[isWrong ? 'wrong' : 'missing']++;
}
