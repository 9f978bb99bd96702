import { skills } from '../contract/agent.ts';
import { endpoints, isOfData } from '../contract/endpoints.ts';
import { protocolOperations, tools } from '../contract/tools.ts';
import { announcements } from '../contract/versions.ts';
import type { Exchange, Reply } from '../http/exchange.ts';
import { requestIdOf } from '../http/failures.ts';
import type { Services } from './services.ts';

/** The operations, tools, skills and methods that answer with data: their answers say how fresh it is. */
const dataOperations: ReadonlySet<string> = new Set([
  ...endpoints.filter(isOfData).map(({ id }) => id),
  ...tools.map(({ name }) => name),
  ...skills.map(({ id }) => id),
  protocolOperations.read,
  protocolOperations.prompt,
]);

const announcedNow = announcements();

/** The name of the one limit that a key or buyer has, in the headers. */
const limitName = 'per-minute';

/**
 * Adds what every answer has, whoever made it: the id of the request, what is left of the limit of its caller
 * (draft-ietf-httpapi-ratelimit-headers-11), how fresh the data is, and what is deprecated in its operation
 * (`announced`). It is added last, because cached answers do not have it: bodies and ETags stay as they are.
 */
export function complete<Sent extends Pick<Reply, 'status' | 'headers'>>(
  {
    authenticator,
    elapsed,
    served,
    now,
  }: Pick<Services, 'authenticator' | 'elapsed' | 'now'> & {
    readonly served: Pick<Services['served'], 'coverage'>;
  },
  exchange: Exchange,
  reply: Sent,
  announced: ReturnType<typeof announcements> = announcedNow,
): Sent {
  const { headers } = reply;
  headers['X-Request-Id'] = requestIdOf(exchange);
  const standing = exchange.caller === null ? null : authenticator.standing(exchange.caller, elapsed);
  if (standing !== null) {
    const { perMinute, requests, moreInSeconds } = standing;
    headers['RateLimit-Policy'] = `"${limitName}";q=${perMinute};w=60`;
    headers['RateLimit'] = `"${limitName}";r=${requests};t=${moreInSeconds}`;
  }
  const coverage =
    reply.status < 400 && dataOperations.has(exchange.operation) ? served.coverage(now()) : null;
  if (coverage !== null) {
    headers['Data-Fetched-At'] = coverage.fetchedAt;
    headers['Data-Stale'] = String(coverage.isStale);
  }
  const announcement = announced.get(exchange.operation);
  if (announcement) {
    const { Link, ...dates } = announcement;
    const links = [headers['Link'], Link].filter((each) => each !== undefined);
    Object.assign(headers, dates, { Link: links.join(', ') });
  }
  return reply;
}
