import { answer } from '../answers/answer.ts';
import type { Answer } from '../http/answer.ts';
import { probeAnswer } from '../answers/documents.ts';
import type { AnswerPlan, Endpoint } from '../contract/endpoints.ts';
import type { Query } from '../contract/parameters.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { admit, callerOf, overLimit, requireKey } from '../requests/caller.ts';
import type { Exchange, Reply } from '../http/exchange.ts';
import { failureReply } from '../http/failures.ts';
import { parseQuery } from '../query/target.ts';
import { preparePart } from '../http/range.ts';
import { prepare } from '../http/send.ts';
import type { Services } from '../requests/services.ts';

/**
 * The reply to a keyed read that was answered lately: key, response cache, encoded variant. Null for
 * everything else, also for a request without a key: its route says what is wrong. The server asks here
 * before it makes the objects that routing needs.
 */
export function knownReply(services: Services, exchange: Exchange): Reply | Promise<Reply> | null {
  if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return null;
  const known = services.responses.get(services.follower.currentId(), exchange.target);
  if (!known) return null;
  const caller = (exchange.caller = callerOf(services, exchange));
  if (caller === null) return null;
  exchange.operation = known.operation ?? exchange.operation;
  const limited = overLimit(services, caller);
  return limited ? failureReply(exchange, limited) : prepare(exchange, known, 'keyed');
}

/**
 * The reply to an operation: key, response cache, answer, encoded variant. `pathParameter` finds parameters
 * in the path. Throws `ApiError`.
 */
export async function operationReply(
  services: Services,
  endpoint: Endpoint,
  exchange: Exchange,
  pathParameter: (name: string) => string | undefined,
): Promise<Reply> {
  const isKeyed = endpoint.access === 'keyed';
  if (isKeyed) admit(services, exchange);
  const query = parseQuery(endpoint, exchange.target, pathParameter);
  const { wait = 0, ...lasting } = query;
  // Keyed operations refuse what they do not know, so few targets ask for the same; public ones ignore it.
  // What is held is not kept under its target, under which it would be found and sent at once.
  const asked = isKeyed && wait === 0 ? exchange.target : `${endpoint.id} ${JSON.stringify(lasting)}`;
  // That the process works does not depend on what it serves.
  const look = () =>
    endpoint.answer.kind === 'live'
      ? Promise.resolve(probeAnswer)
      : services.follower.use((snapshot) => cachedAnswer(services, snapshot, asked, endpoint, query));
  const found = wait === 0 ? await look() : await answerInTime(services, exchange, wait * 1000, look);
  const caching = isKeyed ? 'keyed' : freshKinds.includes(endpoint.answer.kind) ? 'fresh' : 'public';
  return (
    (endpoint.fileType === undefined ? null : preparePart(exchange, found, caching)) ??
    prepare(exchange, found, caching)
  );
}

/** Answers that nobody keeps: they are about this process and this moment. */
const freshKinds: readonly AnswerPlan['kind'][] = ['live', 'ready', 'health'];

/**
 * An answer that is made anew after each publication as long as it is empty and its time is not over. The key
 * is checked again then: it may have been revoked meanwhile.
 */
async function answerInTime(
  services: Services,
  exchange: Exchange,
  waitMs: number,
  look: () => Promise<Answer>,
): Promise<Answer> {
  const { held } = services;
  const untilMs = performance.now() + waitMs;
  for (;;) {
    const publication = held.publication();
    const found = await look();
    if (
      found.isEmpty !== true ||
      !(await held.until(publication, untilMs - performance.now(), exchange.holdable))
    )
      return found;
    requireKey(services, exchange);
  }
}

/**
 * Answers that are not kept: health and statistics also follow from the clock, the description and the
 * reference are files that are kept anyway, and files of the change feed are long.
 */
const uncachedKinds: readonly AnswerPlan['kind'][] = [
  'live',
  'ready',
  'health',
  'stats',
  'openapi',
  'reference',
  'bulkFile',
];

/** The answer to a query from the response cache, or made now and kept there under `asked`. */
async function cachedAnswer(
  { responses, now }: Services,
  snapshot: Snapshot,
  asked: string,
  { id, answer: plan }: Endpoint,
  query: Query,
): Promise<Answer> {
  if (uncachedKinds.includes(plan.kind)) return answer(snapshot, plan, query, now());
  return (
    responses.get(snapshot.id, asked) ??
    responses.keep(snapshot.id, asked, { ...(await answer(snapshot, plan, query, now())), operation: id })
  );
}
