import { answer } from '../answers/answer.ts';
import { correctionsText } from '../contract/corrections.ts';
import type { Answer, PageEnd } from '../http/http-answer.ts';
import { probeAnswer } from '../answers/document-answers.ts';
import { isFresh, takesRanges, type AnswerPlan, type Endpoint } from '../contract/endpoints.ts';
import type { Query } from '../contract/parameters.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { admit, beginAnswer, callerOf, overLimit, requireKeyStill } from '../requests/caller.ts';
import type { Exchange, Reply } from '../http/exchange.ts';
import { failureReply } from '../http/failures.ts';
import { parseQuery } from '../query/target.ts';
import { preparePart } from '../http/range.ts';
import { freshCaching, prepare, publicCaching } from '../http/send.ts';
import type { Hold } from '../requests/held.ts';
import type { Services } from '../requests/services.ts';

/**
 * The reply to a keyed read from the response cache. Null if the cache does not have it, and for a request
 * without a valid key, which the route then refuses. It is asked before routing, which would make more objects,
 * and not for requests that prefer events.
 */
export function cachedReply(services: Services, exchange: Exchange): Reply | Promise<Reply> | null {
  if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return null;
  const known = services.responses.get(services.served.currentId(), exchange.target);
  if (!known) return null;
  const caller = (exchange.caller = callerOf(services, exchange));
  if (caller === null) return null;
  exchange.operation = known.operation ?? exchange.operation;
  const limited = overLimit(services, caller);
  return limited ? failureReply(exchange, limited) : prepare(exchange, known, services.keyed);
}

/**
 * The reply to an operation: checks the key, asks the response cache or makes the answer, chooses the encoded
 * variant. `pathParameter` reads parameters of the path. Throws `ApiError`.
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
  const { wait = 0, ...cacheable } = query;
  // The key in the response cache. Keyed operations refuse unknown parameters, so few targets ask for the
  // same; public operations ignore them. A request with `wait` must not be stored under its target:
  // `cachedReply` would find it there and not wait.
  const asked = isKeyed && wait === 0 ? exchange.target : `${endpoint.id} ${JSON.stringify(cacheable)}`;
  // Liveness does not depend on the snapshot.
  const look = () =>
    endpoint.answer.kind === 'live'
      ? Promise.resolve(probeAnswer)
      : services.served.use((snapshot) =>
          cachedAnswer(services, snapshot, { asked, endpoint, query, caller: exchange.caller }),
        );
  const found = wait === 0 ? await look() : await answerInTime(services, exchange, wait * 1000, look);
  const caching = isKeyed ? services.keyed : isFresh(endpoint.answer) ? freshCaching : publicCaching;
  return (
    (takesRanges(endpoint) ? preparePart(exchange, found, caching) : null) ??
    prepare(exchange, found, caching)
  );
}

/**
 * Makes the answer again after each publication until it is not empty or the time is over. Then the key is
 * checked again: it may have been revoked meanwhile.
 */
async function answerInTime(
  services: Services,
  exchange: Exchange,
  waitMs: number,
  look: () => Promise<Answer>,
): Promise<Answer> {
  const { held } = services;
  const untilMs = performance.now() + waitMs;
  let hold: Hold | null = null;
  try {
    for (;;) {
      const publication = held.publication();
      const found = await look();
      if (found.end?.isEmpty !== true) return found;
      hold ??= held.enter(exchange.holdable, exchange.caller);
      if (!(await hold.until(publication, untilMs - performance.now()))) return found;
      await requireKeyStill(services, exchange);
    }
  } finally {
    hold?.leave();
  }
}

/**
 * Answers that are not kept in the response cache. Health and statistics also depend on the clock,
 * description and reference are files that are cached anyway, and files of the change feed are long.
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

/** A query of an operation by a caller, null without a key. `asked` is its key in the response cache. */
interface AskedQuery {
  readonly asked: string;
  readonly endpoint: Endpoint;
  readonly query: Query;
  readonly caller: Exchange['caller'];
}

/** Answers a query from the response cache, or makes the answer and stores it there. */
async function cachedAnswer(
  services: Services,
  snapshot: Snapshot,
  { asked, endpoint, query, caller }: AskedQuery,
): Promise<Answer> {
  const { responses, now, turns } = services;
  const { id, answer: plan } = endpoint;
  const isCached = !uncachedKinds.includes(plan.kind);
  const known = isCached ? responses.get(snapshot.id, asked) : undefined;
  if (known) return known;
  await beginAnswer(services, caller);
  const made = await answer(snapshot, plan, query, now(), turns.pause);
  if (!isCached) return made;
  const link = nextLink(endpoint, query, made.end);
  const headers = link === null ? made.headers : { ...made.headers, Link: link };
  return responses.keep(snapshot.id, asked, { ...made, operation: id, ...(headers ? { headers } : {}) });
}

/** The longest `Link` that is sent, in characters: proxies refuse answers with some thousand bytes of headers. */
const linkCharactersMaximum = 3000;

/**
 * The header `Link` that leads to the next page (RFC 8288): the same request with the cursor. `wait` is left
 * out, because there are rows already. Null if there is no next page now, and if the header would be too long;
 * the body has the cursor in any case.
 */
function nextLink({ path, parameters }: Endpoint, query: Query, end: PageEnd | undefined): string | null {
  if (end === undefined || end.isWhole || end.cursor === null) return null;
  const { cursor } = end;
  // No corrections are an empty list in the query, which has a word of its own in a request.
  const following = { ...query, cursor, corrections: correctionsText(query.corrections) ?? undefined };
  let target = path;
  const next: string[] = [];
  for (const { parameter } of parameters) {
    const value = following[parameter.name];
    if (value === undefined || parameter.name === 'wait') continue;
    const text = encodeURIComponent(String(value)).replaceAll('%2C', ',');
    if (parameter.in === 'path') target = target.replace(`{${parameter.name}}`, text);
    else next.push(`${parameter.name}=${text}`);
  }
  const link = `<${target}?${next.join('&')}>; rel="next"`;
  return link.length > linkCharactersMaximum ? null : link;
}
