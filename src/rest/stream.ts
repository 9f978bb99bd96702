import { eventsAnswer, type StreamPlan } from '../answers/answer.ts';
import { isStreamed, type Endpoint } from '../contract/endpoints.ts';
import { ApiError } from '../contract/errors.ts';
import { eventStreamType, type Query } from '../contract/parameters.ts';
import type { PageEnd } from '../http/http-answer.ts';
import { headerOf, type Exchange, type Reply, type StreamReply } from '../http/exchange.ts';
import { commonHeaders } from '../http/send.ts';
import { parseQuery } from '../query/target.ts';
import { admit, beginAnswer, requireKeyStill } from '../requests/caller.ts';
import type { Hold } from '../requests/held.ts';
import type { Services } from '../requests/services.ts';
import { operationReply } from './operations.ts';

/** How often a stream that has nothing to tell sends a comment, so that proxies keep it open. */
const commentEveryMs = 15_000;
const comment = Buffer.from(':\n\n');
/** How long a client whose stream ended waits before it asks again. */
const retryMs = 2000;
/** The header in which a client says which event it had last. It wins over the parameter `cursor`. */
const lastEventId = 'last-event-id';

/**
 * Replies to an operation: with a stream of changes if the request prefers events and the operation has them,
 * else with its answer. A HEAD request gets what the stream begins with, and no stream. Throws `ApiError`.
 */
export async function streamOrReply(
  services: Services,
  endpoint: Endpoint,
  exchange: Exchange,
  {
    parameter,
    wantsEvents,
  }: { readonly parameter: (name: string) => string | undefined; readonly wantsEvents: boolean },
): Promise<Reply | StreamReply> {
  if (!wantsEvents || !isStreamed(endpoint)) return operationReply(services, endpoint, exchange, parameter);
  return exchange.method === 'HEAD'
    ? { status: 200, headers: (await beginStream(services, endpoint, exchange)).headers, body: null }
    : streamReply(services, endpoint, exchange);
}

/** A page of a stream, and how many publications there had been before it was read. */
interface Page {
  /** Null when they are sent: a stream that waits holds as little as it can. */
  bytes: Buffer | null;
  readonly cursor: string;
  readonly isWhole: boolean;
  readonly publication: number;
}

/** The beginning of a stream: its headers, what its client asked for, and its first page. */
interface Beginning {
  readonly headers: Record<string, string>;
  readonly plan: StreamPlan;
  readonly query: Query;
  readonly first: Page;
}

/** Checks the key and the parameters of a stream, and reads its first page. Throws `ApiError` as a poll does. */
async function beginStream(services: Services, endpoint: Endpoint, exchange: Exchange): Promise<Beginning> {
  admit(services, exchange);
  // Their paths have no parameters.
  const query = parseQuery(endpoint, exchange.target, () => undefined);
  const plan = endpoint.answer as StreamPlan;
  for (const name of ['limit', 'wait'] as const)
    if (query[name] !== undefined)
      throw new ApiError('invalid_parameter', `${name}: is no parameter of a stream; leave it out`);
  const from = headerOf(exchange, lastEventId);
  const asked = from ? { ...query, cursor: from } : query;
  const first = await readPage(services, plan, asked, exchange).catch((error: unknown) => {
    if (!from || !(error instanceof ApiError)) throw error;
    throw new ApiError(error.code, error.message.replace(/^cursor:/, 'Last-Event-ID:'), error.headers);
  });
  const headers = {
    ...commonHeaders,
    'Content-Type': `${eventStreamType}; charset=utf-8`,
    'Cache-Control': 'no-store',
    // Proxies would hold back a few bytes until there are more.
    'X-Accel-Buffering': 'no',
    Vary: services.keyed.Vary,
  };
  return { headers, plan, query: asked, first };
}

/**
 * Replies with a stream of changes: those that there are behind the cursor, then each new one when it is
 * published. It ends when the key is revoked or has used up its share of bytes that are not sent, and when the service stops; the
 * client goes on with the id of its last event. Throws `ApiError` as a poll does.
 */
export async function streamReply(
  services: Services,
  endpoint: Endpoint,
  exchange: Exchange,
): Promise<StreamReply> {
  const { headers, plan, query, first } = await beginStream(services, endpoint, exchange);
  const hold = services.held.enter(exchange.holdable, exchange.caller);
  return {
    status: 200,
    headers,
    body: eventsAfter(services, { plan, query, exchange, hold }, first),
    end: hold.leave,
  };
}

/** Reads the next page of a stream. Streams that are at the same place share it in the response cache. */
async function readPage(
  services: Services,
  plan: StreamPlan,
  query: Query,
  exchange: Exchange,
): Promise<Page> {
  const { held, served, responses } = services;
  const publication = held.publication();
  const found = await served.use(async (snapshot) => {
    const asked = `events ${plan.kind} ${JSON.stringify(query)}`;
    const known = responses.get(snapshot.id, asked);
    if (known) return known;
    await beginAnswer(services, exchange.caller);
    return responses.keep(snapshot.id, asked, await eventsAnswer(snapshot, plan, query));
  });
  const { isWhole, cursor } = found.end as PageEnd;
  return { bytes: found.body(), cursor: cursor ?? '', isWhole, publication };
}

/** A stream that was begun: what its client asked for, and the hold that keeps it open. */
interface Stream {
  readonly plan: StreamPlan;
  readonly query: Query;
  readonly exchange: Exchange;
  readonly hold: Hold;
}

/**
 * Yields the bytes of a stream: whoever takes them asks for the next ones when they are sent. Wherever it
 * waits, it yields a comment every `commentEveryMs`.
 */
async function* eventsAfter(
  services: Services,
  { plan, query, exchange, hold }: Stream,
  page: Page,
): AsyncGenerator<Buffer> {
  const { elapsed } = services;
  let told = query.cursor;
  yield Buffer.from(`retry: ${retryMs}\n\n`);
  // Publications that have nothing for this stream do not put the next comment off.
  let saidMs = elapsed();
  const quietMs = () => Math.max(0, saidMs + commentEveryMs - elapsed());
  try {
    for (;;) {
      const { cursor, isWhole, publication } = page;
      if (page.bytes !== null && page.bytes.length > 0) {
        // Clients that read nothing must not take the room of others. Who is cut off goes on with the last id.
        if (!services.unsent.hasRoom(exchange.caller)) return;
        const sent = services.unsent.add(exchange.caller, page.bytes.length);
        try {
          yield page.bytes;
        } finally {
          sent();
        }
        // The last event may be far behind the place to which the page reads.
        told = undefined;
        saidMs = elapsed();
      }
      page.bytes = null;
      for (;;) {
        // A page that is not whole has another one behind it, for which the limit of the key counts.
        const waitMs = isWhole ? commentEveryMs : untilAllowedMs(services, exchange);
        if (waitMs === 0) break;
        const since = isWhole ? publication : services.held.publication();
        const isPublished = await hold.until(since, Math.min(waitMs, quietMs()));
        if (isPublished && isWhole) break;
        if (hold.isOver()) return;
        await requireKeyStill(services, exchange);
        if (quietMs() > 0) continue;
        // An id without data moves the place from which the client goes on, and gives it no event.
        yield isWhole && told !== cursor ? Buffer.from(`id: ${cursor}\n\n`) : comment;
        if (isWhole) told = cursor;
        saidMs = elapsed();
      }
      if (hold.isOver()) return;
      await requireKeyStill(services, exchange);
      const reading = readPage(services, plan, { ...query, cursor }, exchange);
      while (!(await isDoneWithin(reading, quietMs()))) {
        if (hold.isOver()) return;
        yield comment;
        saidMs = elapsed();
      }
      page = await reading;
    }
  } catch (error) {
    // The client asks again, and is told then what is wrong.
    if (!(error instanceof ApiError)) throw error;
  } finally {
    hold.leave();
  }
}

/**
 * Counts one more page of a stream if the limit of its key allows it, and returns 0; else in how many
 * milliseconds it will. A stream gives no more pages in a minute than polls do; one that waits is no request
 * that was refused.
 */
function untilAllowedMs({ authenticator, elapsed }: Services, { caller }: Exchange): number {
  return caller === null ? 0 : 1000 * (authenticator.take(caller, 1, elapsed)?.waitSeconds ?? 0);
}

/** Whether a piece of work ends within a time, in whichever way. */
async function isDoneWithin(work: Promise<unknown>, withinMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(resolve, withinMs, false)));
  const done = work.then(
    () => true,
    () => true,
  );
  return Promise.race([done, late]).finally(() => clearTimeout(timer));
}
