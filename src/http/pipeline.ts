import { answer } from '../answers/answer.ts';
import type { Answer } from '../answers/body.ts';
import type { AnswerPlan, Endpoint } from '../contract/endpoints.ts';
import { ApiError } from '../contract/errors.ts';
import type { Query } from '../contract/parameters.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { headerOf, type Exchange, type Reply } from './exchange.ts';
import { parseQuery } from './query.ts';
import { preparePart } from './range.ts';
import { prepare } from './send.ts';
import type { Services } from './services.ts';

/** For how long a connection is believed to have the key that it showed. The keys file is looked at as often. */
const believedMs = 1000;
const believed = new WeakMap<object, { readonly key: string; readonly caller: string; readonly sinceMs: number }>();

/**
 * Who a request comes from; null for nobody. A client that keeps its connection and shows the same key again is not asked for
 * its digest each time: that is a tenth of what a 304 costs.
 */
function callerOf({ authenticator, now }: Services, exchange: Exchange): string | null {
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
  if (exchange.caller === null) throw new ApiError('unauthorized', 'Invalid or missing API key');
}

/**
 * The reply to a keyed read that was answered lately: key, response cache, encoded variant. Null for everything else, also for
 * a request without a key: its route says what is wrong. The server asks here before it makes the objects that routing needs.
 */
export function knownReply(services: Services, exchange: Exchange): Reply | Promise<Reply> | null {
  if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return null;
  const known = services.responses.get(services.follower.currentId(), exchange.target);
  if (!known) return null;
  exchange.caller = callerOf(services, exchange);
  return exchange.caller === null ? null : prepare(exchange, known, 'keyed');
}

/**
 * The reply to an operation: key, response cache, answer, encoded variant. `pathParameter` finds parameters in the path.
 * Throws `ApiError`.
 */
export async function operationReply(services: Services, endpoint: Endpoint, exchange: Exchange, pathParameter: (name: string) => string | undefined): Promise<Reply> {
  const isKeyed = endpoint.access === 'keyed';
  if (isKeyed) requireKey(services, exchange);
  const query = parseQuery(endpoint, exchange.target, pathParameter);
  const { wait = 0, ...lasting } = query;
  // Keyed operations refuse what they do not know, so few targets ask for the same; public ones ignore it. What is held is not
  // kept under its target, under which it would be found and sent at once.
  const asked = isKeyed && wait === 0 ? exchange.target : `${endpoint.id} ${JSON.stringify(lasting)}`;
  const look = () => services.follower.use((snapshot) => cachedAnswer(services, snapshot, asked, endpoint.answer, query));
  const found = wait === 0 ? await look() : await answerInTime(services, exchange, wait * 1000, look);
  const caching = isKeyed ? 'keyed' : endpoint.answer.kind === 'health' ? 'fresh' : 'public';
  return (endpoint.fileType === undefined ? null : preparePart(exchange, found, caching)) ?? prepare(exchange, found, caching);
}

/**
 * An answer that is made anew after each publication as long as it is empty and its time is not over. The key is checked again
 * then: it may have been revoked meanwhile.
 */
async function answerInTime(services: Services, exchange: Exchange, waitMs: number, look: () => Promise<Answer>): Promise<Answer> {
  const { held } = services;
  const untilMs = performance.now() + waitMs;
  for (;;) {
    const publication = held.publication();
    const found = await look();
    if (found.isEmpty !== true || !(await held.until(publication, untilMs - performance.now(), exchange.holdable))) return found;
    requireKey(services, exchange);
  }
}

/** Answers that are not kept: health and statistics also follow from the clock, the description and the reference are files that are kept anyway, and files of the change feed are long. */
const uncachedKinds: readonly AnswerPlan['kind'][] = ['health', 'stats', 'openapi', 'reference', 'bulkFile'];

/** The answer to a query from the response cache, or made now and kept there under `asked`. */
export async function cachedAnswer({ responses, now }: Services, snapshot: Snapshot, asked: string, plan: AnswerPlan, query: Query): Promise<Answer> {
  if (uncachedKinds.includes(plan.kind)) return answer(snapshot, plan, query, now());
  return responses.get(snapshot.id, asked) ?? responses.keep(snapshot.id, asked, await answer(snapshot, plan, query, now()));
}
