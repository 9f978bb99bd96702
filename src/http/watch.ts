import { ApiError } from '../contract/errors.ts';
import type { Log } from '../log.ts';
import type { RequestFacts } from './respond.ts';
import { sendError } from './send.ts';

/** More requests than this at the same time are turned away, so that a flood cannot take the memory. */
const requestsAtOnceMaximum = 2000;

/** What answers requests: a Hono application, or this around one. */
export type Fetch = (request: Request, facts: RequestFacts) => Response | Promise<Response>;

/** Bounds the number of requests at the same time and logs each one when it is answered. */
export function watched(fetch: Fetch, log: Log, requestsAtOnce = requestsAtOnceMaximum): Fetch {
  let underWay = 0;

  function done(request: Request, facts: RequestFacts, startedAt: number, response: Response): Response {
    log.request({
      method: request.method, path: pathOf(request.url), status: response.status, durationMs: performance.now() - startedAt,
      bytes: facts.bytes ?? 0, caller: facts.caller ?? null,
    });
    return response;
  }

  return (request, facts) => {
    const startedAt = performance.now();
    if (underWay >= requestsAtOnce) return done(request, facts, startedAt, tooMany());
    underWay++;
    let isCounted = true;
    // Counted down once: when it is answered, or when its client is gone before that.
    const release = () => {
      if (isCounted) underWay--;
      isCounted = false;
    };
    facts.outgoing?.once('close', release);
    const response = fetch(request, facts);
    if (response instanceof Promise) return response.finally(release).then((late) => done(request, facts, startedAt, late));
    release();
    return done(request, facts, startedAt, response);
  };
}

function tooMany(): Response {
  return sendError(new ApiError('rate_limited', 'Too many requests at once; try again in a second.'), { 'Retry-After': '1' });
}

/** The path of an absolute address, without its query: a key that was put there by mistake must not reach the log. */
function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  const end = url.indexOf('?', start);
  return url.slice(start, end === -1 ? undefined : end);
}
